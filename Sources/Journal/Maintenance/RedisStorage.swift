import JSON
import Platform
public import StoreHosting
import Stores

/// Maintenance of the sessions on a Redis server. Everything except imports and deletions also works while a server uses
/// them. Backups are those of Redis.
public struct RedisStorage {
    private let client: RedisClient
    private let names: RedisNames
    private let sealer: any SecretSealer

    /// Connects to a server.
    ///
    /// - Parameters:
    ///   - address: the server.
    ///   - prefix: the first part of the names of all keys.
    ///   - sealer: encrypts the ids of sessions.
    ///   - isExclusive: whether sessions are changed, so that no other process may use them.
    public init(
        _ address: RedisAddress, prefix: String, sealer: any SecretSealer, isExclusive: Bool
    ) throws(StorageError) {
        let settings = RedisSettings(
            address: address, prefix: prefix, isRelaxed: true, replicas: 0, node: RedisJournal.randomName(),
            sealer: sealer)
        names = RedisNames(tag: settings.tag)
        self.sealer = sealer
        client = try RedisClient(settings, isExclusive: isExclusive)
    }

    /// Ends the connection.
    public func close() { client.close() }

    /// Reads each session, and calls `body` with its id, or with what of it is left.
    private func forEachSession(
        _ body: (Result<(id: String, RedisStoredSession), SessionDamage>, _ count: Int) throws(StorageError) -> Void
    ) throws(StorageError) {
        var after = ""
        while true {
            let fields = try client.call(.list, "", [after, "500"])
            guard let rows = fields.dropFirst().first?.array, !rows.isEmpty else { return }
            for row in rows {
                guard let hash = row.array?.last?.text else { continue }
                try body(try session(row, hash), client.sessions)
                after = hash
            }
        }
    }

    private struct SessionDamage: Error {
        let id: String
        let detail: String
    }

    private func session(
        _ row: RedisReply, _ hash: String
    ) throws(StorageError) -> Result<(id: String, RedisStoredSession), SessionDamage> {
        guard let sealed = row.array?.first?.bytes, let clear = sealer.open(sealed) else {
            return .failure(SessionDamage(id: hash, detail: "its id cannot be decrypted"))
        }
        let id = String(decoding: clear, as: UTF8.self)
        do throws(JournalError) {
            guard RedisNames.hash(of: id) == hash else { throw .corrupt("its id belongs to another key") }
            return .success((id, try RedisStoredSession(try found(id), id: id, sealer, losses: 0)))
        } catch {
            guard case .corrupt(let detail) = error else { throw .refused(error.detail) }
            return .failure(SessionDamage(id: id, detail: detail))
        }
    }

    private func found(_ id: String) throws(JournalError) -> [RedisReply] {
        let hash = RedisNames.hash(of: id)
        do throws(StorageError) {
            return try client.call(.load, names.session(hash), [hash, "", "0"])
        } catch {
            throw .unavailable(error.description)
        }
    }

    /// Lists the sessions that have not ended, as `SQLiteStorage.listSessions` does.
    public func listSessions(_ body: (SQLiteStorage.ListedSession) -> Void) throws(StorageError) {
        try forEachSession { found, _ throws(StorageError) in
            switch found {
            case .success(let session):
                body(SQLiteStorage.ListedSession(id: session.id, summary: session.1.summary, damage: nil))
            case .failure(let damage):
                body(SQLiteStorage.ListedSession(id: damage.id, summary: nil, damage: damage.detail))
            }
        }
    }

    /// Checks every record, and replays the commits of every session.
    ///
    /// - Parameter progress: called repeatedly with the number of checked sessions and the total.
    public func verify(progress: (Int, Int) -> Void = { _, _ in }) throws(StorageError) -> SQLiteStorage.Verification {
        var result = SQLiteStorage.Verification()
        try forEachSession { found, count throws(StorageError) in
            switch found.flatMap(verify) {
            case .success(let count): result.commits += count
            case .failure(let damage):
                result.damagedSessions += 1
                result.problems.append("session \(damage.id): \(damage.detail)")
            }
            result.sessions += 1
            if result.sessions.isMultiple(of: 1000) { progress(result.sessions, count) }
        }
        return result
    }

