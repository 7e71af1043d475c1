#ifndef STOREHOUSE_CSQLITE_H
#define STOREHOUSE_CSQLITE_H

#include <sqlite3.h>
#include <stdint.h>

// Binds bytes with SQLITE_TRANSIENT, a macro that Swift does not import: SQLite copies them. Zero bytes are an empty value, not
// NULL.
int csqlite_bind_blob(sqlite3_stmt *statement, int index, const void *bytes, int64_t count);
int csqlite_bind_text(sqlite3_stmt *statement, int index, const void *bytes, int64_t count);

// Returns bytes from an SQL function; SQLite copies them.
void csqlite_result_blob(sqlite3_context *context, const void *bytes, int64_t count);

// Has SQLite not count what it allocates, which takes a lock for each block. Must be called before any other function; it has
// no effect if the process uses SQLite already.
void csqlite_disable_statistics(void);

// Has a connection run nothing that a file brings with it: no triggers, no views, no functions with side effects from its schema. Nor can
// a statement change the schema table or other parts of the file directly. A variadic function, which Swift does not import, sets these.
int csqlite_distrust_file(sqlite3 *connection);

// Truncates the WAL behind its newest commit. Frames that were rolled back follow there with valid checksums: a process that
// opens the file later would take them for committed.
//
// The connection must have an open write transaction without changes, so that no other connection appends. SQLite reads nothing
// of what is truncated: readers and checkpoints stop at the newest commit, and the next writer starts there.
int csqlite_truncate_wal(sqlite3 *connection);

// Syncs the database file of the connection, not its WAL.
int csqlite_sync_database(sqlite3 *connection);

#endif
