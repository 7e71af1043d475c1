#ifndef CPORTABLE_ONCEWORD_H
#define CPORTABLE_ONCEWORD_H

#include <stdbool.h>
#include <stdint.h>

// A word in memory that is 0 until one of many threads sets it. Swift's own `Atomic` needs macOS 15, iOS 18 or visionOS 2.

/// The value of the word. A thread that reads it sees all that the one that set it did before.
static inline uintptr_t once_word_load(const uintptr_t *word) { return __atomic_load_n(word, __ATOMIC_ACQUIRE); }

/// Sets the word if it is 0.
///
/// - Returns: the value that it has now.
static inline uintptr_t once_word_set(uintptr_t *word, uintptr_t value) {
    uintptr_t known = 0;
    bool is_set = __atomic_compare_exchange_n(word, &known, value, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE);
    return is_set ? value : known;
}

#endif
