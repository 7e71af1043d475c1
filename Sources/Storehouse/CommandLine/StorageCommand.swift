/// A command of an operator on a database file.
package enum StorageCommand: Sendable, Hashable {
    case verify(file: String)
    case backup(file: String, target: String)
    case export(session: String, file: String)
    /// - id: the new id of the session, `new` for a random one, nil for its own.
    case `import`(document: String, file: String, id: String?)
}

extension CommandDeclaration {
    /// The commands of operators.
    static let storage = [
        CommandDeclaration(
            name: "verify", summary: "check every stored row; exits with 1 if one is damaged",
            flags: [.storage]
        ) { values throws(UsageError) in .storage(.verify(file: try values.required(.storage))) },
        CommandDeclaration(
            name: "backup", summary: "copy the database, also while a server writes to it",
            flags: [.storage, .target]
        ) { values throws(UsageError) in
            .storage(.backup(file: try values.required(.storage), target: try values.required(.target)))
        },
        CommandDeclaration(
            name: "export", argument: "SESSION", summary: "print a session as JSON; encrypted secrets stay encrypted",
            flags: [.storage]
        ) { values throws(UsageError) in
            .storage(.export(session: try values.requiredArgument("SESSION"), file: try values.required(.storage)))
        },
        CommandDeclaration(
            name: "import", argument: "FILE", summary: "add an exported session to a database that no server uses",
            flags: [.storage, .id]
        ) { values throws(UsageError) in
            .storage(
                .import(
                    document: try values.requiredArgument("FILE"), file: try values.required(.storage), id: values[.id])
            )
        },
    ]
}

extension CommandFlag {
    fileprivate static let storage = CommandFlag(
        name: "--storage", placeholder: "FILE", summary: "the database file (storage.path)", isRequired: true)
    fileprivate static let target = CommandFlag(
        name: "--to", placeholder: "FILE", summary: "the copy; the file must not exist", isRequired: true)
    fileprivate static let id = CommandFlag(
        name: "--id", placeholder: "ID", summary: "a new id for the session; 'new' makes a random one")
}
