// The rush: event streams that all end and come back within some time, beside actions at a steady rate.
//
//   rush PORT SESSIONS SECONDS RATE FIRST BODY
//
// SESSIONS  a file, one session a line: the path of its events, a space, the path to publish at; a stream for each
// SECONDS   within which each ends and comes back at once, one after the other, evenly spread
// RATE      actions a second, over one connection, to each session in turn
// FIRST     1 if a stream begins with an event, which it is then served with, 0 if with its head alone
// BODY      of an action
//
// When all streams are open it prints one line of JSON, and waits for a line on standard input. For SECONDS it only
// sends actions, then the streams take their turns as well, and it prints another line. A stream is late from the
// moment it began to connect, an action from the moment it was due. What stands still for 20 seconds ends the run.
#define _GNU_SOURCE
#include <errno.h>
#include <netinet/in.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "common.h"
#include "stream.h"

enum { OPENING_AT_ONCE = 64, PATIENCE_MS = 20000, BUFFER = 65536, PATH_LIMIT = 256, MOST_ACTIONS = 1 << 20 };

typedef struct {
    char events[PATH_LIMIT], publish[PATH_LIMIT];
    int fd;
    bool asked, served;
    uint64_t begun;
    event_stream stream;
} client;

typedef struct {
    double *milliseconds;
    int count;
} latencies;

static struct {
    int port, epoll, count, begun, served;
    double seconds, rate;
    bool first_event;
    const char *body;
    client *clients;
    latencies streams, alone, beside;
} run;

static atomic_bool rushing, over;

static void note(latencies *to, uint64_t since) {
    if (to->count < MOST_ACTIONS) to->milliseconds[to->count++] = (double)(monotonic() - since) / 1e6;
}

// MARK: streams

// Does not wait for the server to take the connection.
static void begin(client *c) {
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((uint16_t)run.port)};
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    c->fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (c->fd < 0) fail("socket", strerror(errno));
    c->asked = c->served = false;
    c->begun = monotonic();
    stream_open(&c->stream);
    if (connect(c->fd, (struct sockaddr *)&address, sizeof address) < 0 && errno != EINPROGRESS)
        fail("connect", strerror(errno));
    struct epoll_event event = {.events = EPOLLIN | EPOLLOUT | EPOLLRDHUP, .data.ptr = c};
    if (epoll_ctl(run.epoll, EPOLL_CTL_ADD, c->fd, &event) < 0) fail("epoll_ctl", strerror(errno));
    run.begun++;
}

static void ask(client *c) {
    char request[PATH_LIMIT + 128];
    int length = snprintf(
        request, sizeof request, "GET %s HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nAccept: text/event-stream\r\n\r\n",
        c->events, run.port);
    if (send(c->fd, request, (size_t)length, MSG_NOSIGNAL) != length) fail("send", strerror(errno));
    struct epoll_event event = {.events = EPOLLIN | EPOLLRDHUP, .data.ptr = c};
    if (epoll_ctl(run.epoll, EPOLL_CTL_MOD, c->fd, &event) < 0) fail("epoll_ctl", strerror(errno));
    c->asked = true;
}

static void be_served(client *c) {
    if (c->served) return;
    c->served = true;
    run.served++;
    note(&run.streams, c->begun);
}

static void received(void *context, int64_t revision) {
    if (revision >= 0) be_served(context);
}

static void read_client(client *c) {
    static char buffer[BUFFER];
    ssize_t count = recv(c->fd, buffer, BUFFER, 0);
    if (count < 0 && errno == EAGAIN) return;
    if (count <= 0) fail("stream", count ? strerror(errno) : "the server closed the connection");
    if (stream_feed(&c->stream, buffer, (size_t)count, received, c) != STREAM_OK) fail("stream", c->stream.failure);
    if (!run.first_event && stream_has_head(&c->stream)) be_served(c);
}

static void cut(client *c) {
    close(c->fd);
    stream_close(&c->stream);
}

// Looks after the streams until something comes, or for so many milliseconds.
static void turn(int milliseconds) {
    struct epoll_event events[512];
    int ready = epoll_wait(run.epoll, events, 512, milliseconds);
    if (ready < 0 && errno != EINTR) fail("epoll_wait", strerror(errno));
    if (ready == 0 && milliseconds == PATIENCE_MS) fail("streams", "some are not served");
    for (int i = 0; i < ready; i++) {
        client *c = events[i].data.ptr;
        if (!c->asked) {
            if (events[i].events & (EPOLLERR | EPOLLHUP)) fail("connect", "the server takes no connection");
            ask(c);
        } else {
            read_client(c);
        }
    }
}

static void open_all(void) {
    while (run.served < run.count) {
        while (run.begun < run.count && run.begun - run.served < OPENING_AT_ONCE) begin(&run.clients[run.begun]);
        turn(PATIENCE_MS);
    }
}

