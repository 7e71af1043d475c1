import JSON
import Journal
import Observability

extension StorehouseApp {
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
        case .export(let session, let file, let withOwners):
            let document = try SQLiteStorage.export(session, from: file, withOwner: withOwners)
            Console.print(String(decoding: document, as: UTF8.self))
        case .import(let document, let file, let id):
            let name = id == "new" ? SessionID.random().description : id
            let kinds = kinds
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
        ) { "\(file) has \(found.counts) of \(backup)" }
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
        Console.print("\(file): \(found.counts) \(found.sessions == 1 ? "is" : "are") intact")
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
    /// `2 sessions with 1 commit`
    fileprivate var counts: String {
        "\(sessions) session\(sessions == 1 ? "" : "s") with \(commits) commit\(commits == 1 ? "" : "s")"
    }

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
            object["owner"] = summary.header.owner.map(JSONValue.string)
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
