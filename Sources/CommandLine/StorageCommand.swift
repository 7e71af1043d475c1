import Observability
import StorehouseServer

/// A command of an operator on a database file.
package enum StorageCommand: Sendable, Hashable {
    case verify(file: String)
    /// Reads all states with the definitions of this program.
    case check(file: String)
    case backup(file: String, target: String)
    /// - backup: nil for Redis, where the backup is in its place already.
    case restore(backup: String?, file: String)
    /// - withOwners: whether the document names the owner.
    case export(session: String, file: String, withOwners: Bool)
    /// - id: the new id of the session, `new` for a random one, nil for its own.
    case `import`(document: String, file: String, id: String?)
    /// - deleted: the session to delete instead of listing all; nil for none.
    /// - mark: the mark of the session to list instead of all; nil for all.
    case sessions(file: String, deleted: String?, mark: String? = nil)
}

extension StorageCommand {
    /// The storage, if it is not a file.
    var redisURL: String? {
        let storage =
            switch self {
            case .verify(let file), .check(let file), .backup(let file, _), .restore(_, let file),
                .export(_, let file, _),
                .import(_, let file, _), .sessions(let file, _, _):
                file
            }
        return Self.isRedisURL(storage) ? storage : nil
    }

    fileprivate static func isRedisURL(_ storage: String) -> Bool {
        ["redis://", "rediss://", "unix://"].contains { storage.hasPrefix($0) }
    }

    /// Whether something is changed.
    var changesSessions: Bool {
        switch self {
        case .import, .restore: true
        case .sessions(_, let deleted, _): deleted != nil
        case .verify, .check, .backup, .export: false
        }
    }
}

extension CommandDeclaration {
    private static let settingsOfRedis = """
        With the URL of a Redis server, storage.key and storage.redis.prefix come from \(Configuration.defaultFile) in the \
        working directory and from the environment.
        """

    /// The commands of operators.
    static let storage = [
        CommandDeclaration(
            name: "verify", group: .storage, summary: "check every stored row; exits with 1 if one is damaged",
            details: [
                """
                Checks every page and checksum, and replays the commits of every session. A server may use the file \
                meanwhile.
                """,
                """
                Also reads the states of 100 sessions of each store with the definitions of this program, and names the \
                member that does not fit; 'migrate --check' reads all of them. The secrets in them are read if storage.key \
                is in the configuration.
                """,
                settingsOfRedis,
            ],
            arguments: [.orFlag(.storage)], flags: [.storage, .json], success: "everything is intact",
            failure: "something is damaged or does not fit, or the file cannot be read",
            examples: ["storehouse verify storehouse.db", "storehouse verify redis://localhost:6379/0"]
        ) { values throws(UsageError) in
            .storage(.verify(file: try values.required(.storage)), inJSON: values.has(.json))
        },
        CommandDeclaration(
            name: "migrate", group: .storage,
            summary: "read every stored session as a server of this program would, before it starts",
            details: [
                """
                A server migrates a session when it loads it. With --check this command reads the newest state of every \
                session with the definitions and migrations of this program. It names each session that could not be loaded, \
                with the member that does not fit. It changes nothing, and servers may use the storage meanwhile.
                """,
                "The secrets in the states are read if storage.key is in the configuration.", settingsOfRedis,
            ],
            arguments: [.orFlag(.storage)], flags: [.check, .storage, .json],
            success: "this program can load every session",
            failure: "it cannot load some of them, or the file cannot be read",
            examples: ["storehouse migrate --check storehouse.db"]
        ) { values throws(UsageError) in
            guard values.has(.check) else {
                throw .wrong("a session is migrated when a server loads it; --check reads all of them before that")
            }
            return .storage(.check(file: try values.required(.storage)), inJSON: values.has(.json))
        },
        CommandDeclaration(
            name: "backup", group: .storage, summary: "copy the database, also while a server writes to it",
            arguments: [.orFlag(.copied), .orFlag(.target, "COPY")], flags: [.copied, .target, .json],
            success: "the copy is complete",
            examples: ["storehouse backup storehouse.db copy.db", "storehouse backup --storage storehouse.db copy.db"]
        ) { values throws(UsageError) in
            .storage(
                .backup(file: try values.required(.copied), target: try values.required(.target)),
                inJSON: values.has(.json))
        },
        CommandDeclaration(
            name: "restore", group: .storage, summary: "put a backup in the place of a database that is gone",
            details: [
                """
                Verifies the backup, and copies it. A database that exists is not replaced: move it away first, with \
                the files beside it. Clients notice that the sessions have another history.
                """,
                """
                A backup of Redis is put in its place as the manual of Redis says. Then, before a server starts, give the \
                URL of Redis and no BACKUP: the sessions get another history here too.
                """,
                settingsOfRedis,
            ],
            arguments: [.orFlag(.backup, "BACKUP", isRequired: false), .orFlag(.restored)],
            flags: [.backup, .restored, .json], success: "the database is restored",
            failure: "the backup is damaged, or the database exists or is in use",
            examples: [
                "storehouse restore copy.db storehouse.db", "storehouse restore redis://localhost:6379/0",
            ]
        ) { values throws(UsageError) in
            .storage(try restoration(values), inJSON: values.has(.json))
        },
        CommandDeclaration(
            name: "export", group: .storage, summary: "print a session as JSON; encrypted secrets stay encrypted",
            details: [
                """
                With --with-owners the document names the subject that the session belongs to. A session that is \
                imported without an owner belongs to nobody: in token mode only tokens that list its id may use it.
                """,
                "A session id that begins with two dashes stands behind '--', which ends the flags.",
                settingsOfRedis,
            ],
            arguments: [
                .orFlag(.storage), CommandArgument(placeholder: "SESSION", summary: "the id of the session"),
            ],
            flags: [.storage, .withOwners, .alwaysJSON],
            examples: ["storehouse export storehouse.db 9GZ3mXk0cYbq2vT1sQeRpA > session.json"]
        ) { values throws(UsageError) in
            .storage(
                .export(
                    session: try values.required(0, "SESSION"), file: try values.required(.storage),
                    withOwners: values.has(.withOwners)),
                inJSON: true)
        },
        CommandDeclaration(
            name: "import", group: .storage,
            summary: "add an exported session to a database that no server uses",
            details: [
                """
                Checks the whole document before it writes anything, and prints the id of the session. The store of \
                the session must be one that this program hosts.
                """,
                "Nodes may go on using Redis meanwhile. " + settingsOfRedis,
            ],
            arguments: [
                CommandArgument(
                    placeholder: "DOCUMENT", summary: "the exported session; - is standard input", values: .files),
                .orFlag(.storage),
            ],
            flags: [.storage, .id, .json], success: "the session is stored",
            failure: "the document is refused, or the file is in use",
            examples: ["storehouse import session.json other.db --id new"]
        ) { values throws(UsageError) in
            .storage(
                .import(
                    document: try values.required(0, "DOCUMENT"), file: try values.required(.storage), id: values[.id]),
                inJSON: values.has(.json))
        },
        CommandDeclaration(
            name: "sessions", group: .storage,
            summary: "list the sessions of a database and what is wrong with them, or delete one",
            details: [
                "With --json there is one object for each session, in a line of its own.",
                "Lines of the log name a session by a mark of 8 digits; --mark lists the session that has it.",
                settingsOfRedis,
            ],
            arguments: [.orFlag(.storage)], flags: [.storage, .mark, .delete, .json],
            failure: "the file cannot be read, or it has no such session",
            examples: [
                "storehouse sessions storehouse.db", "storehouse sessions storehouse.db --mark 35c5700b",
                "storehouse sessions storehouse.db --delete=--6JfV2aQm0yZcT4bWn1xA",
            ]
        ) { values throws(UsageError) in
            let mark = try mark(values[.mark])
            if mark != nil, values.has(.delete) {
                throw .wrong("--mark finds a session, and --delete deletes it by its id; give one of them")
            }
            return .storage(
                .sessions(file: try values.required(.storage), deleted: values[.delete], mark: mark),
                inJSON: values.has(.json))
        },
    ]

