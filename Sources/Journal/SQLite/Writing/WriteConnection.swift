import StoreHosting
import Stores

/// The connection that writes, and what only the writer knows.
final class WriteConnection {
    /// Why a transaction was given up.
    struct Fault: Error {
        let failure: JournalError
        /// The order that does not fit; nil where the fault is none of theirs.
        let order: Int?
    }

    let connection: Connection
    let statements: WriteStatements
    let house: RetentionPolicy
    /// How many sessions there were at the start that had not ended.
    let liveSessions: Int
    let durability: SQLiteJournal.Durability
    /// Whether ended sessions may have left something.
    var hasLeavings = true
    /// When sessions were used, by their numbers, as far as that is still to be written.
    var uses: [(number: Int, moment: Int)] = []
    /// How long the log must be, where it could not be taken over lately.
    var nextLook = 0
    /// Whether the log may have something behind its newest commit that was taken back.
    private var hasTakenBack = false
    private let keepCommits: Int
    private var nextNumber: Int
    /// The rows of states that sessions of one kind begin with.
    private var sharedStates: [UInt64: Int] = [:]

    init(_ connection: Connection, durability: SQLiteJournal.Durability, _ house: RetentionPolicy) throws(SQLiteError) {
        self.connection = connection
        self.durability = durability
        self.house = house
        keepCommits = house.keepCommits
        // The log is taken over by the checkpointer and not within a commit, for which somebody waits.
        try connection.execute(
            """
            PRAGMA journal_mode = WAL; PRAGMA synchronous = \(durability == .full ? "FULL" : "NORMAL");
            PRAGMA wal_autocheckpoint = 0; PRAGMA journal_size_limit = 67108864; PRAGMA cache_size = -16000
            """)
        connection.watchLog()
        statements = try WriteStatements(connection)
        nextNumber = (try connection.integer("SELECT max(number) FROM sessions") ?? 0) + 1
        liveSessions = try connection.integer("SELECT count(*) FROM sessions WHERE ended IS NULL") ?? 0
    }

    /// Writes orders in one transaction: all of them, but for those that fit nothing that is there.
    func write(_ orders: [WriteCommand]) -> WriteResult {
        var refused: [Int: JournalError] = [:]
        forgetTakenBack()
        while true {
            do throws(Fault) {
                return try transaction(orders, refused)
            } catch {
                takeBack()
                sharedStates = [:]
                guard let order = error.order, refused[order] == nil else {
                    return WriteResult(orders, failure: error.failure)
                }
                refused[order] = error.failure
            }
        }
    }

    /// Leaves the open transaction as if it had not begun, for who opens the file later too.
    func takeBack() {
        connection.rollBack()
        hasTakenBack = true
        forgetTakenBack()
    }

    /// Sees that nothing of what was taken back can be found; to be tried again where it cannot be done.
    @discardableResult
    func forgetTakenBack() -> Bool {
        if hasTakenBack { hasTakenBack = !connection.cutLog() }
        return !hasTakenBack
    }

    private func transaction(_ orders: [WriteCommand], _ refused: [Int: JournalError]) throws(Fault) -> WriteResult {
        var written = WriteResult()
        // Where sessions go on of which something was written in this transaction, or refused.
        var places: [ObjectIdentifier: Result<AppendPosition?, JournalError>] = [:]
        for (index, order) in orders.enumerated() {
            let key = order.journal.map(ObjectIdentifier.init)
            let place = refused[index].map { .failure($0) } ?? key.flatMap { places[$0] } ?? order.journal?.position
            switch place ?? .success(nil) {
            case .failure(let failure):
                if let key { places[key] = .failure(failure) }
                written.add(.failed(failure), to: order)
            case .success(let cursor):
                let next = try perform(order, at: cursor, index, &written)
                if let key { places[key] = .success(next) }
                written.add(.kept(next), to: order)
            }
        }
        if connection.isInTransaction { try sql { () throws(SQLiteError) in try statements.commit.run { _ in } } }
        return written
    }

    /// - Parameter index: which of the orders it is.
    /// - Returns: where its session goes on.
    private func perform(
        _ order: WriteCommand, at place: AppendPosition?, _ index: Int, _ written: inout WriteResult
    ) throws(Fault) -> AppendPosition? {
        if case .barrier = order { return nil }
        written.hasWritten = true
        return try sql(index) { () throws(SQLiteError) in
            if !connection.isInTransaction { try statements.begin.run { _ in } }
            switch order {
            case .create(_, let session): return try begin(session)
            case .append(_, let transaction, let snapshot): return try append(transaction, snapshot, at: place)
            case .end(_, let id, let moment):
                try end(id, at: moment, &written)
                return place
            case .barrier: return place
            }
        }
    }

