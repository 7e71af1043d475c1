// Creates sessions of the default kind, and prints where each is, a path a line:  sessions PORT COUNT
// BENCH_AUTHORIZATION is the value of the header Authorization.
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>

#include "common.h"

enum { CONNECTIONS = 64, BUFFER = 8192 };

static char request[4096];

typedef struct {
    int fd;
    size_t count;
    char bytes[BUFFER];
} creator;

static int asked, made, wanted;

static void ask(const creator *c) {
    if (asked == wanted) return;
    asked++;
    ssize_t length = (ssize_t)strlen(request);
    if (send(c->fd, request, (size_t)length, MSG_NOSIGNAL) != length) fail("send", strerror(errno));
}

static void print_location(creator *c) {
    static const char name[] = "\r\nlocation: ";
    char *path = strcasestr(c->bytes, name);
    if (!path) fail("sessions", "an answer without Location");
    path += sizeof name - 1;
    printf("%.*s\n", (int)strcspn(path, "\r"), path);
}

static void take(creator *c) {
    ssize_t count = recv(c->fd, c->bytes + c->count, BUFFER - 1 - c->count, 0);
    if (count <= 0) fail("recv", count ? strerror(errno) : "the server closed a connection");
    c->count += (size_t)count;
    c->bytes[c->count] = 0;
    if (!answer_length(c->bytes, c->count)) {
        if (c->count == BUFFER - 1) fail("sessions", "an answer that is too long");
        return;
    }
    print_location(c);
    c->count = 0;
    made++;
    ask(c);
}

int main(int argc, char **argv) {
    if (argc != 3) fail("usage", "sessions PORT COUNT");
    wanted = atoi(argv[2]);
    const char *authorization = getenv("BENCH_AUTHORIZATION");
    snprintf(request, sizeof request,
             "POST /sessions HTTP/1.1\r\nHost: 127.0.0.1\r\n%s%s%sContent-Type: application/json\r\n"
             "Content-Length: 2\r\n\r\n{}",
             authorization ? "Authorization: " : "", authorization ? authorization : "", authorization ? "\r\n" : "");
    int poll = epoll_create1(0);
    creator *creators = allocate(CONNECTIONS, sizeof *creators);
    for (int i = 0; i < CONNECTIONS; i++) {
        creators[i].fd = open_connection(atoi(argv[1]));
        watch(poll, creators[i].fd, &creators[i]);
        ask(&creators[i]);
    }
    while (made < wanted) {
        struct epoll_event events[CONNECTIONS];
        int ready = epoll_wait(poll, events, CONNECTIONS, -1);
        for (int i = 0; i < ready; i++) take(events[i].data.ptr);
    }
}
