import StoreHosting
import Stores

/// A connection for reading, with its prepared statements.
final class ReadConnection {
    let connection: Connection
    private let begin: Statement
    let session: Statement
    let snapshotBefore: Statement
    let chainAt: Statement
    let commits: Statement
    let oldestCommit: Statement
    let compactedThrough: Statement
    let newest: Statement
    let checksumAt: Statement
    let sessionChecksum: Statement
    let idempotencyRecords: Statement
    let list: Statement
    let idle: Statement

    /// The SQL expression for the newest revision of a session.
    ///
    /// - Parameter number: the SQL expression for the session's number.
    private static func newestRevision(of number: String) -> String {
        """
        max(ifnull((SELECT max(revision) FROM commits WHERE session = \(number)), 0),
            ifnull((SELECT max(revision) FROM snapshots WHERE session = \(number)), 0))
        """
    }

    init(_ connection: Connection) throws(SQLiteError) {
        self.connection = connection
        begin = try connection.prepare("BEGIN")
        // A left join, so that a session whose state is missing is found, with a wrong checksum.
        let sessions = "SELECT \(SessionRow.columns) FROM sessions LEFT JOIN states ON states.number = initial"
        session = try connection.prepare("\(sessions) WHERE id = ?")
        snapshotBefore = try connection.prepare(
            """
            SELECT \(SnapshotRow.columns) FROM snapshots WHERE session = ? AND revision <= ? ORDER BY revision DESC LIMIT 1
            """)
        chainAt = try connection.prepare("SELECT chain FROM snapshots WHERE session = ? AND revision = ?")
        commits = try connection.prepare(
            """
            SELECT \(CommitRow.columns) FROM commits WHERE session = ? AND revision > ? AND revision <= ?
            ORDER BY revision LIMIT ?
            """)
        oldestCommit = try connection.prepare(
            "SELECT revision FROM commits WHERE session = ? ORDER BY revision LIMIT 1")
        // Commands may read an older file before a server has migrated it.
        let version = try connection.integer("PRAGMA user_version") ?? 0
        compactedThrough = try connection.prepare(
            "SELECT \(version < 2 ? Schema.cutByRows : "cut") FROM sessions WHERE number = ?")
        newest = try connection.prepare("SELECT \(Self.newestRevision(of: "?1"))")
        checksumAt = try connection.prepare("SELECT checksum FROM commits WHERE session = ? AND revision = ?")
        sessionChecksum = try connection.prepare("SELECT checksum FROM sessions WHERE number = ?")
        idempotencyRecords = try connection.prepare(
            """
            SELECT \(IdempotencyRecord.columns(version: version)) FROM answers WHERE session = ? AND at >= ?
            ORDER BY number
            """)
        let newestUse = """
            max(last_active, ifnull(
                (SELECT at FROM commits WHERE session = sessions.number ORDER BY revision DESC LIMIT 1), 0))
            """
        list = try connection.prepare(
            """
            SELECT \(SessionRow.columns), \(Self.newestRevision(of: "sessions.number")), \(newestUse)
            FROM sessions LEFT JOIN states ON states.number = initial
            WHERE ended IS NULL AND id > ? ORDER BY id LIMIT ?
            """)
        idle = try connection.prepare(
            """
            SELECT id FROM sessions WHERE ended IS NULL AND last_active < ?1 AND \(newestUse) < ?1
            ORDER BY last_active LIMIT ?2
            """)
    }

    /// Calls `body` in a read transaction: it sees one snapshot of the database.
    func inReadTransaction<Value>(
        _ body: (ReadConnection) throws(JournalError) -> Value
    ) throws(JournalError) -> Value {
        try sql { () throws(SQLiteError) in try begin.run { _ in } }
        defer { connection.rollBack() }
        return try body(self)
    }

    /// Calls `body` and converts its errors.
    func sql<Value>(_ body: () throws(SQLiteError) -> Value) throws(JournalError) -> Value {
        do throws(SQLiteError) {
            return try body()
        } catch {
            throw JournalError(error)
        }
    }
}

extension ReadConnection {
    /// At most `limit` sessions in the order of their ids, after `id`.
    func list(after id: String?, limit: Int) throws(JournalError) -> [SessionSummary] {
        try sql { () throws(SQLiteError) in
            try list.all(
                { values in
                    values.set(1, text: id ?? "")
                    values.set(2, limit)
                },
                { row in
                    SessionSummary(
                        header: SessionRow(row).header, revision: row.integer(12), lastActiveAt: row.integer(13))
                })
        }
    }

    /// The ids of at most `limit` sessions that were last used before a time.
    func idle(since moment: Int, limit: Int) throws(JournalError) -> [String] {
        try sql { () throws(SQLiteError) in
            try idle.all(
                { values in
                    values.set(1, moment)
                    values.set(2, limit)
                }, { $0.text(0) })
        }
    }
}
