// Actions at a steady rate, whatever the answers take:  paced PORT PATHS CONNECTIONS RATE SECONDS BODY
//
// PATHS        a file, one path a line, to which the actions are posted in turn
// CONNECTIONS  of which each has one action under way at most
// RATE         actions a second
//
// An action is late from the moment it was due, also while no connection is free. Prints one line of JSON.
#define _GNU_SOURCE
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <time.h>

#include "common.h"

enum { BUFFER = 65536, PATH_LIMIT = 256, MOST_PATHS = 1 << 20, MOST_CONNECTIONS = 1024, PATIENCE_S = 20 };

typedef struct {
    int fd;
    uint64_t due;
    size_t count;
    char bytes[BUFFER];
} connection;

static struct {
    int port, path_count, free_count;
    char (*paths)[PATH_LIMIT];
    const char *body;
    connection **free;
    double *milliseconds;
    size_t asked, answered;
} run;

static void ask(connection *c, uint64_t due) {
    char request[8192];
    int length = snprintf(
        request, sizeof request,
        "POST %s HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nContent-Type: application/json\r\nContent-Length: %zu\r\n\r\n%s",
        run.paths[run.asked % (size_t)run.path_count], run.port, strlen(run.body), run.body);
    if (send(c->fd, request, (size_t)length, MSG_NOSIGNAL) != length) fail("send", strerror(errno));
    c->due = due;
    c->count = 0;
    run.asked++;
}

static void take(connection *c) {
    ssize_t count = recv(c->fd, c->bytes + c->count, BUFFER - 1 - c->count, 0);
    if (count <= 0) fail("recv", count ? strerror(errno) : "the server closed a connection");
    c->count += (size_t)count;
    c->bytes[c->count] = 0;
    if (!answer_length(c->bytes, c->count)) return;
    run.milliseconds[run.answered++] = (double)(monotonic() - c->due) / 1e6;
    run.free[run.free_count++] = c;
}

static int ascending(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void read_paths(const char *path) {
    FILE *file = fopen(path, "r");
    if (!file) fail(path, strerror(errno));
    run.paths = allocate(MOST_PATHS, PATH_LIMIT);
    while (run.path_count < MOST_PATHS && fscanf(file, "%255s", run.paths[run.path_count]) == 1) run.path_count++;
    fclose(file);
    if (run.path_count == 0) fail(path, "no path");
}

int main(int count, char **arguments) {
    if (count != 7) {
        fputs("usage: paced PORT PATHS CONNECTIONS RATE SECONDS BODY\n", stderr);
        return 2;
    }
    run.port = atoi(arguments[1]);
    read_paths(arguments[2]);
    int connections = atoi(arguments[3]);
    double rate = atof(arguments[4]), seconds = atof(arguments[5]);
    run.body = arguments[6];
    if (connections < 1 || connections > MOST_CONNECTIONS || rate <= 0) fail("usage", "connections or rate");
    size_t total = (size_t)(rate * seconds);
    run.milliseconds = allocate(total, sizeof(double));
    run.free = allocate((size_t)connections, sizeof *run.free);
    int poll = epoll_create1(EPOLL_CLOEXEC);
    for (int i = 0; i < connections; i++) {
        connection *c = allocate(1, sizeof *c);
        c->fd = open_connection(run.port);
        watch(poll, c->fd, c);
        run.free[run.free_count++] = c;
    }
    uint64_t start = monotonic();
    while (run.answered < total) {
        uint64_t now = monotonic(), due = now;
        while (run.asked < total && run.free_count > 0) {
            due = start + (uint64_t)((double)run.asked * 1e9 / rate);
            if (due > now) break;
            ask(run.free[--run.free_count], due);
        }
        struct timespec wait = {.tv_sec = PATIENCE_S};
        if (run.asked < total && run.free_count > 0 && due > now) {
            wait.tv_sec = (time_t)((due - now) / 1000000000u);
            wait.tv_nsec = (long)((due - now) % 1000000000u);
        }
        struct epoll_event events[MOST_CONNECTIONS];
        int ready = epoll_pwait2(poll, events, MOST_CONNECTIONS, &wait, NULL);
        if (ready < 0 && errno != EINTR) fail("epoll_pwait2", strerror(errno));
        if (ready == 0 && wait.tv_sec == PATIENCE_S) fail("paced", "no answer");
        for (int i = 0; i < ready; i++) take(events[i].data.ptr);
    }
    double took = (double)(monotonic() - start) / 1e9;
    qsort(run.milliseconds, total, sizeof(double), ascending);
    printf(
        "{\"requests\":%zu,\"seconds\":%.4f,\"p50Ms\":%.4f,\"p99Ms\":%.4f,\"p999Ms\":%.4f,\"maxMs\":%.4f}\n", total, took,
        run.milliseconds[total / 2], run.milliseconds[total * 99 / 100], run.milliseconds[total * 999 / 1000],
        run.milliseconds[total - 1]);
}
