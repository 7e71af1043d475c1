import JSON
import StoreHosting
import Stores

/// A session from the database, with verified checksums.
struct StoredSession: Sendable {
    let row: SessionRow
    let position: AppendPosition
    let snapshot: SnapshotRow?
    /// The commits after the snapshot.
    let rows: [CommitRow]
    /// The newest state, to be replayed.
    let replayable: ReplayableState
    let answers: [IdempotencyRecord]
    let permits: [PermitRecord]
    let clients: [ClientRow]

    var state: StoredState { StoredState(row.header, revision: position.revision, replayable) }

    var summary: SessionSummary {
        // A commit is use too, if the writer stopped before it recorded a later use. Commits have the time of the wall clock:
        // if that was ahead of the session time, the session lives longer, and never shorter.
        SessionSummary(
            header: row.header, revision: position.revision,
            lastActiveAt: max(row.head.lastActiveAt, rows.last?.committedAt ?? 0),
            shareGeneration: row.head.shareGeneration, permits: permits, clients: clients,
            nextDeadline: row.head.nextDeadline)
    }
}

/// The result of looking up a session ID.
enum StoredSessionLookup: Sendable {
    case unknown
    case ended(owner: Subject?)
    case session(StoredSession)
}

extension ReadConnection {
    /// Loads a session, and verifies the rows that it continues from.
    ///
    /// - Parameters:
    ///   - oldest: the time of the oldest idempotency records to load.
    ///   - retention: decides when the session's commits are checked for deletion.
    func find(
        _ id: String, answersSince oldest: Int, _ retention: RetentionLimits = RetentionLimits()
    ) throws(JournalError) -> StoredSessionLookup {
        guard let found = try row(of: id) else { return .unknown }
        guard found.endedAt == nil else { return .ended(owner: found.header.owner) }
        return .session(try load(found, answersSince: oldest, retention))
    }

    /// The row of a session, which is intact; nil if there is none.
    func row(of id: String) throws(JournalError) -> SessionRow? {
        let found = try sql { () throws(SQLiteError) in
            try session.first({ $0.set(1, text: id) }, { SessionRow($0) })
        }
        guard let found else { return nil }
        guard found.isIntact, found.header.id == id else { throw .corrupt("the session row has a wrong checksum") }
        return found
    }

    /// Loads the session of an intact row; see ``find(_:answersSince:_:)``.
    func load(
        _ found: SessionRow, answersSince oldest: Int, _ retention: RetentionLimits
    ) throws(JournalError) -> StoredSession {
        do throws(JournalError) {
            return try verified(found, answersSince: oldest, retention)
        } catch {
            throw error.of(owner: found.header.owner)
        }
    }

    /// The newest state of a session; nil if there is none with this id, or if it has ended.
    func storedState(_ id: String) throws(JournalError) -> StoredState? {
        guard case .session(let session) = try find(id, answersSince: .max) else { return nil }
        return session.state
    }

    /// The ids of at most so many sessions of each kind.
    func sample(_ count: Int) throws(JournalError) -> [String] {
        try sql { () throws(SQLiteError) in
            try connection.prepare(ReadQueries.sample).all({ $0.set(1, count) }, { $0.text(0) })
        }
    }

    private func verified(
        _ found: SessionRow, answersSince oldest: Int, _ retention: RetentionLimits
    ) throws(JournalError) -> StoredSession {
        let (number, head) = (found.number, found.head)
        let newest = newestRevision(of: number, after: head.revision)
        let base = try snapshot(of: number, upTo: newest)
        guard base?.revision ?? 0 >= head.compactedThrough else {
            throw .corrupt("the snapshot before the oldest commit is missing")
        }
        let rows = try commits(of: number, after: base, seed: head.checksum, upTo: .max)
        let revision = rows.last?.revision ?? base?.revision ?? 0
        let checksum = rows.last?.checksum ?? base?.chain ?? head.checksum
        let sorted = rows.last { $0.revision == head.revision }?.checksum ?? base?.checksum(at: head.revision)
        guard revision == newest, sorted.map({ head.ends(with: head.revision, $0) }) ?? true,
            newest > head.revision || head.ends(with: revision, checksum)
        else {
            throw .corrupt("its newest commit is of revision \(newest), but the rows end with \(revision)")
        }
        guard let replayable = RecentCommits(revision: revision).replayBase(for: revision, base, rows) else {
            throw .corrupt("commits are missing")
        }
        return StoredSession(
            row: found, position: AppendPosition(number, head, revision, checksum, retention), snapshot: base,
            rows: rows, replayable: replayable,
            answers: try answers(of: number, since: oldest), permits: try permits(of: number),
            clients: try clients(of: number))
    }

    /// The commits of a session after a revision, oldest first; nil if the first one was deleted.
    func commits(
        of number: Int, after revision: Int, limit: Int
    ) throws(JournalError) -> [CommitRecord]? {
        guard limit > 0 else { return [] }
        let head = try head(of: number)
        guard revision >= head.compactedThrough else { return nil }
        let rows = try rows(
            of: number, after: revision, upTo: .max, limit: limit, maxBytes: CommitRow.portionBytes)
        let (end, isBeyond) = revision.addingReportingOverflow(limit)
        let newest = newestRevision(of: number, after: head.revision)
        let last = max(revision, min(newest, isBeyond ? .max : end))
        let byteCount = rows.reduce(0) { $0 + $1.byteCount }
        guard rows.last?.revision ?? revision == last || byteCount >= CommitRow.portionBytes else {
            throw .corrupt("commits after revision \(revision) are missing")
        }
        try CommitRow.check(rows, after: revision, try checksum(of: number, at: revision, head))
        return try Self.records(rows)
    }

