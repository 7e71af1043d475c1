import StoreHosting
import Stores

/// The prepared statements of the writer.
struct WriteStatements {
    let begin: Statement
    let commit: Statement
    let findState: Statement
    let insertState: Statement
    let insertSession: Statement
    let updateHead: Statement
    let updateDeadline: Statement
    let updateShareGeneration: Statement
    let insertPermit: Statement
    let deletePermit: Statement
    let putClient: Statement
    let deleteClient: Statement
    let insertSegment: Statement
    let insertUnsorted: Statement
    let recordUnsortedSum: Statement
    let isLive: Statement
    let findNewest: Statement
    let insertSnapshot: Statement
    let insertIdempotencyRecord: Statement
    let endSession: Statement
    let insertPendingDeletion: Statement
    let recordUse: Statement
    let probe: Statement
    let members: MemberStatements

    init(_ connection: Connection) throws(SQLiteError) {
        begin = try connection.prepare("BEGIN IMMEDIATE")
        commit = try connection.prepare("COMMIT")
        findState = try connection.prepare("SELECT number, json, hidden FROM states WHERE checksum = ? AND shared")
        insertState = try connection.prepare(
            "INSERT INTO states (json, hidden, shared, checksum) VALUES (?, ?, ?, ?) RETURNING number")
        insertSession = try connection.prepare(SessionChange.insertSession)
        updateHead = try connection.prepare(SessionChange.updateHead)
        updateDeadline = try connection.prepare(SessionChange.updateDeadline)
        updateShareGeneration = try connection.prepare(SessionChange.updateShareGeneration)
        insertPermit = try connection.prepare("INSERT INTO permits VALUES (?, ?, ?, ?)")
        deletePermit = try connection.prepare("DELETE FROM permits WHERE session = ? AND id = ?")
        putClient = try connection.prepare("INSERT OR REPLACE INTO clients VALUES (?, ?, ?, ?)")
        deleteClient = try connection.prepare("DELETE FROM clients WHERE session = ? AND mark = ?")
        insertSegment = try connection.prepare("INSERT INTO segments VALUES (NULL, ?, ?, ?, ?, ?, ?)")
        insertUnsorted = try connection.prepare("INSERT INTO unsorted VALUES (?, ?)")
        recordUnsortedSum = try connection.prepare("INSERT OR REPLACE INTO meta VALUES ('unsorted', ?)")
        isLive = try connection.prepare("SELECT ended IS NULL FROM sessions WHERE number = ?")
        findNewest = try connection.prepare("SELECT newest FROM sessions WHERE number = ?")
        insertSnapshot = try connection.prepare("INSERT INTO snapshots VALUES (?, ?, ?, ?, ?, ?)")
        insertIdempotencyRecord = try connection.prepare(
            """
            INSERT INTO answers (session, key, fingerprint, answer, revision, at, checksum) VALUES (?, ?, ?, ?, ?, ?, ?)
            """)
        endSession = try connection.prepare(
            "UPDATE sessions SET ended = ?2 WHERE id = ?1 AND ended IS NULL RETURNING number")
        insertPendingDeletion = try connection.prepare("INSERT OR IGNORE INTO leavings VALUES (?)")
        recordUse = try connection.prepare(SessionChange.recordUse)
        members = try MemberStatements(connection)
        probe = try connection.prepare(
            """
            INSERT INTO meta VALUES ('probe', 1) ON CONFLICT (name) DO UPDATE SET value = value + 1
            """)
    }
}

/// The SQL of the changes of a session's row. Each of them seals the row anew.
private enum SessionChange {
    static let insertSession = """
        INSERT INTO sessions
            (number, id, kind, schema, created, last_active, forked_from, history, initial, checksum, owner, personal,
            chain, bytes, seal)
        VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?10, 0,
            head_checksum(?10, 0, ?10, 0, 0, NULL, ?6, 0))
        """

    static let updateHead = """
        UPDATE sessions SET newest = ?2, chain = ?3, bytes = bytes + ?4,
            seal = head_checksum(checksum, ?2, ?3, cut, bytes + ?4, due, last_active, shares)
        WHERE number = ?1
        """

    static let updateDeadline = """
        UPDATE sessions SET due = ?2,
            seal = head_checksum(checksum, newest, chain, cut, bytes, ?2, last_active, shares)
        WHERE number = ?1
        """

