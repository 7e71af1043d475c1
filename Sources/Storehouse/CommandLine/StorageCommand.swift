import JSON
import Journal
import Observability

/// A command of an operator on a database file.
package enum StorageCommand: Sendable, Hashable {
    case verify(file: String)
    case backup(file: String, target: String)
    case restore(backup: String, file: String)
    case export(session: String, file: String)
    /// - id: the new id of the session, `new` for a random one, nil for its own.
    case `import`(document: String, file: String, id: String?)
    /// - deleted: the session to delete instead of listing all; nil for none.
    case sessions(file: String, deleted: String?)
}

extension CommandDeclaration {
    /// The commands of operators.
    static let storage = [
        CommandDeclaration(
            name: "verify", group: .storage, summary: "check every stored row; exits with 1 if one is damaged",
            details: [
                """
                Checks every page and checksum, and replays the commits of every session. A server may use the file \
                meanwhile.
                """
            ],
            flags: [.storage, .json], success: "everything is intact",
            failure: "something is damaged, or the file cannot be read",
            examples: ["storehouse verify --storage storehouse.db"]
        ) { values throws(UsageError) in
            .storage(.verify(file: try values.required(.storage)), inJSON: values.has(.json))
        },
        CommandDeclaration(
            name: "backup", group: .storage, summary: "copy the database, also while a server writes to it",
            flags: [.storage, .target, .json], success: "the copy is complete",
            examples: ["storehouse backup --storage storehouse.db --to copy.db"]
        ) { values throws(UsageError) in
            .storage(
                .backup(file: try values.required(.storage), target: try values.required(.target)),
                inJSON: values.has(.json))
        },
        CommandDeclaration(
            name: "restore", group: .storage, summary: "put a backup in the place of a database that is gone",
            details: [
                """
                Verifies the backup, and copies it. A database that exists is not replaced: move it away first, with \
                the files beside it. Clients notice that the sessions have another history.
                """
            ],
            flags: [.backup, .restored, .json], success: "the database is restored",
            failure: "the backup is damaged, or the database exists",
            examples: ["storehouse restore --from copy.db --storage storehouse.db"]
        ) { values throws(UsageError) in
            .storage(
                .restore(backup: try values.required(.backup), file: try values.required(.restored)),
                inJSON: values.has(.json))
        },
        CommandDeclaration(
            name: "export", group: .storage, summary: "print a session as JSON; encrypted secrets stay encrypted",
            details: ["A session id that begins with two dashes stands behind '--', which ends the flags."],
            arguments: [CommandArgument(placeholder: "SESSION", summary: "the id of the session")],
            flags: [.storage, .alwaysJSON],
            examples: ["storehouse export --storage storehouse.db -- 9GZ3mXk0cYbq2vT1sQeRpA > session.json"]
        ) { values throws(UsageError) in
            .storage(
                .export(session: try values.required(0, "SESSION"), file: try values.required(.storage)),
                inJSON: true)
        },
        CommandDeclaration(
            name: "import", group: .storage,
            summary: "add an exported session to a database that no server uses",
            details: [
                """
                Checks the whole document before it writes anything, and prints the id of the session. The store of \
                the session must be one that this program hosts.
                """
            ],
            arguments: [
                CommandArgument(
                    placeholder: "FILE", summary: "the exported session; - is standard input", values: .files)
            ],
            flags: [.storage, .id, .json], success: "the session is stored",
            failure: "the document is refused, or the file is in use",
            examples: ["storehouse import session.json --storage other.db --id new"]
        ) { values throws(UsageError) in
            .storage(
                .import(
                    document: try values.required(0, "FILE"), file: try values.required(.storage), id: values[.id]),
                inJSON: values.has(.json))
        },
        CommandDeclaration(
            name: "sessions", group: .storage,
            summary: "list the sessions of a database and what is wrong with them, or delete one",
            details: ["With --json there is one object for each session, in a line of its own."],
            flags: [.storage, .delete, .json],
            failure: "the file cannot be read, or it has no such session",
            examples: [
                "storehouse sessions --storage storehouse.db",
                "storehouse sessions --storage storehouse.db --delete=--6JfV2aQm0yZcT4bWn1xA",
            ]
        ) { values throws(UsageError) in
            .storage(
                .sessions(file: try values.required(.storage), deleted: values[.delete]), inJSON: values.has(.json))
        },
    ]
}

