#include "CNghttp2.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>

#define FUNCTIONS(each)                                                                                                \
    each(nghttp2_session_callbacks_new) each(nghttp2_session_callbacks_del)                                            \
    each(nghttp2_session_callbacks_set_on_begin_frame_callback)                                                        \
    each(nghttp2_session_callbacks_set_on_begin_headers_callback)                                                      \
    each(nghttp2_session_callbacks_set_on_header_callback)                                                             \
    each(nghttp2_session_callbacks_set_on_invalid_header_callback)                                                     \
    each(nghttp2_session_callbacks_set_on_frame_recv_callback)                                                         \
    each(nghttp2_session_callbacks_set_on_data_chunk_recv_callback)                                                    \
    each(nghttp2_session_callbacks_set_on_stream_close_callback)                                                       \
    each(nghttp2_option_new) each(nghttp2_option_del) each(nghttp2_option_set_no_closed_streams)                       \
    each(nghttp2_session_server_new2) each(nghttp2_session_del)                                                        \
    each(nghttp2_session_mem_recv) each(nghttp2_session_mem_send)                                                      \
    each(nghttp2_session_want_read) each(nghttp2_session_want_write)                                                   \
    each(nghttp2_session_terminate_session)                                                                            \
    each(nghttp2_session_get_stream_user_data) each(nghttp2_session_set_stream_user_data)                              \
    each(nghttp2_session_get_last_proc_stream_id)                                                                      \
    each(nghttp2_submit_settings) each(nghttp2_submit_headers) each(nghttp2_submit_data)                               \
    each(nghttp2_submit_rst_stream) each(nghttp2_submit_goaway)

// Pointers to the functions, with the types of the header.
struct functions {
#define MEMBER(name) __typeof__(&name) name;
    FUNCTIONS(MEMBER)
};

// Written once, under the lock. A thread that has held the lock since then may read them without.
static struct functions library;
static nghttp2_session_callbacks *callbacks;
static nghttp2_option *options;
static int is_ready;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

// ---- The callbacks of the library. The events of a session are with its owner.

struct cnghttp2_session {
    nghttp2_session *session;
    const struct cnghttp2_events *events;
    void *owner;
};

static int on_begin_frame(nghttp2_session *session, const nghttp2_frame_hd *frame, void *data) {
    cnghttp2_session *owner = data;
    int carries = frame->type == NGHTTP2_HEADERS
                  || (frame->type == NGHTTP2_DATA && (frame->length > 0 || frame->flags & NGHTTP2_FLAG_END_STREAM));
    if (!carries) owner->events->control(owner->owner, frame->type, frame->flags & NGHTTP2_FLAG_ACK);
    // The library overlooks it, because it ignores priorities (RFC 9113, section 6.3).
    if (frame->type == NGHTTP2_PRIORITY && frame->stream_id == 0)
        library.nghttp2_session_terminate_session(session, NGHTTP2_PROTOCOL_ERROR);
    return 0;
}

static int on_begin_headers(nghttp2_session *session, const nghttp2_frame *frame, void *data) {
    cnghttp2_session *owner = data;
    (void)session;
    if (frame->headers.cat == NGHTTP2_HCAT_REQUEST) owner->events->begin(owner->owner, frame->hd.stream_id);
    return 0;
}

static int on_header(
    nghttp2_session *session, const nghttp2_frame *frame, const uint8_t *name, size_t name_length, const uint8_t *value,
    size_t value_length, uint8_t flags, void *data) {
    cnghttp2_session *owner = data;
    (void)session;
    (void)flags;
    // Trailers mean nothing here.
    if (frame->headers.cat == NGHTTP2_HCAT_REQUEST)
        owner->events->field(owner->owner, frame->hd.stream_id, name, name_length, value, value_length);
    return 0;
}

