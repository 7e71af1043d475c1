import CSQLite

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
