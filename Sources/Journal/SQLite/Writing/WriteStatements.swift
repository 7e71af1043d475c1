/// The prepared statements of the writer.
struct WriteStatements {
    let begin: Statement
    let commit: Statement
    let findState: Statement
    let insertState: Statement
    let insertSession: Statement
    let insertCommit: Statement
    let insertSnapshot: Statement
    let insertIdempotencyRecord: Statement
    let endSession: Statement
    let insertPendingDeletion: Statement
    let recordUse: Statement
    let probe: Statement

    init(_ connection: Connection) throws(SQLiteError) {
        begin = try connection.prepare("BEGIN IMMEDIATE")
        commit = try connection.prepare("COMMIT")
        findState = try connection.prepare("SELECT number, json, hidden FROM states WHERE checksum = ? AND shared")
        insertState = try connection.prepare(
            "INSERT INTO states (json, hidden, shared, checksum) VALUES (?, ?, ?, ?) RETURNING number")
        insertSession = try connection.prepare(
            """
            INSERT INTO sessions (number, id, kind, schema, created, last_active, forked_from, history, initial, checksum)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            """)
        insertCommit = try connection.prepare("INSERT INTO commits VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)")
        insertSnapshot = try connection.prepare("INSERT INTO snapshots VALUES (?, ?, ?, ?, ?, ?)")
        insertIdempotencyRecord = try connection.prepare(
            """
            INSERT INTO answers (session, key, fingerprint, answer, revision, at, checksum) VALUES (?, ?, ?, ?, ?, ?, ?)
            """)
        endSession = try connection.prepare(
            "UPDATE sessions SET ended = ?2 WHERE id = ?1 AND ended IS NULL RETURNING number")
        insertPendingDeletion = try connection.prepare("INSERT OR IGNORE INTO leavings VALUES (?)")
        recordUse = try connection.prepare(
            "UPDATE sessions SET last_active = ?2 WHERE number = ?1 AND last_active < ?2 AND ended IS NULL")
        probe = try connection.prepare(
            """
            INSERT INTO meta VALUES ('probe', 1) ON CONFLICT (name) DO UPDATE SET value = value + 1
            """)
    }
}