    /// The snapshot and commits that make the state at a revision; nil if they were deleted.
    ///
    /// - Parameter recent: commits that may not be in the database yet.
    func replayBase(for revision: Int, of number: Int, and recent: RecentCommits) throws(JournalError)
        -> ReplayableState?
    {
        let head = try head(of: number)
        let base = try snapshot(of: number, upTo: revision)
        let baseRevision = base?.revision ?? 0
        // Older revisions are gone, even if a snapshot of them still exists. Until compaction is complete, so are those
        // between `compactedThrough` and the next snapshot.
        guard revision >= head.compactedThrough, baseRevision >= head.compactedThrough else { return nil }
        let rows = try rows(of: number, after: baseRevision, upTo: revision, limit: .max)
        // The snapshot may belong to a commit that was made after the unsorted ones were copied.
        let newest = max(baseRevision, newestRevision(of: number, after: head.revision))
        guard rows.last?.revision ?? baseRevision == min(revision, newest) else {
            throw .corrupt("commits after revision \(baseRevision) are missing")
        }
        try CommitRow.check(rows, after: baseRevision, base?.chain ?? head.checksum)
        return recent.replayBase(for: revision, base, rows)
    }

    /// Makes the snapshot for a revision; nil if its commits were deleted.
    func snapshot(at revision: Int, of number: Int) throws(JournalError) -> SnapshotRow? {
        guard let replayable = try replayBase(for: revision, of: number, and: RecentCommits(revision: revision)),
            let chain = try checksum(of: number, at: revision, try head(of: number)),
            let initial = try initialState(of: number),
            let state = replayable.state(initial: initial)
        else { return nil }
        return SnapshotRow(
            revision: revision, state: state.encoded(), privateState: replayable.privateState, chain: chain)
    }

    /// How far a session's rows reach.
    func head(of number: Int) throws(JournalError) -> SessionHead {
        let found = try sql { () throws(SQLiteError) in
            try head.first({ $0.set(1, number) }, { SessionHead($0) })
        }
        guard let found, found.isIntact else { throw .corrupt("the session row has a wrong checksum") }
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
        try CommitRow.check(rows, after: base?.revision ?? 0, base?.chain ?? seed)
        return rows
    }

    func rows(
        of number: Int, after revision: Int, upTo last: Int, limit: Int, maxBytes: Int = .max
    ) throws(JournalError) -> [CommitRow] {
        guard limit > 0 else { return [] }
        return try sql { () throws(SQLiteError) in
            var rows: [CommitRow] = []
            var byteCount = 0
            try forEachSortedCommit(of: number, after: revision, upTo: last) { commit in
                let row = CommitRow(commit.fields)
                rows.append(row)
                byteCount += row.byteCount
                return rows.count < limit && byteCount < maxBytes
            }
            while rows.count < limit, byteCount < maxBytes,
                case let next = (rows.last?.revision ?? revision) &+ 1, next <= last,
                let row = unsortedCommit(of: number, at: next)
            {
                rows.append(row)
                byteCount += row.byteCount
            }
            return rows
        }
    }

    /// The checksum that the row after a revision is chained to; nil if it was deleted.
    private func checksum(of number: Int, at revision: Int, _ head: SessionHead) throws(JournalError) -> UInt64? {
        guard revision > 0 else { return head.checksum }
        if let row = try rows(of: number, after: revision - 1, upTo: revision, limit: 1).first { return row.checksum }
        return try sql { () throws(SQLiteError) in
            try chainAt.first(
                { values in
                    values.set(1, number)
                    values.set(2, revision)
                }, { $0.checksum(0) })
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

    private func permits(of number: Int) throws(JournalError) -> [PermitRecord] {
        guard let permits else { return [] }
        let found = try sql { () throws(SQLiteError) in
            try permits.all({ $0.set(1, number) }, { PermitRecord($0) })
        }
        let intact = found.compactMap(\.self)
        guard intact.count == found.count else { throw .corrupt("a share has a wrong checksum") }
        return intact
    }

    /// The permits that a session had when it ended, or has now; nil if that is not known: earlier releases deleted the rows of an ended
    /// session.
    func finalPermits(of id: String) throws(JournalError) -> FinalPermits? {
        guard let row = try row(of: id) else { return nil }
        let ids = try sql { () throws(SQLiteError) in
            try connection.prepare("SELECT id FROM permits WHERE session = ?")
                .all({ $0.set(1, row.number) }, { $0.text(0) })
        }
        if ids.isEmpty { return nil }
        return FinalPermits(generation: row.head.shareGeneration, ids: ids.filter { $0 != PermitRecord.revocation.id })
    }

    private func clients(of number: Int) throws(JournalError) -> [ClientRow] {
        guard let clients else { return [] }
        let found = try sql { () throws(SQLiteError) in
            try clients.all({ $0.set(1, number) }, { ClientRow($0) })
        }
        let intact = found.compactMap(\.self)
        guard intact.count == found.count else { throw .corrupt("a client's record has a wrong checksum") }
        return intact
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
