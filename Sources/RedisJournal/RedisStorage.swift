import JSON
package import Journal
import Platform
package import StoreHosting
package import Stores

/// Maintenance of the sessions on a Redis server, also while nodes use them. Backups are those of Redis.
package struct RedisStorage {
    private let client: RedisClient
    private let names: RedisNames
    private let sealer: any SecretSealer

    /// Connects to a server.
    ///
    /// - Parameters:
    ///   - address: the server.
    ///   - prefix: the first part of the names of all keys.
    ///   - durability: the guarantee that a change waits for, as that of the servers.
    ///   - replicas: how many replicas must have a change as well.
    ///   - sealer: encrypts the ids of sessions.
    ///   - isReader: whether nothing is changed, so that the settings of the server do not matter.
    ///   - origin: how it is known that the settings keep what is acknowledged.
    package init(
        _ address: RedisAddress, prefix: String, durability: RedisJournal.Durability, replicas: Int = 0,
        sealer: any SecretSealer, isReader: Bool, settingsAre origin: RedisJournal.SettingsOrigin = .checked
    ) throws(StorageError) {
        try self.init(
            address, prefix: prefix, durability: durability, replicas: replicas, sealer: sealer, isReader: isReader,
            settingsAre: origin, timeouts: RedisTimeouts())
    }

    /// - Parameter timeouts: how long to wait for the server.
    package init(
        _ address: RedisAddress, prefix: String, durability: RedisJournal.Durability, replicas: Int = 0,
        sealer: any SecretSealer, isReader: Bool, settingsAre origin: RedisJournal.SettingsOrigin = .checked,
        timeouts: RedisTimeouts
    ) throws(StorageError) {
        let settings = RedisSettings(
            address: address, prefix: prefix, isRelaxed: durability == .relaxed, replicas: replicas, sealer: sealer,
            timeouts: timeouts, areTrusted: origin == .trusted)
        names = RedisNames(tag: settings.tag)
        self.sealer = sealer
        client = try RedisClient(settings, isReader: isReader)
    }

    /// Ends the connection.
    package func close() { client.close() }

    /// Reads each session, and calls `body` with it, or with what of it is left.
    ///
    /// - Parameter withLog: whether all of its commits are read too.
    private func forEachSession(
        withLog: Bool, _ body: (Result<FoundSession, SessionDamage>, _ count: Int) -> Void
    ) throws(StorageError) {
        var after = ""
        while true {
            let fields = try client.call(.list, [after, "500"])
            guard let rows = fields.dropFirst().first?.array, !rows.isEmpty else { return }
            for row in rows {
                guard let hash = row.array?.last?.text else { continue }
                if let found = try session(row, hash, withLog: withLog) { body(found, client.sessions) }
                after = hash
            }
        }
    }

    private struct SessionDamage: Error {
        let id: String
        let detail: String
    }

    /// - Returns: nil if it has ended since it was listed.
    private func session(
        _ row: RedisReply, _ hash: String, withLog: Bool
    ) throws(StorageError) -> Result<FoundSession, SessionDamage>? {
        guard let sealed = row.array?.first?.bytes, let clear = sealer.open(sealed) else {
            return .failure(SessionDamage(id: hash, detail: "its id cannot be decrypted"))
        }
        let id = String(decoding: clear, as: UTF8.self)
        guard RedisNames.hash(of: id) == hash else {
            return .failure(SessionDamage(id: id, detail: "its id belongs to another key"))
        }
        do throws(JournalError) {
            let fields = try found(id, withLog: withLog)
            return fields.first?.text == "OK" ? .success(try FoundSession(fields, id, sealer)) : nil
        } catch {
            guard case .corrupt(let detail, _) = error else { throw .refused(error.detail) }
            return .failure(SessionDamage(id: id, detail: detail))
        }
    }

    private func found(_ id: String, withLog: Bool) throws(JournalError) -> [RedisReply] {
        let hash = RedisNames.hash(of: id)
        return try client.reply(.load, of: names.session(hash), [hash, "", "0", ""] + (withLog ? ["1"] : []))
    }

    /// Lists the sessions that have not ended, as `SQLiteStorage.listSessions` does.
    package func listSessions(_ body: (SQLiteStorage.ListedSession) -> Void) throws(StorageError) {
        try forEachSession(withLog: false) { found, _ in
            switch found {
            case .success(let session):
                body(SQLiteStorage.ListedSession(id: session.id, summary: session.stored.summary, damage: nil))
            case .failure(let damage):
                body(SQLiteStorage.ListedSession(id: damage.id, summary: nil, damage: damage.detail))
            }
        }
    }

    /// Checks every record, and replays the commits of every session.
    ///
    /// - Parameters:
    ///   - progress: called repeatedly.
    ///   - misfit: as that of `SQLiteStorage.verify`.
    package func verify(
        progress: StorageProgress.Report = { _ in }, misfit: (StoredState) -> String? = { _ in nil }
    ) throws(StorageError) -> SQLiteStorage.Verification {
        var result = SQLiteStorage.Verification()
        try forEachSession(withLog: true) { found, count in
            switch found.flatMap(verify) {
            case .success(let (commits, state)):
                result.commits += commits
                if let detail = misfit(state) { result.misfits.append("session \(state.header.id): \(detail)") }
            case .failure(let damage):
                result.damagedSessions += 1
                result.problems.append("session \(damage.id): \(damage.detail)")
            }
            result.sessions += 1
            progress(StorageProgress(.readingSessions, result.sessions, of: count))
        }
        return result
    }

    private func verify(_ session: FoundSession) -> Result<(Int, StoredState), SessionDamage> {
        do throws(JournalError) {
            return .success((try session.replayedCommits(), session.stored.state))
        } catch {
            return .failure(SessionDamage(id: session.id, detail: error.detail))
        }
    }

    /// Calls `body` with the newest state of each session, as `SQLiteStorage.forEachState` does.
    package func forEachState(
        progress: StorageProgress.Report = { _ in }, _ body: (_ id: String, Result<StoredState, JournalError>) -> Void
    ) throws(StorageError) {
        var read = 0
        try forEachSession(withLog: false) { found, count in
            switch found {
            case .success(let session): body(session.id, .success(session.stored.state))
            case .failure(let damage): body(damage.id, .failure(.corrupt(damage.detail)))
            }
            read += 1
            progress(StorageProgress(.readingSessions, read, of: count))
        }
    }

    /// Exports a session, as `SQLiteStorage.export` does.
    package func export(_ id: String, withOwner: Bool = false) throws(StorageError) -> [UInt8] {
        do throws(JournalError) {
            let fields = try found(id, withLog: true)
            switch fields.first?.text {
            case "UNKNOWN": throw .unavailable("session \(id) does not exist")
            case "ENDED": throw .unavailable("session \(id) has ended")
            default: break
            }
            let session = try FoundSession(fields, id, sealer)
            let summary = session.stored.summary
            return ExportedSession.document(summary.header, summary, session.base, session.rows, withOwner: withOwner)
        } catch {
            if case .corrupt(let detail, _) = error { throw .refused("session \(id) is damaged (\(detail))") }
            throw .refused(error.detail)
        }
    }

    /// Imports an exported session, as `SQLiteStorage.insert` does.
    package func insert(
        _ bytes: [UInt8], as id: String?, progress: StorageProgress.Report = { _ in },
        members: (SessionHeader, StateSnapshot) -> [ActorID] = { _, _ in [] },
        objection: (SessionHeader, _ revision: Int, StateSnapshot) -> String? = { _, _, _ in nil }
    ) throws(StorageError) -> String {
        let session = try ExportedSession(bytes, as: id, progress, objection)
        let hash = RedisNames.hash(of: session.header.id)
        guard let sealed = sealer.seal(Array(session.header.id.utf8)) else {
            throw .refused("storage.key cannot be used")
        }
        let key = names.session(hash)
        let creation = RedisCreation(
            session.header, names, hash, claim: "", sealedID: sealed, lineageID: client.lineageID,
            members: members(session.header, session.newest))
        let isKnown = try client.execute(RedisBatch(RedisCommand("EXISTS", key)))[0].integer != 0
        let commands = creation.commands(importing: session.fields, now: systemTime(), client.encode)
        switch isKnown ? "EXISTS" : try client.change(commands).array?.first?.text {
        case "OK":
            let use = RedisCommand("ZADD", "\(names.tag):used", "XX", String(session.lastActiveAt), hash)
            try client.change(RedisBatch(use))
            return session.header.id
        case "PERSONAL":
            throw .refused(
                "there already is the personal session of this owner and store; export without --with-owners, or delete that "
                    + "session first")
        default:
            throw .refused(
                """
                there already is or was a session \(session.header.id), which was not changed; '--id new' gives this one \
                another id
                """)
        }
    }

    /// Gives all sessions another history, after a backup was put in the place of their data: their revisions may be given to other
    /// states than those that clients know. It is refused while nodes use the storage.
    ///
    /// - Returns: the number of sessions.
    package func renameHistories() throws(StorageError) -> Int {
        guard client.nodes.isEmpty else {
            throw .refused("the nodes \(client.nodes.sorted().joined(separator: ", ")) use it; stop them first")
        }
        try client.change(
            RedisBatch(RedisCommand("HSET", "\(names.tag):meta", "losses", String(RedisLease.randomNumber()))))
        return client.sessions
    }

    /// Deletes a session, damaged or not, unless a node owns it. Its id is remembered for an hour.
    package func deleteSession(_ id: String) throws(StorageError) {
        let hash = RedisNames.hash(of: id)
        let key = names.session(hash)
        guard try client.execute(RedisBatch(RedisCommand("HEXISTS", key, "claim")))[0].integer == 1 else {
            throw .refused("there is no session \(id)")
        }
        guard try client.change(names.end(of: hash, claim: "", client.encode)).array?.first?.text == "OK" else {
            throw .refused("a node uses the session \(id); end it with DELETE /sessions/ID, or stop the node first")
        }
    }
}

