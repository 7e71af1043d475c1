#include "CFaultyDisk.h"

#include <sqlite3.h>
#include <limits.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct faulty_disk {
    sqlite3_vfs vfs;
    sqlite3_vfs *real;
    atomic_int kind, good, holds, holds_writes, syncs, keeps, cuts, calls, last, tears, ends_writing;
    // Held while a file is copied. Otherwise a slow copy could replace a newer one of another connection.
    pthread_mutex_t copying;
};

// A file of it: what SQLite sees, and behind that the file of the real system.
typedef struct {
    sqlite3_file base;
    faulty_disk *disk;
    const char *name;
} faulty_file;

static sqlite3_file *real(sqlite3_file *file) { return (sqlite3_file *)((faulty_file *)file + 1); }

static faulty_disk *disk(sqlite3_file *file) { return ((faulty_file *)file)->disk; }

// Whether it is to fail now.
static int fails(faulty_disk *disk, int isSync) {
    int kind = atomic_load(&disk->kind);
    if (kind == FAULTY_NOT || (kind == FAULTY_SYNC) != isSync) return FAULTY_NOT;
    return atomic_fetch_sub(&disk->good, 1) > 0 ? FAULTY_NOT : kind;
}

// The fate of a call that changes something: it is done, it is the last and perhaps half done, or all is over.
typedef enum { DONE, TORN, OVER } fate;

static fate next_fate(faulty_disk *disk, int isWrite) {
    int last = atomic_load(&disk->last), call = atomic_fetch_add(&disk->calls, 1);
    if (call < last) return DONE;
    if (call == last) atomic_store(&disk->ends_writing, isWrite);
    return call == last && atomic_load(&disk->tears) ? TORN : OVER;
}

// Whether the process is one that will end: then each sync leaves a copy of what the disk is sure of, in place of syncing.
static int has_end(faulty_disk *disk) { return atomic_load(&disk->last) < INT_MAX; }

static void name_synced(const char *name, char *synced, size_t size) { snprintf(synced, size, "%s-synced", name); }

static int copy_synced(sqlite3_file *file) {
    char name[1024], bytes[4096];
    if (((faulty_file *)file)->name == NULL) return SQLITE_OK;
    name_synced(((faulty_file *)file)->name, name, sizeof name);
    sqlite3_int64 size = 0;
    int code = real(file)->pMethods->xFileSize(real(file), &size);
    FILE *copy = code == SQLITE_OK ? fopen(name, "w") : NULL;
    if (copy == NULL) return SQLITE_IOERR_FSYNC;
    for (sqlite3_int64 offset = 0; offset < size && code == SQLITE_OK; offset += sizeof bytes) {
        int count = size - offset < (sqlite3_int64)sizeof bytes ? (int)(size - offset) : (int)sizeof bytes;
        code = real(file)->pMethods->xRead(real(file), bytes, count, offset);
        if (fwrite(bytes, 1, (size_t)count, copy) != (size_t)count) code = SQLITE_IOERR_FSYNC;
    }
    return fclose(copy) == 0 ? code : SQLITE_IOERR_FSYNC;
}

static int keep_synced(sqlite3_file *file) {
    pthread_mutex_lock(&disk(file)->copying);
    int code = copy_synced(file);
    pthread_mutex_unlock(&disk(file)->copying);
    return code;
}

static int file_close(sqlite3_file *file) { return real(file)->pMethods->xClose(real(file)); }

static int file_read(sqlite3_file *file, void *bytes, int count, sqlite3_int64 offset) {
    return real(file)->pMethods->xRead(real(file), bytes, count, offset);
}

static int file_write(sqlite3_file *file, const void *bytes, int count, sqlite3_int64 offset) {
    while (atomic_load(&disk(file)->holds_writes)) sqlite3_sleep(1);
    switch (next_fate(disk(file), 1)) {
    case TORN: real(file)->pMethods->xWrite(real(file), bytes, count / 2, offset); return SQLITE_IOERR_WRITE;
    case OVER: return SQLITE_IOERR_WRITE;
    case DONE: break;
    }
    switch (fails(disk(file), 0)) {
    case FAULTY_WRITE_IO: return SQLITE_IOERR_WRITE;
    case FAULTY_FULL: return SQLITE_FULL;
    case FAULTY_WRITE_SHORT:
        real(file)->pMethods->xWrite(real(file), bytes, count / 2, offset);
        return SQLITE_IOERR_WRITE;
    default: return real(file)->pMethods->xWrite(real(file), bytes, count, offset);
    }
}

static int file_truncate(sqlite3_file *file, sqlite3_int64 size) {
    int refuses = next_fate(disk(file), 0) != DONE || atomic_load(&disk(file)->keeps);
    int code = refuses ? SQLITE_IOERR_TRUNCATE : real(file)->pMethods->xTruncate(real(file), size);
    // Behind that, so that who waits for it finds it done.
    atomic_fetch_add(&disk(file)->cuts, 1);
    return code;
}

static int file_sync(sqlite3_file *file, int flags) {
    while (atomic_load(&disk(file)->holds)) sqlite3_sleep(1);
    atomic_fetch_add(&disk(file)->syncs, 1);
    if (next_fate(disk(file), 0) != DONE || fails(disk(file), 1) == FAULTY_SYNC) return SQLITE_IOERR_FSYNC;
    if (has_end(disk(file))) return keep_synced(file);
    return real(file)->pMethods->xSync(real(file), flags);
}

