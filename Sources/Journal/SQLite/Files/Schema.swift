/// How the tables of the database look, and how an older file becomes one of today.
enum Schema {
    /// "Stor", in a field of the file's header that is for the application.
    static let applicationID = 0x5374_6f72
    /// What this release writes, and the newest that it reads.
    static let version = 2

    /// What leads from each version to the next, all of it in one transaction: 0 is a file with nothing in it.
    private static let steps = [
        """
        CREATE TABLE states (
            number INTEGER PRIMARY KEY, json TEXT NOT NULL, hidden TEXT, shared INTEGER NOT NULL, checksum INTEGER NOT NULL
        ) STRICT;
        CREATE INDEX states_by_checksum ON states (checksum) WHERE shared;

        CREATE TABLE sessions (
            number INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, kind TEXT NOT NULL, schema INTEGER NOT NULL,
            created INTEGER NOT NULL, last_active INTEGER NOT NULL, ended INTEGER, forked_from INTEGER,
            history TEXT NOT NULL, initial INTEGER NOT NULL, checksum INTEGER NOT NULL
        ) STRICT;
        CREATE INDEX sessions_by_use ON sessions (last_active) WHERE ended IS NULL;
        CREATE INDEX sessions_by_end ON sessions (ended) WHERE ended IS NOT NULL;

        CREATE TABLE commits (
            session INTEGER NOT NULL, revision INTEGER NOT NULL, at INTEGER NOT NULL, type TEXT NOT NULL,
            payload TEXT NOT NULL, origin TEXT NOT NULL, cause INTEGER, changes TEXT NOT NULL, hidden TEXT,
            checksum INTEGER NOT NULL, PRIMARY KEY (session, revision)
        ) STRICT, WITHOUT ROWID;

        CREATE TABLE snapshots (
            session INTEGER NOT NULL, revision INTEGER NOT NULL, state TEXT NOT NULL, hidden TEXT, chain INTEGER NOT NULL,
            checksum INTEGER NOT NULL, PRIMARY KEY (session, revision)
        ) STRICT;

        CREATE TABLE answers (
            number INTEGER PRIMARY KEY, session INTEGER NOT NULL, key TEXT NOT NULL, fingerprint INTEGER NOT NULL,
            answer BLOB NOT NULL, at INTEGER NOT NULL, checksum INTEGER NOT NULL, UNIQUE (session, key)
        ) STRICT;

        CREATE TABLE leavings (session INTEGER PRIMARY KEY) STRICT;

        CREATE TABLE meta (name TEXT PRIMARY KEY, value INTEGER NOT NULL) STRICT, WITHOUT ROWID;
        """,
        // The newest revision whose commit was let go: all behind it are there. Nearly all sessions have let none go, and are
        // left as they are.
        """
        ALTER TABLE sessions ADD COLUMN cut INTEGER NOT NULL DEFAULT 0;
        UPDATE sessions SET cut = known.cut
        FROM (SELECT number AS session, \(cutByRows) AS cut FROM sessions WHERE ended IS NULL) AS known
        WHERE known.session = number AND known.cut > 0;
        """,
    ]

    /// Up to which revision the commits of one of `sessions` were let go, as far as the other rows tell: files of version 1 say
    /// no more.
    static let cutByRows = """
        coalesce((SELECT min(revision) FROM commits WHERE session = sessions.number) - 1,
            (SELECT max(revision) FROM snapshots WHERE session = sessions.number), 0)
        """

    /// Sees that the tables are as this release wants them; in a new file it makes them.
    ///
    /// - Parameters:
    ///   - path: what errors call the file.
    ///   - report: is told where an older file is to become one of today.
    static func prepare(
        _ connection: Connection, _ path: String, _ report: (StorageEvent) -> Void = { _ in }
    ) throws(StorageError) {
        let version = try storageErrors(path) { () throws(SQLiteError) in
            try connection.integer("PRAGMA user_version") ?? 0
        }
        try check(version, path)
        guard version < Self.version else { return }
        if version > 0 { report(.upgrading(from: version, to: Self.version)) }
        try storageErrors(path) { () throws(SQLiteError) in
            // In a new file, before there is a log: the header says from the first transaction on whose file it is.
            try connection.execute("BEGIN EXCLUSIVE")
            for step in steps[version...] { try connection.execute(step) }
            try connection.execute(
                "PRAGMA application_id = \(applicationID); PRAGMA user_version = \(Self.version); COMMIT")
        }
    }

    /// Refuses a file of a version that this release does not know.
    static func check(_ version: Int, _ path: String) throws(StorageError) {
        guard version >= 0 else { throw .foreign(path: path, detail: "its version is \(version)") }
        guard version <= Self.version else { throw .newer(path: path, version: version) }
    }
}

/// Runs `body`, whose errors come out as what they mean for who wants to use the file.
func storageErrors<Result>(
    _ path: String, _ body: () throws(SQLiteError) -> Result
) throws(StorageError) -> Result {
    do throws(SQLiteError) {
        return try body()
    } catch {
        throw StorageError(error, path)
    }
}
