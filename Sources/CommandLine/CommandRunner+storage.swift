import JSON
import Journal
import Observability
import Platform
import RedisJournal
import ServerWiring
import Sessions
import StoreHosting
import StorehouseServer
import Stores

extension CommandRunner {
    /// Runs a command of an operator on a database file.
    ///
    /// - Returns: the exit code.
    func perform(_ command: StorageCommand, inJSON: Bool) throws -> Int32 {
        let progress = ProgressLine(.standardError)
        defer { progress.hide() }
        if let url = command.redisURL { return try perform(command, on: url, progress, inJSON: inJSON) }
        switch command {
        case .verify(let file): return try verify(file, progress, inJSON: inJSON)
        case .check(let file):
            return try checkStates(of: file, try configuredSealer(), progress, inJSON: inJSON) { body in
                try SQLiteStorage.forEachState(in: file, progress: progress.report, body)
            }
        case .backup(let file, let target):
            try SQLiteStorage.backup(file, to: target, progress: progress.report)
            progress.hide()
            Self.report(["storage": .string(file), "backup": .string(target)], inJSON) {
                "\(target) is a complete copy of \(file)"
            }
        case .restore(let backup, let file):
            guard let backup else { throw StorageError.refused("\(file) needs the name of its backup") }
            try Self.restore(backup, file, progress, inJSON: inJSON)
        case .export(let session, let file, let withOwners):
            let document = try SQLiteStorage.export(session, from: file, withOwner: withOwners)
            Console.print(String(decoding: document, as: UTF8.self))
        case .import(let document, let file, let id):
            try insert(document, as: id, progress, inJSON: inJSON) { content, name, members, check in
                try SQLiteStorage.insert(
                    content, into: file, as: name, progress: progress.report, members: members, objection: check)
            }
        case .sessions(let file, nil, let mark):
            try Self.show(mark, in: file, inJSON: inJSON) { isWanted, body throws(StorageError) in
                try SQLiteStorage.listSessions(file, where: isWanted, body)
            }
        case .sessions(let file, let id?, _):
            try SQLiteStorage.deleteSession(id, from: file)
            Self.report(["storage": .string(file), "deleted": .string(id)], inJSON) {
                "\(file): session \(id) is deleted"
            }
        }
        return 0
    }

    /// Runs a command on a Redis server, with the key and the prefix of the configuration.
    private func perform(
        _ command: StorageCommand, on url: String, _ progress: ProgressLine, inJSON: Bool
    ) throws -> Int32 {
        let (storage, address, sealer) = try open(url, toChange: command.changesSessions)
        defer { storage.close() }
        switch command {
        case .backup:
            throw StorageError.refused(
                "Redis has backups of its own: copy its append-only files while it does not rewrite them, as its manual says; "
                    + "export and import copy single sessions")
        case .restore:
            let count = try storage.renameHistories()
            Self.report(["storage": .string(address.description), "sessions": .integer(count)], inJSON) {
                "\(address): \(count) session\(count == 1 ? " has" : "s have") another history from now on"
            }
        case .check:
            return try checkStates(of: address.description, sealer, progress, inJSON: inJSON) { body in
                try storage.forEachState(progress: progress.report, body)
            }
        case .verify:
            let check = StateCheck(kinds, sealer, limit: StateCheck.sampleSize)
            let found = try storage.verify(progress: progress.report, misfit: check.misfit)
            progress.hide()
            return Self.report(
                found, of: address.description, inJSON, advice: "Put a backup of Redis in its place.")
        case .export(let session, _, let withOwners):
            Console.print(String(decoding: try storage.export(session, withOwner: withOwners), as: UTF8.self))
        case .import(let document, _, let id):
            try insert(document, as: id, progress, inJSON: inJSON) { content, name, members, check in
                try storage.insert(
                    content, as: name, progress: progress.report, members: members, objection: check)
            }
        case .sessions(_, nil, let mark):
            try Self.show(mark, in: address.description, inJSON: inJSON) { isWanted, body throws(StorageError) in
                try storage.listSessions { if isWanted($0.id) { body($0) } }
            }
        case .sessions(_, let id?, _):
            try storage.deleteSession(id)
            Self.report(["storage": .string(address.description), "deleted": .string(id)], inJSON) {
                "\(address): session \(id) is deleted"
            }
        }
        return 0
    }

    /// Opens the sessions on a Redis server.
    ///
    /// - Parameter changes: whether the command changes sessions; else it only looks.
    private func open(
        _ url: String, toChange changes: Bool
    ) throws -> (RedisStorage, RedisAddress, any SecretSealer) {
        let address: RedisAddress
        do {
            address = try RedisAddress(url)
        } catch {
            throw StorageError.refused("--storage \(error.detail)")
        }
        let settings = try configuration(file: nil, needsUpstreams: false).server.storage
        guard let sealer = try settings.sealer() else {
            throw StorageError.refused(
                "the sessions on Redis are encrypted; set storage.key, or STOREHOUSE_STORAGE_KEY, to the key of their server"
            )
        }
        let storage = try RedisStorage(
            address, prefix: settings.redis.prefix, durability: settings.durability == .full ? .full : .relaxed,
            replicas: settings.redis.replicas, sealer: sealer, isReader: !changes,
            settingsAre: settings.redis.settings == .trusted ? .trusted : .checked)
        return (storage, address, sealer)
    }

    /// Returns the reason why a session cannot be used; nil if it can.
    private typealias Check = (SessionHeader, _ revision: Int, StateSnapshot) -> String?