/// A session as it was at one moment, with all of its commits if they were read too.
private struct FoundSession {
    let id: String
    let stored: RedisStoredSession
    /// The state before the oldest commit; nil if that is the initial state.
    let base: SnapshotRow?
    let rows: [CommitRow]

    init(_ fields: [RedisReply], _ id: String, _ sealer: any SecretSealer) throws(JournalError) {
        self.id = id
        stored = try RedisStoredSession(fields, id: id, sealer, lineageID: nil)
        guard fields.count == 12 else {
            (base, rows) = (nil, [])
            return
        }
        if stored.cut > 0 {
            guard let row = try? SnapshotRow(encoded: fields[10].bytes ?? []), row.revision == stored.cut else {
                throw .corrupt("the snapshot before the oldest commit is missing or damaged")
            }
            base = row
        } else {
            base = nil
        }
        let seed = base?.chain ?? stored.summary.header.checksum
        rows = try (fields[11].array ?? []).commitRows(after: stored.cut, seed: seed) + stored.rows
        try CommitRow.check(rows, after: stored.cut, seed)
    }

    /// Replays all commits, and counts them.
    func replayedCommits() throws(JournalError) -> Int {
        let initial = stored.summary.header.initial.json
        guard var state = try? JSONValue(parsing: base?.state ?? initial, maximumDepth: JSONValue.maxDepth) else {
            throw .corrupt("the state at revision \(stored.cut) cannot be read")
        }
        for row in rows {
            guard let changes = row.record?.changes, changes.isEmpty || changes.replay(on: &state) else {
                throw .corrupt("the patch of revision \(row.revision) does not apply")
            }
        }
        guard stored.replayable.state(initial: initial) == state else {
            throw .corrupt("the newest snapshot differs from the replayed commits")
        }
        return rows.count
    }
}

