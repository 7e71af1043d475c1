// The fan-out load: opens event streams, publishes actions, counts every delivery.
//
//   fanout PORT SESSIONS SUBSCRIBERS PUBLICATIONS RATE PUBLISHERS FIRST BODY
//
// PORT          of the server, or several with commas: the streams and publishers use them in turn
// SESSIONS      a file, one session a line: the path of its events, a space, the path to publish at; @STREAM@ in the first is
//               replaced by the number of the stream
// SUBSCRIBERS   streams of each session
// PUBLICATIONS  of each session; 0 only holds the streams open, and reports at each line how many comments came since
//               the last: heartbeats
// RATE          publications a second, of all sessions together; 0: each publisher sends its next one
//               when the last is answered and has reached every subscriber of its session
// PUBLISHERS    connections to publish over; a session keeps to one of them
// FIRST         1 if a stream begins with the session's present state, 0 if with silence
// BODY          of a publication; @REVISION@ in it is replaced by the revision that it makes
//
// When all streams are open it prints one line of JSON, waits for a line on standard input, publishes,
// and prints another. Latency runs from the moment a publication was due (RATE) or sent (no RATE) to its
// receipt by the last subscriber. An event of revision R covers all revisions up to R; those that had
// no event of their own count as coalesced. Whatever stands still for 20 seconds ends the run.
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "common.h"
#include "stream.h"

enum { OPENING_AT_ONCE = 64, PATIENCE_SECONDS = 20, BUFFER = 65536, ANSWER_LIMIT = 65536, PATH_LIMIT = 256, MOST_PORTS = 64 };

typedef struct {
    char events[PATH_LIMIT], publish[PATH_LIMIT];
    int64_t base;      // the revision before the first publication, -1 until a stream has told
    int64_t published;
    int64_t complete;  // publications that every subscriber has received
    uint64_t *due;     // when each publication was due, in nanoseconds
    int *received;     // by how many subscribers each was received
} session;

typedef struct {
    int fd;
    bool ready;
    session *session;
    int64_t revision;  // of the last event, -1 before it
    event_stream stream;
} subscriber;

typedef struct {
    int fd, index;
    int64_t next;      // its how manyth publication comes next
    int64_t total;
    session *waiting;  // the session of the publication under way, or NULL
    bool answered;     // the publication under way is answered
    char *answer;
    size_t answer_length;
} publisher;

static struct {
    int ports[MOST_PORTS], port_count, epoll, timer;
    int per_session;
    int64_t per_session_publications;
    double rate;
    bool first_event;
    const char *body;
    session *sessions;
    int session_count;
    subscriber *subscribers;
    int subscriber_count, opened, ready;
    publisher *publishers;
    int publisher_count, finished_publishers;
    uint64_t now, start, progress;
    int64_t deliveries, coalesced, complete, bytes;
    double *latencies;
} run;

static void send_all(int fd, const char *bytes, size_t count) {
    if (send(fd, bytes, count, MSG_NOSIGNAL) != (ssize_t)count) fail("send", "the request was not taken whole");
}

// MARK: subscribing

// Copies a text with a number in the place of a mark. Returns its length.
static size_t insert_number(char *to, size_t room, const char *text, const char *mark, int64_t number) {
    const char *at = strstr(text, mark);
    int length = at ? snprintf(to, room, "%.*s%lld%s", (int)(at - text), text, (long long)number, at + strlen(mark))
                    : snprintf(to, room, "%s", text);
    if (length < 0 || (size_t)length >= room) fail(mark, "the text is too long");
    return (size_t)length;
}

static void open_subscriber(subscriber *s) {
    char path[PATH_LIMIT + 32], request[sizeof path + 128];
    int port = run.ports[(s - run.subscribers) % run.port_count];
    s->fd = open_connection(port);
    s->revision = run.first_event ? -1 : 0;
    stream_open(&s->stream);
    insert_number(path, sizeof path, s->session->events, "@STREAM@", s - run.subscribers);
    int length = snprintf(
        request, sizeof request, "GET %s HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nAccept: text/event-stream\r\n\r\n",
        path, port);
    send_all(s->fd, request, (size_t)length);
    watch(run.epoll, s->fd, s);
}

