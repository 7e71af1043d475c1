// The floor under every server on this machine, on one epoll loop per core. It answers each request with the same bytes, and sends an
// event to each stream with one plain `send`:
//
//   floor CORES
//
// GET /events/N    is a stream of session N. It begins with an event, like one of Storehouse.
// POST /actions/N  is the next revision of session N, of which each stream gets an event as long as Storehouse's.
//
// Says "listening on http://127.0.0.1:PORT" on standard error when it does. A request must come alone and in one piece, and only its
// path is looked at. The streams of a session must be open before its first action, and its actions must come one after the other.
// A stream whose client does not read is closed.
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/tcp.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "common.h"

// The answer is as long as that of Storehouse to counter/increment.
enum { BODY = 609, MOST_SESSIONS = 4096, MOST_CORES = 64, EVENT_LIMIT = 1024 };

static const char stream_head[] =
    "HTTP/1.1 200 OK\r\nDate: Mon, 23 Nov 2026 06:00:00 GMT\r\nContent-Type: text/event-stream; charset=utf-8\r\n"
    "Cache-Control: no-store\r\nTransfer-Encoding: chunked\r\n\r\n";
static const char event_text[] =
    "event: state\nid: 18fceep2balfb-%d\ndata: {\"revision\":%d,\"state\":{\"counter\":{\"count\":%d},\"user\":{\"balance\":0},"
    "\"betslip\":{\"selections\":[],\"placed\":[],\"totalStake\":0},\"animal\":{\"currentAnimal\":\"\",\"isLoading\":false,"
    "\"error\":null},\"login\":{\"status\":\"idle\",\"hasValidCredentials\":false,\"isLoading\":false,\"isAuthenticated\":false,"
    "\"error\":null},\"tasks\":{\"entities\":{},\"ids\":[],\"favorited\":[]},\"calendar\":{\"selectedDay\":null},"
    "\"trends\":{\"added\":0,\"completed\":0,\"removed\":0},"
    "\"settings\":{\"theme\":\"system\",\"locale\":\"en\",\"notifications\":true}}}\n\n";

static char answer[BODY + 256];
static size_t answer_bytes;

// The streams of a session on one loop. Only the loop changes them; others read the count.
typedef struct {
    int *fds, room, revision;
    atomic_int count;
} session;

typedef struct {
    int epoll, listening;
    int inbox[2];  // a pipe: the sessions of actions that came to other loops
    session sessions[MOST_SESSIONS];
} loop;

static loop *loops[MOST_CORES];
static int cores;

// A watched file, in the data of an event of epoll. The session of a connection is -1 unless it is a stream.
typedef union {
    uint64_t data;
    struct {
        int fd, session;
    };
} watched;

static void make_answer(void) {
    answer_bytes = (size_t)sprintf(answer,
        "HTTP/1.1 200 OK\r\nDate: Mon, 23 Nov 2026 06:00:00 GMT\r\nContent-Type: application/json\r\n"
        "Content-Length: %d\r\n\r\n", BODY);
    memset(answer + answer_bytes, ' ', BODY);
    memcpy(answer + answer_bytes, "{}", 2);
    answer_bytes += BODY;
}

// Sends what the client's buffer must have room for. Otherwise the loop closes the connection in its next turn.
static void put(int fd, const char *bytes, size_t count) {
    if (send(fd, bytes, count, MSG_NOSIGNAL) != (ssize_t)count) shutdown(fd, SHUT_RDWR);
}

// MARK: streams

// Writes an event in its chunk. Returns its length.
static size_t make_event(char *to, int revision) {
    char text[EVENT_LIMIT];
    int length = snprintf(text, sizeof text, event_text, revision, revision, revision);
    return (size_t)sprintf(to, "%x\r\n%s\r\n", (unsigned)length, text);
}

static void open_stream(loop *on, watched connection) {
    session *of = &on->sessions[connection.session];
    if (of->count == of->room) {
        of->room = of->room ? of->room * 2 : 16;
        of->fds = realloc(of->fds, (size_t)of->room * sizeof *of->fds);
        if (!of->fds) fail("memory", strerror(errno));
    }
    of->fds[of->count++] = connection.fd;
    struct epoll_event event = {.events = EPOLLIN, .data.u64 = connection.data};
    epoll_ctl(on->epoll, EPOLL_CTL_MOD, connection.fd, &event);
    char first[sizeof stream_head + EVENT_LIMIT + 16];
    memcpy(first, stream_head, sizeof stream_head - 1);
    put(connection.fd, first, sizeof stream_head - 1 + make_event(first + sizeof stream_head - 1, of->revision));
}

