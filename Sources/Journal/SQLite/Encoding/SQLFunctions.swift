import CSQLite

/// Defines the SQL functions that statements of the journal call.
///
/// - Returns: a result code of SQLite.
package func defineFunctions(on handle: OpaquePointer) -> Int32 {
    let code = defineHeadChecksum(on: handle)
    return code == SQLITE_OK ? Segment.defineEncoding(on: handle) : code
}

/// Defines the SQL function `head_checksum` with the columns of ``SessionHead`` as arguments. The last one counts only if it
/// is not zero, and may be left out: so the checksums of files of version 3 stay right.
///
/// - Returns: a result code of SQLite.
private func defineHeadChecksum(on handle: OpaquePointer) -> Int32 {
    sqlite3_create_function_v2(
        handle, "head_checksum", -1, SQLITE_UTF8 | SQLITE_DETERMINISTIC, nil,
        { context, count, values in
            var checksum = Checksum(0)
            for index in 0..<Int(count) {
                let value = values?[index]
                if index == 7, sqlite3_value_int64(value) == 0 { continue }
                checksum.add(sqlite3_value_type(value) == SQLITE_NULL ? nil : Int(sqlite3_value_int64(value)))
            }
            sqlite3_result_int64(context, Int64(bitPattern: checksum.value))
        }, nil, nil, nil)
}
