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

// Reads the index of a WAL from shared memory; 0 if it is not there, or if somebody is changing it.
static int read_index(sqlite3_file *database, wal_index *result) {
    if (database->pMethods->iVersion < 2 || database->pMethods->xShmMap == NULL) return 0;
    void volatile *memory = NULL;
    if (database->pMethods->xShmMap(database, 0, 32768, 0, &memory) != SQLITE_OK || memory == NULL) return 0;
    // There are two copies. They change only under the write lock.
    wal_index index[2];
    memcpy(index, (const void *)memory, sizeof index);
    if (memcmp(&index[0], &index[1], sizeof index[0]) != 0) return 0;
    if (index->version != 3007000 || !index->isInitialized) return 0;
    *result = index[0];
    return 1;
}

// The size of a page; 0 if the index is wrong.
static int64_t page_size(const wal_index *index) {
    int64_t size = index->pageSize == 1 ? 65536 : index->pageSize;
    return size < 512 || (size & (size - 1)) != 0 ? 0 : size;
}

// The offset of a frame in the WAL; the first one is 0.
static int64_t frame_offset(int64_t frame, int64_t pageSize) { return 32 + frame * (24 + pageSize); }

// The offset in the WAL behind the newest commit; -1 if it is unknown. The open transaction holds the write lock.
static int64_t wal_end(sqlite3_file *database) {
    wal_index index;
    if (!read_index(database, &index)) return -1;
    if (index.frames == 0) return frame_offset(0, 0);
    int64_t pageSize = page_size(&index);
    return pageSize == 0 ? -1 : frame_offset(index.frames, pageSize);
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

void csqlite_leave_wal(sqlite3 *connection) { (void)sqlite3_db_config(connection, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, NULL); }

// The file of a connection; NULL if it is not open.
static sqlite3_file *open_file(sqlite3 *connection, int pointer) {
    sqlite3_file *file = NULL;
    if (sqlite3_file_control(connection, "main", pointer, &file) != SQLITE_OK) return NULL;
    return file != NULL && file->pMethods != NULL ? file : NULL;
}

// Whether bytes were read. Those behind the end of the file are zero.
static int read_bytes(sqlite3_file *file, void *bytes, int count, int64_t offset) {
    int code = file->pMethods->xRead(file, bytes, count, offset);
    return code == SQLITE_OK || code == SQLITE_IOERR_SHORT_READ;
}

static int has_changed(sqlite3_file *database, const wal_index *before) {
    wal_index now;
    return !read_index(database, &now) || memcmp(before, &now, sizeof now) != 0;
}

int csqlite_look(sqlite3 *connection, int64_t knownFrame, csqlite_sight *sight) {
    sqlite3_file *database = open_file(connection, SQLITE_FCNTL_FILE_POINTER);
    sqlite3_file *wal = open_file(connection, SQLITE_FCNTL_JOURNAL_POINTER);
    wal_index index;
    if (database == NULL || wal == NULL || !read_index(database, &index)) return 0;
    int64_t pageSize = page_size(&index);
    // The index of a WAL that is still empty does not say it.
    if (pageSize == 0 && (index.frames > 0 || knownFrame > 0)) return 0;
    sqlite3_int64 size = 0, walSize = 0;
    if (database->pMethods->xFileSize(database, &size) != SQLITE_OK) return 0;
    if (wal->pMethods->xFileSize(wal, &walSize) != SQLITE_OK) return 0;
    uint8_t frame[24] = {0};
    if (knownFrame > 0 && !read_bytes(wal, frame, sizeof frame, frame_offset(knownFrame - 1, pageSize))) return 0;
    if (!read_bytes(database, sight->header, sizeof sight->header, 0)) return 0;
    if (has_changed(database, &index)) return 0;
    sight->size = size;
    sight->pagesEnd = index.pages == 0 ? INT64_MAX : index.pages * pageSize;
    sight->walSize = walSize;
    sight->frames = index.frames;
    sight->framesEnd = index.frames == 0 ? 0 : frame_offset(index.frames, pageSize);
    memcpy(&sight->salt, index.salt, sizeof sight->salt);
    memcpy(&sight->frameSalt, frame + 8, sizeof sight->frameSalt);
    return 1;
}