// The library would leave out a field with characters that no field may have. The request is malformed (RFC 9113, section 8.2.1).
static int on_invalid_header(
    nghttp2_session *session, const nghttp2_frame *frame, const uint8_t *name, size_t name_length, const uint8_t *value,
    size_t value_length, uint8_t flags, void *data) {
    (void)session, (void)frame, (void)name, (void)name_length, (void)value, (void)value_length, (void)flags, (void)data;
    return NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE;
}

static void *request_of(nghttp2_session *session, int32_t stream) {
    return library.nghttp2_session_get_stream_user_data(session, stream);
}

static int on_frame(nghttp2_session *session, const nghttp2_frame *frame, void *data) {
    cnghttp2_session *owner = data;
    if (frame->hd.type != NGHTTP2_HEADERS && frame->hd.type != NGHTTP2_DATA) return 0;
    int ends = (frame->hd.flags & NGHTTP2_FLAG_END_STREAM) != 0;
    if (frame->hd.type == NGHTTP2_HEADERS && frame->headers.cat == NGHTTP2_HCAT_REQUEST) {
        owner->events->head(owner->owner, frame->hd.stream_id, ends);
    } else if (ends) {
        void *request = request_of(session, frame->hd.stream_id);
        if (request != NULL) owner->events->end(request);
    }
    return 0;
}

static int on_data(
    nghttp2_session *session, uint8_t flags, int32_t stream, const uint8_t *bytes, size_t length, void *data) {
    cnghttp2_session *owner = data;
    void *request = request_of(session, stream);
    (void)flags;
    if (request != NULL) owner->events->body(request, bytes, length);
    return 0;
}

static int on_close(nghttp2_session *session, int32_t stream, uint32_t error, void *data) {
    cnghttp2_session *owner = data;
    (void)error;
    owner->events->closed(owner->owner, stream, request_of(session, stream));
    return 0;
}

static ssize_t read_source(
    nghttp2_session *session, int32_t stream, uint8_t *buffer, size_t length, uint32_t *flags, nghttp2_data_source *source,
    void *data) {
    cnghttp2_session *owner = data;
    enum cnghttp2_rest rest = CNGHTTP2_MORE;
    size_t count = owner->events->source(source->ptr, buffer, length, &rest);
    (void)session;
    (void)stream;
    if (rest != CNGHTTP2_MORE) *flags |= NGHTTP2_DATA_FLAG_EOF;
    if (rest == CNGHTTP2_LATER) *flags |= NGHTTP2_DATA_FLAG_NO_END_STREAM;
    return (ssize_t)count;
}

// ---- Loading

