// The same calls as the server's, made by libcurl and nothing else:  calls URL COUNT
//
// One epoll loop on curl_multi_socket_action, a fresh easy handle a call, and as many connections as calls. Says in JSON how
// long they took and what they cost.
#include <curl/curl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>

#include "common.h"

static int poll;
static CURLM *multi;
static uint64_t alarm_at = UINT64_MAX;
static size_t bytes;

static size_t on_body(char *text, size_t size, size_t count, void *context) {
    (void)text, (void)context;
    bytes += size * count;
    return size * count;
}

static int on_socket(CURL *easy, curl_socket_t fd, int what, void *context, void *known) {
    (void)easy, (void)context;
    if (what == CURL_POLL_REMOVE) return epoll_ctl(poll, EPOLL_CTL_DEL, fd, NULL), 0;
    struct epoll_event event = {.data.fd = fd};
    if (what & CURL_POLL_IN) event.events |= EPOLLIN;
    if (what & CURL_POLL_OUT) event.events |= EPOLLOUT;
    epoll_ctl(poll, known ? EPOLL_CTL_MOD : EPOLL_CTL_ADD, fd, &event);
    if (!known) curl_multi_assign(multi, fd, &poll);
    return 0;
}

static int on_timer(CURLM *of, long milliseconds, void *context) {
    (void)of, (void)context;
    alarm_at = milliseconds < 0 ? UINT64_MAX : monotonic() + (uint64_t)milliseconds * 1000000;
    return 0;
}

static double cpu(void) {
    struct rusage used;
    getrusage(RUSAGE_SELF, &used);
    return used.ru_utime.tv_sec + used.ru_stime.tv_sec + (used.ru_utime.tv_usec + used.ru_stime.tv_usec) / 1e6;
}

static void begin(const char *url, struct curl_slist *fields) {
    CURL *easy = curl_easy_init();
    curl_easy_setopt(easy, CURLOPT_URL, url);
    curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, on_body);
    curl_easy_setopt(easy, CURLOPT_HTTPHEADER, fields);
    curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(easy, CURLOPT_USERAGENT, "calls");
    curl_easy_setopt(easy, CURLOPT_TCP_KEEPALIVE, 1L);
    curl_easy_setopt(easy, CURLOPT_TIMEOUT_MS, 60000L);
    curl_easy_setopt(easy, CURLOPT_ACCEPT_ENCODING, "gzip");
    curl_multi_add_handle(multi, easy);
}

int main(int argc, char **argv) {
    if (argc != 3) fail("usage", "calls URL COUNT");
    int count = atoi(argv[2]), running = 0, left = 0, done = 0;
    curl_global_init(CURL_GLOBAL_DEFAULT);
    multi = curl_multi_init();
    poll = epoll_create1(0);
    curl_multi_setopt(multi, CURLMOPT_SOCKETFUNCTION, on_socket);
    curl_multi_setopt(multi, CURLMOPT_TIMERFUNCTION, on_timer);
    struct curl_slist *fields = curl_slist_append(NULL, "Accept: application/json");
    double used = cpu();
    uint64_t start = monotonic();
    for (int i = 0; i < count; i++) begin(argv[1], fields);
    while (done < count) {
        uint64_t now = monotonic();
        int wait = alarm_at == UINT64_MAX ? -1 : alarm_at <= now ? 0 : (int)((alarm_at - now) / 1000000 + 1);
        struct epoll_event events[512];
        int ready = epoll_wait(poll, events, 512, wait);
        for (int i = 0; i < ready; i++) {
            int what = 0;
            if (events[i].events & EPOLLIN) what |= CURL_CSELECT_IN;
            if (events[i].events & EPOLLOUT) what |= CURL_CSELECT_OUT;
            if (events[i].events & (EPOLLERR | EPOLLHUP)) what |= CURL_CSELECT_ERR;
            curl_multi_socket_action(multi, events[i].data.fd, what, &running);
        }
        if (monotonic() >= alarm_at) {
            alarm_at = UINT64_MAX;
            curl_multi_socket_action(multi, CURL_SOCKET_TIMEOUT, 0, &running);
        }
        for (CURLMsg *message; (message = curl_multi_info_read(multi, &left));) {
            if (message->msg != CURLMSG_DONE) continue;
            if (message->data.result != CURLE_OK) fail("a call", curl_easy_strerror(message->data.result));
            CURL *easy = message->easy_handle;
            curl_multi_remove_handle(multi, easy);
            curl_easy_cleanup(easy);
            done++;
        }
    }
    printf("{\"seconds\":%.3f,\"cpu\":%.4f,\"bytes\":%zu}\n", (monotonic() - start) / 1e9, cpu() - used, bytes);
}
