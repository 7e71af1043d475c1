extension JournalFile {
    /// The table of commits until version 5.
    private static let commitsTable = """
        CREATE TABLE main.commits (
            session INTEGER NOT NULL, revision INTEGER NOT NULL, at INTEGER NOT NULL, type TEXT NOT NULL,
            payload TEXT NOT NULL, origin TEXT NOT NULL, cause INTEGER, changes TEXT NOT NULL, hidden TEXT,
            checksum INTEGER NOT NULL, PRIMARY KEY (session, revision)
        ) STRICT, WITHOUT ROWID;
        """

    /// The tables of a file of version 1, as the release made them that wrote such files.
    private static let firstTables = """
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

        \(commitsTable)

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
        PRAGMA application_id = 0x53746f72; PRAGMA user_version = 1;
        """

    /// A file of an older version with the same rows.
    ///
    /// - Parameters:
    ///   - version: 1 to 6.
    ///   - hasLog: whether it is as a server leaves it behind that closes it; else as a backup.
    func older(_ version: Int, hasLog: Bool = true) throws -> JournalFile {
        guard version < 3 else { return try recent(version, hasLog: hasLog) }
        let cut = """
            ALTER TABLE sessions ADD COLUMN cut INTEGER NOT NULL DEFAULT 0; PRAGMA user_version = 2;
            UPDATE sessions SET cut = (SELECT cut FROM new.sessions AS known WHERE known.number = sessions.number);
            """
        let old = try JournalFile()
        try old.change(
            """
            BEGIN; \(Self.firstTables); COMMIT; PRAGMA journal_mode = \(hasLog ? "WAL" : "DELETE");
            ATTACH '\(path)' AS new;
            BEGIN;
            INSERT INTO states SELECT * FROM new.states;
            INSERT INTO sessions SELECT number, id, kind, schema, created, last_active, ended, forked_from, history, initial,
                checksum FROM new.sessions;
            INSERT INTO commits \(CommitView.columns(of: "new"));
            INSERT INTO snapshots SELECT * FROM new.snapshots;
            INSERT INTO answers SELECT number, session, key, fingerprint, answer, at, checksum FROM new.answers;
            INSERT INTO leavings SELECT * FROM new.leavings;
            INSERT INTO meta SELECT * FROM new.meta WHERE name != 'unsorted';
            \(version == 1 ? "" : cut)
            COMMIT; DETACH new
            """)
        return old
    }

    /// A file of version 6 had no actors and no rows of permits and members. One of version 5 had a row for each commit. Version 4 had no unsorted commits, and version 3 no owners and shares either.
    private func recent(_ version: Int, hasLog: Bool) throws -> JournalFile {
        let third = """
            DROP INDEX sessions_by_owner; DROP INDEX sessions_by_person;
            ALTER TABLE sessions DROP COLUMN owner;
            ALTER TABLE sessions DROP COLUMN personal;
            ALTER TABLE sessions DROP COLUMN shares;
            """
        let old = try copy()
        guard version < 6 else {
            try old.change(
                "PRAGMA journal_mode = \(hasLog ? "WAL" : "DELETE"); DROP TABLE permits; DROP TABLE members; DROP TABLE clients; PRAGMA user_version = 6"
            )
            return old
        }
        try old.change(
            """
            PRAGMA journal_mode = \(hasLog ? "WAL" : "DELETE");
            BEGIN;
            \(Self.commitsTable)
            INSERT INTO main.commits SELECT * FROM temp.commits;
            DROP VIEW temp.commits; DROP TABLE segments; DROP TABLE permits; DROP TABLE members; DROP TABLE clients;
            \(version < 5 ? "DROP TABLE unsorted; DELETE FROM meta WHERE name = 'unsorted';" : "")
            \(version == 3 ? third : "")
            PRAGMA user_version = \(version);
            COMMIT
            """)
        return old
    }
}
