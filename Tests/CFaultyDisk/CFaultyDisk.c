#include "CFaultyDisk.h"

#include <sqlite3.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

struct faulty_disk {
    sqlite3_vfs vfs;
    sqlite3_vfs *real;
    atomic_int kind, good, delay, syncs, keeps, cuts;
};

// A file of it: what SQLite sees, and behind that the file of the real system.
typedef struct {
    sqlite3_file base;
    faulty_disk *disk;
} faulty_file;

static sqlite3_file *real(sqlite3_file *file) { return (sqlite3_file *)((faulty_file *)file + 1); }

static faulty_disk *disk(sqlite3_file *file) { return ((faulty_file *)file)->disk; }

// Whether it is to fail now.
static int fails(faulty_disk *disk, int isSync) {
    int kind = atomic_load(&disk->kind);
    if (kind == FAULTY_NOT || (kind == FAULTY_SYNC) != isSync) return FAULTY_NOT;
    return atomic_fetch_sub(&disk->good, 1) > 0 ? FAULTY_NOT : kind;
}

static int file_close(sqlite3_file *file) { return real(file)->pMethods->xClose(real(file)); }

static int file_read(sqlite3_file *file, void *bytes, int count, sqlite3_int64 offset) {
    return real(file)->pMethods->xRead(real(file), bytes, count, offset);
}

static int file_write(sqlite3_file *file, const void *bytes, int count, sqlite3_int64 offset) {
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
    atomic_fetch_add(&disk(file)->cuts, 1);
    if (atomic_load(&disk(file)->keeps)) return SQLITE_IOERR_TRUNCATE;
    return real(file)->pMethods->xTruncate(real(file), size);
}

static int file_sync(sqlite3_file *file, int flags) {
    int delay = atomic_load(&disk(file)->delay);
    if (delay > 0) sqlite3_sleep(delay);
    atomic_fetch_add(&disk(file)->syncs, 1);
    if (fails(disk(file), 1) == FAULTY_SYNC) return SQLITE_IOERR_FSYNC;
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
    int code = disk->real->xOpen(disk->real, name, real(file), flags, given);
    ((faulty_file *)file)->disk = disk;
    file->pMethods = code == SQLITE_OK ? &methods : NULL;
    return code;
}

faulty_disk *faulty_disk_make(const char *name) {
    faulty_disk *disk = calloc(1, sizeof(faulty_disk));
    if (disk == NULL) return NULL;
    disk->real = sqlite3_vfs_find(NULL);
    // All else is the real system's own, which never looks at the structure that it was called by.
    disk->vfs = *disk->real;
    disk->vfs.zName = strdup(name);
    disk->vfs.xOpen = disk_open;
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

void faulty_disk_refuse_cuts(faulty_disk *disk, int refuses) { atomic_store(&disk->keeps, refuses); }

void faulty_disk_delay(faulty_disk *disk, int milliseconds) { atomic_store(&disk->delay, milliseconds); }

int faulty_disk_syncs(faulty_disk *disk) { return atomic_load(&disk->syncs); }

int faulty_disk_cuts(faulty_disk *disk) { return atomic_load(&disk->cuts); }
