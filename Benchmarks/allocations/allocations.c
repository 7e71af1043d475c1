#include "CAllocations.h"

#include <errno.h>
#include <stdlib.h>

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define SANITIZED 1
#endif
#endif

// Only glibc has its functions under a second name, and a sanitizer stands in for them itself.
#if defined(__GLIBC__) && !defined(SANITIZED)

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *block, size_t size);
void *__libc_memalign(size_t alignment, size_t size);

// Kept where it is found without a call, as a call might allocate.
static __thread __attribute__((tls_model("initial-exec"))) long given;

// Whoever includes this file may count elsewhere.
#ifndef COUNT_ALLOCATION
#define COUNT_ALLOCATION() given++
#endif

void *malloc(size_t size) {
    COUNT_ALLOCATION();
    return __libc_malloc(size);
}

void *calloc(size_t count, size_t size) {
    COUNT_ALLOCATION();
    return __libc_calloc(count, size);
}

void *realloc(void *block, size_t size) {
    COUNT_ALLOCATION();
    return __libc_realloc(block, size);
}

void *memalign(size_t alignment, size_t size) {
    COUNT_ALLOCATION();
    return __libc_memalign(alignment, size);
}

void *aligned_alloc(size_t alignment, size_t size) {
    COUNT_ALLOCATION();
    return __libc_memalign(alignment, size);
}

int posix_memalign(void **block, size_t alignment, size_t size) {
    COUNT_ALLOCATION();
    void *memory = __libc_memalign(alignment, size);
    if (!memory) return ENOMEM;
    *block = memory;
    return 0;
}

long allocations_of_this_thread(void) { return given; }

#else

long allocations_of_this_thread(void) { return -1; }

#endif
