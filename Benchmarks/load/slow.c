// An upstream that answers each request after a second, on one epoll loop:  slow PORT
//
// Says "listening on PORT" when it does. The answers that are due are in a ring, as all wait the same time.
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "common.h"

static const char answer[] = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 16\r\n\r\n{\"animal\":\"Cat\"}";

enum { PLACES = 1 << 16 };
static struct {
    int fd;
    uint64_t due;
} ring[PLACES];
static unsigned first, last;

static void answer_due(uint64_t now) {
    for (; first != last && ring[first % PLACES].due <= now; first++)
        if (send(ring[first % PLACES].fd, answer, sizeof answer - 1, MSG_NOSIGNAL) < 0 && errno != EPIPE &&
            errno != ECONNRESET && errno != EBADF)
            fail("send", strerror(errno));
}

static void take(int fd) {
    char request[8192];
    ssize_t count = recv(fd, request, sizeof request, 0);
    if (count <= 0) {
        close(fd);
        return;
    }
    // A request comes in one piece, and none before the last is answered.
    ring[last % PLACES].fd = fd;
    ring[last++ % PLACES].due = monotonic() + 1000000000;
}

int main(void) {
    int listener = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0), poll = epoll_create1(0);
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t length = sizeof address;
    if (bind(listener, (void *)&address, length) || listen(listener, 8192) ||
        getsockname(listener, (void *)&address, &length))
        fail("listen", strerror(errno));
    printf("listening on http://127.0.0.1:%d\n", ntohs(address.sin_port));
    fflush(stdout);
    epoll_ctl(poll, EPOLL_CTL_ADD, listener, &(struct epoll_event){.events = EPOLLIN, .data.fd = listener});
    while (1) {
        struct epoll_event events[512];
        uint64_t now = monotonic();
        int wait = -1;
        if (first != last) {
            uint64_t due = ring[first % PLACES].due;
            wait = due <= now ? 0 : (int)((due - now) / 1000000 + 1);
        }
        int count = epoll_wait(poll, events, 512, wait);
        for (int i = 0; i < count; i++) {
            if (events[i].data.fd != listener) {
                take(events[i].data.fd);
                continue;
            }
            for (int fd; (fd = accept4(listener, NULL, NULL, SOCK_NONBLOCK)) >= 0;) {
                setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &(int){1}, sizeof(int));
                epoll_ctl(poll, EPOLL_CTL_ADD, fd, &(struct epoll_event){.events = EPOLLIN, .data.fd = fd});
            }
        }
        answer_due(monotonic());
    }
}