    private func verify(_ session: (id: String, RedisStoredSession)) -> Result<Int, SessionDamage> {
        do throws(JournalError) {
            return .success(try commitCount(of: session.1))
        } catch {
            return .failure(SessionDamage(id: session.id, detail: error.detail))
        }
    }

    /// Replays all commits of a session, and counts them.
    private func commitCount(of session: RedisStoredSession) throws(JournalError) -> Int {
        let (base, rows) = try log(of: session)
        let initial = session.summary.header.initial.json
        guard var state = try? JSONValue(parsing: base?.state ?? initial, maximumDepth: JSONValue.maxDepth) else {
            throw .corrupt("the state at revision \(session.cut) cannot be read")
        }
        for row in rows {
            guard let changes = row.record?.changes, changes.isEmpty || changes.apply(to: &state) else {
                throw .corrupt("the patch of revision \(row.revision) does not apply")
            }
        }
        guard session.replayable.state(initial: initial) == state else {
            throw .corrupt("the newest snapshot differs from the replayed commits")
        }
        return rows.count
    }

    /// All commits of a session, and the state before them; nil if that is the initial state.
    private func log(of session: RedisStoredSession) throws(JournalError) -> (SnapshotRow?, [CommitRow]) {
        let key = names.session(RedisNames.hash(of: session.summary.header.id))
        let fields: [RedisReply]
        let stored: [RedisReply]
        do throws(StorageError) {
            fields = try client.call(.replay, key, [String(session.cut)])
            stored = try client.call(.commits, key, [String(session.cut), String(1 << 32)])
        } catch {
            throw .unavailable(error.description)
        }
        var base: SnapshotRow?
        if session.cut > 0 {
            guard fields.count == 6, fields[3].integer == session.cut,
                let row = try? SnapshotRow(encoded: fields[4].bytes ?? [])
            else { throw .corrupt("the snapshot before the oldest commit is missing or damaged") }
            base = row
        }
        let seed = base?.chain ?? SessionRow.checksum(session.summary.header)
        let rows = try RedisLog(stored, 3).rows(after: session.cut, seed: seed)
        guard rows.last?.revision ?? session.cut >= session.position.revision else {
            throw .corrupt("commits are missing")
        }
        return (base, Array(rows.prefix(session.position.revision - session.cut)))
    }

    /// Exports a session, as `SQLiteStorage.export` does.
    public func export(_ id: String, withOwner: Bool = false) throws(StorageError) -> [UInt8] {
        do throws(JournalError) {
            let fields = try found(id)
            switch fields.first?.text {
            case "UNKNOWN": throw .unavailable("session \(id) does not exist")
            case "ENDED": throw .unavailable("session \(id) has ended")
            default: break
            }
            let session = try RedisStoredSession(fields, id: id, sealer, losses: 0)
            let (base, rows) = try log(of: session)
            return ExportedSession.document(session.summary.header, session.summary, base, rows, withOwner: withOwner)
        } catch {
            if case .corrupt(let detail) = error { throw .refused("session \(id) is damaged (\(detail))") }
            throw .refused(error.detail)
        }
    }

    /// Imports an exported session, as `SQLiteStorage.insert` does.
    public func insert(
        _ bytes: [UInt8], as id: String?,
        objection: (SessionHeader, _ revision: Int, StateSnapshot) -> String? = { _, _, _ in nil }
    ) throws(StorageError) -> String {
        let session = try ExportedSession(bytes, as: id, objection)
        let hash = RedisNames.hash(of: session.header.id)
        guard let sealed = sealer.seal(Array(session.header.id.utf8)) else {
            throw .refused("storage.key cannot be used")
        }
        let arguments = session.insertion(names, hash, sealedID: sealed, losses: client.losses)
        let word = try client.call(.insert, names.session(hash), arguments).first?.text
        switch word {
        case "OK": return session.header.id
        case "PERSONAL":
            throw .refused(
                "there already is the personal session of this owner and store; export without --with-owners, or delete that "
                    + "session first")
        default:
            throw .refused("there already is or was a session \(session.header.id), which was not changed; use --id")
        }
    }

