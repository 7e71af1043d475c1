import StoreHosting
import Stores

/// The connection for writing, and the writer's state.
final class WriteConnection {
    /// Why a transaction was rolled back.
    struct WriteError: Error {
        let failure: JournalError
        /// The index of the command at fault; nil if no command is.
        let command: Int?
    }

    let connection: Connection
    let statements: WriteStatements
    let retention: RetentionPolicy
    /// The number of sessions at the start that had not ended.
    let liveSessions: Int
    let durability: SQLiteJournal.Durability
    /// Whether ended sessions may have rows to delete.
    var hasPendingDeletions = true
    /// Times of last use that are not written yet, with the numbers of the sessions.
    var lastUses: [(number: Int, moment: Int)] = []
    /// The size of the WAL at which to try again after a checkpoint failed; 0 otherwise.
    var checkpointRetryPages = 0
    /// Whether the WAL may contain rolled back frames behind its newest commit.
    private var hasRolledBackFrames = false
    private let keepCommits: Int
    private var nextNumber: Int
    /// The numbers of the initial states that all sessions of a kind share, by checksum.
    private var sharedStates: [UInt64: Int] = [:]

    init(_ connection: Connection, durability: SQLiteJournal.Durability, _ retention: RetentionPolicy)
        throws(SQLiteError)
    {
        self.connection = connection
        self.durability = durability
        self.retention = retention
        keepCommits = retention.keepCommits
        // The checkpointer replaces automatic checkpoints, which would delay a commit.
        try connection.execute(
            """
            PRAGMA journal_mode = WAL; PRAGMA synchronous = \(durability == .full ? "FULL" : "NORMAL");
            PRAGMA wal_autocheckpoint = 0; PRAGMA journal_size_limit = 67108864; PRAGMA cache_size = -16000
            """)
        connection.trackWALSize()
        statements = try WriteStatements(connection)
        nextNumber = (try connection.integer("SELECT max(number) FROM sessions") ?? 0) + 1
        liveSessions = try connection.integer("SELECT count(*) FROM sessions WHERE ended IS NULL") ?? 0
    }

    /// Writes commands in one transaction. Commands that conflict with the database fail, and the others succeed.
    func write(_ commands: [WriteCommand]) -> WriteResult {
        var rejected: [Int: JournalError] = [:]
        truncateRolledBackFrames()
        while true {
            do throws(WriteError) {
                return try transaction(commands, rejected)
            } catch {
                rollBack()
                sharedStates = [:]
                guard let command = error.command, rejected[command] == nil else {
                    return WriteResult(commands, failure: error.failure)
                }
                rejected[command] = error.failure
            }
        }
    }

    /// Rolls back the open transaction, and removes its frames from the WAL.
    func rollBack() {
        connection.rollBack()
        hasRolledBackFrames = true
        truncateRolledBackFrames()
    }

    /// Removes rolled back frames from the WAL. If that fails, the next call tries again.
    ///
    /// - Returns: whether no such frames are left.
    @discardableResult
    func truncateRolledBackFrames() -> Bool {
        if hasRolledBackFrames { hasRolledBackFrames = !connection.truncateWAL() }
        return !hasRolledBackFrames
    }

    private func transaction(_ commands: [WriteCommand], _ rejected: [Int: JournalError]) throws(WriteError)
        -> WriteResult
    {
        var result = WriteResult()
        // The positions of the sessions that were written in this transaction, or their failures.
        var positions: [ObjectIdentifier: Result<AppendPosition?, JournalError>] = [:]
        for (index, command) in commands.enumerated() {
            let key = command.journal.map(ObjectIdentifier.init)
            let position =
                rejected[index].map { .failure($0) } ?? key.flatMap { positions[$0] } ?? command.journal?.position
            switch position ?? .success(nil) {
            case .failure(let failure):
                if let key { positions[key] = .failure(failure) }
                result.add(.failed(failure), to: command)
            case .success(let position):
                let next = try perform(command, at: position, index, &result)
                if let key { positions[key] = .success(next) }
                result.add(.written(next), to: command)
            }
        }
        if connection.isInTransaction { try sql { () throws(SQLiteError) in try statements.commit.run { _ in } } }
        return result
    }

