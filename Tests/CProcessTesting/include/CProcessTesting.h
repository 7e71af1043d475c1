#ifndef STOREHOUSE_CPROCESSTESTING_H
#define STOREHOUSE_CPROCESSTESTING_H

#include <sys/types.h>

// Starts a program that inherits no file but its standard ones, and no blocked or ignored signal.
//
// environment: all its variables; NULL for those of this process.
// directory: where it runs; NULL for the directory of this process.
// output, errors: the descriptors that it writes to; negative for none.
// Returns 0 or the number of an error.
int child_process_start(
    pid_t *id, char *const *words, char *const *environment, const char *directory, int output, int errors);

// Makes a pipe whose ends no program inherits. Returns 0, or -1 and sets errno.
int child_process_pipe(int ends[2]);

// Makes a terminal: what is written to ends[1], which is one, is read from ends[0]. No program inherits them. ptsname is not safe
// for two threads at once. Returns 0, or -1 and sets errno.
int child_process_terminal(int ends[2]);

// Calls itself until the stack ends. ThreadSanitizer does not follow these calls: its own code would be what overflows, with a
// lock held for which the handler of the signal waits.
unsigned exhaust_stack(unsigned depth);

#endif
