/// What an operator wants done with a database file.
package enum StorageCommand: Sendable, Hashable {
    case verify(file: String)
    case backup(file: String, target: String)
    case export(session: String, file: String)
    /// - id: under which the session goes on; nil for its own.
    case `import`(document: String, file: String, id: String?)
}

extension CommandDeclaration {
    /// The commands of operators.
    static let storage = [
        CommandDeclaration(
            name: "verify", summary: "look at all that is kept; exit 1 if something is not as it was written",
            flags: [.storage]
        ) { values throws(UsageError) in .storage(.verify(file: try values.needed(.storage))) },
        CommandDeclaration(
            name: "backup", summary: "copy the database as it is now, also while a server writes to it",
            flags: [.storage, .target]
        ) { values throws(UsageError) in
            .storage(.backup(file: try values.needed(.storage), target: try values.needed(.target)))
        },
        CommandDeclaration(
            name: "export", argument: "SESSION", summary: "print a session as JSON; what is sealed stays sealed",
            flags: [.storage]
        ) { values throws(UsageError) in
            .storage(.export(session: try values.neededArgument("SESSION"), file: try values.needed(.storage)))
        },
        CommandDeclaration(
            name: "import", argument: "FILE", summary: "take an exported session into a database that no server uses",
            flags: [.storage, .id]
        ) { values throws(UsageError) in
            .storage(
                .import(
                    document: try values.neededArgument("FILE"), file: try values.needed(.storage), id: values[.id]))
        },
    ]
}

extension CommandFlag {
    fileprivate static let storage = CommandFlag(
        name: "--storage", placeholder: "FILE", summary: "the database file (storage.path)", isNeeded: true)
    fileprivate static let target = CommandFlag(
        name: "--to", placeholder: "FILE", summary: "the copy, which must not be there yet", isNeeded: true)
    fileprivate static let id = CommandFlag(
        name: "--id", placeholder: "ID", summary: "the session's id from now on, instead of its own; new makes one")
}
