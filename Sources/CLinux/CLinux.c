#define _GNU_SOURCE
#include "CLinux.h"

#include <stddef.h>

#ifdef __linux__
int clinux_accept(int listener) {
    return accept4(listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
}
#endif
