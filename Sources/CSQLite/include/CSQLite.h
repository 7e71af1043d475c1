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

// Has the connection not checkpoint and delete the WAL if it is the last one that closes.
void csqlite_leave_wal(sqlite3 *connection);

// The files of a connection at one moment.
typedef struct {
    // The begin of the database: SQLite's name, the size of a page, and the version, which is that of a WAL. They never change.
    uint8_t header[20];
    // The size of the database, and the size that it has when the whole WAL is checkpointed; the largest number if nobody has
    // committed yet.
    int64_t size, pagesEnd;
    // The size of the WAL, and how much of it the commits need.
    int64_t walSize, framesEnd;
    // The frames of the commits in the WAL, and the number that all of them have. It is another one after each restart of the WAL.
    int64_t frames;
    uint64_t salt;
    // That of the known frame; 0 if it is behind the end of the file.
    uint64_t frameSalt;
} csqlite_sight;

// Looks at the database and the WAL of a connection, which must have read something.
//
// - knownFrame: the number of a frame in the WAL, from 1; 0 for none.
// - Returns: 0 if they cannot be read, or if another connection has committed meanwhile.
int csqlite_look(sqlite3 *connection, int64_t knownFrame, csqlite_sight *sight);

#endif
