// What the disk itself takes: appends a page to a file and waits for it, again and again:  syncs FILE SECONDS
//
// The file is as long as it becomes before it begins, as SQLite's log is that is written anew. Says in JSON how many there
// were, and how long one took.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common.h"

enum { PAGE = 4096, PAGES = 4096, MOST = 1 << 20 };

static int ascending(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

int main(int argc, char **argv) {
    if (argc != 3) fail("usage", "syncs FILE SECONDS");
    int fd = open(argv[1], O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (fd < 0) fail("open", strerror(errno));
    static char page[PAGE];
    for (int i = 0; i < PAGES; i++)
        if (write(fd, page, PAGE) != PAGE) fail("write", strerror(errno));
    if (fsync(fd)) fail("fsync", strerror(errno));
    double *took = allocate(MOST, sizeof *took);
    size_t count = 0;
    uint64_t start = monotonic(), end = start + (uint64_t)(atof(argv[2]) * 1e9), now = start;
    for (; now < end && count < MOST; count++) {
        memset(page, (int)count, PAGE);
        uint64_t before = now;
        if (pwrite(fd, page, PAGE, (off_t)(count % PAGES) * PAGE) != PAGE) fail("write", strerror(errno));
        if (fdatasync(fd)) fail("fdatasync", strerror(errno));
        now = monotonic();
        took[count] = (double)(now - before) / 1e6;
    }
    qsort(took, count, sizeof *took, ascending);
    printf("{\"perSecond\":%.1f,\"p50Ms\":%.4f,\"p99Ms\":%.4f}\n", (double)count / ((double)(now - start) / 1e9),
        took[count / 2], took[count * 99 / 100]);
    unlink(argv[1]);
}
