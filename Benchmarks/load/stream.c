#define _GNU_SOURCE
#include "stream.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

static const char revision_key[] = "\"revision\":";

static stream_result fail(event_stream *stream, const char *why) {
    stream->failure = why;
    return STREAM_FAILED;
}

void stream_open(event_stream *stream) {
    memset(stream, 0, sizeof *stream);
    stream->head = malloc(HEAD_LIMIT + 1);
    if (!stream->head) abort();
    stream->revision = -1;
}

void stream_close(event_stream *stream) {
    free(stream->head);
    stream->head = NULL;
}

bool stream_has_head(const event_stream *stream) {
    return stream->phase != IN_HEAD;
}

// A whole line: data lines contain the revision, the empty line ends the event.
static stream_result end_of_line(event_stream *stream, stream_event event, void *context) {
    size_t kept = stream->line_length < LINE_PREFIX ? stream->line_length : LINE_PREFIX - 1;
    if (kept && stream->line[kept - 1] == '\r') kept--;
    stream->line[kept] = 0;
    bool empty = kept == 0;
    stream->line_length = 0;
    if (empty) {
        int64_t revision = stream->revision;
        stream->revision = -1;
        stream->is_ready = false;
        if (revision >= 0) event(context, revision);
        return STREAM_OK;
    }
    if (*stream->line == ':') stream->comments++;
    if (strncmp(stream->line, "event: closed", 13) == 0) return fail(stream, "the server closed the stream");
    if (strncmp(stream->line, "event: ready", 12) == 0) stream->is_ready = true;
    if (strncmp(stream->line, "data:", 5) != 0 || stream->is_ready) return STREAM_OK;
    const char *key = strstr(stream->line, revision_key);
    if (!key) return fail(stream, "an event without a revision");
    stream->revision = strtoll(key + sizeof revision_key - 1, NULL, 10);
    return STREAM_OK;
}

static stream_result feed_text(
    event_stream *stream, const char *bytes, size_t count, stream_event event, void *context
) {
    while (count) {
        const char *newline = memchr(bytes, '\n', count);
        size_t part = newline ? (size_t)(newline - bytes) : count;
        if (stream->line_length < LINE_PREFIX - 1) {
            size_t room = LINE_PREFIX - 1 - stream->line_length;
            memcpy(stream->line + stream->line_length, bytes, part < room ? part : room);
        }
        stream->line_length += part;
        if (!newline) return STREAM_OK;
        if (end_of_line(stream, event, context) != STREAM_OK) return STREAM_FAILED;
        bytes += part + 1;
        count -= part + 1;
    }
    return STREAM_OK;
}

// Reads one byte of a chunk's size line, or of the line end that follows a chunk.
static stream_result feed_framing(event_stream *stream, char byte) {
    if (stream->phase == AFTER_DATA) {
        if (byte == '\n') {
            stream->phase = IN_SIZE;
            stream->chunk_left = 0;
            stream->size_ended = false;
        }
        return byte == '\n' || byte == '\r' ? STREAM_OK : fail(stream, "a chunk longer than its size");
    }
    if (byte == '\n') {
        if (stream->chunk_left == 0) return fail(stream, "the stream ended");
        stream->phase = IN_DATA;
        return STREAM_OK;
    }
    if (byte == ';' || byte == '\r') stream->size_ended = true;
    if (stream->size_ended) return STREAM_OK;
    if (!isxdigit((unsigned char)byte)) return fail(stream, "a chunk size that is no number");
    int digit = byte <= '9' ? byte - '0' : (byte | 0x20) - 'a' + 10;
    stream->chunk_left = stream->chunk_left * 16 + (uint64_t)digit;
    return STREAM_OK;
}

static stream_result end_of_head(event_stream *stream, size_t head_length) {
    stream->head[head_length] = 0;
    if (strncmp(stream->head, "HTTP/1.1 200", 12) != 0) return fail(stream, "the stream's status is not 200");
    if (!strcasestr(stream->head, "text/event-stream")) return fail(stream, "the stream is no text/event-stream");
    stream->phase = strcasestr(stream->head, "\r\ntransfer-encoding: chunked") ? IN_SIZE : UNFRAMED;
    free(stream->head);
    stream->head = NULL;
    return STREAM_OK;
}

// Takes bytes of the head; `used` says how many belonged to it.
static stream_result feed_head(event_stream *stream, const char *bytes, size_t count, size_t *used) {
    size_t room = HEAD_LIMIT - stream->head_length;
    size_t part = count < room ? count : room;
    memcpy(stream->head + stream->head_length, bytes, part);
    size_t length = stream->head_length + part;
    const char *end = memmem(stream->head, length, "\r\n\r\n", 4);
    *used = part;
    if (!end) {
        stream->head_length = length;
        return length < HEAD_LIMIT ? STREAM_OK : fail(stream, "a head over 4 KB");
    }
    size_t head_length = (size_t)(end - stream->head) + 4;
    *used = head_length - stream->head_length;
    return end_of_head(stream, head_length);
}

stream_result stream_feed(
    event_stream *stream, const char *bytes, size_t count, stream_event event, void *context
) {
    while (count) {
        size_t used = 1;
        stream_result result;
        if (stream->phase == IN_HEAD) {
            result = feed_head(stream, bytes, count, &used);
        } else if (stream->phase == UNFRAMED) {
            used = count;
            result = feed_text(stream, bytes, used, event, context);
        } else if (stream->phase == IN_DATA) {
            used = count < stream->chunk_left ? count : stream->chunk_left;
            result = feed_text(stream, bytes, used, event, context);
            stream->chunk_left -= used;
            if (stream->chunk_left == 0) stream->phase = AFTER_DATA;
        } else {
            result = feed_framing(stream, *bytes);
        }
        if (result != STREAM_OK) return result;
        bytes += used;
        count -= used;
    }
    return STREAM_OK;
}
