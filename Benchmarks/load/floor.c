// The floor under every server on this machine: answers each request with fixed bytes, on one epoll loop per core:
// floor CORES
//
// Says "listening on http://127.0.0.1:PORT" on standard error when it does. A request must come in one piece, and several may
// be pipelined in it; the last four bytes of a head are looked for, and nothing else of it.
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/tcp.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "common.h"

// As long as the answer of Storehouse to counter/increment.
enum { BODY = 640, ANSWERS = 64 };
static char answers[ANSWERS * (BODY + 256)];
static size_t answer_bytes;

static void make_answers(void) {
    answer_bytes = (size_t)sprintf(answers,
        "HTTP/1.1 200 OK\r\nDate: Mon, 23 Nov 2026 06:00:00 GMT\r\nContent-Type: application/json\r\n"
        "Content-Length: %d\r\n\r\n", BODY);
    memset(answers + answer_bytes, ' ', BODY);
    memcpy(answers + answer_bytes, "{}", 2);
    answer_bytes += BODY;
    for (int index = 1; index < ANSWERS; index++) memcpy(answers + index * answer_bytes, answers, answer_bytes);
}

static int listen_at(in_port_t port) {
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), one = 1;
    setsockopt(fd, SOL_SOCKET, SO_REUSEPORT, &one, sizeof one);
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = port, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    if (bind(fd, (struct sockaddr *)&address, sizeof address) || listen(fd, 1024)) fail("listen", strerror(errno));
    return fd;
}

static void answer(int fd) {
    char request[16384];
    ssize_t count = recv(fd, request, sizeof request, 0);
    if (count <= 0) {
        close(fd);
        return;
    }
    size_t requests = 0;
    for (char *at = request; (at = memmem(at, (size_t)(request + count - at), "\r\n\r\n", 4)); at += 4) requests++;
    if (requests > ANSWERS) requests = ANSWERS;
    if (requests && send(fd, answers, requests * answer_bytes, MSG_NOSIGNAL) < 0) close(fd);
}

static void *serve(void *listener) {
    int epoll = epoll_create1(EPOLL_CLOEXEC), listening = (int)(intptr_t)listener;
    struct epoll_event events[256], event = {.events = EPOLLIN, .data.fd = listening};
    epoll_ctl(epoll, EPOLL_CTL_ADD, listening, &event);
    for (;;) {
        int count = epoll_wait(epoll, events, 256, -1);
        for (int index = 0; index < count; index++) {
            if (events[index].data.fd != listening) {
                answer(events[index].data.fd);
                continue;
            }
            int fd = accept4(listening, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC), one = 1;
            if (fd < 0) continue;
            setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
            event.data.fd = fd;
            epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &event);
        }
    }
    return NULL;
}

int main(int count, char **arguments) {
    int cores = count > 1 ? atoi(arguments[1]) : 1;
    make_answers();
    int first = listen_at(0);
    struct sockaddr_in address;
    socklen_t length = sizeof address;
    getsockname(first, (struct sockaddr *)&address, &length);
    for (int index = 1; index < cores; index++) {
        pthread_t thread;
        if (pthread_create(&thread, NULL, serve, (void *)(intptr_t)listen_at(address.sin_port)))
            fail("pthread_create", "no thread is left");
    }
    fprintf(stderr, "listening on http://127.0.0.1:%d\n", ntohs(address.sin_port));
    serve((void *)(intptr_t)first);
}
