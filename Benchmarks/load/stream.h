// A reader of server-sent events: bytes of one HTTP answer in, revisions of its events out.
#ifndef STREAM_H
#define STREAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { HEAD_LIMIT = 4096, LINE_PREFIX = 96 };

typedef enum { STREAM_OK, STREAM_FAILED } stream_result;

// Called for each event that names a revision.
typedef void (*stream_event)(void *context, int64_t revision);

typedef struct {
    enum { IN_HEAD, IN_SIZE, IN_DATA, AFTER_DATA, UNFRAMED } phase;
    char *head;            // what came of the answer's head; freed at its end
    size_t head_length;
    uint64_t chunk_left;   // bytes left in this chunk, or the size read so far
    bool size_ended;       // a chunk extension follows the size
    char line[LINE_PREFIX];  // the start of the line under way
    size_t line_length;      // its whole length so far
    int64_t revision;        // of the event under way, -1 if none
    bool is_ready;           // the event under way says that the client is up to date; its revision is that of an earlier one
    int64_t comments;        // lines that clients drop, such as heartbeats
    const char *failure;     // why STREAM_FAILED
} event_stream;

void stream_open(event_stream *stream);
void stream_close(event_stream *stream);
bool stream_has_head(const event_stream *stream);
stream_result stream_feed(event_stream *stream, const char *bytes, size_t count, stream_event event, void *context);

#endif
