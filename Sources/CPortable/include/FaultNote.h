#ifndef CPORTABLE_FAULTNOTE_H
#define CPORTABLE_FAULTNOTE_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/// Names the action that a thread dispatches, so that a line can tell it if the process ends with a fault meanwhile.
typedef struct {
    /// The name of the store kind; NULL if the thread dispatches nothing. It must stay valid for ever, as the type must.
    const char *store;
    /// The type of the action; NULL if it is not known.
    const char *type;
    /// The session as the log names it, with a NUL after it if it is shorter.
    char session[16];
    /// Counts how often the code of stores has begun and ended in this thread; odd while it runs. Other threads read it. It is not
    /// NULL in a note that `fault_note_of_thread` has returned.
    uint64_t *count;
} fault_note;

/// Returns the note of the calling thread.
typedef fault_note *(*fault_note_source)(void);

/// A server sets it, and elsewhere it is NULL. It is never changed back.
extern _Atomic(fault_note_source) fault_notes;

/// The note of the calling thread; NULL if nobody reads notes.
static inline fault_note *fault_note_of_thread(void) {
    fault_note_source source = atomic_load_explicit(&fault_notes, memory_order_relaxed);
    return source == NULL ? NULL : source();
}

/// The code of a store begins, or another function of it.
static inline void fault_note_begin(fault_note *note) {
    __atomic_store_n(note->count, (*note->count | 1) + 2, __ATOMIC_RELEASE);
}

/// The code of a store has ended, if it has run.
static inline void fault_note_end(fault_note *note) {
    __atomic_store_n(note->count, (*note->count + 1) & ~(uint64_t)1, __ATOMIC_RELEASE);
}

/// Makes the note what it was before the code of another store, or another function, began.
static inline void fault_note_restore(fault_note *note, const fault_note *earlier) {
    note->store = earlier->store;
    note->type = earlier->type;
    memcpy(note->session, earlier->session, sizeof note->session);
    if (note->store != NULL) {
        fault_note_begin(note);
    } else {
        fault_note_end(note);
    }
}

#endif