static void become_ready(subscriber *s) {
    s->ready = true;
    run.ready++;
}

static void received(void *context, int64_t revision) {
    subscriber *s = context;
    session *of = s->session;
    if (s->revision < 0) {  // the stream's first event: where the session stands now
        if (of->base < 0) of->base = revision;
        if (of->base != revision) fail("events", "two streams begin at different revisions");
        s->revision = revision;
        become_ready(s);
        return;
    }
    if (revision <= s->revision) fail("events", "a revision came twice or out of order");
    if (revision > of->base + of->published) fail("events", "a revision came that nobody published");
    run.deliveries++;
    run.coalesced += revision - s->revision - 1;
    for (int64_t each = s->revision + 1; each <= revision; each++) {
        int64_t index = each - of->base - 1;
        if (++of->received[index] < run.per_session) continue;
        of->complete++;
        run.latencies[run.complete++] = (double)(run.now - of->due[index]) / 1e6;
    }
    s->revision = revision;
}

static void read_subscriber(subscriber *s, char *buffer) {
    ssize_t count = recv(s->fd, buffer, BUFFER, MSG_DONTWAIT);
    if (count < 0 && errno == EAGAIN) return;
    if (count <= 0) fail("stream", count ? strerror(errno) : "the server closed the connection");
    run.now = monotonic();
    run.bytes += count;
    if (stream_feed(&s->stream, buffer, (size_t)count, received, s) != STREAM_OK) fail("stream", s->stream.failure);
    if (!s->ready && !run.first_event && stream_has_head(&s->stream)) become_ready(s);
}

// MARK: publishing

// The publisher's sessions are index, index + publishers, …; it takes them in turn, round after round.
static session *session_of(const publisher *p, int64_t *global) {
    int64_t mine = (run.session_count - p->index + run.publisher_count - 1) / run.publisher_count;
    int64_t index = p->index + p->next % mine * run.publisher_count;
    *global = p->next / mine * run.session_count + index;
    return &run.sessions[index];
}

static void publish(publisher *p, session *to, uint64_t due) {
    char body[4096], request[sizeof body + PATH_LIMIT + 128];
    size_t body_length = insert_number(body, sizeof body, run.body, "@REVISION@", to->base + to->published + 1);
    int length = snprintf(
        request, sizeof request,
        "POST %s HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nContent-Type: application/json\r\nContent-Length: %zu\r\n\r\n%s",
        to->publish, run.ports[0], body_length, body);
    to->due[to->published++] = due;
    p->waiting = to;
    p->answered = false;
    p->next++;
    send_all(p->fd, request, (size_t)length);
}

static void arm_timer(uint64_t at) {
    struct itimerspec when = {.it_value = {.tv_sec = (time_t)(at / 1000000000u), .tv_nsec = (long)(at % 1000000000u)}};
    if (timerfd_settime(run.timer, TFD_TIMER_ABSTIME, &when, NULL) < 0) fail("timerfd", strerror(errno));
}

// Sends the publications that are due. Returns the time of this publisher's next publication, 0 for none.
static uint64_t advance(publisher *p) {
    if (p->waiting) {
        bool reached_all = p->waiting->complete == p->waiting->published;
        if (!p->answered || (run.rate == 0 && !reached_all)) return 0;
        p->waiting = NULL;
        if (p->next == p->total) run.finished_publishers++;
    }
    if (p->next == p->total) return 0;
    int64_t global;
    session *to = session_of(p, &global);
    uint64_t now = monotonic();
    uint64_t due = run.rate > 0 ? run.start + (uint64_t)((double)global * 1e9 / run.rate) : now;
    if (due > now) return due;
    publish(p, to, due);
    return 0;
}

static void advance_all(void) {
    uint64_t earliest = 0;
    for (int i = 0; i < run.publisher_count; i++) {
        uint64_t due = advance(&run.publishers[i]);
        if (due && (!earliest || due < earliest)) earliest = due;
    }
    if (earliest) arm_timer(earliest);
}