    static let updateShareGeneration = """
        UPDATE sessions SET shares = ?2,
            seal = head_checksum(checksum, newest, chain, cut, bytes, due, last_active, ?2)
        WHERE number = ?1
        """

    static let recordUse = """
        UPDATE sessions SET last_active = ?2,
            seal = head_checksum(checksum, newest, chain, cut, bytes, due, ?2, shares)
        WHERE number = ?1 AND last_active < ?2 AND ended IS NULL
        """
}

extension WriteConnection {
    func create(_ session: SessionHeader) throws(SQLiteError) -> AppendPosition {
        let number = nextNumber
        nextNumber += 1
        let checksum = session.checksum
        let initial = try state(session)
        try statements.insertSession.run { values in
            values.set(1, number)
            values.set(2, text: session.id)
            values.set(3, text: session.kind)
            values.set(4, session.schema)
            values.set(5, session.createdAt)
            values.set(6, session.createdAt)
            values.set(7, session.forkedFrom)
            values.set(8, text: session.historyID)
            values.set(9, initial)
            values.set(10, checksum)
            values.set(11, text: session.owner.map { Array($0.utf8) })
            values.set(12, session.isPersonal ? 1 : 0)
        }
        return AppendPosition(number, checksum: checksum, retention.limits)
    }

    /// The number of a session's initial state: one for all sessions of a kind, and one for each fork.
    private func state(_ session: SessionHeader) throws(SQLiteError) -> Int {
        let checksum = session.initial.checksum
        let isShared = session.forkedFrom == nil
        if isShared {
            if let known = sharedStates[checksum] { return known }
            let found = try statements.findState.first(
                { $0.set(1, checksum) },
                { ($0.integer(0), StateSnapshot(json: $0.bytes(1), privateState: $0.optionalBytes(2))) })
            if let found, found.1 == session.initial {
                if sharedStates.count >= 1000 { sharedStates = [:] }
                sharedStates[checksum] = found.0
                return found.0
            }
        }
        return try statements.insertState.first(
            { values in
                values.set(1, text: session.initial.json)
                values.set(2, text: session.initial.privateState)
                values.set(3, isShared ? 1 : 0)
                values.set(4, checksum)
            }, { $0.integer(0) }) ?? 0
    }

    /// - Parameter arrived: collects the commits.
    func append(
        _ transaction: CommitTransaction, _ snapshot: StateSnapshot?, at position: inout AppendPosition,
        _ arrived: inout ArrivedCommits
    ) throws(SQLiteError) {
        guard transaction.baseRevision == position.revision else {
            throw SQLiteError(
                conflict: "the session is at revision \(position.revision), not \(transaction.baseRevision)")
        }
        if unsortable.contains(position.number) { throw SQLiteError(damage: "its commits cannot be sorted") }
        if !transaction.commits.isEmpty { try check(position, arrived) }
        for commit in transaction.commits {
            guard commit.revision == position.revision + 1 else {
                throw SQLiteError(conflict: "revision \(commit.revision) does not follow \(position.revision)")
            }
            let row = CommitRow(commit, after: position.previousChecksum)
            arrived.append(row, of: position.number)
            (position.revision, position.previousChecksum) = (row.revision, row.checksum)
            position.bytesUntilCompactionCheck -= row.byteCount
        }
        if let snapshot {
            let row = SnapshotRow(
                revision: position.revision, state: snapshot.json, privateState: snapshot.privateState,
                chain: position.previousChecksum)
            try insert(row, of: position.number)
        }
        switch transaction.record {
        case .answer(let record)?: try insert(record, of: position.number)
        case .client(let change)?: try apply(change, of: position.number)
        case nil: break
        }
        if let change = transaction.members { try apply(change, to: position.number) }
        if !transaction.commits.isEmpty { position.nextDeadline = transaction.nextDeadline }
        retention.scheduleCompaction(&position)
    }

    /// Throws unless the next commit of a session follows those that are there. If it did not, it could not be sorted.
    private func check(_ position: AppendPosition, _ arrived: ArrivedCommits) throws(SQLiteError) {
        let number = position.number
        let unsorted = arrived.newest[number] ?? unsorted.newest(of: number)
        guard let newest = try unsorted == nil ? newestSorted(of: number) : unsorted else {
            throw SQLiteError(damage: "the session has no row")
        }
        guard newest == position.revision else {
            throw SQLiteError(conflict: "the session's newest commit is \(newest), not \(position.revision)")
        }
    }

