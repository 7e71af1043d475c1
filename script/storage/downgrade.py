"""Turns a database into one of an older release, which has to be migrated."""

import contextlib
import sqlite3

from storage.commits import commits


def downgrade(file):
    """Turns the file into one of version 1, in which sessions do not say how far they reach. No server may use the file."""
    with contextlib.closing(sqlite3.connect(file, isolation_level=None)) as database:
        database.execute("BEGIN")
        # A server that has ended regularly has sorted all commits.
        if database.execute("SELECT count(*) FROM unsorted").fetchone() != (0,):
            raise ValueError(f"{file} has commits that are not sorted")
        for table in ("unsorted", "permits", "members", "clients"):
            database.execute(f"DROP TABLE {table}")
        database.execute(
            "CREATE TABLE commits (session INTEGER NOT NULL, revision INTEGER NOT NULL, at INTEGER NOT NULL,"
            " type TEXT NOT NULL, payload TEXT NOT NULL, origin TEXT NOT NULL, cause INTEGER, changes TEXT NOT NULL,"
            " hidden TEXT, checksum INTEGER NOT NULL, PRIMARY KEY (session, revision)) STRICT, WITHOUT ROWID")
        for row, in database.execute("SELECT commits FROM segments").fetchall():
            database.executemany("INSERT INTO commits VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", commits(row))
        database.execute("DROP TABLE segments")
        database.execute("DELETE FROM meta WHERE name = 'unsorted'")
        for index in ("due", "owner", "person"):
            database.execute(f"DROP INDEX sessions_by_{index}")
        for column in ("cut", "newest", "chain", "bytes", "due", "seal", "owner", "personal", "shares"):
            database.execute(f"ALTER TABLE sessions DROP COLUMN {column}")
        # Answers were whole, and a key occurred once.
        database.execute("DROP TABLE answers")
        database.execute(
            "CREATE TABLE answers (number INTEGER PRIMARY KEY, session INTEGER NOT NULL, key TEXT NOT NULL,"
            " fingerprint INTEGER NOT NULL, answer BLOB NOT NULL, at INTEGER NOT NULL, checksum INTEGER NOT NULL,"
            " UNIQUE (session, key)) STRICT")
        database.execute("PRAGMA user_version = 1")
        database.execute("COMMIT")
