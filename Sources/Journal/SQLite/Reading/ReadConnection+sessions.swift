import JSON
import StoreHosting
import Stores

/// A session from the database, with verified checksums.
struct StoredSession: Sendable {
    let row: SessionRow
    let position: AppendPosition
    /// The newest revision whose commit was deleted; 0 if none was.
    let compactedThrough: Int
    let snapshot: SnapshotRow?
    /// The commits after the snapshot.
    let rows: [CommitRow]
    /// The newest state, to be replayed.
    let replayable: ReplayableState
    let answers: [IdempotencyRecord]

    var summary: SessionSummary {
        SessionSummary(
            header: row.header, revision: position.revision,
            lastActiveAt: max(row.lastActiveAt, rows.last?.committedAt ?? 0))
    }
}

/// The result of looking up a session ID.
enum StoredSessionLookup: Sendable {
    case unknown
    case ended
    case session(StoredSession)
}

extension ReadConnection {
    /// Loads a session, and verifies the rows that it continues from.
    ///
    /// - Parameters:
    ///   - oldest: the time of the oldest idempotency records to load.
    ///   - keepCommits: the minimum number of retained commits.
    func find(
        _ id: String, answersSince oldest: Int, keepCommits: Int
    ) throws(JournalError) -> StoredSessionLookup {
        let found = try sql { () throws(SQLiteError) in
            try session.first({ $0.set(1, text: id) }, { SessionRow($0) })
        }
        guard let found else { return .unknown }
        guard found.endedAt == nil else { return .ended }
        guard found.isIntact else { throw .corrupt("the session row has a wrong checksum") }
        let number = found.number
        let compactedThrough = try compactedThrough(of: number)
        let base = try snapshot(of: number, upTo: .max)
        guard base?.revision ?? 0 >= compactedThrough else {
            throw .corrupt("the snapshot before the oldest commit is missing")
        }
        let rows = try commits(of: number, after: base, seed: found.checksum, upTo: .max)
        let revision = rows.last?.revision ?? base?.revision ?? 0
        guard let replayable = RecentCommits(revision: revision).replayBase(for: revision, base, rows) else {
            throw .corrupt("commits are missing")
        }
        let position = AppendPosition(
            number: number, revision: revision, previousChecksum: rows.last?.checksum ?? base?.chain ?? found.checksum,
            nextCompactionCheck: RetentionPolicy.firstCompactionCheck(after: compactedThrough, keepCommits))
        return .session(
            StoredSession(
                row: found, position: position, compactedThrough: compactedThrough, snapshot: base, rows: rows,
                replayable: replayable,
                answers: try answers(of: number, since: oldest)))
    }

    /// The commits of a session after a revision, oldest first; nil if the first one was deleted.
    func commits(
        of number: Int, after revision: Int, limit: Int
    ) throws(JournalError) -> [CommitRecord]? {
        guard limit > 0 else { return [] }
        guard try revision >= compactedThrough(of: number) else { return nil }
        let rows = try rows(of: number, after: revision, upTo: .max, limit: limit)
        let isWhole: Bool
        if let first = rows.first {
            isWhole = first.revision - 1 == revision
        } else {
            isWhole = try newestRevision(of: number) <= revision
        }
        guard isWhole else {
            throw .corrupt("commits after revision \(revision) are missing")
        }
        if let seed = try checksum(of: number, at: revision) { try Self.check(rows, after: seed) }
        return try Self.records(rows)
    }

    /// The snapshot and commits that make the state at a revision; nil if they were deleted.
    ///
    /// - Parameter recent: commits that may not be in the database yet.
    func replayBase(for revision: Int, of number: Int, and recent: RecentCommits) throws(JournalError)
        -> ReplayableState?
    {
        let compactedThrough = try compactedThrough(of: number)
        let base = try snapshot(of: number, upTo: revision)
        // Older revisions are gone, even if a snapshot of them still exists. Until compaction is complete, so are those
        // between `compactedThrough` and the next snapshot.
        guard revision >= compactedThrough, base?.revision ?? 0 >= compactedThrough else { return nil }
        let rows = try rows(of: number, after: base?.revision ?? 0, upTo: revision, limit: .max)
        guard rows.first.map({ $0.revision - 1 == base?.revision ?? 0 }) ?? true else {
            throw .corrupt("commits are missing")
        }
        var seed = base?.chain
        if seed == nil { seed = try checksum(of: number, at: 0) }
        if let seed { try Self.check(rows, after: seed) }
        return recent.replayBase(for: revision, base, rows)
    }

