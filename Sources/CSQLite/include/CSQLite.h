#ifndef STOREHOUSE_CSQLITE_H
#define STOREHOUSE_CSQLITE_H

#include <sqlite3.h>
#include <stdint.h>

// Binds bytes, which SQLite copies: the constant that says so is a macro that Swift does not see. No bytes are an empty value,
// and not NULL.
int csqlite_bind_blob(sqlite3_stmt *statement, int index, const void *bytes, int64_t count);
int csqlite_bind_text(sqlite3_stmt *statement, int index, const void *bytes, int64_t count);

// Makes the log (the -wal file) end where its newest commit does. What was rolled back stands behind that, with checksums that
// are right: who finds the log after the process has ended takes it for committed.
//
// The connection must have a write transaction open that has written nothing, so that nobody else appends. Nothing in SQLite
// reads what is cut off: readers and checkpoints stop at the newest commit, the next writer begins there.
int csqlite_cut_log(sqlite3 *connection);

#endif
