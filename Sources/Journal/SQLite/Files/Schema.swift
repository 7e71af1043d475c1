/// The tables of the database, and the migrations of older files.
enum Schema {
    /// "Stor", the application ID in the file's header.
    static let applicationID = 0x5374_6f72
    /// The schema version that this release writes, and the newest one that it reads.
    static let version = 7

    /// The migrations from each version to the next, run in one transaction. Version 0 is an empty file.
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
        // `cut` is the newest revision whose commit was deleted; all later ones exist. Most sessions have no deleted
        // commits and keep the default.
        """
        ALTER TABLE sessions ADD COLUMN cut INTEGER NOT NULL DEFAULT 0;
        UPDATE sessions SET cut = known.cut
        FROM (SELECT number AS session, \(cutByRows) AS cut FROM sessions WHERE ended IS NULL) AS known
        WHERE known.session = number AND known.cut > 0;
        """,
        // `newest` and `chain` are the revision and the checksum of the newest commit, `bytes` is the size of the
        // commits, or NULL if an older release wrote some of them, and `due` is when the next timer is due. `seal` is
        // the checksum of the columns that change.
        """
        ALTER TABLE sessions ADD COLUMN newest INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE sessions ADD COLUMN chain INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE sessions ADD COLUMN bytes INTEGER;
        ALTER TABLE sessions ADD COLUMN due INTEGER;
        ALTER TABLE sessions ADD COLUMN seal INTEGER NOT NULL DEFAULT 0;
        CREATE INDEX sessions_by_due ON sessions (due, id) WHERE due IS NOT NULL AND ended IS NULL;
        UPDATE sessions SET newest = \(newestByRows), chain = coalesce(
            (SELECT checksum FROM commits WHERE session = sessions.number ORDER BY revision DESC LIMIT 1),
            (SELECT snapshots.chain FROM snapshots WHERE session = sessions.number ORDER BY revision DESC LIMIT 1),
            checksum)
        WHERE ended IS NULL;
        UPDATE sessions SET bytes = CASE newest WHEN 0 THEN 0 END, seal = head_checksum(
            checksum, newest, chain, cut, CASE newest WHEN 0 THEN 0 END, NULL, last_active);
        """ + answersByRevision,
        // `personal` marks the session that an owner has of a kind. `shares` is how often the shares were revoked; the
        // checksums are those of version 3 as long as there is no owner and nothing was revoked.
        """
        ALTER TABLE sessions ADD COLUMN owner TEXT;
        ALTER TABLE sessions ADD COLUMN personal INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE sessions ADD COLUMN shares INTEGER NOT NULL DEFAULT 0;
        CREATE INDEX sessions_by_owner ON sessions (owner, kind, id) WHERE owner IS NOT NULL AND ended IS NULL;
        CREATE UNIQUE INDEX sessions_by_person ON sessions (owner, kind) WHERE personal AND ended IS NULL;
        """,
        // A row has the commits of all sessions that one transaction brought, until they are sorted into their sessions; see
        // ``CommitBatch``.
        "CREATE TABLE unsorted (number INTEGER PRIMARY KEY, commits BLOB NOT NULL) STRICT;",
        // Rows with many commits replace those with one, because SQLite writes them at a quarter of the cost; see ``Segment``.
        """
        CREATE TABLE segments (
            number INTEGER PRIMARY KEY, session INTEGER NOT NULL, first INTEGER NOT NULL, last INTEGER NOT NULL,
            first_at INTEGER NOT NULL, last_at INTEGER NOT NULL, commits BLOB NOT NULL
        ) STRICT;
        CREATE UNIQUE INDEX segments_by_session ON segments (session, last);
        INSERT INTO segments (session, first, last, first_at, last_at, commits)
        SELECT \(Segment.columnsOfCommits) FROM commits ORDER BY session, revision;
        DROP TABLE commits;
        """,
        // A commit may have an actor, which earlier releases take for damage. A session has a row for each of its permits. `members` has
        // the sessions of each member: an index, which changes in the transaction of the commit. A session of an older file has its
        // members when it is looked at next.
        """
        CREATE TABLE permits (
            session INTEGER NOT NULL, id TEXT NOT NULL, terms TEXT NOT NULL, checksum INTEGER NOT NULL,
            PRIMARY KEY (session, id)
        ) STRICT, WITHOUT ROWID;
        CREATE TABLE members (
            member BLOB NOT NULL, session INTEGER NOT NULL, PRIMARY KEY (member, session)
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX members_by_session ON members (session);
        """,
    ]

    /// An answer has the revision whose state it shows, or it is whole. A key may occur twice: the later answer applies.
    private static let answersByRevision = """

        ALTER TABLE answers RENAME TO whole_answers;
        CREATE TABLE answers (
            number INTEGER PRIMARY KEY, session INTEGER NOT NULL, key TEXT NOT NULL, fingerprint INTEGER NOT NULL,
            answer BLOB NOT NULL, revision INTEGER, at INTEGER NOT NULL, checksum INTEGER NOT NULL
        ) STRICT;
        CREATE INDEX answers_by_revision ON answers (session, revision);
        INSERT INTO answers SELECT number, session, key, fingerprint, answer, NULL, at, checksum FROM whole_answers;
        DROP TABLE whole_answers;
        """

    /// The value of `cut` as far as the other rows show it, for files of version 1.
    static let cutByRows = """
        coalesce((SELECT min(revision) FROM commits WHERE session = sessions.number) - 1,
            (SELECT max(revision) FROM snapshots WHERE session = sessions.number), 0)
        """

    /// The value of `newest` as far as the other rows show it, for older files.
    static let newestByRows = """
        max(ifnull((SELECT max(revision) FROM commits WHERE session = sessions.number), 0),
            ifnull((SELECT max(revision) FROM snapshots WHERE session = sessions.number), 0))
        """

    /// A row is the record of a client.
    ///
    /// It is no step: files of version 7 are in use that were made before there were clients. They get the table when a server opens
    /// them, and everything else of them is as it was.
    static let clientsTable = """
        CREATE TABLE clients (
            session INTEGER NOT NULL, mark TEXT NOT NULL, content TEXT NOT NULL, checksum INTEGER NOT NULL,
            PRIMARY KEY (session, mark)
        ) STRICT, WITHOUT ROWID;
        """

    /// Whether a file has the table.
    static func hasClients(_ connection: Connection) throws(SQLiteError) -> Bool {
        try connection.integer("SELECT 1 FROM sqlite_master WHERE name = 'clients'") != nil
    }

    private static func addClients(_ connection: Connection, _ path: String) throws(StorageError) {
        try storageErrors(path) { () throws(SQLiteError) in
            if try !hasClients(connection) { try connection.execute(clientsTable) }
        }
    }

    /// Creates the tables in a new file, and migrates an older file.
    ///
    /// - Parameters:
    ///   - path: the file's name in errors.
    ///   - report: called before an older file is migrated.
    static func prepare(
        _ connection: Connection, _ path: String, _ report: (StorageEvent) -> Void = { _ in }
    ) throws(StorageError) {
        let version = try storageErrors(path) { () throws(SQLiteError) in
            try connection.integer("PRAGMA user_version") ?? 0
        }
        try check(version, path)
        try SchemaDifferences.reject(in: connection, version: version, path)
        guard version < Self.version else { return try addClients(connection, path) }
        if version > 0 { report(.upgrading(from: version, to: Self.version)) }
        try storageErrors(path) { () throws(SQLiteError) in
            // In a new file this comes before the WAL mode, so the header identifies the application from the first
            // transaction on.
            try connection.execute("BEGIN EXCLUSIVE")
            try migrate(connection, from: version, to: Self.version)
            try connection.execute(clientsTable)
            try connection.execute(
                "PRAGMA application_id = \(applicationID); PRAGMA user_version = \(Self.version); COMMIT")
        }
    }

    /// Runs the migrations from one version to another, in the open transaction if there is one.
    static func migrate(_ connection: Connection, from version: Int, to newer: Int) throws(SQLiteError) {
        for step in steps[version..<newer] { try connection.execute(step) }
    }

    /// Throws if the file has a version that this release does not support.
    static func check(_ version: Int, _ path: String) throws(StorageError) {
        guard version >= 0 else { throw .foreign(path: path, detail: "its schema version is \(version)") }
        guard version <= Self.version else { throw .newer(path: path, version: version) }
    }
}

/// Calls `body` and converts its errors.
func storageErrors<Result>(
    _ path: String, _ body: () throws(SQLiteError) -> Result
) throws(StorageError) -> Result {
    do throws(SQLiteError) {
        return try body()
    } catch {
        throw StorageError(error, path)
    }
}
