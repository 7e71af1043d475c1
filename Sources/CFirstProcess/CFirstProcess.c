#include "CFirstProcess.h"

#include <signal.h>
#include <unistd.h>

static void end(int number) { _exit(128 + number); }

// Before all other constructors, but for those of the system.
__attribute__((constructor(101))) static void begin(void) { first_process_end_at_signals(); }

void first_process_end_at_signals(void) {
    if (getpid() != 1) return;
    const int numbers[] = {SIGTERM, SIGINT, SIGHUP, SIGQUIT};
    for (int index = 0; index < 4; index++) {
        struct sigaction action = {.sa_handler = end};
        sigemptyset(&action.sa_mask);
        sigaction(numbers[index], &action, 0);
    }
}
