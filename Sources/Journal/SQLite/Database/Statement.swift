import CSQLite

/// A prepared statement, used by the thread that uses its connection.
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

    /// Binds values, runs the statement to completion, and resets it.
    func run(_ bind: (inout Bindings) -> Void) throws(SQLiteError) {
        try rows(bind) { _ in false }
    }

    /// Binds values, calls `body` with each row until it returns false, and resets the statement.
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

    /// The first row, converted by `body`; nil if there is none.
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

    /// All rows, converted by `body`.
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

/// Binds values to a statement's parameters, whose indices start at 1.
struct Bindings: ~Copyable {
    private let handle: OpaquePointer
    /// The first error; `SQLITE_OK` if there was none.
    private(set) var code = SQLITE_OK

    fileprivate init(_ handle: OpaquePointer) { self.handle = handle }

    mutating func set(_ index: Int32, _ value: Int?) {
        record(value.map { sqlite3_bind_int64(handle, index, Int64($0)) } ?? sqlite3_bind_null(handle, index))
    }

    mutating func set(_ index: Int32, _ value: UInt64) { set(index, Int(truncatingIfNeeded: value)) }

    mutating func set(_ index: Int32, text: String) {
        var text = text
        record(text.withUTF8 { csqlite_bind_text(handle, index, $0.baseAddress, Int64($0.count)) })
    }

    /// Binds UTF-8 text, or NULL for nil.
    mutating func set(_ index: Int32, text: [UInt8]?) {
        guard let text else { return record(sqlite3_bind_null(handle, index)) }
        record(text.withUnsafeBytes { csqlite_bind_text(handle, index, $0.baseAddress, Int64($0.count)) })
    }

    mutating func set(_ index: Int32, blob: [UInt8]) {
        record(blob.withUnsafeBytes { csqlite_bind_blob(handle, index, $0.baseAddress, Int64($0.count)) })
    }

    private mutating func record(_ result: Int32) {
        if code == SQLITE_OK { code = result }
    }
}

/// The current row of a statement. The indices of columns start at 0.
struct Row: ~Copyable {
    private let handle: OpaquePointer

    fileprivate init(_ handle: OpaquePointer) { self.handle = handle }

    func integer(_ column: Int32) -> Int { Int(sqlite3_column_int64(handle, column)) }

    func optionalInteger(_ column: Int32) -> Int? { isNull(column) ? nil : integer(column) }

    func checksum(_ column: Int32) -> UInt64 { UInt64(bitPattern: sqlite3_column_int64(handle, column)) }

    func text(_ column: Int32) -> String { String(decoding: bytes(column), as: UTF8.self) }

    /// The bytes of a text or a blob.
    func bytes(_ column: Int32) -> [UInt8] {
        // In this order, because `sqlite3_column_blob` may convert the value and change its size.
        guard let start = sqlite3_column_blob(handle, column) else { return [] }
        return Array(UnsafeRawBufferPointer(start: start, count: Int(sqlite3_column_bytes(handle, column))))
    }

    /// Calls `body` with the bytes of a text or a blob, which are valid until it returns.
    func withBytes<Result>(_ column: Int32, _ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        let start = sqlite3_column_blob(handle, column)
        return body(UnsafeRawBufferPointer(start: start, count: Int(sqlite3_column_bytes(handle, column))))
    }

    /// The checksum of an integer and a text, of which no copy is made.
    func digest(_ number: Int32, _ text: Int32) -> UInt64 {
        var checksum = Checksum(checksum(number))
        withBytes(text) { checksum.add($0) }
        return checksum.value
    }

    func optionalBytes(_ column: Int32) -> [UInt8]? { isNull(column) ? nil : bytes(column) }

    private func isNull(_ column: Int32) -> Bool { sqlite3_column_type(handle, column) == SQLITE_NULL }
}
