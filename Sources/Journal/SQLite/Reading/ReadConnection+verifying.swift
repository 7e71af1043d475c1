import JSON
import StoreHosting
import Stores

extension ReadConnection {
    /// The next session; nil if there is none after `number`. Ended ones count too, because damage can make a session look as
    /// if it had ended.
    func session(after number: Int) throws(SQLiteError) -> (Int, String)? {
        try connection.prepare(
            "SELECT number, id FROM sessions WHERE number > ? ORDER BY number LIMIT 1"
        ).first({ $0.set(1, number) }, { ($0.integer(0), $0.text(1)) })
    }

    /// Checks every row of a session, and replays its commits.
    ///
    /// - Returns: the number of commits, and the newest state; nil if the session has ended.
    func verify(_ id: String) throws(JournalError) -> (commits: Int, state: StoredState)? {
        try inReadTransaction { _ throws(JournalError) in
            switch try find(id, answersSince: 0) {
            case .session(let session): return (try verify(session), session.state)
            case .ended: return nil
            case .unknown: throw .corrupt("the index does not find it by its id")
            }
        }
    }

    /// The newest state of a session, or what is wrong with it; nil if it has ended.
    func state(of id: String) -> Result<StoredState, JournalError>? {
        do throws(JournalError) {
            return try inReadTransaction { reader throws(JournalError) in
                switch try reader.find(id, answersSince: .max) {
                case .session(let session): return .success(session.state)
                case .ended: return nil
                case .unknown: throw .corrupt("the index does not find it by its id")
                }
            }
        } catch {
            return .failure(error)
        }
    }

    /// How many sessions have not ended; nil if damage hides that.
    var sessionCount: Int? {
        (try? connection.integer("SELECT count(*) FROM sessions NOT INDEXED WHERE ended IS NULL")) ?? nil
    }

    private func verify(_ session: StoredSession) throws(JournalError) -> Int {
        let head = session.row.head
        try checkNoDeletedCommits(of: session)
        try checkSegments(of: session.position.number)
        let base = try base(of: session)
        guard
            var state = try? JSONValue(
                parsing: base?.state ?? session.row.header.initial.json, maximumDepth: JSONValue.maxDepth)
        else { throw .corrupt("the state at revision \(base?.revision ?? 0) cannot be read") }
        var (revision, chain) = (base?.revision ?? 0, base?.chain ?? head.checksum)
        var (count, byteCount) = try commitsBeforeBase(of: session, base)
        let snapshots = try snapshotRevisions(of: session.position.number)
        while case let rows = try rows(of: session.position.number, after: revision, upTo: .max, limit: 500),
            !rows.isEmpty
        {
            try CommitRow.check(rows, after: revision, chain)
            for row in rows {
                try replay(&state, row)
                if snapshots.contains(row.revision) { try compare(state, row.revision, session.position.number) }
            }
            if let sorted = rows.first(where: { $0.revision == head.revision }),
                !head.ends(with: head.revision, sorted.checksum)
            {
                throw .corrupt("the commit of revision \(head.revision) is not the one that the session's row names")
            }
            (chain, revision) = (rows.last?.checksum ?? chain, rows.last?.revision ?? revision)
            count += rows.count
            // The session's row says how far the sorted commits reach.
            byteCount = rows.prefix { $0.revision <= head.revision }.reduce(byteCount) { $0 + $1.byteCount }
        }
        guard revision == session.position.revision else {
            throw .corrupt(
                "its newest commit is of revision \(session.position.revision), but the rows end with \(revision)")
        }
        guard head.byteCount ?? byteCount == byteCount else {
            throw .corrupt("its commits take \(byteCount) bytes, not \(head.byteCount ?? 0)")
        }
        return count
    }

    /// Throws if there are commits that were recorded as deleted.
    private func checkNoDeletedCommits(of session: StoredSession) throws(JournalError) {
        let compactedThrough = session.row.head.compactedThrough
        let oldest = try sql { () throws(SQLiteError) in
            try oldestRevision.first({ $0.set(1, session.position.number) }, { $0.integer(0) })
        }
        guard let oldest, oldest <= compactedThrough else { return }
        throw .corrupt("revision \(oldest) exists, but commits up to \(compactedThrough) were deleted")
    }

