#define _GNU_SOURCE
#include "CProcessTesting.h"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <termios.h>
#include <unistd.h>

static void redirect(posix_spawn_file_actions_t *actions, int descriptor, int number)
{
    if (descriptor >= 0)
        posix_spawn_file_actions_adddup2(actions, descriptor, number);
    else // A program that outlives the tests must not hold their output open.
        posix_spawn_file_actions_addopen(actions, number, "/dev/null", O_WRONLY, 0);
}

int child_process_start(
    pid_t *id, char *const *words, char *const *environment, const char *directory, int output, int errors)
{
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
    redirect(&actions, output, 1);
    redirect(&actions, errors, 2);
    if (directory != NULL)
        posix_spawn_file_actions_addchdir_np(&actions, directory);

    // Threads of libdispatch block all signals, and a server ignores SIGPIPE.
    posix_spawnattr_t attributes;
    sigset_t signals;
    short flags = POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF;
    posix_spawnattr_init(&attributes);
    sigemptyset(&signals);
    posix_spawnattr_setsigmask(&attributes, &signals);
    sigaddset(&signals, SIGPIPE);
    posix_spawnattr_setsigdefault(&attributes, &signals);
#ifdef POSIX_SPAWN_CLOEXEC_DEFAULT
    flags |= POSIX_SPAWN_CLOEXEC_DEFAULT;
#else
    posix_spawn_file_actions_addclosefrom_np(&actions, 3);
#endif
    posix_spawnattr_setflags(&attributes, flags);

    int code = posix_spawn(id, words[0], &actions, &attributes, words, environment != NULL ? environment : environ);
    posix_spawn_file_actions_destroy(&actions);
    posix_spawnattr_destroy(&attributes);
    return code;
}

__attribute__((disable_sanitizer_instrumentation, noinline)) unsigned exhaust_stack(unsigned depth)
{
    volatile unsigned char frame[256];
    frame[depth % sizeof frame] = 1;
    return depth == ~0u ? 0 : exhaust_stack(depth + 1) + frame[depth % sizeof frame];
}

int child_process_pipe(int ends[2])
{
#ifdef __linux__
    return pipe2(ends, O_CLOEXEC);
#else
    if (pipe(ends) < 0)
        return -1;
    fcntl(ends[0], F_SETFD, FD_CLOEXEC);
    fcntl(ends[1], F_SETFD, FD_CLOEXEC);
    return 0;
#endif
}

int child_process_terminal(int ends[2])
{
    ends[1] = -1;
    ends[0] = posix_openpt(O_RDWR | O_NOCTTY);
    if (ends[0] < 0)
        return -1;
    fcntl(ends[0], F_SETFD, FD_CLOEXEC);
    const char *name = grantpt(ends[0]) == 0 && unlockpt(ends[0]) == 0 ? ptsname(ends[0]) : NULL;
    if (name != NULL)
        ends[1] = open(name, O_RDWR | O_NOCTTY | O_CLOEXEC);
    struct termios modes;
    if (ends[1] < 0 || tcgetattr(ends[1], &modes) != 0) {
        close(ends[0]);
        return -1;
    }
    // A line break stays as it is written.
    modes.c_oflag &= ~(tcflag_t)OPOST;
    return tcsetattr(ends[1], TCSANOW, &modes);
}
