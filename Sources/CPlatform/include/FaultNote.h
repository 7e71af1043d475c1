#ifndef CPLATFORM_FAULTNOTE_H
#define CPLATFORM_FAULTNOTE_H

#include <stdbool.h>
#include <stddef.h>

/// Names the action that a thread dispatches, so that a line can tell it if the process ends with a fault meanwhile.
typedef struct {
    /// The name of the store kind; NULL if the thread dispatches nothing. It must stay valid for ever, as the type must.
    const char *store;
    /// The type of the action; NULL if it is not known.
    const char *type;
    /// The session as the log names it, with a NUL after it if it is shorter.
    char session[16];
} fault_note;

/// The note of the calling thread. On the first call in a thread this gives its signal handler a stack of its own, so that
/// it runs even if the stack has overflowed.
fault_note *fault_note_of_thread(void);

/// Writes one line to a file descriptor when the process ends with SIGILL, SIGTRAP, SIGSEGV, SIGBUS, SIGFPE or SIGABRT
/// while a thread dispatches an action. The process ends as it would without this. A second call changes the format only.
///
/// The handlers call async-signal-safe functions only.
void fault_note_install(int descriptor, bool as_json);

#endif
