import JSON
import Platform
package import StoreHosting
package import Stores

extension SQLiteStorage {
    /// Exports a session as a JSON document: its initial state or the oldest retained one, and all commits since.
    /// Encrypted secrets stay encrypted.
    ///
    /// - Parameters:
    ///   - id: the session ID.
    ///   - path: the database file.
    ///   - withOwner: whether the document names the owner. A session that is imported without one belongs to nobody.
    package static func export(
        _ id: String, from path: String, withOwner: Bool = false
    ) throws(StorageError) -> [UInt8] {
        let connection = try open(path)
        let reader = try storageErrors(path) { () throws(SQLiteError) in try makeReader(connection).0 }
        do throws(JournalError) {
            return try reader.inReadTransaction { reader throws(JournalError) in
                switch try reader.find(id, answersSince: .max) {
                case .unknown: throw .unavailable("session \(id) does not exist")
                case .ended: throw .unavailable("session \(id) has ended")
                case .session(let session): return try reader.export(session, withOwner: withOwner)
                }
            }
        } catch {
            if case .corrupt(let detail, _) = error {
                throw .refused("session \(id) in \(path) is damaged (\(detail)); export it from a backup")
            }
            throw .refused("\(path): \(error.detail)")
        }
    }
}

extension ReadConnection {
    fileprivate func export(_ session: StoredSession, withOwner: Bool) throws(JournalError) -> [UInt8] {
        let record = session.row.header
        let base = try base(of: session)
        let rows = try rows(of: session.position.number, after: base?.revision ?? 0, upTo: .max, limit: .max)
        try CommitRow.check(rows, after: base?.revision ?? 0, base?.chain ?? session.row.head.checksum)
        return ExportedSession.document(record, session.summary, base, rows, withOwner: withOwner)
    }
}

extension ExportedSession {
    /// The document that is imported elsewhere.
    ///
    /// - Parameters:
    ///   - record: the session under the name of its own history.
    ///   - base: the state before the commits; nil if it is the initial state.
    package static func document(
        _ record: SessionHeader, _ summary: SessionSummary, _ base: SnapshotRow?, _ rows: [CommitRow], withOwner: Bool
    ) -> [UInt8] {
        var json = JSONWriter(reservingCapacity: 1024 + rows.count * 256)
        json.object { json in
            json.member("format", "storehouse-session")
            json.member("version", 1)
            json.member("id", record.id)
            json.member("store", record.kind)
            json.member("schema", record.schema)
            json.member("createdAt", record.createdAt)
            json.member("lastActiveAt", summary.lastActiveAt)
            json.member("forkedFrom", ifPresent: record.forkedFrom)
            if withOwner, let owner = record.owner {
                json.member("owner", owner)
                json.member("personal", record.isPersonal)
            }
            // Whoever imports it with the same id and key must not make revoked shares valid again.
            if summary.shareGeneration > 0 { json.member("shareGeneration", summary.shareGeneration) }
            if !summary.permits.isEmpty {
                json.member("shares", array: { json in for permit in summary.permits { json.permit(permit) } })
            }
            if !summary.clients.isEmpty {
                json.member("clients", array: { json in for client in summary.clients { json.client(client) } })
            }
            // Earlier releases require it.
            json.member("history", record.historyID)
            json.member("initial", object: { $0.state(record.initial.json, record.initial.privateState) })
            if let base {
                json.member(
                    "base",
                    object: { json in
                        json.member("revision", base.revision)
                        json.state(base.state, base.privateState)
                    })
            }
            json.member("commits", array: { json in for row in rows { json.commit(row) } })
        }
        return json.finish()
    }
}

extension JSONWriter {
    fileprivate mutating func state(_ state: [UInt8], _ privateState: [UInt8]?) {
        member("state", raw: state)
        if let privateState { member("hidden", raw: privateState) }
    }

    fileprivate mutating func permit(_ permit: PermitRecord) {
        object { json in
            json.member("id", permit.id)
            json.member("terms", raw: permit.content)
        }
    }

    fileprivate mutating func client(_ client: ClientRow) {
        object { json in
            json.member("mark", client.mark)
            json.member("record", raw: client.content)
        }
    }

    fileprivate mutating func commit(_ row: CommitRow) {
        object { json in
            json.member("revision", row.revision)
            json.member("at", row.committedAt)
            json.member("type", row.type)
            json.member("payload", raw: row.payload)
            json.member("origin", row.origin)
            json.member("cause", ifPresent: row.cause)
            json.member("changes", raw: row.changes)
            if let privateState = row.privateState { json.member("hidden", raw: privateState) }
            if let actor = row.actor { json.member("actor", raw: actor) }
        }
    }
}

