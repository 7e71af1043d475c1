import Journal
import StoreHosting

/// The answer to a script that stores something.
struct RedisWritten: Sendable, Equatable {
    /// How many sessions have not ended; nil if the script does not count them.
    let sessions: Int?

    /// Nil if the storage has refused it.
    init?(_ reply: RedisReply) {
        if case .integer = reply {
            sessions = nil
            return
        }
        guard let fields = reply.array, fields.count == 2, fields[0].text == "OK", let sessions = fields[1].integer
        else { return nil }
        self.sessions = sessions
    }
}

/// A session that was never used, as the script `unused` has found it.
struct UnusedRow: Sendable {
    /// Nil if another node owns the session.
    let sealedID: [UInt8]?
    let createdAt: Int

    /// - Returns: nil if the session was used.
    init?(_ row: RedisReply) {
        guard let fields = row.array, fields.count == 3, let header = fields[1].bytes, let used = fields[2].integer,
            let createdAt = try? SessionHeader.createdAt(encoded: header), createdAt == used
        else { return nil }
        sealedID = fields[0].bytes
        self.createdAt = createdAt
    }
}

/// A part of a session's log that was read.
struct RedisLog {
    let revision: Int
    /// The newest revision whose commit was deleted.
    let cut: Int
    private let records: [RedisReply]

    /// - Parameter index: that of the commits in the reply.
    init(_ fields: [RedisReply], _ index: Int) throws(JournalError) {
        guard fields.count > index, let revision = fields[1].integer, let cut = fields[2].integer,
            let records = fields[index].array
        else { throw .corrupt("the log has no complete record") }
        (self.revision, self.cut, self.records) = (revision, cut, records)
    }

    /// The commits, which follow a revision.
    ///
    /// - Parameter seed: the checksum of the commit of that revision; nil if it is not known.
    func rows(after revision: Int, seed: UInt64? = nil) throws(JournalError) -> [CommitRow] {
        try records.commitRows(after: revision, seed: seed)
    }
}

extension [RedisReply] {
    /// The commits that these records are, which follow a revision.
    func commitRows(after revision: Int, seed: UInt64? = nil) throws(JournalError) -> [CommitRow] {
        let rows: [CommitRow]
        do throws(RecordReader.Malformed) {
            rows = try map { record throws(RecordReader.Malformed) in try CommitRow(encoded: record.bytes ?? []) }
        } catch {
            throw .corrupt("a commit after revision \(revision) cannot be read")
        }
        try CommitRow.check(rows, after: revision, seed)
        return rows
    }
}