static void close_connection(loop *on, watched connection) {
    close(connection.fd);
    if (connection.session < 0) return;
    session *of = &on->sessions[connection.session];
    int index = 0;
    while (of->fds[index] != connection.fd) index++;
    of->fds[index] = of->fds[of->count - 1];
    of->count--;
}

// Sends the session's next event to its streams on this loop.
static void deliver(loop *on, int number) {
    session *of = &on->sessions[number];
    char event[EVENT_LIMIT + 16];
    size_t length = make_event(event, ++of->revision);
    for (int index = 0; index < of->count; index++) put(of->fds[index], event, length);
}

static void deliver_inbox(loop *on) {
    int numbers[1024];
    ssize_t count = read(on->inbox[0], numbers, sizeof numbers);
    for (ssize_t index = 0; index < count / (ssize_t)sizeof *numbers; index++) deliver(on, numbers[index]);
}

// MARK: requests

// Streams on other loops come first and on this one last, so that all loops send at the same time.
static void publish(loop *on, int fd, int number) {
    for (int index = 0; index < cores; index++) {
        if (loops[index] == on || !loops[index]->sessions[number].count) continue;
        if (write(loops[index]->inbox[1], &number, sizeof number) < 0) fail("pipe", strerror(errno));
    }
    put(fd, answer, answer_bytes);
    if (on->sessions[number].count) deliver(on, number);
}

// The number of the session whose path this is, or -1.
static int session_at(const char *request, const char *path) {
    size_t length = strlen(path);
    if (strncmp(request, path, length) != 0) return -1;
    int number = atoi(request + length);
    return number >= 0 && number < MOST_SESSIONS ? number : -1;
}

static void read_request(loop *on, watched connection) {
    char request[16384];
    ssize_t count = recv(connection.fd, request, sizeof request - 1, 0);
    if (count <= 0) return close_connection(on, connection);
    request[count] = 0;
    int number = session_at(request, "POST /actions/");
    if (number >= 0) return publish(on, connection.fd, number);
    connection.session = session_at(request, "GET /events/");
    if (connection.session >= 0) return open_stream(on, connection);
    put(connection.fd, answer, answer_bytes);
}

// MARK: loops

static void watch_on(loop *on, int fd) {
    struct epoll_event event = {.events = EPOLLIN, .data.u64 = (watched){.fd = fd, .session = -1}.data};
    epoll_ctl(on->epoll, EPOLL_CTL_ADD, fd, &event);
}

// Connections inherit TCP_NODELAY.
static int listen_at(in_port_t port) {
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), one = 1;
    setsockopt(fd, SOL_SOCKET, SO_REUSEPORT, &one, sizeof one);
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = port, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    if (bind(fd, (struct sockaddr *)&address, sizeof address) || listen(fd, 1024)) fail("listen", strerror(errno));
    return fd;
}

static loop *make_loop(in_port_t port) {
    loop *made = allocate(1, sizeof *made);
    made->epoll = epoll_create1(EPOLL_CLOEXEC);
    made->listening = listen_at(port);
    if (pipe(made->inbox)) fail("pipe", strerror(errno));
    watch_on(made, made->listening);
    watch_on(made, made->inbox[0]);
    return made;
}

static void handle(loop *on, watched ready) {
    if (ready.fd == on->inbox[0]) return deliver_inbox(on);
    if (ready.fd != on->listening) return read_request(on, ready);
    int fd = accept4(on->listening, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
    if (fd >= 0) watch_on(on, fd);
}

static void *serve(void *argument) {
    loop *on = argument;
    struct epoll_event events[256];
    for (;;) {
        int count = epoll_wait(on->epoll, events, 256, -1);
        for (int index = 0; index < count; index++) handle(on, (watched){.data = events[index].data.u64});
    }
    return NULL;
}

int main(int count, char **arguments) {
    cores = count > 1 ? atoi(arguments[1]) : 1;
    if (cores < 1 || cores > MOST_CORES) fail("floor", "a number of cores from 1 to 64");
    make_answer();
    loops[0] = make_loop(0);
    struct sockaddr_in address;
    socklen_t length = sizeof address;
    getsockname(loops[0]->listening, (struct sockaddr *)&address, &length);
    for (int index = 1; index < cores; index++) loops[index] = make_loop(address.sin_port);
    for (int index = 1; index < cores; index++) {
        pthread_t thread;
        if (pthread_create(&thread, NULL, serve, loops[index])) fail("pthread_create", "no thread is left");
    }
    fprintf(stderr, "listening on http://127.0.0.1:%d\n", ntohs(address.sin_port));
    serve(loops[0]);
}
