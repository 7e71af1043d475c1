#include "CSQLite.h"

#include <string.h>

int csqlite_bind_blob(sqlite3_stmt *statement, int index, const void *bytes, int64_t count) {
    if (count == 0) return sqlite3_bind_zeroblob(statement, index, 0);
    return sqlite3_bind_blob64(statement, index, bytes, (sqlite3_uint64)count, SQLITE_TRANSIENT);
}

int csqlite_bind_text(sqlite3_stmt *statement, int index, const void *bytes, int64_t count) {
    const char *text = count == 0 ? "" : bytes;
    return sqlite3_bind_text64(statement, index, text, (sqlite3_uint64)count, SQLITE_TRANSIENT, SQLITE_UTF8);
}

// The beginning of the shared memory beside a database, in the machine's byte order (walformat.html, 2.1).
typedef struct {
    uint32_t version, unused, change;
    uint8_t isInitialized, isBigEndian;
    uint16_t pageSize;  // 1 is 65536
    uint32_t frames;    // how many of the log are committed
    uint32_t pages, frameChecksum[2], salt[2], checksum[2];
} log_index;

_Static_assert(sizeof(log_index) == 48, "as SQLite writes it");

// Where the newest commit ends; -1 where that cannot be told.
static int64_t log_end(sqlite3_file *database) {
    if (database->pMethods->iVersion < 2 || database->pMethods->xShmMap == NULL) return -1;
    void volatile *memory = NULL;
    if (database->pMethods->xShmMap(database, 0, 32768, 0, &memory) != SQLITE_OK || memory == NULL) return -1;
    // It stands there twice, and changes under the lock only that the open transaction has.
    log_index index[2];
    memcpy(index, (const void *)memory, sizeof index);
    if (memcmp(&index[0], &index[1], sizeof index[0]) != 0) return -1;
    if (index->version != 3007000 || !index->isInitialized) return -1;
    if (index->frames == 0) return 32;
    int64_t pageSize = index->pageSize == 1 ? 65536 : index->pageSize;
    if (pageSize < 512 || (pageSize & (pageSize - 1)) != 0) return -1;
    return 32 + index->frames * (24 + pageSize);
}

int csqlite_cut_log(sqlite3 *connection) {
    sqlite3_file *database = NULL, *log = NULL;
    int code = sqlite3_file_control(connection, "main", SQLITE_FCNTL_FILE_POINTER, &database);
    if (code == SQLITE_OK) code = sqlite3_file_control(connection, "main", SQLITE_FCNTL_JOURNAL_POINTER, &log);
    if (code != SQLITE_OK) return code;
    if (database == NULL || database->pMethods == NULL || log == NULL || log->pMethods == NULL) return SQLITE_ERROR;
    int64_t end = log_end(database);
    if (end < 0) return SQLITE_ERROR;
    sqlite3_int64 size = 0;
    code = log->pMethods->xFileSize(log, &size);
    if (code != SQLITE_OK || size <= end) return code;
    return log->pMethods->xTruncate(log, end);
}