static void read_answer(publisher *p) {
    ssize_t count = recv(p->fd, p->answer + p->answer_length, ANSWER_LIMIT - p->answer_length, MSG_DONTWAIT);
    if (count < 0 && errno == EAGAIN) return;
    if (count <= 0) fail("publisher", count ? strerror(errno) : "the server closed the connection");
    p->answer_length += (size_t)count;
    p->answer[p->answer_length] = 0;
    if (!answer_length(p->answer, p->answer_length)) return;
    if (p->answered) fail("publisher", "more than one answer");
    p->answer_length = 0;
    p->answered = true;
}

// MARK: the run

// A line on standard input, while streams are only held open.
static void tell_comments(void) {
    static int64_t told;
    char line[16];
    if (read(STDIN_FILENO, line, sizeof line) <= 0) exit(0);
    int64_t comments = 0;
    for (int i = 0; i < run.subscriber_count; i++) comments += run.subscribers[i].stream.comments;
    printf("{\"comments\":%lld}\n", (long long)(comments - told));
    fflush(stdout);
    told = comments;
}

static void handle(void *owner, char *buffer) {
    publisher *p = owner;
    if (!owner) {
        tell_comments();
    } else if (p >= run.publishers && p < run.publishers + run.publisher_count) {
        read_answer(p);
    } else if (owner == &run.timer) {
        uint64_t ticks;
        if (read(run.timer, &ticks, sizeof ticks) < 0 && errno != EAGAIN) fail("timerfd", strerror(errno));
    } else {
        read_subscriber(owner, buffer);
    }
}

static void await(void) {
    static char buffer[BUFFER];
    static struct epoll_event events[512];
    int count = epoll_wait(run.epoll, events, 512, PATIENCE_SECONDS * 1000);
    if (count < 0 && errno != EINTR) fail("epoll_wait", strerror(errno));
    for (int i = 0; i < count; i++) handle(events[i].data.ptr, buffer);
}

static void turn(void) {
    int64_t before = run.deliveries + run.ready + run.complete;
    await();
    uint64_t now = monotonic();
    if (run.deliveries + run.ready + run.complete != before) run.progress = now;
    if (now - run.progress > PATIENCE_SECONDS * 1000000000ull) fail("events", "deliveries are missing");
}

static void subscribe_all(void) {
    run.progress = monotonic();
    while (run.ready < run.subscriber_count) {
        while (run.opened < run.subscriber_count && run.opened - run.ready < OPENING_AT_ONCE)
            open_subscriber(&run.subscribers[run.opened++]);
        turn();
    }
}

static void publish_all(void) {
    run.start = run.progress = monotonic();
    int64_t wanted = run.per_session_publications * run.session_count;
    while (run.complete < wanted || run.finished_publishers < run.publisher_count) {
        advance_all();
        if (run.complete < wanted || run.finished_publishers < run.publisher_count) turn();
    }
}

