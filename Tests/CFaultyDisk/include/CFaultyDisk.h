#ifndef STOREHOUSE_CFAULTYDISK_H
#define STOREHOUSE_CFAULTYDISK_H

// A disk that fails on demand: what SQLite reads and writes through, under a name of its own. It is never taken away again,
// so that a connection that is still open does no harm.
typedef struct faulty_disk faulty_disk;

typedef enum {
    FAULTY_NOT = 0,
    FAULTY_WRITE_IO,     // a write fails
    FAULTY_WRITE_SHORT,  // half of a write is done, then it fails
    FAULTY_FULL,         // there is no room for a write
    FAULTY_SYNC,         // a sync fails
} faulty_kind;

faulty_disk *faulty_disk_make(const char *name);

// Fails everything of that kind from now on, after `good` more that succeed.
void faulty_disk_fail(faulty_disk *disk, faulty_kind kind, int good);

// Ends as a process does that is killed, or a machine that loses power: after `good` more calls that change something, nothing
// changes any more. The last write is half done if `tears` is not 0. From now on what was synced of a file stands beside it
// too, with -synced behind the name, and nothing is really synced.
void faulty_disk_end(faulty_disk *disk, int good, int tears);

// Whether the first call that did not change anything was a write.
int faulty_disk_ends_writing(faulty_disk *disk);

// Whether so much was called.
int faulty_disk_has_ended(faulty_disk *disk);

// Has no file made shorter from now on, or again.
void faulty_disk_refuse_cuts(faulty_disk *disk, int refuses);

// Makes each sync wait until it is released.
void faulty_disk_hold(faulty_disk *disk, int holds);

// Makes each write wait until it is released.
void faulty_disk_hold_writes(faulty_disk *disk, int holds);

// How often was synced.
int faulty_disk_syncs(faulty_disk *disk);

// How often a file was to be made shorter.
int faulty_disk_cuts(faulty_disk *disk);

#endif
