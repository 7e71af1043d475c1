// What the load programs share. They speak in lines of JSON on standard output, and end with the first failure.
#ifndef COMMON_H
#define COMMON_H

#include <stddef.h>
#include <stdint.h>

// Nanoseconds of a clock that only goes forward.
uint64_t monotonic(void);

// Tells what did not work, and why, and ends the program.
_Noreturn void fail(const char *what, const char *why);

// Zeroed memory.
void *allocate(size_t count, size_t size);

// A connection to this port of the loopback.
int open_connection(int port);

// The length of the HTTP answer that begins here; 0 while it is not whole. Its status must be 2xx.
size_t answer_length(const char *bytes, size_t count);

// Registers the socket for input and for its end; events carry the owner.
void watch(int epoll, int fd, void *owner);

#endif
