#ifndef STOREHOUSE_CSQLITE_H
#define STOREHOUSE_CSQLITE_H

#include <sqlite3.h>
#include <stdint.h>

// Binds bytes, which SQLite copies: the constant that says so is a macro that Swift does not see. No bytes are an empty value,
// and not NULL.
int csqlite_bind_blob(sqlite3_stmt *statement, int index, const void *bytes, int64_t count);
int csqlite_bind_text(sqlite3_stmt *statement, int index, const void *bytes, int64_t count);

#endif