    /// Throws unless the columns of each segment say which commits it has.
    private func checkSegments(of number: Int) throws(JournalError) {
        var damaged: Int?
        try sql { () throws(SQLiteError) in
            try wholeSegments.rows({ $0.set(1, number) }) { row in
                var segment = Segment(of: number)
                let isWhole = row.withBytes(4) { bytes in
                    Segment.forEachCommit(in: bytes, of: number) { commit in
                        segment.append(commit)
                        return true
                    }
                }
                let columns = (row.integer(0), row.integer(1), row.integer(2), row.integer(3))
                let isRight =
                    isWhole && columns == (segment.first, segment.last, segment.firstAt, segment.lastAt)
                if !isRight { damaged = row.integer(0) }
                return isRight
            }
        }
        if let damaged { throw .corrupt("the row of the commits from revision \(damaged) on is damaged") }
    }

    /// Checks commits before the oldest snapshot: compaction has deleted some of them and will delete the others.
    ///
    /// - Returns: the number of these commits, and their bytes.
    private func commitsBeforeBase(
        of session: StoredSession, _ base: SnapshotRow?
    ) throws(JournalError) -> (Int, Int) {
        let compactedThrough = session.row.head.compactedThrough
        guard let base, base.revision > compactedThrough else { return (0, 0) }
        let rows = try rows(of: session.position.number, after: compactedThrough, upTo: base.revision, limit: .max)
        guard rows.last?.checksum == base.chain else {
            throw .corrupt("commits between revision \(compactedThrough) and \(base.revision) are missing")
        }
        try CommitRow.check(rows, after: compactedThrough, nil)
        return (rows.count, rows.reduce(0) { $0 + $1.byteCount })
    }

    /// The snapshot that the oldest commits are based on; nil if all commits exist.
    func base(of session: StoredSession) throws(JournalError) -> SnapshotRow? {
        guard session.row.head.compactedThrough > 0 else { return nil }
        let found = try sql { () throws(SQLiteError) in
            try connection.prepare(
                """
                SELECT \(SnapshotRow.columns) FROM snapshots WHERE session = ? AND revision >= ? ORDER BY revision LIMIT 1
                """
            ).first(
                { values in
                    values.set(1, session.position.number)
                    values.set(2, session.row.head.compactedThrough)
                }, { SnapshotRow($0) })
        }
        guard let found else { throw .corrupt("the snapshot before the oldest commit is missing") }
        guard found.isIntact else { throw .corrupt("a snapshot has a wrong checksum") }
        return found
    }

    /// Applies a commit to the state.
    private func replay(_ state: inout JSONValue, _ row: CommitRow) throws(JournalError) {
        guard let changes = row.record?.changes, changes.isEmpty || changes.replay(on: &state) else {
            throw .corrupt("the patch of revision \(row.revision) does not apply")
        }
    }

    /// The revisions that have a snapshot. To look for one at each commit would take a time in proportion to the state each time.
    private func snapshotRevisions(of number: Int) throws(JournalError) -> Set<Int> {
        try sql { () throws(SQLiteError) in
            let revisions = try connection.prepare("SELECT revision FROM snapshots WHERE session = ?").all(
                { $0.set(1, number) }, { $0.integer(0) })
            return Set(revisions)
        }
    }

    /// Compares a replayed state with the snapshot at its revision.
    private func compare(_ state: JSONValue, _ revision: Int, _ number: Int) throws(JournalError) {
        let snapshot = try snapshot(of: number, upTo: revision)
        guard let snapshot, snapshot.revision == revision,
            let known = try? JSONValue(parsing: snapshot.state, maximumDepth: JSONValue.maxDepth), known == state
        else {
            throw .corrupt("the snapshot at revision \(revision) differs from the replayed commits")
        }
    }
}
