#ifndef STOREHOUSE_CHIREDIS_H
#define STOREHOUSE_CHIREDIS_H

#include <hiredis/hiredis.h>

// The protocol reader of hiredis. The library is loaded before the first connection: the program is not linked with it.

// The file name of the library on this system.
#ifdef __APPLE__
#define CHIREDIS_LIBRARY "libhiredis.dylib"
#else
#define CHIREDIS_LIBRARY "libhiredis.so.0.14"
#endif

// Loads the library. Thread-safe, and cheap if it is loaded already. The first library that loads serves the whole process, and is never unloaded.
//
// Returns NULL, or an error message that is valid until the calling thread calls this again. The functions below must not be
// called before this has returned NULL.
const char *chiredis_load(const char *library);

// A reader of replies; NULL without memory.
redisReader *chiredis_reader(void);
void chiredis_free_reader(redisReader *reader);

// Takes bytes of the server. Returns 0 if the reader has failed.
int chiredis_feed(redisReader *reader, const void *bytes, size_t count);

// The next whole reply, or NULL if more bytes are needed. Sets `failed` to 1 if the bytes are no replies.
redisReply *chiredis_next(redisReader *reader, int *failed);
void chiredis_free_reply(redisReply *reply);

#endif