    /// Deletes a session, damaged or not. Its id is remembered for an hour.
    public func deleteSession(_ id: String) throws(StorageError) {
        let hash = RedisNames.hash(of: id)
        let key = names.session(hash)
        guard try client.execute(RedisCommand("HEXISTS", key, "claim")).integer == 1 else {
            throw .refused("there is no session \(id)")
        }
        _ = try client.call(.end, key, [hash, "", String(RetentionPolicy.tombstoneTTL)])
    }
}

extension ExportedSession {
    /// The arguments of the script `insert`.
    fileprivate func insertion(_ names: RedisNames, _ hash: String, sealedID: [UInt8], losses: Int) -> [[UInt8]] {
        // The claim is empty, because no process has loaded the session yet.
        var head = header.creationArguments(names, hash, claim: "", sealedID: sealedID, losses: losses)
        // Neither the claim nor the time of creation is among these arguments.
        head.remove(at: 5)
        head.remove(at: 1)
        let seed = SessionRow.checksum(header)
        var position = RedisPosition(revision: base?.revision ?? 0, checksum: seed)
        var snapshots: [[UInt8]] = []
        func add(_ state: StateSnapshot) {
            let row = SnapshotRow(
                revision: position.revision, state: state.json, privateState: state.privateState,
                chain: position.checksum)
            snapshots += [Array(String(row.revision).utf8), Array(String(position.byteCount).utf8), row.encoded]
        }
        if let base { add(base.state) }
        var records: [[UInt8]] = []
        for commit in commits {
            let row = CommitRow(commit, after: position.checksum)
            records.append(row.encoded)
            position.revision = row.revision
            position.checksum = row.checksum
            position.byteCount += row.byteCount
            if let snapshot = self.snapshots[row.revision] { add(snapshot) }
        }
        // Whether the state has a timer is not known. The next server finds it due, and looks.
        let numbers = [
            String(base?.revision ?? 0), String(position.revision), String(position.checksum),
            String(position.byteCount),
            "0", String(lastActiveAt), String(shareGeneration), String(snapshots.count / 3),
        ]
        return head + numbers.map { Array($0.utf8) } + snapshots + records
    }
}

/// A connection that blocks its caller.
private struct RedisClient {
    private static let timeout = Duration.seconds(60)

    private let settings: RedisSettings
    private let socket: RedisSocket
    private let scripts: [RedisScript: [UInt8]]
    let losses: Int
    let sessions: Int

    init(_ settings: RedisSettings, isExclusive: Bool) throws(StorageError) {
        self.settings = settings
        switch RedisHandshake(settings: settings, known: nil, isReader: !isExclusive).run() {
        case .ready(let socket, let opened, let scripts, _):
            (self.socket, self.scripts) = (socket, scripts)
            (losses, sessions) = (opened.losses, opened.sessions)
        case .failed(let detail), .refused(let detail): throw .refused("\(settings.address): \(detail)")
        case .held, .taken: throw .refused("\(settings.address) is in use by a server; stop it first")
        }
    }

    func close() {
        _ = try? call(.leave, "", [settings.node])
        socket.close()
    }

    func execute(_ command: RedisCommand) throws(StorageError) -> RedisReply {
        do {
            let reply = try RedisExchange(socket, until: .now + Self.timeout)([command])[0]
            if case .error(let text) = reply { throw StorageError.refused("\(settings.address): \(text)") }
            return reply
        } catch let error as StorageError {
            throw error
        } catch let failure as RedisSocket.Failure {
            throw .refused("\(settings.address): \(failure.detail)")
        } catch {
            throw .refused("\(settings.address) does not speak the protocol of Redis")
        }
    }

    func call(_ script: RedisScript, _ session: String, _ arguments: [String]) throws(StorageError) -> [RedisReply] {
        try call(script, session, arguments.map { Array($0.utf8) })
    }

    func call(_ script: RedisScript, _ session: String, _ arguments: [[UInt8]]) throws(StorageError) -> [RedisReply] {
        let command = RedisCommand(evaluating: scripts[script] ?? [], settings.tag, session, arguments)
        return try execute(command).array ?? []
    }
}
