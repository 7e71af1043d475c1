import JSON
import StoreHosting
import Stores

extension ReadConnection {
    /// The next session that has not ended; nil where there is none behind that number.
    func session(after number: Int) throws(SQLiteError) -> (Int, String)? {
        try connection.prepare(
            "SELECT number, id FROM sessions WHERE number > ? AND ended IS NULL ORDER BY number LIMIT 1"
        ).first({ $0.set(1, number) }, { ($0.integer(0), $0.text(1)) })
    }

    /// Looks at every row of a session, and whether its states follow from one another.
    ///
    /// - Returns: how many commits it has.
    func verify(_ id: String) throws(JournalError) -> Int {
        try atOneMoment { _ throws(JournalError) in
            switch try find(id, answersSince: 0, keepCommits: 1) {
            case .session(let session): return try verify(session)
            // Since it was listed.
            case .ended: return 0
            case .unknown: throw .corrupt("it is not found by its id")
            }
        }
    }

    private func verify(_ session: StoredSession) throws(JournalError) -> Int {
        try checkCut(of: session)
        let base = try base(of: session)
        guard
            var state = try? JSONValue(
                parsing: base?.state ?? session.row.record.initial.json, maximumDepth: JSONValue.maxDepth)
        else { throw .corrupt("the state at revision \(base?.revision ?? 0) cannot be read") }
        var chain = base?.chain ?? session.row.checksum
        var revision = base?.revision ?? 0
        var count = 0
        while case let rows = try rows(of: session.cursor.number, after: revision, upTo: .max, limit: 500),
            !rows.isEmpty
        {
            guard rows.first?.revision == revision + 1 else {
                throw .corrupt("the commit of revision \(revision + 1) is missing")
            }
            try Self.check(rows, after: chain)
            for row in rows { try step(&state, row, of: session.cursor.number) }
            (chain, revision) = (rows.last?.checksum ?? chain, rows.last?.revision ?? revision)
            count += rows.count
        }
        guard revision >= session.snapshot?.revision ?? 0 else {
            throw .corrupt("the commit of revision \(revision + 1) is missing")
        }
        return count + (try commitsBeforeBase(of: session, base))
    }

    /// Sees that no commits are there that were let go.
    private func checkCut(of session: StoredSession) throws(JournalError) {
        let oldest = try sql { () throws(SQLiteError) in
            try oldestCommit.first({ $0.set(1, session.cursor.number) }, { $0.integer(0) })
        }
        guard let oldest, oldest <= session.cut else { return }
        throw .corrupt("the commit of revision \(oldest) is there, and those up to \(session.cut) were let go")
    }

    /// Looks at commits that nothing goes on from any more: of those that are to be let go, some have gone already.
    ///
    /// - Returns: how many there are.
    private func commitsBeforeBase(
        of session: StoredSession, _ base: SnapshotRow?
    ) throws(JournalError) -> Int {
        guard let base, base.revision > session.cut else { return 0 }
        let rows = try rows(of: session.cursor.number, after: session.cut, upTo: base.revision, limit: .max)
        guard let first = rows.first, first.revision == session.cut + 1, rows.last?.checksum == base.chain else {
            throw .corrupt("commits between revision \(session.cut) and \(base.revision) are missing")
        }
        try Self.check(Array(rows.dropFirst()), after: first.checksum)
        return rows.count
    }

    /// The snapshot that the commits go on from; nil where they begin with the first.
    func base(of session: StoredSession) throws(JournalError) -> SnapshotRow? {
        guard session.cut > 0 else { return nil }
        let found = try sql { () throws(SQLiteError) in
            try connection.prepare(
                """
                SELECT \(SnapshotRow.columns) FROM snapshots WHERE session = ? AND revision >= ? ORDER BY revision LIMIT 1
                """
            ).first(
                { values in
                    values.set(1, session.cursor.number)
                    values.set(2, session.cut)
                }, { SnapshotRow($0) })
        }
        guard let found else { throw .corrupt("the snapshot is missing that commits go on from") }
        guard found.isIntact else { throw .corrupt("a snapshot is not as it was written") }
        return found
    }

    /// Changes the state as the commit did, which must come out as it was kept, if it was.
    private func step(_ state: inout JSONValue, _ row: CommitRow, of number: Int) throws(JournalError) {
        guard let changes = row.record?.changes, changes.isEmpty || changes.apply(to: &state) else {
            throw .corrupt("the changes of revision \(row.revision) do not fit the state before")
        }
        let kept = try snapshot(of: number, upTo: row.revision)
        guard let kept, kept.revision == row.revision else { return }
        guard let known = try? JSONValue(parsing: kept.state, maximumDepth: JSONValue.maxDepth), known == state
        else {
            throw .corrupt("the snapshot at revision \(row.revision) is not what the commits make")
        }
    }
}
