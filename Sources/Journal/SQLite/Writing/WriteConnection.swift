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
    /// Whether each transaction is synced to disk.
    let syncsTransactions: Bool
    /// Whether there may be rows to delete before the next purge is due: of ended sessions, or expired ones.
    var hasPendingDeletions = true
    /// Times of last use that are not written yet, with the numbers of the sessions.
    var lastUses: [(number: Int, moment: Int)] = []
    /// The size of the WAL at which to try again after a checkpoint failed; 0 otherwise.
    var checkpointRetryPages = 0
    /// The size of the WAL when the checkpointer was last started.
    var passedPages = 0
    /// Whether the WAL may contain rolled back frames behind its newest commit.
    private var hasRolledBackFrames = false
    var nextNumber: Int
    /// The numbers of the initial states that all sessions of a kind share, by checksum.
    var sharedStates: [UInt64: Int] = [:]
    /// The number of an ended session whose rows are damaged. Those of the sessions after it are deleted first.
    var deletionPosition = 0
    private var reader: ReadConnection?
    /// The commits that are not sorted into their sessions yet.
    let unsorted = UnsortedCommits()
    var table = UnsortedTable()
    let sortingPolicy: SortingPolicy
    /// The sorting under way; nil if there is none.
    var sorting: Sorting?
    /// The sessions whose commits cannot be sorted because other rows are damaged.
    var unsortable: Set<Int> = []

    init(
        _ connection: Connection, syncsTransactions: Bool, _ retention: RetentionPolicy,
        _ sortingPolicy: SortingPolicy = SortingPolicy()
    ) throws(SQLiteError) {
        self.sortingPolicy = sortingPolicy
        self.connection = connection
        self.syncsTransactions = syncsTransactions
        self.retention = retention
        // The checkpointer replaces automatic checkpoints, which would delay a commit.
        try connection.execute(
            """
            PRAGMA journal_mode = WAL; PRAGMA synchronous = \(syncsTransactions ? "FULL" : "NORMAL");
            PRAGMA wal_autocheckpoint = 0; PRAGMA journal_size_limit = 67108864; PRAGMA cache_size = -16000
            """)
        connection.growInSteps()
        connection.trackWALSize()
        statements = try WriteStatements(connection)
        let newest = try Self.firstReadable(
            "SELECT max(number) FROM sessions",
            "SELECT max(number + 0) FROM sessions INDEXED BY sqlite_autoindex_sessions_1", of: connection)
        // If damage hides the newest sessions, their other rows are still there.
        let owners = ["segments", "snapshots"].map { (try? connection.integer("SELECT max(session) FROM \($0)")) ?? 0 }
        nextNumber = owners.reduce(newest, max) + 1
        liveSessions = try Self.firstReadable(
            "SELECT count(*) FROM sessions WHERE ended IS NULL",
            "SELECT count(*) FROM sessions NOT INDEXED WHERE ended IS NULL", "SELECT \(newest)", of: connection)
        var table = UnsortedTable()
        try unsorted.read(connection) { number, bytes in table.append(bytes, number: number) }
        self.table = table
        nextNumber = unsorted.all.keys.reduce(nextNumber) { max($0, $1 + 1) }
    }

    /// The result of the first query that no damage prevents.
    private static func firstReadable(_ queries: String..., of connection: Connection) throws(SQLiteError) -> Int {
        for query in queries.dropLast() {
            do throws(SQLiteError) {
                return try connection.integer(query) ?? 0
            } catch {
                guard error.isCorruption else { throw error }
            }
        }
        return try connection.integer(queries[queries.count - 1]) ?? 0
    }

    /// Reads within the transactions of maintenance.
    func madeReader() throws(SQLiteError) -> ReadConnection {
        if let reader { return reader }
        let made = try ReadConnection(connection, UnsortedCommits())
        reader = made
        return made
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
        var deadlines: [Int: (deadline: Int?, command: Int)] = [:]
        var arrived = ArrivedCommits()
        result.reserveCapacity(commands.count)
        positions.reserveCapacity(commands.count)
        arrived.reserveCapacity(commands.count)
        for (index, command) in commands.enumerated() {
            let key = command.journal.map(ObjectIdentifier.init)
            let position =
                rejected[index].map { .failure($0) } ?? key.flatMap { positions[$0] } ?? command.journal?.position
            switch position ?? .success(nil) {
            case .failure(let failure):
                if let key { positions[key] = .failure(failure) }
                result.add(.failed(failure), to: command)
            case .success(let position):
                let next = try perform(command, at: position, index, &result, &deadlines, &arrived)
                if let key { positions[key] = .success(next) }
                result.add(.written(next), to: command)
            }
        }
        for (number, change) in deadlines {
            try sql(change.command) { () throws(SQLiteError) in try setDeadline(change.deadline, of: number) }
        }
        guard connection.isInTransaction else { return result }
        let table = try sql { () throws(SQLiteError) in
            let table = try insert(arrived)
            try statements.commit.run { _ in }
            return table
        }
        finish(arrived, table)
        return result
    }

    /// - Parameter index: the index of the command.
    /// - Returns: the new position of the session.
    private func perform(
        _ command: WriteCommand, at position: AppendPosition?, _ index: Int, _ result: inout WriteResult,
        _ deadlines: inout [Int: (deadline: Int?, command: Int)], _ arrived: inout ArrivedCommits
    ) throws(WriteError) -> AppendPosition? {
        if case .barrier = command { return nil }
        result.hasWritten = true
        return try sql(index) { () throws(SQLiteError) in
            if !connection.isInTransaction { try statements.begin.run { _ in } }
            switch command {
            case .create(_, let session): return try create(session)
            case .append(_, let transaction, let snapshot):
                guard var position else { throw SQLiteError(conflict: "the session was not created") }
                let deadline = position.nextDeadline
                try append(transaction, snapshot, at: &position, &arrived)
                if position.nextDeadline != deadline {
                    deadlines[position.number] = (position.nextDeadline, index)
                }
                return position
            case .changePermits(_, let change):
                guard let position else { throw SQLiteError(conflict: "the session was not created") }
                try apply(change, of: position.number)
                return position
            case .index(_, let members):
                guard let position else { throw SQLiteError(conflict: "the session was not created") }
                try setMembers(members, of: position.number)
                return position
            case .indexStored(let members, let id, let revision):
                try setMembers(members, of: id, at: revision, arrived)
                return position
            case .end(_, let id, let time):
                try end(id, at: time, &result)
                return position
            case .recordTime(let reference):
                try record(reference)
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
            // Damage concerns the sessions whose rows are on that page, not those that are written with them.
            if error.isCorruption, let command {
                throw WriteError(failure: .corrupt(error.description), command: command)
            }
            throw WriteError(failure: .unavailable(error.description), command: error.isAboutValue ? command : nil)
        }
    }
}