    /// - Parameter index: the index of the command.
    /// - Returns: the new position of the session.
    private func perform(
        _ command: WriteCommand, at position: AppendPosition?, _ index: Int, _ result: inout WriteResult
    ) throws(WriteError) -> AppendPosition? {
        if case .barrier = command { return nil }
        result.hasWritten = true
        return try sql(index) { () throws(SQLiteError) in
            if !connection.isInTransaction { try statements.begin.run { _ in } }
            switch command {
            case .create(_, let session): return try create(session)
            case .append(_, let transaction, let snapshot): return try append(transaction, snapshot, at: position)
            case .end(_, let id, let time):
                try end(id, at: time, &result)
                return position
            case .barrier: return position
            }
        }
    }

    /// Calls `body` and converts its errors.
    private func sql<Value>(_ command: Int? = nil, _ body: () throws(SQLiteError) -> Value) throws(WriteError) -> Value
    {
        do throws(SQLiteError) {
            return try body()
        } catch {
            if error.isConstraint { throw WriteError(failure: .conflict, command: command) }
            throw WriteError(failure: .unavailable(error.description), command: error.isAboutValue ? command : nil)
        }
    }
}

extension WriteConnection {
    func create(_ session: SessionHeader) throws(SQLiteError) -> AppendPosition {
        let number = nextNumber
        nextNumber += 1
        let checksum = SessionRow.checksum(session)
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
        }
        return AppendPosition(
            number: number, revision: 0, previousChecksum: checksum,
            nextCompactionCheck: RetentionPolicy.firstCompactionCheck(after: 0, keepCommits))
    }

    /// The number of a session's initial state: one for all sessions of a kind, and one for each fork.
    private func state(_ session: SessionHeader) throws(SQLiteError) -> Int {
        let checksum = SessionRow.checksum(session.initial)
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

    private func append(
        _ transaction: CommitTransaction, _ snapshot: StateSnapshot?, at position: AppendPosition?
    ) throws(SQLiteError) -> AppendPosition? {
        guard var position else { throw SQLiteError(conflict: "the session was not created") }
        guard transaction.baseRevision == position.revision else {
            throw SQLiteError(
                conflict: "the session is at revision \(position.revision), not \(transaction.baseRevision)")
        }
        for commit in transaction.commits {
            guard commit.revision == position.revision + 1 else {
                throw SQLiteError(conflict: "revision \(commit.revision) does not follow \(position.revision)")
            }
            let row = CommitRow(commit, after: position.previousChecksum)
            try insert(row, of: position.number)
            (position.revision, position.previousChecksum) = (row.revision, row.checksum)
        }
        if let snapshot {
            let row = SnapshotRow(
                revision: position.revision, state: snapshot.json, privateState: snapshot.privateState,
                chain: position.previousChecksum)
            try insert(row, of: position.number)
        }
        if let record = transaction.idempotencyRecord { try insert(record, of: position.number) }
        if position.revision >= position.nextCompactionCheck {
            position.nextCompactionCheck = retention.scheduleCompaction(of: position.number, at: position.revision)
        }
        return position
    }

    func insert(_ row: CommitRow, of number: Int) throws(SQLiteError) {
        try statements.insertCommit.run { values in
            values.set(1, number)
            values.set(2, row.revision)
            values.set(3, row.committedAt)
            values.set(4, text: row.type)
            values.set(5, text: row.payload)
            values.set(6, text: row.origin)
            values.set(7, row.cause)
            values.set(8, text: row.changes)
            values.set(9, text: row.privateState)
            values.set(10, row.checksum)
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

    private func end(_ id: String, at time: Int, _ result: inout WriteResult) throws(SQLiteError) {
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
}
