#ifndef STOREHOUSE_CNGHTTP2_H
#define STOREHOUSE_CNGHTTP2_H

#include <nghttp2/nghttp2.h>
#include <stddef.h>
#include <stdint.h>

// The framing of HTTP/2 and its header compression (RFC 9113, RFC 7541), by nghttp2. The library is loaded before the first connection:
// the program is not linked with it.

// The file name of the library on this system.
#ifdef __APPLE__
#define CNGHTTP2_LIBRARY "libnghttp2.dylib"
#else
#define CNGHTTP2_LIBRARY "libnghttp2.so.14"
#endif

// Loads the library. Thread-safe, and cheap if it is loaded already. The first library that loads serves the whole process, and is never unloaded.
//
// Returns NULL, or an error message that is valid until the calling thread calls this again. The functions below must not be
// called before this has returned NULL.
const char *cnghttp2_load(const char *library);

// The rest of a response, behind the bytes that were taken.
enum cnghttp2_rest {
    // There are more now.
    CNGHTTP2_MORE,
    // The next ones are offered when they are there.
    CNGHTTP2_LATER,
    // There are none.
    CNGHTTP2_END,
};

// The events of a session. Each gets `owner`, or the `request` that was set for its stream. All are called from within
// cnghttp2_receive and cnghttp2_output.
struct cnghttp2_events {
    // A request begins.
    void (*begin)(void *owner, int32_t stream);
    // A field of its head. The bytes are valid during the call.
    void (*field)(void *owner, int32_t stream, const uint8_t *name, size_t name_length, const uint8_t *value, size_t value_length);
    // The head is complete; `ends` says whether there is no body.
    void (*head)(void *owner, int32_t stream, int ends);
    // A part of the body.
    void (*body)(void *request, const uint8_t *bytes, size_t length);
    // The body is complete.
    void (*end)(void *request);
    // The stream is closed, by either side. `request` is NULL if none was set.
    void (*closed)(void *owner, int32_t stream, void *request);
    // A frame begins that carries no part of a request but the continuation of a head: its type, as RFC 9113, section 6, numbers
    // them, and for SETTINGS and PING whether it is an acknowledgement.
    void (*control)(void *owner, uint8_t type, int is_acknowledgement);
    // Fills `buffer` with bytes of a response that was offered. Returns their count, and sets `rest`.
    size_t (*source)(void *request, uint8_t *buffer, size_t length, enum cnghttp2_rest *rest);
};

// The bounds of a session, which its client is told.
struct cnghttp2_limits {
    uint32_t max_streams;
    // Of the fields of a request, in bytes as RFC 9113, section 6.5.2, counts them.
    uint32_t max_head_bytes;
};

typedef struct cnghttp2_session cnghttp2_session;

// The session of a server; NULL without memory. `events` stays valid as long as the session.
cnghttp2_session *cnghttp2_open(const struct cnghttp2_events *events, const struct cnghttp2_limits *limits, void *owner);
void cnghttp2_close(cnghttp2_session *session);

// Takes bytes of the client. Returns 0, or -1 if the connection has to end.
int cnghttp2_receive(cnghttp2_session *session, const uint8_t *bytes, size_t length);

// The next bytes for the client, valid until the next call for this session. Returns their count; 0 for none; -1 without memory.
ptrdiff_t cnghttp2_output(cnghttp2_session *session, const uint8_t **bytes);

// The events of a stream get this from now on. It must stay valid until the stream is closed, or the session.
void cnghttp2_set_request(cnghttp2_session *session, int32_t stream, void *request);

// Begins the response of a stream. A body is offered behind it if it has one.
void cnghttp2_respond(cnghttp2_session *session, int32_t stream, const nghttp2_nv *fields, size_t count, int has_body);

// Bytes of a response, or its end, are there to be taken until `source` says that the next ones come later.
void cnghttp2_offer(cnghttp2_session *session, int32_t stream, void *request);

// Tells the client to send the body for which it waits.
void cnghttp2_continue(cnghttp2_session *session, int32_t stream);

// Ends a stream without the rest of its response.
void cnghttp2_reset(cnghttp2_session *session, int32_t stream, uint32_t error);

// Tells the client to begin no more requests here; those that are under way end as usual.
void cnghttp2_drain(cnghttp2_session *session);

// Sends what is to be sent, then the end.
void cnghttp2_terminate(cnghttp2_session *session, uint32_t error);

// Whether nothing more is to be sent to the client, nor awaited from it.
int cnghttp2_is_over(cnghttp2_session *session);

#endif