extension CommandFlag {
    fileprivate static let storage = CommandFlag(
        name: "--storage", placeholder: "FILE", summary: "the database file (storage.path)", isRequired: true,
        values: .files)
    fileprivate static let restored = CommandFlag(
        name: "--storage", placeholder: "FILE", summary: "the database file (storage.path); it must not exist",
        isRequired: true, values: .files)
    fileprivate static let backup = CommandFlag(
        name: "--from", placeholder: "FILE", summary: "the backup", isRequired: true, values: .files)
    fileprivate static let target = CommandFlag(
        name: "--to", placeholder: "FILE", summary: "the copy; the file must not exist", isRequired: true,
        values: .files)
    fileprivate static let delete = CommandFlag(
        name: "--delete", placeholder: "ID",
        summary: "delete this session, damaged or not, from a database that no server uses")
    fileprivate static let id = CommandFlag(
        name: "--id", placeholder: "ID", summary: "a new id for the session; 'new' makes a random one")
}

extension StorehouseApp {
    /// The kinds that this program hosts, for commands that call no remote services.
    var hostedKinds: [StoreKind] {
        kinds(Services(animal: NoService(), auth: NoService(), configuration: StorehouseConfiguration()))
    }

    /// Runs a command of an operator on a database file.
    ///
    /// - Returns: the exit code.
    func perform(_ command: StorageCommand, inJSON: Bool) throws -> Int32 {
        switch command {
        case .verify(let file): return try Self.verify(file, inJSON: inJSON)
        case .backup(let file, let target):
            try SQLiteStorage.backup(file, to: target, progress: Progress("pages copied").report)
            Self.report(["storage": .string(file), "backup": .string(target)], inJSON) {
                "\(target) is a complete copy of \(file)"
            }
        case .restore(let backup, let file): try Self.restore(backup, file, inJSON: inJSON)
        case .export(let session, let file):
            Console.print(String(decoding: try SQLiteStorage.export(session, from: file), as: UTF8.self))
        case .import(let document, let file, let id):
            let name = id == "new" ? SessionID.random().description : id
            let kinds = hostedKinds
            let added = try SQLiteStorage.insert(try Self.read(document), into: file, as: name) {
                header, revision, state in Self.objection(header, revision, state, kinds)
            }
            Console.print(inJSON ? JSONValue.object(["session": .string(added)]).description : added)
        case .sessions(let file, nil): try Self.listSessions(file, inJSON: inJSON)
        case .sessions(let file, let id?):
            try SQLiteStorage.deleteSession(id, from: file)
            Self.report(["storage": .string(file), "deleted": .string(id)], inJSON) {
                "\(file): session \(id) is deleted"
            }
        }
        return 0
    }

    /// Writes a result for scripts to standard output, or for people to standard error.
    private static func report(_ result: JSONObject, _ inJSON: Bool, _ text: () -> String) {
        if inJSON { Console.print(JSONValue.object(result).description) } else { Console.printError(text()) }
    }

    private static func restore(_ backup: String, _ file: String, inJSON: Bool) throws {
        let found = try SQLiteStorage.verify(backup, progress: Progress("sessions").report)
        guard found.problems.isEmpty else {
            for problem in found.problems { Console.printError("\(backup): \(problem)") }
            throw CommandFailure("\(backup) is damaged, so \(file) was not created; restore another backup")
        }
        try SQLiteStorage.backup(backup, to: file, progress: Progress("pages copied").report)
        report(
            [
                "storage": .string(file), "backup": .string(backup), "sessions": .integer(found.sessions),
                "commits": .integer(found.commits),
            ], inJSON
        ) { "\(file) has \(found.sessions) sessions with \(found.commits) commits of \(backup)" }
    }

