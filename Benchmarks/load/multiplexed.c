// Event streams on connections of HTTP/2 (RFC 9113), 100 on each, as a proxy has them.
//
//   multiplexed PORT EVENTS ACTIONS CONNECTIONS BODY
//
// EVENTS   path of the streams
// ACTIONS  path to which the body is posted
//
// When each stream has sent an event and nothing more follows, it prints one line of JSON. For each line on standard input it
// posts the body, awaits a frame on each stream, and prints another.
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

enum { STREAMS = 100, OPENING_AT_ONCE = 16, QUIET_MS = 500, PATIENCE_MS = 60000, BUFFER = 262144, HEAD = 9 };
enum { DATA = 0, HEADERS = 1, RESET = 3, SETTINGS = 4, GOAWAY = 7, WINDOW_UPDATE = 8, ACK = 1 };

typedef struct {
    int fd, data;  // frames of data
    bool ready;
    unsigned char head[HEAD];  // of the frame that is read
    size_t known, left;        // bytes of its head, and of its payload to come
} connection;

static struct {
    int port, epoll, count, opened, ready;
    const char *events;
    uint64_t frames, bytes;
    connection *connections;
} run;

static void put(int fd, const void *bytes, size_t count) {
    if (send(fd, bytes, count, MSG_NOSIGNAL) != (ssize_t)count) fail("send", strerror(errno));
}

static size_t frame(unsigned char *to, int type, int flags, unsigned stream, const void *payload, size_t count) {
    const unsigned char head[HEAD] = {(unsigned char)(count >> 16), (unsigned char)(count >> 8), (unsigned char)count,
                                      (unsigned char)type,          (unsigned char)flags,        (unsigned char)(stream >> 24),
                                      (unsigned char)(stream >> 16), (unsigned char)(stream >> 8), (unsigned char)stream};
    memcpy(to, head, HEAD);
    memcpy(to + HEAD, payload, count);
    return HEAD + count;
}

// The fields of a request, each literal or from HPACK's table of RFC 7541.
static size_t fields(unsigned char *to) {
    static const char host[] = "127.0.0.1";
    size_t length = strlen(run.events), count = 0;
    if (length > 126) fail("multiplexed", "the path is too long");
    to[count++] = 0x82;  // :method GET
    to[count++] = 0x86;  // :scheme http
    to[count++] = 0x01;  // :authority
    to[count++] = sizeof host - 1;
    count += (size_t)(mempcpy(to + count, host, sizeof host - 1) - (void *)(to + count));
    to[count++] = 0x04;  // :path
    to[count++] = (unsigned char)length;
    memcpy(to + count, run.events, length);
    return count + length;
}

// Sends the preface, windows that never fill, and all requests.
static void open_streams(connection *c) {
    static const char preface[] = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";
    static const unsigned char window[] = {0, 4, 0x7f, 0xff, 0xff, 0xff}, more[] = {0x7f, 0xff, 0, 0};
    static unsigned char bytes[STREAMS * 256];
    unsigned char request[256];
    size_t length = fields(request), count = sizeof preface - 1;
    memcpy(bytes, preface, count);
    count += frame(bytes + count, SETTINGS, 0, 0, window, sizeof window);
    count += frame(bytes + count, WINDOW_UPDATE, 0, 0, more, sizeof more);
    for (unsigned stream = 0; stream < STREAMS; stream++)
        count += frame(bytes + count, HEADERS, 5, 2 * stream + 1, request, length);
    c->fd = open_connection(run.port);
    put(c->fd, bytes, count);
    watch(run.epoll, c->fd, c);
}

static void take_frame(connection *c) {
    unsigned char answer[HEAD];
    switch (c->head[3]) {
    case DATA:
        run.frames++;
        if (++c->data < STREAMS || c->ready) break;
        c->ready = true;
        run.ready++;
        break;
    case SETTINGS:
        if (!(c->head[4] & ACK)) put(c->fd, answer, frame(answer, SETTINGS, ACK, 0, "", 0));
        break;
    case RESET: case GOAWAY: fail("multiplexed", "the server ended a stream");
    }
}

static void read_frames(connection *c) {
    static unsigned char buffer[BUFFER];
    ssize_t count = recv(c->fd, buffer, BUFFER, MSG_DONTWAIT);
    if (count < 0 && errno == EAGAIN) return;
    if (count <= 0) fail("multiplexed", "the server closed a connection");
    run.bytes += (uint64_t)count;
    for (size_t at = 0, end = (size_t)count; at < end;) {
        if (c->known < HEAD) {
            c->head[c->known++] = buffer[at++];
            if (c->known == HEAD) c->left = (size_t)c->head[0] << 16 | (size_t)c->head[1] << 8 | c->head[2];
        } else {
            size_t part = c->left < end - at ? c->left : end - at;
            at += part;
            c->left -= part;
        }
        if (c->known < HEAD || c->left) continue;
        take_frame(c);
        c->known = 0;
    }
}

// Whether anything came within the time.
static bool turn(int milliseconds) {
    struct epoll_event events[512];
    int ready = epoll_wait(run.epoll, events, 512, milliseconds);
    if (ready < 0 && errno != EINTR) fail("epoll_wait", strerror(errno));
    for (int i = 0; i < ready; i++) read_frames(events[i].data.ptr);
    return ready > 0;
}

static void post(const char *path, const char *body) {
    char text[4096], answer[65536];
    int fd = open_connection(run.port);
    int length = snprintf(text, sizeof text,
                          "POST %s HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"
                          "Prefer: return=minimal\r\nConnection: close\r\nContent-Length: %zu\r\n\r\n%s",
                          path, strlen(body), body);
    if (length < 0 || (size_t)length >= sizeof text) fail("multiplexed", "the request is too long");
    put(fd, text, (size_t)length);
    ssize_t count = recv(fd, answer, sizeof answer, 0);
    if (count < 12 || strncmp(answer, "HTTP/1.1 20", 11) != 0) fail("publisher", "the answer's status is not 2xx");
    close(fd);
}

int main(int count, char **arguments) {
    if (count != 6) {
        fputs("usage: multiplexed PORT EVENTS ACTIONS CONNECTIONS BODY\n", stderr);
        return 2;
    }
    run.port = atoi(arguments[1]);
    run.events = arguments[2];
    run.count = atoi(arguments[4]);
    run.connections = allocate((size_t)run.count, sizeof(connection));
    run.epoll = epoll_create1(EPOLL_CLOEXEC);
    while (run.ready < run.count) {
        while (run.opened < run.count && run.opened - run.ready < OPENING_AT_ONCE) open_streams(&run.connections[run.opened++]);
        if (!turn(PATIENCE_MS)) fail("multiplexed", "a stream did not begin");
    }
    while (turn(QUIET_MS)) continue;
    uint64_t streams = (uint64_t)run.count * STREAMS;
    printf("{\"streams\":%llu}\n", (unsigned long long)streams);
    fflush(stdout);

    for (char line[16]; fgets(line, sizeof line, stdin);) {
        run.frames = run.bytes = 0;
        uint64_t begin = monotonic();
        post(arguments[3], arguments[5]);
        while (run.frames < streams)
            if (!turn(PATIENCE_MS)) fail("multiplexed", "an event did not come");
        printf("{\"seconds\":%.3f,\"bytes\":%llu}\n", (double)(monotonic() - begin) / 1e9, (unsigned long long)run.bytes);
        fflush(stdout);
    }
}