static int file_size(sqlite3_file *file, sqlite3_int64 *size) {
    return real(file)->pMethods->xFileSize(real(file), size);
}

static int file_lock(sqlite3_file *file, int level) { return real(file)->pMethods->xLock(real(file), level); }

static int file_unlock(sqlite3_file *file, int level) { return real(file)->pMethods->xUnlock(real(file), level); }

static int file_reserved(sqlite3_file *file, int *result) {
    return real(file)->pMethods->xCheckReservedLock(real(file), result);
}

static int file_control(sqlite3_file *file, int operation, void *argument) {
    return real(file)->pMethods->xFileControl(real(file), operation, argument);
}

static int file_sector(sqlite3_file *file) { return real(file)->pMethods->xSectorSize(real(file)); }

static int file_device(sqlite3_file *file) { return real(file)->pMethods->xDeviceCharacteristics(real(file)); }

static int file_map(sqlite3_file *file, int page, int size, int extend, void volatile **memory) {
    return real(file)->pMethods->xShmMap(real(file), page, size, extend, memory);
}

static int file_shared_lock(sqlite3_file *file, int offset, int count, int flags) {
    return real(file)->pMethods->xShmLock(real(file), offset, count, flags);
}

static void file_barrier(sqlite3_file *file) { real(file)->pMethods->xShmBarrier(real(file)); }

static int file_unmap(sqlite3_file *file, int deletes) {
    return real(file)->pMethods->xShmUnmap(real(file), deletes);
}

static const sqlite3_io_methods methods = {
    .iVersion = 2,
    .xClose = file_close,
    .xRead = file_read,
    .xWrite = file_write,
    .xTruncate = file_truncate,
    .xSync = file_sync,
    .xFileSize = file_size,
    .xLock = file_lock,
    .xUnlock = file_unlock,
    .xCheckReservedLock = file_reserved,
    .xFileControl = file_control,
    .xSectorSize = file_sector,
    .xDeviceCharacteristics = file_device,
    .xShmMap = file_map,
    .xShmLock = file_shared_lock,
    .xShmBarrier = file_barrier,
    .xShmUnmap = file_unmap,
};

static int disk_open(sqlite3_vfs *vfs, sqlite3_filename name, sqlite3_file *file, int flags, int *given) {
    faulty_disk *disk = (faulty_disk *)vfs;
    file->pMethods = NULL;
    if ((flags & SQLITE_OPEN_CREATE) != 0 && next_fate(disk, 0) != DONE) return SQLITE_CANTOPEN;
    int code = disk->real->xOpen(disk->real, name, real(file), flags, given);
    ((faulty_file *)file)->disk = disk;
    ((faulty_file *)file)->name = name;
    file->pMethods = code == SQLITE_OK ? &methods : NULL;
    return code;
}

static int disk_delete(sqlite3_vfs *vfs, const char *name, int syncs) {
    faulty_disk *disk = (faulty_disk *)vfs;
    if (next_fate(disk, 0) != DONE) return SQLITE_IOERR_DELETE;
    char synced[1024];
    name_synced(name, synced, sizeof synced);
    remove(synced);
    return disk->real->xDelete(disk->real, name, syncs);
}

faulty_disk *faulty_disk_make(const char *name) {
    faulty_disk *disk = calloc(1, sizeof(faulty_disk));
    if (disk == NULL) return NULL;
    disk->real = sqlite3_vfs_find(NULL);
    // All else is the real system's own, which never looks at the structure that it was called by.
    disk->vfs = *disk->real;
    disk->vfs.zName = strdup(name);
    disk->vfs.xOpen = disk_open;
    disk->vfs.xDelete = disk_delete;
    disk->last = INT_MAX;
    pthread_mutex_init(&disk->copying, NULL);
    disk->vfs.szOsFile = (int)sizeof(faulty_file) + disk->real->szOsFile;
    disk->vfs.pNext = NULL;
    if (sqlite3_vfs_register(&disk->vfs, 0) != SQLITE_OK) return NULL;
    return disk;
}

void faulty_disk_fail(faulty_disk *disk, faulty_kind kind, int good) {
    atomic_store(&disk->kind, FAULTY_NOT);
    atomic_store(&disk->good, good);
    atomic_store(&disk->kind, kind);
}

void faulty_disk_end(faulty_disk *disk, int good, int tears) {
    atomic_store(&disk->calls, 0);
    atomic_store(&disk->tears, tears);
    atomic_store(&disk->ends_writing, 0);
    atomic_store(&disk->last, good);
}

int faulty_disk_ends_writing(faulty_disk *disk) { return atomic_load(&disk->ends_writing); }

int faulty_disk_has_ended(faulty_disk *disk) { return atomic_load(&disk->calls) > atomic_load(&disk->last); }

void faulty_disk_refuse_cuts(faulty_disk *disk, int refuses) { atomic_store(&disk->keeps, refuses); }

void faulty_disk_hold(faulty_disk *disk, int holds) { atomic_store(&disk->holds, holds); }

void faulty_disk_hold_writes(faulty_disk *disk, int holds) { atomic_store(&disk->holds_writes, holds); }

int faulty_disk_syncs(faulty_disk *disk) { return atomic_load(&disk->syncs); }

int faulty_disk_cuts(faulty_disk *disk) { return atomic_load(&disk->cuts); }