    /// The reason why no server that hosts these kinds can use a state of a session; nil if it can.
    private static func objection(
        _ session: SessionHeader, _ revision: Int, _ state: StateSnapshot, _ kinds: [StoreKind]
    ) -> String? {
        guard SessionID(session.id.utf8) != nil else {
            return "'\(session.id.prefix(64))' is not the id of a session; '--id new' gives it one"
        }
        guard let kind = kinds.first(where: { $0.name == session.kind }) else {
            return "this server has no store '\(session.kind)'; it has \(kinds.map(\.name).joined(separator: ", "))"
        }
        do {
            _ = try kind.makeStore(from: state, revision: revision)
            return nil
        } catch {
            return "the store '\(kind.name)' cannot read the state of revision \(revision): \(error)"
        }
    }

    private static func listSessions(_ file: String, inJSON: Bool) throws {
        try SQLiteStorage.listSessions(file) { session in
            guard !inJSON else {
                Console.print(session.json.description)
                return
            }
            var columns = [session.id]
            if let summary = session.summary {
                columns += [
                    summary.header.kind, "revision \(summary.revision)",
                    "used \(Timestamp.rfc3339(summary.lastActiveAt))",
                ]
            }
            if let damage = session.damage { columns.append("damaged: \(damage)") }
            Console.print(columns.joined(separator: "  "))
        }
    }

    private static func verify(_ file: String, inJSON: Bool) throws -> Int32 {
        let found = try SQLiteStorage.verify(file, progress: Progress("sessions").report)
        let isIntact = found.problems.isEmpty
        if inJSON {
            Console.print(found.json.description)
            return isIntact ? 0 : 1
        }
        for problem in found.problems { Console.printError("\(file): \(problem)") }
        guard isIntact else {
            Console.printError(
                """
                \(file): \(found.damagedSessions) of \(found.sessions) sessions are damaged; the others can be exported. \
                Keep a copy of the file and of its -wal file, and put a backup in its place.
                """)
            return 1
        }
        Console.print("\(file): \(found.sessions) sessions with \(found.commits) commits are intact")
        return 0
    }

    /// The bytes of a file, or of standard input for `-`.
    private static func read(_ path: String) throws -> [UInt8] {
        do throws(FileError) {
            return try FileContents.contents(of: path == "-" ? "/dev/stdin" : path, atMost: 1 << 30)
        } catch {
            throw StorageError.refused("\(path): \(error)")
        }
    }
}

extension SQLiteStorage.Verification {
    fileprivate var json: JSONValue {
        [
            "intact": .bool(problems.isEmpty), "sessions": .integer(sessions),
            "damagedSessions": .integer(damagedSessions), "commits": .integer(commits),
            "problems": .array(problems.map(JSONValue.string)),
        ]
    }
}

extension SQLiteStorage.ListedSession {
    fileprivate var json: JSONValue {
        var object: JSONObject = ["id": .string(id)]
        if let summary {
            object["store"] = .string(summary.header.kind)
            object["revision"] = .integer(summary.revision)
            object["createdAt"] = .string(Timestamp.rfc3339(summary.header.createdAt))
            object["lastActiveAt"] = .string(Timestamp.rfc3339(summary.lastActiveAt))
        }
        object["damage"] = damage.map(JSONValue.string) ?? .null
        return .object(object)
    }
}

/// Writes the progress of long work to standard error, every two seconds.
private final class Progress {
    private let unit: String
    private var next = ContinuousClock.now + .seconds(2)

    init(_ unit: String) { self.unit = unit }

    func report(_ done: Int, _ total: Int) {
        guard ContinuousClock.now >= next else { return }
        next = .now + .seconds(2)
        Console.printError("\(done) of \(total) \(unit)")
    }
}

/// A remote service that is never called.
private struct NoService: RemoteClient {
    func call(_ request: RemoteRequest) async throws(RemoteFailure) -> RemoteResponse {
        throw RemoteFailure(.interrupted, "this command calls no services")
    }
}