    /// Runs `body`, whose errors come out as what they mean for the orders.
    private func sql<Value>(_ order: Int? = nil, _ body: () throws(SQLiteError) -> Value) throws(Fault) -> Value {
        do throws(SQLiteError) {
            return try body()
        } catch {
            if error.isConstraint { throw Fault(failure: .conflict, order: order) }
            throw Fault(failure: .unavailable(error.description), order: error.isAboutValue ? order : nil)
        }
    }
}

extension WriteConnection {
    func begin(_ session: SessionHeader) throws(SQLiteError) -> AppendPosition {
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
            number: number, revision: 0, chain: checksum, nextLook: RetentionPolicy.firstLook(after: 0, keepCommits))
    }

    /// The row of the state that a session begins with: one for all sessions of a kind, and one for each fork.
    private func state(_ session: SessionHeader) throws(SQLiteError) -> Int {
        let checksum = SessionRow.checksum(session.initial)
        let isShared = session.forkedFrom == nil
        if isShared {
            if let known = sharedStates[checksum] { return known }
            let found = try statements.findState.first(
                { $0.set(1, checksum) },
                { ($0.integer(0), StateSnapshot(json: $0.bytes(1), hidden: $0.optionalBytes(2))) })
            if let found, found.1 == session.initial {
                if sharedStates.count >= 1000 { sharedStates = [:] }
                sharedStates[checksum] = found.0
                return found.0
            }
        }
        return try statements.insertState.first(
            { values in
                values.set(1, text: session.initial.json)
                values.set(2, text: session.initial.hidden)
                values.set(3, isShared ? 1 : 0)
                values.set(4, checksum)
            }, { $0.integer(0) }) ?? 0
    }

    private func append(
        _ transaction: CommitTransaction, _ snapshot: StateSnapshot?, at position: AppendPosition?
    ) throws(SQLiteError) -> AppendPosition? {
        guard var cursor = position else { throw SQLiteError(conflict: "the session was not created") }
        guard transaction.baseRevision == cursor.revision else {
            throw SQLiteError(
                conflict: "the session is at revision \(cursor.revision), not \(transaction.baseRevision)")
        }
        for commit in transaction.commits {
            guard commit.revision == cursor.revision + 1 else {
                throw SQLiteError(conflict: "revision \(commit.revision) does not follow \(cursor.revision)")
            }
            let row = CommitRow(commit, after: cursor.chain)
            try insert(row, of: cursor.number)
            (cursor.revision, cursor.chain) = (row.revision, row.checksum)
        }
        if let snapshot {
            let row = SnapshotRow(
                revision: cursor.revision, state: snapshot.json, hidden: snapshot.hidden, chain: cursor.chain)
            try insert(row, of: cursor.number)
        }
        if let record = transaction.idempotencyRecord { try insert(record, of: cursor.number) }
        if cursor.revision >= cursor.nextLook { cursor.nextLook = house.look(at: cursor.number, cursor.revision) }
        return cursor
    }

    func insert(_ row: CommitRow, of number: Int) throws(SQLiteError) {
        try statements.insertCommit.run { values in
            values.set(1, number)
            values.set(2, row.revision)
            values.set(3, row.at)
            values.set(4, text: row.type)
            values.set(5, text: row.payload)
            values.set(6, text: row.origin)
            values.set(7, row.cause)
            values.set(8, text: row.changes)
            values.set(9, text: row.hidden)
            values.set(10, row.checksum)
        }
    }

    func insert(_ row: SnapshotRow, of number: Int) throws(SQLiteError) {
        try statements.insertSnapshot.run { values in
            values.set(1, number)
            values.set(2, row.revision)
            values.set(3, text: row.state)
            values.set(4, text: row.hidden)
            values.set(5, row.chain)
            values.set(6, row.checksum)
        }
    }

    private func insert(_ answer: IdempotencyRecord, of number: Int) throws(SQLiteError) {
        try statements.insertAnswer.run { values in
            values.set(1, number)
            values.set(2, text: answer.key)
            values.set(3, answer.fingerprint)
            values.set(4, blob: answer.answer)
            values.set(5, answer.at)
            values.set(6, answer.checksum)
        }
    }

    private func end(_ id: String, at moment: Int, _ written: inout WriteResult) throws(SQLiteError) {
        let number = try statements.endSession.first(
            { values in
                values.set(1, text: id)
                values.set(2, moment)
            }, { $0.integer(0) })
        guard let number else { return }
        written.liveChange -= 1
        hasLeavings = true
        try statements.insertLeavings.run { $0.set(1, number) }
    }
}
