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

void csqlite_result_blob(sqlite3_context *context, const void *bytes, int64_t count) {
    sqlite3_result_blob64(context, bytes, (sqlite3_uint64)count, SQLITE_TRANSIENT);
}

void csqlite_disable_statistics(void) { (void)sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0); }

int csqlite_distrust_file(sqlite3 *connection) {
    static const struct {
        int option, value;
    } settings[] = {
        {SQLITE_DBCONFIG_DEFENSIVE, 1},
        {SQLITE_DBCONFIG_ENABLE_TRIGGER, 0},
        {SQLITE_DBCONFIG_ENABLE_VIEW, 0},
        {SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0},
    };
    for (size_t index = 0; index < sizeof settings / sizeof settings[0]; index++) {
        int code = sqlite3_db_config(connection, settings[index].option, settings[index].value, NULL);
        if (code != SQLITE_OK) return code;
    }
    return SQLITE_OK;
}

// The header of a WAL index in native byte order (sqlite.org/walformat.html, section 2.1).
typedef struct {
    uint32_t version, unused, change;
    uint8_t isInitialized, isBigEndian;
    uint16_t pageSize;  // 1 is 65536
    uint32_t frames;    // committed frames of the WAL
    uint32_t pages, frameChecksum[2], salt[2], checksum[2];
} wal_index;

_Static_assert(sizeof(wal_index) == 48, "the size in SQLite's file format");

// The offset in the WAL behind the newest commit; -1 if it is unknown.
static int64_t wal_end(sqlite3_file *database) {
    if (database->pMethods->iVersion < 2 || database->pMethods->xShmMap == NULL) return -1;
    void volatile *memory = NULL;
    if (database->pMethods->xShmMap(database, 0, 32768, 0, &memory) != SQLITE_OK || memory == NULL) return -1;
    // There are two copies. They change only under the write lock, which the open transaction holds.
    wal_index index[2];
    memcpy(index, (const void *)memory, sizeof index);
    if (memcmp(&index[0], &index[1], sizeof index[0]) != 0) return -1;
    if (index->version != 3007000 || !index->isInitialized) return -1;
    if (index->frames == 0) return 32;
    int64_t pageSize = index->pageSize == 1 ? 65536 : index->pageSize;
    if (pageSize < 512 || (pageSize & (pageSize - 1)) != 0) return -1;
    return 32 + index->frames * (24 + pageSize);
}

int csqlite_truncate_wal(sqlite3 *connection) {
    sqlite3_file *database = NULL, *wal = NULL;
    int code = sqlite3_file_control(connection, "main", SQLITE_FCNTL_FILE_POINTER, &database);
    if (code == SQLITE_OK) code = sqlite3_file_control(connection, "main", SQLITE_FCNTL_JOURNAL_POINTER, &wal);
    if (code != SQLITE_OK) return code;
    if (database == NULL || database->pMethods == NULL || wal == NULL || wal->pMethods == NULL) return SQLITE_ERROR;
    int64_t end = wal_end(database);
    if (end < 0) return SQLITE_ERROR;
    sqlite3_int64 size = 0;
    code = wal->pMethods->xFileSize(wal, &size);
    if (code != SQLITE_OK || size <= end) return code;
    return wal->pMethods->xTruncate(wal, end);
}

int csqlite_sync_database(sqlite3 *connection) {
    sqlite3_file *database = NULL;
    int code = sqlite3_file_control(connection, "main", SQLITE_FCNTL_FILE_POINTER, &database);
    if (code != SQLITE_OK) return code;
    if (database == NULL || database->pMethods == NULL) return SQLITE_ERROR;
    return database->pMethods->xSync(database, SQLITE_SYNC_NORMAL);
}
