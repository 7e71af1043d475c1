#include "CCurl.h"

#include "OpenSSLExit.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stddef.h>

#define FUNCTIONS(each)                                                                                                \
    each(global_init) each(easy_init) each(easy_cleanup) each(easy_perform) each(easy_strerror) each(easy_setopt)      \
    each(easy_getinfo) each(slist_append) each(slist_free_all)                                                         \
    each(multi_init) each(multi_cleanup) each(multi_add_handle) each(multi_remove_handle) each(multi_assign)           \
    each(multi_setopt) each(multi_info_read) each(multi_socket_action)                                                 \
    each(multi_perform) each(multi_poll) each(multi_wakeup) each(easy_pause)

// Pointers to the functions, with the types of libcurl's header.
struct functions {
#define MEMBER(name) __typeof__(&curl_##name) name;
    FUNCTIONS(MEMBER)
};

// Written once, under the lock. A thread that has held the lock since then may read it without.
static struct functions curl;
static int is_ready;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static const char *bind_to(void *library) {
    struct functions found;
#define FIND(name)                                                                                                     \
    found.name = (__typeof__(found.name))dlsym(library, "curl_" #name);                                                \
    if (found.name == NULL) return dlerror();
    FUNCTIONS(FIND)
    keep_openssl_at_exit(library);
    CURLcode code = found.global_init(CURL_GLOBAL_DEFAULT);
    if (code != CURLE_OK) return found.easy_strerror(code);
    curl = found;
    is_ready = 1;
    return NULL;
}

const char *ccurl_load(const char *name) {
    void *library = dlopen(name, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    if (library == NULL) return dlerror();
    pthread_mutex_lock(&lock);
    const char *problem = is_ready ? NULL : bind_to(library);
    pthread_mutex_unlock(&lock);
    return problem;
}

CURL *ccurl_easy_init(void) { return curl.easy_init(); }

void ccurl_easy_cleanup(CURL *easy) { curl.easy_cleanup(easy); }

CURLcode ccurl_easy_perform(CURL *easy) { return curl.easy_perform(easy); }

const char *ccurl_easy_strerror(CURLcode code) { return curl.easy_strerror(code); }

struct curl_slist *ccurl_slist_append(struct curl_slist *list, const char *text) {
    return curl.slist_append(list, text);
}

void ccurl_slist_free_all(struct curl_slist *list) { curl.slist_free_all(list); }

CURLM *ccurl_multi_init(void) { return curl.multi_init(); }

CURLMcode ccurl_multi_cleanup(CURLM *multi) { return curl.multi_cleanup(multi); }

CURLMcode ccurl_multi_add_handle(CURLM *multi, CURL *easy) { return curl.multi_add_handle(multi, easy); }

CURLMcode ccurl_multi_remove_handle(CURLM *multi, CURL *easy) { return curl.multi_remove_handle(multi, easy); }

CURLMcode ccurl_multi_assign(CURLM *multi, curl_socket_t socket, void *context) {
    return curl.multi_assign(multi, socket, context);
}

CURLMsg *ccurl_multi_info_read(CURLM *multi, int *left) { return curl.multi_info_read(multi, left); }

CURLMcode ccurl_multi_socket_action(CURLM *multi, curl_socket_t socket, int events, int *running) {
    return curl.multi_socket_action(multi, socket, events, running);
}

CURLMcode ccurl_multi_perform(CURLM *multi, int *running) { return curl.multi_perform(multi, running); }

CURLMcode ccurl_multi_poll(CURLM *multi, int milliseconds) {
    return curl.multi_poll(multi, NULL, 0, milliseconds, NULL);
}

CURLMcode ccurl_multi_wakeup(CURLM *multi) { return curl.multi_wakeup(multi); }

CURLcode ccurl_easy_resume(CURL *easy) { return curl.easy_pause(easy, CURLPAUSE_CONT); }

CURLcode ccurl_set_long(CURL *easy, CURLoption option, long value) { return curl.easy_setopt(easy, option, value); }

CURLcode ccurl_set_large(CURL *easy, CURLoption option, curl_off_t value) {
    return curl.easy_setopt(easy, option, value);
}

CURLcode ccurl_set_string(CURL *easy, CURLoption option, const char *value) {
    return curl.easy_setopt(easy, option, value);
}

CURLcode ccurl_set_pointer(CURL *easy, CURLoption option, void *value) { return curl.easy_setopt(easy, option, value); }

CURLcode ccurl_set_blob(CURL *easy, CURLoption option, const void *bytes, size_t length) {
    struct curl_blob blob = {.data = (void *)bytes, .len = length, .flags = CURL_BLOB_COPY};
    return curl.easy_setopt(easy, option, &blob);
}

CURLcode ccurl_set_sink(CURL *easy, CURLoption option, curl_write_callback callback) {
    return curl.easy_setopt(easy, option, callback);
}

CURLcode ccurl_set_before_request(CURL *easy, curl_prereq_callback callback) {
    return curl.easy_setopt(easy, CURLOPT_PREREQFUNCTION, callback);
}

CURLcode ccurl_set_before_lookup(CURL *easy, curl_resolver_start_callback callback) {
    return curl.easy_setopt(easy, CURLOPT_RESOLVER_START_FUNCTION, callback);
}

CURLcode ccurl_set_open_socket(CURL *easy, curl_opensocket_callback callback) {
    return curl.easy_setopt(easy, CURLOPT_OPENSOCKETFUNCTION, callback);
}

CURLcode ccurl_set_debug(CURL *easy, curl_debug_callback callback) {
    return curl.easy_setopt(easy, CURLOPT_DEBUGFUNCTION, callback);
}

CURLcode ccurl_get_long(CURL *easy, CURLINFO info, long *value) { return curl.easy_getinfo(easy, info, value); }

CURLcode ccurl_get_large(CURL *easy, CURLINFO info, curl_off_t *value) { return curl.easy_getinfo(easy, info, value); }

CURLcode ccurl_get_string(CURL *easy, CURLINFO info, char **value) { return curl.easy_getinfo(easy, info, value); }

CURLMcode ccurl_multi_set_pointer(CURLM *multi, CURLMoption option, void *value) {
    return curl.multi_setopt(multi, option, value);
}

CURLMcode ccurl_multi_set_on_socket(CURLM *multi, curl_socket_callback callback) {
    return curl.multi_setopt(multi, CURLMOPT_SOCKETFUNCTION, callback);
}

CURLMcode ccurl_multi_set_on_timer(CURLM *multi, curl_multi_timer_callback callback) {
    return curl.multi_setopt(multi, CURLMOPT_TIMERFUNCTION, callback);
}
