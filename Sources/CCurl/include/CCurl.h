#ifndef STOREHOUSE_CCURL_H
#define STOREHOUSE_CCURL_H

#include <curl/curl.h>

// libcurl. The library is loaded before the first remote call: the program is not linked with it.

// The file name of the library on this system.
#ifdef __APPLE__
#define CCURL_LIBRARY "libcurl.4.dylib"
#else
#define CCURL_LIBRARY "libcurl.so.4"
#endif

// Loads and initializes the library. Thread-safe, and cheap if it is loaded already. The first library that loads serves
// the whole process, and is never unloaded.
//
// Returns NULL, or an error message that is valid until the calling thread calls this again. The functions below must not
// be called before this has returned NULL.
const char *ccurl_load(const char *library);

CURL *ccurl_easy_init(void);
void ccurl_easy_cleanup(CURL *easy);
// Blocks the calling thread until the transfer has ended.
CURLcode ccurl_easy_perform(CURL *easy);
const char *ccurl_easy_strerror(CURLcode code);
struct curl_slist *ccurl_slist_append(struct curl_slist *list, const char *text);
void ccurl_slist_free_all(struct curl_slist *list);
CURLM *ccurl_multi_init(void);
CURLMcode ccurl_multi_cleanup(CURLM *multi);
CURLMcode ccurl_multi_add_handle(CURLM *multi, CURL *easy);
CURLMcode ccurl_multi_remove_handle(CURLM *multi, CURL *easy);
CURLMcode ccurl_multi_assign(CURLM *multi, curl_socket_t socket, void *context);
CURLMsg *ccurl_multi_info_read(CURLM *multi, int *left);
CURLMcode ccurl_multi_socket_action(CURLM *multi, curl_socket_t socket, int events, int *running);
CURLMcode ccurl_multi_perform(CURLM *multi, int *running);
// Waits for the transfers, for their timers, for the time, or for a wakeup.
CURLMcode ccurl_multi_poll(CURLM *multi, int milliseconds);
// Ends such a wait. Thread-safe, as long as the handle exists.
CURLMcode ccurl_multi_wakeup(CURLM *multi);
// Reads a response on that a callback has paused.
CURLcode ccurl_easy_resume(CURL *easy);

// Wrappers for variadic functions, which Swift cannot call: one for each type of argument.

CURLcode ccurl_set_long(CURL *easy, CURLoption option, long value);
CURLcode ccurl_set_large(CURL *easy, CURLoption option, curl_off_t value);
CURLcode ccurl_set_string(CURL *easy, CURLoption option, const char *value);
CURLcode ccurl_set_pointer(CURL *easy, CURLoption option, void *value);
// libcurl copies the bytes.
CURLcode ccurl_set_blob(CURL *easy, CURLoption option, const void *bytes, size_t length);
// For CURLOPT_WRITEFUNCTION and CURLOPT_HEADERFUNCTION.
CURLcode ccurl_set_sink(CURL *easy, CURLoption option, curl_write_callback callback);
CURLcode ccurl_set_before_request(CURL *easy, curl_prereq_callback callback);
CURLcode ccurl_set_before_lookup(CURL *easy, curl_resolver_start_callback callback);
CURLcode ccurl_set_open_socket(CURL *easy, curl_opensocket_callback callback);
CURLcode ccurl_set_debug(CURL *easy, curl_debug_callback callback);

CURLcode ccurl_get_long(CURL *easy, CURLINFO info, long *value);
CURLcode ccurl_get_large(CURL *easy, CURLINFO info, curl_off_t *value);
// libcurl owns the string. It is valid until the next call with this handle.
CURLcode ccurl_get_string(CURL *easy, CURLINFO info, char **value);

CURLMcode ccurl_multi_set_pointer(CURLM *multi, CURLMoption option, void *value);
CURLMcode ccurl_multi_set_on_socket(CURLM *multi, curl_socket_callback callback);
CURLMcode ccurl_multi_set_on_timer(CURLM *multi, curl_multi_timer_callback callback);

#endif
