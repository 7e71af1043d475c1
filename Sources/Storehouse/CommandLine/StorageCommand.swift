import Journal
import Observability

/// A command of an operator on a database file.
package enum StorageCommand: Sendable, Hashable {
    case verify(file: String)
    case backup(file: String, target: String)
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
        CommandDeclaration(
            name: "sessions", summary: "list the sessions of a database and what is wrong with them, or delete one",
            flags: [.storage, .delete]
        ) { values throws(UsageError) in
            .storage(.sessions(file: try values.required(.storage), deleted: values[.delete]))
        },
    ]
}

extension CommandFlag {
    fileprivate static let storage = CommandFlag(
        name: "--storage", placeholder: "FILE", summary: "the database file (storage.path)", isRequired: true)
    fileprivate static let target = CommandFlag(
        name: "--to", placeholder: "FILE", summary: "the copy; the file must not exist", isRequired: true)
    fileprivate static let delete = CommandFlag(
        name: "--delete", placeholder: "ID",
        summary: "delete this session, damaged or not, from a database that no server uses")
    fileprivate static let id = CommandFlag(
        name: "--id", placeholder: "ID", summary: "a new id for the session; 'new' makes a random one")
}

extension StorehouseApp {
    /// Runs a command of an operator on a database file.
    ///
    /// - Returns: the exit code.
    func perform(_ command: StorageCommand) throws -> Int32 {
        switch command {
        case .verify(let file): return try Self.verify(file)
        case .backup(let file, let target):
            try SQLiteStorage.backup(file, to: target, progress: Progress("pages copied").report)
            Console.printError("\(target) is a complete copy of \(file)")
        case .export(let session, let file):
            Console.print(String(decoding: try SQLiteStorage.export(session, from: file), as: UTF8.self))
        case .import(let document, let file, let id):
            let name = id == "new" ? SessionID.random().description : id
            let kinds = kinds(
                Services(animal: NoService(), auth: NoService(), configuration: StorehouseConfiguration()))
            Console.print(
                try SQLiteStorage.insert(try Self.read(document), into: file, as: name) { header, revision, state in
                    Self.objection(header, revision, state, kinds)
                })
        case .sessions(let file, nil): try Self.listSessions(file)
        case .sessions(let file, let id?):
            try SQLiteStorage.deleteSession(id, from: file)
            Console.printError("\(file): session \(id) is deleted")
        }
        return 0
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

    private static func listSessions(_ file: String) throws {
        try SQLiteStorage.listSessions(file) { session in
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

    private static func verify(_ file: String) throws -> Int32 {
        let found = try SQLiteStorage.verify(file, progress: Progress("sessions").report)
        for problem in found.problems { Console.printError("\(file): \(problem)") }
        guard found.problems.isEmpty else {
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
