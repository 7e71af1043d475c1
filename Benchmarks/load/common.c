#define _GNU_SOURCE
#include "common.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <time.h>

uint64_t monotonic(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

_Noreturn void fail(const char *what, const char *why) {
    printf("{\"failure\":\"%s: %s\"}\n", what, why);
    fflush(stdout);
    exit(1);
}

void *allocate(size_t count, size_t size) {
    void *memory = calloc(count ? count : 1, size);
    if (!memory) fail("memory", strerror(errno));
    return memory;
}

int open_connection(int port) {
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd < 0) fail("socket", strerror(errno));
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (connect(fd, (struct sockaddr *)&address, sizeof address) < 0) fail("connect", strerror(errno));
    int yes = 1;
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
    return fd;
}

size_t answer_length(const char *bytes, size_t count) {
    static const char name[] = "\r\ncontent-length:";
    const char *end = memmem(bytes, count, "\r\n\r\n", 4);
    if (!end) return 0;
    if (strncmp(bytes, "HTTP/1.1 20", 11) != 0) fail("publisher", "the answer's status is not 2xx");
    const char *field = strcasestr(bytes, name);
    if (!field || field > end) fail("publisher", "an answer without Content-Length");
    size_t whole = (size_t)(end - bytes) + 4 + strtoull(field + sizeof name - 1, NULL, 10);
    if (count > whole) fail("publisher", "more than one answer");
    return count == whole ? whole : 0;
}

void watch(int epoll, int fd, void *owner) {
    struct epoll_event event = {.events = EPOLLIN | EPOLLRDHUP, .data.ptr = owner};
    if (epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &event) < 0) fail("epoll_ctl", strerror(errno));
}
