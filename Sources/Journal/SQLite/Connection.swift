import CSQLite

/// A connection to a database file, for one thread at a time.
final class Connection {
    enum Access {
        /// Makes the file where there is none.
        case create
        case write
        case read
    }

    let handle: OpaquePointer
    /// How many pages the log had after the newest commit; what SQLite writes it to.
    private let pages = UnsafeMutablePointer<Int32>.allocate(capacity: 1)

    /// - Parameters:
    ///   - path: the file.
    ///   - access: what may be done with it.
    ///   - vfs: the name of what SQLite reads and writes through; nil for the system itself.
    init(_ path: String, _ access: Access, vfs: String? = nil) throws(SQLiteError) {
        var handle: OpaquePointer?
        let code = sqlite3_open_v2(path, &handle, access.flags | SQLITE_OPEN_NOMUTEX, vfs)
        guard code == SQLITE_OK, let handle else {
            let error = SQLiteError(code, handle)
            sqlite3_close_v2(handle)
            throw error
        }
        self.handle = handle
        pages.initialize(to: 0)
        sqlite3_extended_result_codes(handle, 1)
        sqlite3_busy_timeout(handle, 2000)
        // Neither views nor triggers of a file that somebody else has made run anything.
        try execute("PRAGMA trusted_schema = OFF")
        if access == .read { try execute("PRAGMA query_only = ON") }
    }

    deinit {
        sqlite3_close_v2(handle)
        pages.deallocate()
    }

    /// How many pages the log had after the newest commit, once ``watchLog()`` was called.
    var logPages: Int { Int(pages.pointee) }

    /// Notes that all of the log was taken over; the next commit begins it anew.
    func forgetLog() { pages.pointee = 0 }

    /// Has the size of the log noted, which is not taken over by SQLite itself from then on.
    func watchLog() {
        sqlite3_wal_hook(
            handle,
            { pages, _, _, count in
                pages?.assumingMemoryBound(to: Int32.self).pointee = count
                return SQLITE_OK
            }, pages)
    }

    /// Runs one or more statements whose rows nobody wants.
    func execute(_ sql: String) throws(SQLiteError) {
        let code = sqlite3_exec(handle, sql, nil, nil, nil)
        guard code == SQLITE_OK else { throw SQLiteError(code, handle) }
    }

    func prepare(_ sql: String) throws(SQLiteError) -> Statement { try Statement(sql, on: self) }

    /// The number that a query has for its only answer; nil where it has none.
    func integer(_ sql: String, _ values: Int...) throws(SQLiteError) -> Int? {
        try prepare(sql).first({ Self.bind(values, &$0) }, { $0.optionalInteger(0) }) ?? nil
    }

    /// Changes rows.
    ///
    /// - Returns: how many.
    @discardableResult
    func change(_ sql: String, _ values: Int...) throws(SQLiteError) -> Int {
        try prepare(sql).run { Self.bind(values, &$0) }
        return Int(sqlite3_changes64(handle))
    }

    private static func bind(_ values: [Int], _ bindings: inout Bindings) {
        for (index, value) in zip(Int32(1)..., values) { bindings.set(index, value) }
    }

    /// Whether a transaction is open.
    var isInTransaction: Bool { sqlite3_get_autocommit(handle) == 0 }

    /// Leaves the open transaction, if there is one, as if it had not begun.
    func rollBack() {
        guard isInTransaction else { return }
        _ = sqlite3_exec(handle, "ROLLBACK", nil, nil, nil)
    }

    /// Makes the log end where its newest commit does.
    ///
    /// A commit whose sync fails is rolled back, and stands in the log all the same, until the next one is written over it.
    /// Were the process to end before that, who opens the file next would take it for committed.
    ///
    /// - Returns: whether it does; false where that cannot be done now.
    func cutLog() -> Bool {
        // Nobody else appends to the log meanwhile.
        guard !isInTransaction, (try? execute("BEGIN IMMEDIATE")) != nil else { return false }
        defer { rollBack() }
        return csqlite_cut_log(handle) == SQLITE_OK
    }

    /// Takes what stands in the log over into the file, as far as readers allow.
    ///
    /// - Returns: how many pages the log has, and how many of them have been taken over.
    func checkpoint() throws(SQLiteError) -> (log: Int, done: Int) {
        var log: Int32 = 0
        var done: Int32 = 0
        let code = sqlite3_wal_checkpoint_v2(handle, nil, SQLITE_CHECKPOINT_PASSIVE, &log, &done)
        guard code == SQLITE_OK else { throw SQLiteError(code, handle) }
        return (Int(log), Int(done))
    }
}

extension Connection.Access {
    fileprivate var flags: Int32 {
        switch self {
        case .create: SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
        // A reader writes too: it notes in shared memory how far it reads.
        case .write, .read: SQLITE_OPEN_READWRITE
        }
    }
}

/// What SQLite says where something did not work.
struct SQLiteError: Error, Sendable, CustomStringConvertible {
    /// The extended result code.
    let code: Int32
    let message: String

    /// - Parameter handle: the connection that it happened on.
    init(_ code: Int32, _ handle: OpaquePointer?) {
        let extended = handle.map(sqlite3_extended_errcode) ?? code
        self.code = extended & 0xff == code & 0xff ? extended : code
        message = handle.map { String(cString: sqlite3_errmsg($0)) } ?? String(cString: sqlite3_errstr(code))
    }

    /// An error that SQLite has not seen: rows do not fit those that are there.
    init(conflict message: String) {
        code = SQLITE_CONSTRAINT
        self.message = message
    }

    /// Damage that SQLite has not seen.
    init(damage message: String) {
        code = SQLITE_CORRUPT
        self.message = message
    }

    var description: String { "\(message) (SQLite \(code))" }

    private var primary: Int32 { code & 0xff }

    /// Whether a row like it is there already, or does not fit the others.
    var isConstraint: Bool { primary == SQLITE_CONSTRAINT }

    /// Whether the reason is what was to be written, and not where.
    var isAboutValue: Bool { [SQLITE_TOOBIG, SQLITE_MISMATCH, SQLITE_RANGE, SQLITE_MISUSE].contains(primary) }

    /// Whether the file's contents cannot be right.
    var isCorruption: Bool { [SQLITE_CORRUPT, SQLITE_NOTADB, SQLITE_FORMAT].contains(primary) }
}