    /// Makes the snapshot for a revision; nil if its commits were deleted.
    func snapshot(at revision: Int, of number: Int) throws(JournalError) -> SnapshotRow? {
        guard let replayable = try replayBase(for: revision, of: number, and: RecentCommits(revision: revision)),
            let chain = try checksum(of: number, at: revision), let initial = try initialState(of: number),
            let state = replayable.state(initial: initial)
        else { return nil }
        return SnapshotRow(
            revision: revision, state: state.encoded(), privateState: replayable.privateState, chain: chain)
    }

    /// The newest revision whose commit was deleted; 0 if none was.
    private func compactedThrough(of number: Int) throws(JournalError) -> Int {
        let found = try sql { () throws(SQLiteError) in
            try compactedThrough.first({ $0.set(1, number) }, { $0.integer(0) }) ?? 0
        }
        guard found >= 0 else { throw .corrupt("the session row has the invalid revision \(found)") }
        return found
    }

    private func initialState(of number: Int) throws(JournalError) -> [UInt8]? {
        try sql { () throws(SQLiteError) in
            try connection.prepare(
                "SELECT json FROM sessions JOIN states ON states.number = initial WHERE sessions.number = ?"
            ).first({ $0.set(1, number) }, { $0.bytes(0) })
        }
    }

    func snapshot(of number: Int, upTo revision: Int) throws(JournalError) -> SnapshotRow? {
        let found = try sql { () throws(SQLiteError) in
            try snapshotBefore.first(
                { values in
                    values.set(1, number)
                    values.set(2, revision)
                }, { SnapshotRow($0) })
        }
        guard found?.isIntact != false else { throw .corrupt("a snapshot has a wrong checksum") }
        return found
    }

    private func commits(
        of number: Int, after base: SnapshotRow?, seed: UInt64, upTo revision: Int
    ) throws(JournalError) -> [CommitRow] {
        let rows = try rows(of: number, after: base?.revision ?? 0, upTo: revision, limit: .max)
        guard rows.first.map({ $0.revision == (base?.revision ?? 0) + 1 }) ?? true else {
            throw .corrupt("commits are missing")
        }
        try Self.check(rows, after: base?.chain ?? seed)
        return rows
    }

    func rows(
        of number: Int, after revision: Int, upTo last: Int, limit: Int
    ) throws(JournalError) -> [CommitRow] {
        try sql { () throws(SQLiteError) in
            try commits.all(
                { values in
                    values.set(1, number)
                    values.set(2, revision)
                    values.set(3, last)
                    values.set(4, limit)
                }, { CommitRow($0) })
        }
    }

    /// The checksum that the row after a revision is chained to; nil if it was deleted.
    private func checksum(of number: Int, at revision: Int) throws(JournalError) -> UInt64? {
        try sql { () throws(SQLiteError) in
            let statements = revision > 0 ? [checksumAt, chainAt] : [sessionChecksum]
            for statement in statements {
                let found = try statement.first(
                    { values in
                        values.set(1, number)
                        if revision > 0 { values.set(2, revision) }
                    }, { $0.checksum(0) })
                if let found { return found }
            }
            return nil
        }
    }

    /// The revision of the newest commit, or of the newest snapshot if there are no commits.
    private func newestRevision(of number: Int) throws(JournalError) -> Int {
        try sql { () throws(SQLiteError) in
            try newest.first({ $0.set(1, number) }, { $0.integer(0) }) ?? 0
        }
    }

    private func answers(of number: Int, since oldest: Int) throws(JournalError) -> [IdempotencyRecord] {
        let found = try sql { () throws(SQLiteError) in
            try idempotencyRecords.all(
                { values in
                    values.set(1, number)
                    values.set(2, oldest)
                }, { IdempotencyRecord($0) })
        }
        let intact = found.compactMap(\.self)
        guard intact.count == found.count else { throw .corrupt("an idempotency record has a wrong checksum") }
        return intact
    }

    static func check(_ rows: [CommitRow], after seed: UInt64) throws(JournalError) {
        var (chain, revision) = (seed, (rows.first?.revision ?? 1) - 1)
        for row in rows {
            guard row.revision == revision + 1, row.follows(chain) else {
                throw .corrupt("the commit of revision \(row.revision) has a wrong checksum")
            }
            (chain, revision) = (row.checksum, row.revision)
        }
    }

    private static func records(_ rows: [CommitRow]) throws(JournalError) -> [CommitRecord] {
        var records: [CommitRecord] = []
        records.reserveCapacity(rows.count)
        for row in rows {
            guard let record = row.record else {
                throw .corrupt("the commit of revision \(row.revision) cannot be read")
            }
            records.append(record)
        }
        return records
    }
}
