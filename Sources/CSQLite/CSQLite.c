#include "CSQLite.h"

int csqlite_bind_blob(sqlite3_stmt *statement, int index, const void *bytes, int64_t count) {
    if (count == 0) return sqlite3_bind_zeroblob(statement, index, 0);
    return sqlite3_bind_blob64(statement, index, bytes, (sqlite3_uint64)count, SQLITE_TRANSIENT);
}

int csqlite_bind_text(sqlite3_stmt *statement, int index, const void *bytes, int64_t count) {
    const char *text = count == 0 ? "" : bytes;
    return sqlite3_bind_text64(statement, index, text, (sqlite3_uint64)count, SQLITE_TRANSIENT, SQLITE_UTF8);
}
