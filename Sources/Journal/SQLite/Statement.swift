import CSQLite

/// A statement that is compiled once and run as often as wanted, by the thread that has its connection.
final class Statement {
    private let handle: OpaquePointer
    private let connection: Connection

    init(_ sql: String, on connection: Connection) throws(SQLiteError) {
        var handle: OpaquePointer?
        let code = sqlite3_prepare_v3(connection.handle, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &handle, nil)
        guard code == SQLITE_OK, let handle else { throw SQLiteError(code, connection.handle) }
        self.handle = handle
        self.connection = connection
    }

    deinit { sqlite3_finalize(handle) }

    /// Binds values, runs the statement to its end, and makes it ready for the next time.
    func run(_ bind: (inout Bindings) -> Void) throws(SQLiteError) {
        try rows(bind) { _ in false }
    }

    /// Binds values, and calls `body` with each row until it returns false.
    func rows(_ bind: (inout Bindings) -> Void, _ body: (borrowing Row) -> Bool) throws(SQLiteError) {
        defer {
            sqlite3_reset(handle)
            sqlite3_clear_bindings(handle)
        }
        var bindings = Bindings(handle)
        bind(&bindings)
        guard bindings.code == SQLITE_OK else { throw SQLiteError(bindings.code, connection.handle) }
        while true {
            switch sqlite3_step(handle) {
            case SQLITE_ROW: if !body(Row(handle)) { return }
            case SQLITE_DONE: return
            case let code: throw SQLiteError(code, connection.handle)
            }
        }
    }

    /// The first row, as `body` reads it; nil where there is none.
    func first<Value>(
        _ bind: (inout Bindings) -> Void, _ body: (borrowing Row) -> Value
    ) throws(SQLiteError) -> Value? {
        var value: Value?
        try rows(bind) { row in
            value = body(row)
            return false
        }
        return value
    }

    /// All rows, as `body` reads them.
    func all<Value>(
        _ bind: (inout Bindings) -> Void, _ body: (borrowing Row) -> Value
    ) throws(SQLiteError) -> [Value] {
        var values: [Value] = []
        try rows(bind) { row in
            values.append(body(row))
            return true
        }
        return values
    }
}

/// Gives values to a statement's parameters, which are counted from 1.
struct Bindings: ~Copyable {
    private let handle: OpaquePointer
    /// The first that went wrong.
    private(set) var code = SQLITE_OK

    fileprivate init(_ handle: OpaquePointer) { self.handle = handle }

    mutating func set(_ index: Int32, _ value: Int?) {
        note(value.map { sqlite3_bind_int64(handle, index, Int64($0)) } ?? sqlite3_bind_null(handle, index))
    }

    mutating func set(_ index: Int32, _ value: UInt64) { set(index, Int(truncatingIfNeeded: value)) }

    mutating func set(_ index: Int32, text: String) {
        var text = text
        note(text.withUTF8 { csqlite_bind_text(handle, index, $0.baseAddress, Int64($0.count)) })
    }

    /// Binds a text that is in UTF-8 already.
    mutating func set(_ index: Int32, text: [UInt8]?) {
        guard let text else { return note(sqlite3_bind_null(handle, index)) }
        note(text.withUnsafeBytes { csqlite_bind_text(handle, index, $0.baseAddress, Int64($0.count)) })
    }

    mutating func set(_ index: Int32, blob: [UInt8]) {
        note(blob.withUnsafeBytes { csqlite_bind_blob(handle, index, $0.baseAddress, Int64($0.count)) })
    }

    private mutating func note(_ result: Int32) {
        if code == SQLITE_OK { code = result }
    }
}

/// A row that a statement stands on, whose columns are counted from 0.
struct Row: ~Copyable {
    private let handle: OpaquePointer

    fileprivate init(_ handle: OpaquePointer) { self.handle = handle }

    func integer(_ column: Int32) -> Int { Int(sqlite3_column_int64(handle, column)) }

    func optionalInteger(_ column: Int32) -> Int? { isNull(column) ? nil : integer(column) }

    func checksum(_ column: Int32) -> UInt64 { UInt64(bitPattern: sqlite3_column_int64(handle, column)) }

    func text(_ column: Int32) -> String { String(decoding: bytes(column), as: UTF8.self) }

    /// A text's or a blob's bytes.
    func bytes(_ column: Int32) -> [UInt8] {
        // In this order: asking for the bytes may change their number.
        guard let start = sqlite3_column_blob(handle, column) else { return [] }
        return Array(UnsafeRawBufferPointer(start: start, count: Int(sqlite3_column_bytes(handle, column))))
    }

    func optionalBytes(_ column: Int32) -> [UInt8]? { isNull(column) ? nil : bytes(column) }

    private func isNull(_ column: Int32) -> Bool { sqlite3_column_type(handle, column) == SQLITE_NULL }
}
