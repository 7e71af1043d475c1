"""Makes a file one of an older release, which has to be brought up to date."""

import contextlib
import sqlite3


def make_older(file):
    """Version 1 did not keep what was let go. No server has the file."""
    with contextlib.closing(sqlite3.connect(file, isolation_level=None)) as database:
        database.execute("BEGIN")
        database.execute("ALTER TABLE sessions DROP COLUMN cut")
        database.execute("PRAGMA user_version = 1")
        database.execute("COMMIT")