    /// A backup of Redis has no name: it is in its place already.
    private static func restoration(_ values: FlagValues) throws(UsageError) -> StorageCommand {
        if let url = values[.backup], values[.restored] == nil, StorageCommand.isRedisURL(url) {
            return .restore(backup: nil, file: url)
        }
        let storage = try values.required(.restored)
        guard StorageCommand.isRedisURL(storage) else {
            return .restore(backup: try values.required(.backup), file: storage)
        }
        guard !values.has(.backup) else {
            throw .wrong("a backup of Redis is put in its place as its manual says; do that, and leave BACKUP out")
        }
        return .restore(backup: nil, file: storage)
    }

    private static func mark(_ text: String?) throws(UsageError) -> String? {
        guard let text else { return nil }
        guard Fingerprint.isWellFormed(text) else {
            throw .wrong("--mark takes the 8 hexadecimal digits by which the log names a session, such as 35c5700b")
        }
        return text.lowercased()
    }
}

extension CommandFlag {
    fileprivate static let storage = CommandFlag(
        name: "--storage", placeholder: "FILE",
        summary: "the database file (storage.path), or the URL of a Redis server",
        isRequired: true, values: .files)
    fileprivate static let check = CommandFlag(
        name: "--check", summary: "read the sessions and change nothing", isRequired: true)
    fileprivate static let copied = CommandFlag(
        name: "--storage", placeholder: "FILE", summary: "the database file (storage.path)", isRequired: true,
        values: .files)
    fileprivate static let restored = CommandFlag(
        name: "--storage", placeholder: "FILE",
        summary: "the database file (storage.path), which must not exist, or the URL of a Redis server",
        isRequired: true, values: .files)
    fileprivate static let backup = CommandFlag(
        name: "--from", placeholder: "FILE", summary: "the backup of a file", values: .files)
    fileprivate static let target = CommandFlag(
        name: "--to", placeholder: "FILE", summary: "the copy; the file must not exist", isRequired: true,
        values: .files)
    fileprivate static let mark = CommandFlag(
        name: "--mark", placeholder: "MARK", summary: "list only the session that the log names so")
    fileprivate static let delete = CommandFlag(
        name: "--delete", placeholder: "ID",
        summary:
            "delete this session, damaged or not, from a file that no server uses, or from Redis if no node owns it")
    fileprivate static let withOwners = CommandFlag(
        name: "--with-owners", summary: "include the subject that the session belongs to")
    fileprivate static let id = CommandFlag(
        name: "--id", placeholder: "ID", summary: "a new id for the session; 'new' makes a random one")
}
