// Connections that want nothing: beside them, others are measured.
//
//   crowd PORT COUNT SECONDS
//
// COUNT    connections
// SECONDS  0: each asks for /healthz once and then stays open, silent; a connection that the server closes ends the
//          run. Otherwise each sends a request's head that never ends, a byte every so many seconds, evenly spread;
//          a connection that the server closes is opened again when its turn comes.
//
// When all are open it prints one line of JSON, continues until a line comes on standard input, and prints another.
#define _GNU_SOURCE
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "common.h"

enum { OPENING_AT_ONCE = 64, PATIENCE_MS = 1000, BUFFER = 65536 };

static const char request[] = "GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n";
static const char endless[] = "GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Drip: ";

typedef struct {
    int fd;       // -1 where closed
    size_t sent;  // bytes of the endless head
    bool ready;
} member;

static struct {
    int port, epoll, count, ready;
    uint64_t apart;  // nanoseconds from one member's byte to the next member's; 0 for silence
    uint64_t start;
    int64_t turns, closed;
    member *members;
} run;

static void open_member(member *m) {
    m->fd = open_connection(run.port);
    m->sent = 0;
    watch(run.epoll, m->fd, m);
}

static void become_ready(member *m) {
    if (m->ready) return;
    m->ready = true;
    run.ready++;
}

// What the server has closed shows when it is read.
static void put(const member *m, const char *bytes, size_t count) {
    if (send(m->fd, bytes, count, MSG_NOSIGNAL | MSG_DONTWAIT) < 0 && errno != EPIPE && errno != ECONNRESET)
        fail("send", strerror(errno));
}

static void drip(member *m) {
    if (m->fd < 0) open_member(m);
    put(m, m->sent < sizeof endless - 1 ? &endless[m->sent] : "a", 1);
    m->sent++;
    become_ready(m);
}

// Does the work that is due. Returns the milliseconds until the next work.
static int advance(void) {
    if (!run.apart) {
        while (run.turns < run.count && run.turns - run.ready < OPENING_AT_ONCE) {
            member *m = &run.members[run.turns++];
            open_member(m);
            put(m, request, sizeof request - 1);
        }
        return PATIENCE_MS;
    }
    for (;;) {
        uint64_t due = run.start + (uint64_t)run.turns * run.apart, now = monotonic();
        if (due > now) return (int)((due - now) / 1000000u) + 1;
        drip(&run.members[run.turns++ % run.count]);
    }
}

static void read_member(member *m) {
    static char buffer[BUFFER];
    ssize_t count = recv(m->fd, buffer, BUFFER, MSG_DONTWAIT);
    if (count < 0 && errno == EAGAIN) return;
    if (count <= 0) {
        if (!run.apart) fail("crowd", "the server closed an idle connection");
        close(m->fd);
        m->fd = -1;
        run.closed++;
    } else if (!run.apart) {
        if (count < 12 || memcmp(buffer, "HTTP/1.1 200", 12) != 0) fail("crowd", "the answer's status is not 200");
        become_ready(m);
    }
}

int main(int count, char **arguments) {
    if (count != 4) {
        fputs("usage: crowd PORT COUNT SECONDS\n", stderr);
        return 2;
    }
    run.port = atoi(arguments[1]);
    run.count = atoi(arguments[2]);
    run.apart = (uint64_t)(atof(arguments[3]) * 1e9 / run.count);
    run.members = allocate((size_t)run.count, sizeof(member));
    for (int i = 0; i < run.count; i++) run.members[i].fd = -1;
    run.epoll = epoll_create1(EPOLL_CLOEXEC);
    watch(run.epoll, STDIN_FILENO, NULL);

    run.start = monotonic();
    for (bool told = false;;) {
        struct epoll_event events[512];
        int ready = epoll_wait(run.epoll, events, 512, advance());
        if (ready < 0 && errno != EINTR) fail("epoll_wait", strerror(errno));
        for (int i = 0; i < ready; i++) {
            if (events[i].data.ptr) {
                read_member(events[i].data.ptr);
            } else {
                printf("{\"closed\":%lld}\n", (long long)run.closed);
                return 0;
            }
        }
        if (told || run.ready < run.count) continue;
        told = true;
        printf("{\"ready\":%d}\n", run.ready);
        fflush(stdout);
    }
}