    private func newestSorted(of number: Int) throws(SQLiteError) -> Int? {
        try statements.findNewest.first({ $0.set(1, number) }, { $0.integer(0) })
    }

    /// Records the newest of a session's commits in its row, once for all that are sorted together.
    ///
    /// - Parameter byteCount: of the new commits.
    func recordNewest(
        _ newest: (revision: Int, checksum: UInt64), adding byteCount: Int, of number: Int
    ) throws(SQLiteError) {
        try statements.updateHead.run { values in
            values.set(1, number)
            values.set(2, newest.revision)
            values.set(3, newest.checksum)
            values.set(4, byteCount)
        }
        guard connection.changedRows == 1 else { throw SQLiteError(damage: "the session has no row") }
    }

    func setDeadline(_ deadline: Int?, of number: Int) throws(SQLiteError) {
        try statements.updateDeadline.run { values in
            values.set(1, number)
            values.set(2, deadline)
        }
    }

    func setShareGeneration(_ generation: Int, of number: Int) throws(SQLiteError) {
        try statements.updateShareGeneration.run { values in
            values.set(1, number)
            values.set(2, generation)
        }
        guard connection.changedRows == 1 else { throw SQLiteError(damage: "the session has no row") }
    }

    func insert(_ segment: Segment) throws(SQLiteError) {
        guard !segment.isEmpty else { return }
        try statements.insertSegment.run { values in
            values.set(1, segment.session)
            values.set(2, segment.first)
            values.set(3, segment.last)
            values.set(4, segment.firstAt)
            values.set(5, segment.lastAt)
            values.set(6, blob: segment.batch.bytes)
        }
    }

    func insert(_ row: SnapshotRow, of number: Int) throws(SQLiteError) {
        try statements.insertSnapshot.run { values in
            values.set(1, number)
            values.set(2, row.revision)
            values.set(3, text: row.state)
            values.set(4, text: row.privateState)
            values.set(5, row.chain)
            values.set(6, row.checksum)
        }
    }

    private func insert(_ record: IdempotencyRecord, of number: Int) throws(SQLiteError) {
        try statements.insertIdempotencyRecord.run { values in
            values.set(1, number)
            values.set(2, text: record.key)
            values.set(3, record.fingerprint)
            values.set(4, blob: record.response)
            values.set(5, record.revision)
            values.set(6, record.at)
            values.set(7, record.checksum)
        }
    }

    func end(_ id: String, at time: Int, _ result: inout WriteResult) throws(SQLiteError) {
        let number = try statements.endSession.first(
            { values in
                values.set(1, text: id)
                values.set(2, time)
            }, { $0.integer(0) })
        guard let number else { return }
        result.liveChange -= 1
        hasPendingDeletions = true
        try statements.insertPendingDeletion.run { $0.set(1, number) }
    }

    /// Replaces the recorded reference of the session time.
    func record(_ reference: SessionTimeReference) throws(SQLiteError) {
        for (name, value) in zip(SessionTimeReference.rows, reference.values) {
            try connection.change("INSERT OR REPLACE INTO meta VALUES ('\(name)', ?)", value)
        }
    }
}

extension SessionTimeReference {
    /// The names of its rows in the table `meta`.
    fileprivate static let rows = ["time", "time_steady", "time_wall", "time_boot", "time_checksum"]

    /// The values of its rows.
    fileprivate var values: [Int] {
        let values = [time, steady, wall, Int(bitPattern: UInt(boot ?? 0))]
        var checksum = Checksum(0)
        for value in values { checksum.add(value) }
        return values + [Int(truncatingIfNeeded: checksum.value)]
    }

    /// Reads the recorded reference; nil if there is none, or if it is damaged.
    init?(of file: Connection) throws(SQLiteError) {
        var found: [Int] = []
        for name in Self.rows {
            guard let value = try file.integer("SELECT value FROM meta WHERE name = '\(name)'") else { return nil }
            found.append(value)
        }
        let boot = UInt64(UInt(bitPattern: found[3]))
        self.init(time: found[0], steady: found[1], wall: found[2], boot: boot == 0 ? nil : boot)
        guard values == found else { return nil }
    }
}
