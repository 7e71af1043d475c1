import JSON
import Stores

extension SQLiteStorage {
    /// A session as a JSON document: the state that it began with, or the oldest that is kept, and all commits since. What is
    /// sealed stays sealed.
    ///
    /// - Parameters:
    ///   - id: the session's.
    ///   - path: the database file.
    public static func export(_ id: String, from path: String) throws(StorageError) -> [UInt8] {
        let connection = try open(path)
        let reader = try storageErrors(path) { () throws(SQLiteError) in try ReadingDatabase(connection) }
        do throws(JournalFailure) {
            return try reader.atOneMoment { reader throws(JournalFailure) in
                switch try reader.find(id, answersSince: .max, keepCommits: 1) {
                case .unknown: throw .unavailable("there is no session \(id)")
                case .ended: throw .unavailable("session \(id) has ended")
                case .session(let session): return try reader.export(session)
                }
            }
        } catch {
            if case .corrupt(let detail) = error {
                throw .refused("session \(id) in \(path) is damaged (\(detail)); export it from a backup")
            }
            throw .refused("\(path): \(error.detail)")
        }
    }
}

extension ReadingDatabase {
    fileprivate func export(_ session: StoredSession) throws(JournalFailure) -> [UInt8] {
        let record = session.row.record
        let base = try base(of: session)
        let rows = try rows(of: session.cursor.number, after: base?.revision ?? 0, upTo: .max, limit: .max)
        try Self.check(rows, after: base?.chain ?? session.row.checksum)
        var json = JSONWriter(reservingCapacity: 1024 + rows.count * 256)
        json.object { json in
            json.member("format", "storehouse-session")
            json.member("version", 1)
            json.member("id", record.id)
            json.member("store", record.kind)
            json.member("schema", record.schema)
            json.member("createdAt", record.createdAt)
            json.member("lastActiveAt", session.kept.lastActiveAt)
            json.member("forkedFrom", ifPresent: record.forkedFrom)
            json.member("history", record.history)
            json.member("initial", object: { $0.state(record.initial.json, record.initial.hidden) })
            if let base {
                json.member(
                    "base",
                    object: { json in
                        json.member("revision", base.revision)
                        json.state(base.state, base.hidden)
                    })
            }
            json.member("commits", array: { json in for row in rows { json.commit(row) } })
        }
        return json.finish()
    }
}

extension JSONWriter {
    fileprivate mutating func state(_ state: [UInt8], _ hidden: [UInt8]?) {
        member("state", raw: state)
        if let hidden { member("hidden", raw: hidden) }
    }

    fileprivate mutating func commit(_ row: CommitRow) {
        object { json in
            json.member("revision", row.revision)
            json.member("at", row.at)
            json.member("type", row.type)
            json.member("payload", raw: row.payload)
            json.member("origin", row.origin)
            json.member("cause", ifPresent: row.cause)
            json.member("changes", raw: row.changes)
            if let hidden = row.hidden { json.member("hidden", raw: hidden) }
        }
    }
}
