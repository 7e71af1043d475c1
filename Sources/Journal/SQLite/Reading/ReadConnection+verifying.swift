import JSON
import StoreHosting
import Stores

extension ReadConnection {
    /// The next session that has not ended; nil if there is none after `number`.
    func session(after number: Int) throws(SQLiteError) -> (Int, String)? {
        try connection.prepare(
            "SELECT number, id FROM sessions WHERE number > ? AND ended IS NULL ORDER BY number LIMIT 1"
        ).first({ $0.set(1, number) }, { ($0.integer(0), $0.text(1)) })
    }

    /// Checks every row of a session, and replays its commits.
    ///
    /// - Returns: the number of commits.
    func verify(_ id: String) throws(JournalError) -> Int {
        try inReadTransaction { _ throws(JournalError) in
            switch try find(id, answersSince: 0, keepCommits: 1) {
            case .session(let session): return try verify(session)
            // It has ended since it was listed.
            case .ended: return 0
            case .unknown: throw .corrupt("the index does not find it by its id")
            }
        }
    }

    private func verify(_ session: StoredSession) throws(JournalError) -> Int {
        try checkNoDeletedCommits(of: session)
        let base = try base(of: session)
        guard
            var state = try? JSONValue(
                parsing: base?.state ?? session.row.header.initial.json, maximumDepth: JSONValue.maxDepth)
        else { throw .corrupt("the state at revision \(base?.revision ?? 0) cannot be read") }
        var chain = base?.chain ?? session.row.checksum
        var revision = base?.revision ?? 0
        var count = 0
        while case let rows = try rows(of: session.position.number, after: revision, upTo: .max, limit: 500),
            !rows.isEmpty
        {
            guard rows.first?.revision == revision + 1 else {
                throw .corrupt("the commit of revision \(revision + 1) is missing")
            }
            try Self.check(rows, after: chain)
            for row in rows { try replay(&state, row, of: session.position.number) }
            (chain, revision) = (rows.last?.checksum ?? chain, rows.last?.revision ?? revision)
            count += rows.count
        }
        guard revision >= session.snapshot?.revision ?? 0 else {
            throw .corrupt("the commit of revision \(revision + 1) is missing")
        }
        return count + (try commitsBeforeBase(of: session, base))
    }

    /// Throws if there are commits that were recorded as deleted.
    private func checkNoDeletedCommits(of session: StoredSession) throws(JournalError) {
        let oldest = try sql { () throws(SQLiteError) in
            try oldestCommit.first({ $0.set(1, session.position.number) }, { $0.integer(0) })
        }
        guard let oldest, oldest <= session.compactedThrough else { return }
        throw .corrupt("revision \(oldest) exists, but commits up to \(session.compactedThrough) were deleted")
    }

    /// Checks commits before the oldest snapshot: compaction has deleted some of them and will delete the others.
    ///
    /// - Returns: the number of these commits.
    private func commitsBeforeBase(
        of session: StoredSession, _ base: SnapshotRow?
    ) throws(JournalError) -> Int {
        guard let base, base.revision > session.compactedThrough else { return 0 }
        let rows = try rows(
            of: session.position.number, after: session.compactedThrough, upTo: base.revision, limit: .max)
        guard let first = rows.first, first.revision == session.compactedThrough + 1, rows.last?.checksum == base.chain
        else {
            throw .corrupt("commits between revision \(session.compactedThrough) and \(base.revision) are missing")
        }
        try Self.check(Array(rows.dropFirst()), after: first.checksum)
        return rows.count
    }

    /// The snapshot that the oldest commits are based on; nil if all commits exist.
    func base(of session: StoredSession) throws(JournalError) -> SnapshotRow? {
        guard session.compactedThrough > 0 else { return nil }
        let found = try sql { () throws(SQLiteError) in
            try connection.prepare(
                """
                SELECT \(SnapshotRow.columns) FROM snapshots WHERE session = ? AND revision >= ? ORDER BY revision LIMIT 1
                """
            ).first(
                { values in
                    values.set(1, session.position.number)
                    values.set(2, session.compactedThrough)
                }, { SnapshotRow($0) })
        }
        guard let found else { throw .corrupt("the snapshot before the oldest commit is missing") }
        guard found.isIntact else { throw .corrupt("a snapshot has a wrong checksum") }
        return found
    }

    /// Applies a commit to the state, and compares the result with the snapshot at its revision, if there is one.
    private func replay(_ state: inout JSONValue, _ row: CommitRow, of number: Int) throws(JournalError) {
        guard let changes = row.record?.changes, changes.isEmpty || changes.apply(to: &state) else {
            throw .corrupt("the patch of revision \(row.revision) does not apply")
        }
        let snapshot = try snapshot(of: number, upTo: row.revision)
        guard let snapshot, snapshot.revision == row.revision else { return }
        guard let known = try? JSONValue(parsing: snapshot.state, maximumDepth: JSONValue.maxDepth), known == state
        else {
            throw .corrupt("the snapshot at revision \(row.revision) differs from the replayed commits")
        }
    }
}
