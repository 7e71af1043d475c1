"""Turns a database into one of an older release, which has to be migrated."""

import contextlib
import sqlite3


def downgrade(file):
    """Turns the file into one of version 1, which has no column for deleted commits. No server may use the file."""
    with contextlib.closing(sqlite3.connect(file, isolation_level=None)) as database:
        database.execute("BEGIN")
        database.execute("ALTER TABLE sessions DROP COLUMN cut")
        database.execute("PRAGMA user_version = 1")
        database.execute("COMMIT")
