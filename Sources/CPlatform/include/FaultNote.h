#ifndef CPLATFORM_FAULTNOTE_H
#define CPLATFORM_FAULTNOTE_H

#include <stdbool.h>
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

/// The note of the calling thread. On the first call in a thread this gives its signal handler a stack of its own, so that
/// it runs even if the stack has overflowed.
fault_note *fault_note_of_thread(void);

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

/// A thread that runs the code of a store, and which run of that code it is.
typedef struct {
    uint64_t thread;
    uint64_t count;
} fault_note_run;

/// Finds the threads that run the code of a store now.
///
/// - Returns: how many were found, `limit` at most.
size_t fault_note_runs(fault_note_run *found, size_t limit);

/// Copies the note of a thread, if that is still at the same run. It is to be asked only about a run that has taken long.
bool fault_note_of_run(fault_note_run run, fault_note *copy);

/// Writes one line to a file descriptor when the process ends with SIGILL, SIGTRAP, SIGSEGV, SIGBUS, SIGFPE or SIGABRT
/// while a thread dispatches an action. The process ends as it would without this. A second call changes the format only.
///
/// The handlers call async-signal-safe functions only.
void fault_note_install(int descriptor, bool as_json);

#endif
