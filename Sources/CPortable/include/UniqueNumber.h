#ifndef CPORTABLE_UNIQUENUMBER_H
#define CPORTABLE_UNIQUENUMBER_H

#include <stdatomic.h>
#include <stdint.h>

/// The counter of `next_unique_number`.
extern _Atomic(uint64_t) unique_number;

/// A number that is greater than all that this function has returned in the process. The first one is 1.
static inline uint64_t next_unique_number(void) {
    return atomic_fetch_add_explicit(&unique_number, 1, memory_order_relaxed) + 1;
}

/// The number that `next_unique_number` has returned last; 0 before the first one.
static inline uint64_t last_unique_number(void) { return atomic_load_explicit(&unique_number, memory_order_relaxed); }

#endif
