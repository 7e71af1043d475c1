#ifndef CPLATFORM_FAULTNOTES_H
#define CPLATFORM_FAULTNOTES_H

#include "FaultNote.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// From here on each thread that runs the code of a store has a note. The first use of it gives the signal handler of the thread a
/// stack of its own, so that it runs even if the stack has overflowed.
void fault_notes_keep(void);

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
/// while a thread dispatches an action. The process ends as it would without this. A second call changes the format only. It keeps
/// notes from here on.
///
/// The handlers call async-signal-safe functions only.
void fault_note_install(int descriptor, bool as_json);

#endif
