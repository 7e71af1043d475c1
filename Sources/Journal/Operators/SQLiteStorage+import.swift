import JSON
public import Stores

extension SQLiteStorage {
    /// Writes an exported session into a database that no server uses.
    ///
    /// - Parameters:
    ///   - bytes: what ``export(_:from:)`` has made.
    ///   - path: the database file, which is made where there is none.
    ///   - id: under which it goes on; nil for its own. None of that id may be there, or have been lately.
    ///   - objection: why a session cannot be used by the servers that the file is for; nil where it can.
    /// - Returns: the id.
    public static func insert(
        _ bytes: [UInt8], into path: String, as id: String?,
        objection: (SessionRecord) -> String? = { _ in nil }
    ) throws(StorageError) -> String {
        let session: ExportedSession
        do throws(ExportedSession.Unreadable) {
            session = try ExportedSession(bytes, id: id)
        } catch {
            throw .refused("the document cannot be imported: \(error.detail)")
        }
        if let objection = objection(session.record) {
            throw .refused("the document cannot be imported: \(objection)")
        }
        let file = try StorageFile(path)
        try file.checkHeader()
        let lock = try StorageLock(file.path)
        defer { lock.release() }
        try file.prepare()
        let connection = try openKnown(path, file, .write)
        try Schema.prepare(connection, path)
        try insert(session, into: connection, path)
        return session.record.id
    }

    private static func insert(
        _ session: ExportedSession, into connection: Connection, _ path: String
    ) throws(StorageError) {
        let isThere: Bool
        do throws(SQLiteError) {
            let house = Housekeeping(keepCommits: .max, keepDays: 0, now: systemTime)
            let database = try WritingDatabase(connection, durability: .full, house)
            isThere =
                try connection.prepare("SELECT 1 FROM sessions WHERE id = ?")
                .first({ $0.set(1, text: session.record.id) }, { $0.integer(0) }) != nil
            if !isThere { try database.insert(session) }
            database.close()
        } catch {
            if error.isConstraint { throw .refused("the document cannot be imported: \(error.message)") }
            throw StorageError(error, path)
        }
        if isThere {
            throw .refused("\(path) has or had a session \(session.record.id), which stays as it is; see --id")
        }
    }
}

extension WritingDatabase {
    /// Writes a session with all of its commits in one transaction, and snapshots so near that it is soon found.
    fileprivate func insert(_ session: ExportedSession) throws(SQLiteError) {
        defer { connection.rollBack() }
        try statements.begin.run { _ in }
        var cursor = try begin(session.record)
        let first = session.base?.state.json ?? session.record.initial.json
        guard var state = try? JSONValue(parsing: first, maximumDepth: JSONValue.deepestNesting) else {
            throw SQLiteError(conflict: "its first state cannot be read")
        }
        var hidden = session.base?.state.hidden
        if let base = session.base {
            cursor.revision = base.revision
            try cut(cursor.number, at: base.revision)
            try insert(
                SnapshotRow(revision: base.revision, state: base.state.json, hidden: hidden, chain: cursor.chain),
                of: cursor.number)
        }
        for record in session.commits {
            guard let next = record.changes.applied(to: state) else {
                throw SQLiteError(conflict: "the changes of revision \(record.revision) do not fit the state before")
            }
            (state, hidden) = (next, record.hidden ?? hidden)
            let row = CommitRow(record, after: cursor.chain)
            try insert(row, of: cursor.number)
            (cursor.revision, cursor.chain) = (row.revision, row.checksum)
            if row.revision.isMultiple(of: 256) {
                try insert(
                    SnapshotRow(revision: row.revision, state: state.encoded(), hidden: hidden, chain: row.checksum),
                    of: cursor.number)
            }
        }
        try statements.note.run { values in
            values.set(1, cursor.number)
            values.set(2, session.lastActiveAt)
        }
        try statements.commit.run { _ in }
    }
}
