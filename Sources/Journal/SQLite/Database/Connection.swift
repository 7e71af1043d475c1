import CSQLite

/// A connection to a database file, for one thread at a time.
final class Connection {
    enum Mode {
        /// Reads and writes, and creates the file if it is missing.
        case create
        case write
        case read
    }

    let handle: OpaquePointer
    /// The size of the WAL in pages after the newest commit. The WAL hook writes it.
    private let pages = UnsafeMutablePointer<Int32>.allocate(capacity: 1)

    /// - Parameters:
    ///   - path: the database file, without symbolic links: SQLite follows none.
    ///   - vfs: the name of SQLite's VFS; nil for the default.
    init(_ path: String, _ mode: Mode, vfs: String? = nil) throws(SQLiteError) {
        _ = Self.disableStatistics
        var handle: OpaquePointer?
        let code = sqlite3_open_v2(
            path, &handle, mode.flags | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_NOFOLLOW, vfs)
        guard code == SQLITE_OK, let handle else {
            let error = SQLiteError(code, handle)
            sqlite3_close_v2(handle)
            throw error
        }
        self.handle = handle
        pages.initialize(to: 0)
        sqlite3_extended_result_codes(handle, 1)
        sqlite3_busy_timeout(handle, 2000)
        let distrusted = csqlite_distrust_file(handle)
        guard distrusted == SQLITE_OK else { throw SQLiteError(distrusted, handle) }
        let defined = defineFunctions(on: handle)
        guard defined == SQLITE_OK else { throw SQLiteError(defined, handle) }
        if mode == .read { try execute("PRAGMA query_only = ON") }
    }

    deinit {
        sqlite3_close_v2(handle)
        pages.deallocate()
    }

    /// Runs once, before the first connection is opened.
    private static let disableStatistics: Void = csqlite_disable_statistics()

    /// The size of the WAL in pages after the newest commit, after ``trackWALSize()`` was called.
    var walPages: Int { Int(pages.pointee) }

    /// Records that the whole WAL was checkpointed. The next commit restarts it.
    func resetWALSize() { pages.pointee = 0 }

    /// Lets the database file grow in large steps, so that a checkpoint on a full disk mostly finds the space that it needs.
    func growInSteps() {
        var byteCount: Int32 = 1 << 20
        _ = sqlite3_file_control(handle, "main", SQLITE_FCNTL_CHUNK_SIZE, &byteCount)
    }

    /// Tracks the size of the WAL from now on. This replaces SQLite's automatic checkpoints.
    func trackWALSize() {
        sqlite3_wal_hook(
            handle,
            { pages, _, _, count in
                pages?.assumingMemoryBound(to: Int32.self).pointee = count
                return SQLITE_OK
            }, pages)
    }

    /// Runs one or more statements and ignores their rows.
    func execute(_ sql: String) throws(SQLiteError) {
        let code = sqlite3_exec(handle, sql, nil, nil, nil)
        guard code == SQLITE_OK else { throw SQLiteError(code, handle) }
    }

    func prepare(_ sql: String) throws(SQLiteError) -> Statement { try Statement(sql, on: self) }

    /// The first column of a query's first row; nil if there is no row or it is NULL.
    func integer(_ sql: String, _ values: Int...) throws(SQLiteError) -> Int? {
        try prepare(sql).first({ Self.bind(values, &$0) }, { $0.optionalInteger(0) }) ?? nil
    }

    /// Runs a statement that changes rows.
    ///
    /// - Returns: the number of changed rows.
    @discardableResult
    func change(_ sql: String, _ values: Int...) throws(SQLiteError) -> Int {
        try prepare(sql).run { Self.bind(values, &$0) }
        return changedRows
    }

    /// How many rows the newest statement has changed.
    var changedRows: Int { Int(sqlite3_changes64(handle)) }

    private static func bind(_ values: [Int], _ bindings: inout Bindings) {
        for (index, value) in zip(Int32(1)..., values) { bindings.set(index, value) }
    }

    var isInTransaction: Bool { sqlite3_get_autocommit(handle) == 0 }

    /// Rolls back the open transaction, if there is one.
    func rollBack() {
        guard isInTransaction else { return }
        _ = sqlite3_exec(handle, "ROLLBACK", nil, nil, nil)
    }

    /// Truncates the WAL behind its newest commit.
    ///
    /// A commit whose sync fails is rolled back, but its frames stay in the WAL until the next commit overwrites them.
    /// If the process ended before that, the next process to open the file would take them for committed.
    ///
    /// - Returns: false if it cannot be done now.
    func truncateWAL() -> Bool {
        // The write transaction keeps other connections from appending to the WAL.
        guard !isInTransaction, (try? execute("BEGIN IMMEDIATE")) != nil else { return false }
        defer { rollBack() }
        return csqlite_truncate_wal(handle) == SQLITE_OK
    }

    /// Neither checkpoints nor deletes the WAL when this is the last connection that closes.
    func leaveWAL() { csqlite_leave_wal(handle) }

    /// Syncs the database file, not the WAL. Ignores errors: SQLite syncs it again before the WAL restarts.
    func syncDatabase() { _ = csqlite_sync_database(handle) }

    /// Checkpoints the WAL as far as readers allow.
    ///
    /// - Returns: the size of the WAL in pages, and how many of them are checkpointed.
    func checkpoint() throws(SQLiteError) -> (log: Int, done: Int) {
        var log: Int32 = 0
        var done: Int32 = 0
        let code = sqlite3_wal_checkpoint_v2(handle, nil, SQLITE_CHECKPOINT_PASSIVE, &log, &done)
        guard code == SQLITE_OK else { throw SQLiteError(code, handle) }
        return (Int(log), Int(done))
    }
}

extension Connection.Mode {
    fileprivate var flags: Int32 {
        switch self {
        case .create: SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
        // A reader writes too: it stores its read mark in shared memory.
        case .write, .read: SQLITE_OPEN_READWRITE
        }
    }
}

/// An error of SQLite.
struct SQLiteError: Error, Sendable, CustomStringConvertible {
    /// The extended result code.
    let code: Int32
    let message: String

    /// - Parameter handle: the connection that returned the error.
    init(_ code: Int32, _ handle: OpaquePointer?) {
        let extended = handle.map(sqlite3_extended_errcode) ?? code
        self.code = extended & 0xff == code & 0xff ? extended : code
        message = handle.map { String(cString: sqlite3_errmsg($0)) } ?? String(cString: sqlite3_errstr(code))
    }

    /// An error that SQLite did not detect: rows that do not fit the existing ones.
    init(conflict message: String) {
        code = SQLITE_CONSTRAINT
        self.message = message
    }

    /// Damage that SQLite did not detect.
    init(damage message: String) {
        code = SQLITE_CORRUPT
        self.message = message
    }

    var description: String { "\(message) (SQLite \(code))" }

    private var primary: Int32 { code & 0xff }

    /// Whether a row exists already, or does not fit the others.
    var isConstraint: Bool { primary == SQLITE_CONSTRAINT }

    /// Whether the values to be written are at fault, and not the file.
    var isAboutValue: Bool { [SQLITE_TOOBIG, SQLITE_MISMATCH, SQLITE_RANGE, SQLITE_MISUSE].contains(primary) }

    /// Whether the file is damaged or not a database.
    var isCorruption: Bool { [SQLITE_CORRUPT, SQLITE_NOTADB, SQLITE_FORMAT].contains(primary) }
}