extension ExportedSession {
    /// The fields of the session in Redis that a new one does not have, or has other values of.
    fileprivate var fields: [String: [UInt8]] {
        var position = RedisPosition(revision: base?.revision ?? 0, checksum: header.checksum)
        var (fields, list) = ([String: [UInt8]](), "")
        func add(_ state: StateSnapshot) {
            let row = SnapshotRow(
                revision: position.revision, state: state.json, privateState: state.privateState,
                chain: position.checksum)
            list += "\(row.revision) \(position.byteCount) "
            fields["s\(row.revision)"] = row.encoded
        }
        if let base { add(base.state) }
        for commit in commits {
            let row = CommitRow(commit, after: position.checksum)
            fields["c\(row.revision)"] = row.encoded
            position.revision = row.revision
            position.checksum = row.checksum
            position.byteCount += row.byteCount
            if let snapshot = snapshots[row.revision] { add(snapshot) }
        }
        let words = [
            "cut": String(base?.revision ?? 0), "revision": String(position.revision),
            "chain": String(position.checksum), "total": String(position.byteCount), "shares": String(shareGeneration),
            "snapshots": list,
        ]
        fields.merge(PermitRecord.fields(permits)) { $1 }
        fields.merge(ClientRow.fields(clients)) { $1 }
        return fields.merging(words.mapValues { Array($0.utf8) }) { $1 }
    }
}