extension SQLiteStorage {
    /// Imports an exported session into a database that no server uses. It gets a new history.
    ///
    /// - Parameters:
    ///   - bytes: the result of ``export(_:from:withOwner:)``.
    ///   - path: the database file; it is created if it is missing.
    ///   - id: the new ID of the session; nil to keep its ID. The database must not have this ID or a recent tombstone
    ///     of it.
    ///   - progress: called repeatedly.
    ///   - members: finds the members of the newest state.
    ///   - objection: returns why the target's servers cannot use the state of a revision; nil if they can. It is called
    ///     with the oldest and the newest state before anything is written.
    /// - Returns: the session ID.
    package static func insert(
        _ bytes: [UInt8], into path: String, as id: String?, progress: StorageProgress.Report = { _ in },
        members: (SessionHeader, StateSnapshot) -> [ActorID] = { _, _ in [] },
        objection: (SessionHeader, _ revision: Int, StateSnapshot) -> String? = { _, _, _ in nil }
    ) throws(StorageError) -> String {
        let session = try ExportedSession(bytes, as: id, progress, objection)
        let file = try StorageFile(path)
        try StorageLock.check(file.path)
        try file.checkHeader()
        let lock = try StorageLock(file.path)
        defer { lock.release() }
        try file.prepare()
        let (connection, _) = try openKnown(path, file, .write)
        try Schema.prepare(connection, path)
        try insert(session, members(session.header, session.newest), into: connection, path, progress)
        return session.header.id
    }

    private static func insert(
        _ session: ExportedSession, _ members: [ActorID], into connection: Connection, _ path: String,
        _ progress: StorageProgress.Report
    ) throws(StorageError) {
        let isThere: Bool
        do throws(SQLiteError) {
            let retention = RetentionPolicy(RetentionLimits(keepCommits: .max, keepBytes: .max), now: systemTime)
            let database = try WriteConnection(connection, syncsTransactions: true, retention)
            isThere =
                try connection.prepare("SELECT 1 FROM sessions WHERE id = ?")
                .first({ $0.set(1, text: session.header.id) }, { $0.integer(0) }) != nil
            if !isThere { try database.insert(session, members, progress) }
            database.close()
        } catch {
            if error.isConstraint, session.header.isPersonal {
                throw .refused(
                    "\(path) already has the personal session of this owner and store; export without --with-owners, or "
                        + "delete that session first")
            }
            if error.isConstraint { throw .refused("the document cannot be imported: \(error.message)") }
            throw StorageError(error, path)
        }
        if isThere {
            throw .refused(
                """
                \(path) already has or had a session \(session.header.id), which was not changed; '--id new' gives this one \
                another id
                """)
        }
    }
}

extension WriteConnection {
    /// Writes a session with all its commits in one transaction.
    fileprivate func insert(
        _ session: ExportedSession, _ members: [ActorID], _ progress: StorageProgress.Report
    ) throws(SQLiteError) {
        defer { connection.rollBack() }
        try statements.begin.run { _ in }
        var position = try create(session.header)
        try setMembers(members, of: position.number)
        // Whether the state has a timer is not known. The next server finds it due, and looks.
        try setDeadline(0, of: position.number)
        var segment = Segment(of: position.number)
        var byteCount = 0
        if let base = session.base {
            position.revision = base.revision
            try setCompactedThrough(base.revision, of: position.number, byteCount: 0)
            try insert(base.state, at: position)
        }
        for (index, record) in session.commits.enumerated() {
            progress(StorageProgress(.writingCommits, index, of: session.commits.count))
            let row = CommitRow(record, after: position.previousChecksum)
            segment.append(row)
            byteCount += row.byteCount
            if segment.isFull {
                try insert(segment)
                segment = Segment(of: position.number)
            }
            (position.revision, position.previousChecksum) = (row.revision, row.checksum)
            if let snapshot = session.snapshots[row.revision] { try insert(snapshot, at: position) }
        }
        try insert(segment)
        try recordNewest((position.revision, position.previousChecksum), adding: byteCount, of: position.number)
        if session.shareGeneration > 0 { try setShareGeneration(session.shareGeneration, of: position.number) }
        for permit in session.permits { try insert(permit, of: position.number) }
        for client in session.clients { try insert(client, of: position.number) }
        try statements.recordUse.run { values in
            values.set(1, position.number)
            values.set(2, session.lastActiveAt)
        }
        try statements.commit.run { _ in }
    }

    private func insert(_ state: StateSnapshot, at position: AppendPosition) throws(SQLiteError) {
        try insert(
            SnapshotRow(
                revision: position.revision, state: state.json, privateState: state.privateState,
                chain: position.previousChecksum),
            of: position.number)
    }
}