static const char *bind_to(void *handle) {
    struct functions found;
#define FIND(name)                                                                                                     \
    found.name = (__typeof__(found.name))dlsym(handle, #name);                                                         \
    if (found.name == NULL) return dlerror();
    FUNCTIONS(FIND)
    if (found.nghttp2_session_callbacks_new(&callbacks) != 0 || found.nghttp2_option_new(&options) != 0)
        return "no memory for libnghttp2";
    found.nghttp2_session_callbacks_set_on_begin_frame_callback(callbacks, on_begin_frame);
    found.nghttp2_session_callbacks_set_on_begin_headers_callback(callbacks, on_begin_headers);
    found.nghttp2_session_callbacks_set_on_header_callback(callbacks, on_header);
    found.nghttp2_session_callbacks_set_on_invalid_header_callback(callbacks, on_invalid_header);
    found.nghttp2_session_callbacks_set_on_frame_recv_callback(callbacks, on_frame);
    found.nghttp2_session_callbacks_set_on_data_chunk_recv_callback(callbacks, on_data);
    found.nghttp2_session_callbacks_set_on_stream_close_callback(callbacks, on_close);
    // Closed streams are kept for priorities, which nobody uses (RFC 9113, section 5.3.1).
    found.nghttp2_option_set_no_closed_streams(options, 1);
    library = found;
    is_ready = 1;
    return NULL;
}

const char *cnghttp2_load(const char *name) {
    const char *problem = NULL;
    pthread_mutex_lock(&lock);
    if (!is_ready) {
        void *handle = dlopen(name, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
        problem = handle == NULL ? dlerror() : bind_to(handle);
    }
    pthread_mutex_unlock(&lock);
    return problem;
}

// ---- Sessions

cnghttp2_session *cnghttp2_open(const struct cnghttp2_events *events, const struct cnghttp2_limits *limits, void *owner) {
    nghttp2_settings_entry settings[] = {
        {NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS, limits->max_streams},
        {NGHTTP2_SETTINGS_MAX_HEADER_LIST_SIZE, limits->max_head_bytes},
        // Priorities of RFC 7540 are ignored (RFC 9218, section 2.1).
        {NGHTTP2_SETTINGS_NO_RFC7540_PRIORITIES, 1},
    };
    cnghttp2_session *made = malloc(sizeof *made);
    if (made == NULL) return NULL;
    made->events = events;
    made->owner = owner;
    if (library.nghttp2_session_server_new2(&made->session, callbacks, made, options) != 0) {
        free(made);
        return NULL;
    }
    if (library.nghttp2_submit_settings(made->session, NGHTTP2_FLAG_NONE, settings, sizeof settings / sizeof *settings) != 0) {
        cnghttp2_close(made);
        return NULL;
    }
    return made;
}

void cnghttp2_close(cnghttp2_session *session) {
    library.nghttp2_session_del(session->session);
    free(session);
}

int cnghttp2_receive(cnghttp2_session *session, const uint8_t *bytes, size_t length) {
    ssize_t count = library.nghttp2_session_mem_recv(session->session, bytes, length);
    return count < 0 ? -1 : 0;
}

ptrdiff_t cnghttp2_output(cnghttp2_session *session, const uint8_t **bytes) {
    ssize_t count = library.nghttp2_session_mem_send(session->session, bytes);
    return count < 0 ? -1 : count;
}

void cnghttp2_set_request(cnghttp2_session *session, int32_t stream, void *request) {
    library.nghttp2_session_set_stream_user_data(session->session, stream, request);
}

void cnghttp2_respond(cnghttp2_session *session, int32_t stream, const nghttp2_nv *fields, size_t count, int has_body) {
    uint8_t flags = has_body ? NGHTTP2_FLAG_NONE : NGHTTP2_FLAG_END_STREAM;
    library.nghttp2_submit_headers(session->session, flags, stream, NULL, fields, count, NULL);
}

void cnghttp2_offer(cnghttp2_session *session, int32_t stream, void *request) {
    nghttp2_data_provider source = {.source = {.ptr = request}, .read_callback = read_source};
    library.nghttp2_submit_data(session->session, NGHTTP2_FLAG_END_STREAM, stream, &source);
}

void cnghttp2_continue(cnghttp2_session *session, int32_t stream) {
    nghttp2_nv status = {(uint8_t *)":status", (uint8_t *)"100", 7, 3, NGHTTP2_NV_FLAG_NONE};
    library.nghttp2_submit_headers(session->session, NGHTTP2_FLAG_NONE, stream, NULL, &status, 1, NULL);
}

void cnghttp2_reset(cnghttp2_session *session, int32_t stream, uint32_t error) {
    library.nghttp2_submit_rst_stream(session->session, NGHTTP2_FLAG_NONE, stream, error);
}

void cnghttp2_drain(cnghttp2_session *session) {
    int32_t last = library.nghttp2_session_get_last_proc_stream_id(session->session);
    library.nghttp2_submit_goaway(session->session, NGHTTP2_FLAG_NONE, last, NGHTTP2_NO_ERROR, NULL, 0);
}

void cnghttp2_terminate(cnghttp2_session *session, uint32_t error) {
    library.nghttp2_session_terminate_session(session->session, error);
}

int cnghttp2_is_over(cnghttp2_session *session) {
    return !library.nghttp2_session_want_read(session->session) && !library.nghttp2_session_want_write(session->session);
}