// Reconnects the clients that are due. Returns the milliseconds until the next one is.
static int reopen_due(uint64_t start) {
    // Some at a time: those that have come back are not to wait for others to leave.
    for (int i = 0; i < OPENING_AT_ONCE; i++) {
        if (run.begun == run.count) return PATIENCE_MS;
        uint64_t due = start + (uint64_t)(run.seconds * 1e9 * run.begun / run.count), now = monotonic();
        if (due > now) return (int)((due - now) / 1000000u) + 1;
        cut(&run.clients[run.begun]);
        begin(&run.clients[run.begun]);
    }
    return 0;
}

// How long it took from the last one's return until all were served, in milliseconds.
static double rush(void) {
    run.begun = run.served = run.streams.count = 0;
    uint64_t start = monotonic();
    while (run.served < run.count) turn(reopen_due(start));
    return (double)(monotonic() - run.clients[run.count - 1].begun) / 1e6;
}

// MARK: actions

static void sleep_until(uint64_t moment) {
    struct timespec at = {.tv_sec = (time_t)(moment / 1000000000u), .tv_nsec = (long)(moment % 1000000000u)};
    while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &at, NULL) == EINTR) continue;
}

static void act(int fd, const client *to) {
    char request[8192], answer[BUFFER + 1];
    int length = snprintf(
        request, sizeof request,
        "POST %s HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nContent-Type: application/json\r\nContent-Length: %zu\r\n\r\n%s",
        to->publish, run.port, strlen(run.body), run.body);
    if (send(fd, request, (size_t)length, MSG_NOSIGNAL) != length) fail("action", strerror(errno));
    for (size_t have = 0; !have || !answer_length(answer, have);) {
        ssize_t count = recv(fd, answer + have, BUFFER - have, 0);
        if (count <= 0) fail("action", count ? strerror(errno) : "the server closed the connection");
        have += (size_t)count;
        answer[have] = 0;
    }
}

// A thread of its own, so that the streams do not keep it waiting.
static void *act_all(void *nothing) {
    int fd = open_connection(run.port);
    uint64_t start = monotonic();
    for (int64_t number = 0; !over; number++) {
        uint64_t due = start + (uint64_t)((double)number * 1e9 / run.rate);
        sleep_until(due);
        latencies *to = rushing ? &run.beside : &run.alone;
        act(fd, &run.clients[number % run.count]);
        note(to, due);
    }
    close(fd);
    return nothing;
}

// MARK: the run

static int ascending(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double percentile(latencies *of, double part) {
    if (of->count == 0) return 0;
    qsort(of->milliseconds, (size_t)of->count, sizeof(double), ascending);
    int index = (int)(part * of->count);
    return of->milliseconds[index < of->count ? index : of->count - 1];
}

static void read_sessions(const char *path, int room) {
    FILE *file = fopen(path, "r");
    if (!file) fail(path, strerror(errno));
    run.clients = allocate((size_t)room, sizeof(client));
    for (client *c = run.clients; run.count < room; c++, run.count++)
        if (fscanf(file, "%255s %255s", c->events, c->publish) != 2) break;
    fclose(file);
    if (run.count == 0) fail(path, "no session");
}

int main(int count, char **arguments) {
    if (count != 7) {
        fputs("usage: rush PORT SESSIONS SECONDS RATE FIRST BODY\n", stderr);
        return 2;
    }
    run.port = atoi(arguments[1]);
    run.seconds = atof(arguments[3]);
    run.rate = atof(arguments[4]);
    run.first_event = atoi(arguments[5]) != 0;
    run.body = arguments[6];
    read_sessions(arguments[2], 20000);
    run.epoll = epoll_create1(EPOLL_CLOEXEC);
    latencies *all[] = {&run.streams, &run.alone, &run.beside};
    for (int i = 0; i < 3; i++) all[i]->milliseconds = allocate(MOST_ACTIONS, sizeof(double));

    open_all();
    printf("{\"ready\":%d}\n", run.served);
    fflush(stdout);
    char line[16];
    if (!fgets(line, sizeof line, stdin)) return 0;

    pthread_t actor;
    if (pthread_create(&actor, NULL, act_all, NULL)) fail("pthread_create", "no thread");
    for (uint64_t end = monotonic() + (uint64_t)(run.seconds * 1e9); monotonic() < end;) turn(10);
    rushing = true;
    double last = rush();
    over = true;
    pthread_join(actor, NULL);
    printf(
        "{\"lastMs\":%.4f,\"servedP50Ms\":%.4f,\"servedP99Ms\":%.4f,\"servedMaxMs\":%.4f,\"actions\":%d,"
        "\"p50Ms\":%.4f,\"p99Ms\":%.4f,\"maxMs\":%.4f,\"p99MsAlone\":%.4f}\n",
        last, percentile(&run.streams, 0.5), percentile(&run.streams, 0.99), percentile(&run.streams, 1),
        run.beside.count, percentile(&run.beside, 0.5), percentile(&run.beside, 0.99), percentile(&run.beside, 1),
        percentile(&run.alone, 0.99));
    return 0;
}