    /// Returns the members of a state.
    private typealias Members = (SessionHeader, StateSnapshot) -> [ActorID]

    /// Imports a document and prints the id of its session.
    ///
    /// - Parameters:
    ///   - id: `new` for another id; nil for its own.
    ///   - store: stores the content of the document as a session, unless a state of it does not pass the check.
    private func insert(
        _ document: String, as id: String?, _ progress: ProgressLine, inJSON: Bool,
        _ store: (_ content: [UInt8], _ name: String?, Members, Check) throws -> String
    ) throws {
        let name = id == "new" ? SessionID.random().description : id
        let members = { [kinds] (session: SessionHeader, state: StateSnapshot) -> [ActorID] in
            guard let kind = kinds.first(where: { $0.name == session.kind }), kind.hasMembers else { return [] }
            return (try? kind.makeStore(from: state, revision: 0).members) ?? []
        }
        let content = try Self.read(document) { progress.report(StorageProgress(.readingDocument, $0, of: nil)) }
        let added = try store(content, name, members) { [kinds] in Self.objection($0, $1, $2, kinds) }
        progress.hide()
        Console.print(inJSON ? JSONValue.object(["session": .string(added)]).description : added)
    }

    /// Writes a result for scripts to standard output, or for people to standard error.
    private static func report(_ result: JSONObject, _ inJSON: Bool, _ text: () -> String) {
        if inJSON { Console.print(JSONValue.object(result).description) } else { Console.printError(text()) }
    }

    private static func restore(
        _ backup: String, _ file: String, _ progress: ProgressLine, inJSON: Bool
    ) throws {
        let found = try SQLiteStorage.verify(backup, progress: progress.report)
        progress.hide()
        guard found.problems.isEmpty else {
            for problem in found.problems { Console.printError("\(backup): \(problem)") }
            throw CommandFailure("\(backup) is damaged, so \(file) was not created; restore another backup")
        }
        try SQLiteStorage.restore(backup, to: file, progress: progress.report)
        progress.hide()
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

    /// Shows all sessions, or the one with a mark.
    ///
    /// - Parameter list: calls its second argument with the sessions whose ids satisfy the first.
    private static func show(
        _ mark: String?, in storage: String, inJSON: Bool,
        _ list: ((String) -> Bool, (SQLiteStorage.ListedSession) -> Void) throws(StorageError) -> Void
    ) throws {
        var count = 0
        let isWanted = { (id: String) in mark.map { Fingerprint.of(id) == $0 } ?? true }
        try list(isWanted) { session in
            count += 1
            show(session, inJSON: inJSON)
        }
        if let mark, count == 0 { throw CommandFailure("\(storage) has no session with the mark \(mark)") }
    }

    private static func show(_ session: SQLiteStorage.ListedSession, inJSON: Bool) {
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

    private func verify(_ file: String, _ progress: ProgressLine, inJSON: Bool) throws -> Int32 {
        let check = StateCheck(kinds, try configuredSealer(), limit: StateCheck.sampleSize)
        let found = try SQLiteStorage.verify(file, progress: progress.report, misfit: check.misfit)
        progress.hide()
        return Self.report(
            found, of: file, inJSON,
            advice: "Keep a copy of the file and of its -wal file, and put a backup in its place.")
    }

    /// - Parameter advice: what to do if something is damaged.
    /// - Returns: the exit code.
    private static func report(
        _ found: SQLiteStorage.Verification, of file: String, _ inJSON: Bool, advice: String
    ) -> Int32 {
        let isIntact = found.problems.isEmpty
        let code: Int32 = isIntact && found.misfits.isEmpty ? 0 : 1
        if inJSON {
            Console.print(found.json.description)
            return code
        }
        for problem in found.problems + found.misfits { Console.printError("\(file): \(problem)") }
        if isIntact {
            Console.print("\(file): \(found.counts) \(found.sessions == 1 ? "is" : "are") intact")
        } else {
            Console.printError(
                """
                \(file): \(found.damagedSessions) of \(found.sessions) sessions are damaged; the others can be exported. \
                \(advice)
                """)
        }
        if !found.misfits.isEmpty {
            Console.printError(
                """
                \(file): some sessions do not fit the stores of this program, which cannot load them: a definition lacks a \
                migration, or a newer program has written them. 'migrate --check' names all of them.
                """)
        }
        return code
    }

    /// The bytes of a file, or of standard input for `-`.
    private static func read(_ path: String, progress: (_ bytes: Int) -> Void) throws -> [UInt8] {
        do throws(FileError) {
            return try FileContents.contents(
                of: path == "-" ? "/dev/stdin" : path, atMost: 1 << 30, progress: progress)
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
            "intact": .bool(problems.isEmpty && misfits.isEmpty), "sessions": .integer(sessions),
            "damagedSessions": .integer(damagedSessions), "commits": .integer(commits),
            "problems": .array((problems + misfits).map(JSONValue.string)),
        ]
    }
}

extension SQLiteStorage.ListedSession {
    fileprivate var json: JSONValue {
        var object: JSONObject = ["id": .string(id)]
        if let summary {
            object["store"] = .string(summary.header.kind)
            object["owner"] = summary.header.owner.map { .string($0.text) }
            object["revision"] = .integer(summary.revision)
            object["createdAt"] = .string(Timestamp.rfc3339(summary.header.createdAt))
            object["lastActiveAt"] = .string(Timestamp.rfc3339(summary.lastActiveAt))
        }
        object["damage"] = damage.map(JSONValue.string) ?? .null
        return .object(object)
    }
}