static int ascending(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double percentile(double part) {
    if (run.complete == 0) return 0;
    int64_t index = (int64_t)(part * (double)run.complete);
    return run.latencies[index < run.complete ? index : run.complete - 1];
}

static void report(double seconds) {
    int64_t publications = run.per_session_publications * run.session_count;
    int64_t expected = publications * run.per_session;
    qsort(run.latencies, (size_t)run.complete, sizeof *run.latencies, ascending);
    printf(
        "{\"subscribers\":%d,\"sessions\":%d,\"publications\":%lld,\"expected\":%lld,\"deliveries\":%lld,"
        "\"coalesced\":%lld,\"missing\":%lld,\"bytes\":%lld,\"seconds\":%.6f,"
        "\"p50Ms\":%.4f,\"p99Ms\":%.4f,\"maxMs\":%.4f}\n",
        run.subscriber_count, run.session_count, (long long)publications, (long long)expected,
        (long long)run.deliveries, (long long)run.coalesced, (long long)(expected - run.deliveries - run.coalesced),
        (long long)run.bytes, seconds, percentile(0.5), percentile(0.99), percentile(1));
    fflush(stdout);
}

static void read_sessions(const char *path) {
    char line[2 * PATH_LIMIT + 2];
    FILE *file = fopen(path, "r");
    if (!file) fail(path, strerror(errno));
    for (int room = 0; fgets(line, sizeof line, file);) {
        if (run.session_count == room) {
            room = room ? room * 2 : 1024;
            run.sessions = realloc(run.sessions, (size_t)room * sizeof *run.sessions);
            if (!run.sessions) fail("memory", strerror(errno));
        }
        session *s = &run.sessions[run.session_count++];
        *s = (session){.base = run.first_event ? -1 : 0};
        if (sscanf(line, "%255s %255s", s->events, s->publish) != 2) fail(path, "a line without two paths");
    }
    fclose(file);
    if (run.session_count == 0) fail(path, "no session");
}

static void read_ports(char *list) {
    for (char *part = strtok(list, ","); part; part = strtok(NULL, ",")) {
        if (run.port_count == MOST_PORTS) fail("ports", "too many");
        run.ports[run.port_count++] = atoi(part);
    }
    if (run.port_count == 0) fail("ports", "none");
}

static void prepare(void) {
    run.epoll = epoll_create1(EPOLL_CLOEXEC);
    run.timer = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC);
    if (run.epoll < 0 || run.timer < 0) fail("epoll", strerror(errno));
    watch(run.epoll, run.timer, &run.timer);
    size_t each = (size_t)run.per_session_publications;
    for (int i = 0; i < run.session_count; i++) {
        run.sessions[i].due = allocate(each, sizeof(uint64_t));
        run.sessions[i].received = allocate(each, sizeof(int));
    }
    run.latencies = allocate(each * (size_t)run.session_count, sizeof(double));
    run.subscriber_count = run.session_count * run.per_session;
    run.subscribers = allocate((size_t)run.subscriber_count, sizeof(subscriber));
    for (int i = 0; i < run.subscriber_count; i++) run.subscribers[i].session = &run.sessions[i % run.session_count];
    if (run.publisher_count > run.session_count) run.publisher_count = run.session_count;
    run.publishers = allocate((size_t)run.publisher_count, sizeof(publisher));
}

static void open_publishers(void) {
    for (int i = 0; i < run.publisher_count; i++) {
        publisher *p = &run.publishers[i];
        p->index = i;
        int64_t mine = (run.session_count - i + run.publisher_count - 1) / run.publisher_count;
        p->total = mine * run.per_session_publications;
        if (p->total == 0) run.finished_publishers++;
        p->answer = allocate(ANSWER_LIMIT + 1, 1);
        p->fd = open_connection(run.ports[i % run.port_count]);
        watch(run.epoll, p->fd, p);
    }
}

int main(int count, char **arguments) {
    if (count != 9) {
        fputs("usage: fanout PORT SESSIONS SUBSCRIBERS PUBLICATIONS RATE PUBLISHERS FIRST BODY\n", stderr);
        return 2;
    }
    read_ports(arguments[1]);
    run.per_session = atoi(arguments[3]);
    run.per_session_publications = atoll(arguments[4]);
    run.rate = atof(arguments[5]);
    run.publisher_count = atoi(arguments[6]);
    run.first_event = atoi(arguments[7]) != 0;
    run.body = arguments[8];
    read_sessions(arguments[2]);
    prepare();

    uint64_t start = monotonic();
    subscribe_all();
    if (run.per_session_publications > 0) open_publishers();
    printf("{\"ready\":%d,\"seconds\":%.6f}\n", run.ready, (double)(monotonic() - start) / 1e9);
    fflush(stdout);
    if (run.per_session_publications == 0) {
        watch(run.epoll, STDIN_FILENO, NULL);
        for (;;) await();
    }
    char line[16];
    if (!fgets(line, sizeof line, stdin)) return 0;

    // The first events of the streams are no deliveries.
    run.bytes = 0;
    start = monotonic();
    publish_all();
    report((double)(monotonic() - start) / 1e9);
    return 0;
}
