#define _GNU_SOURCE
#include "Linux.h"

#include <stddef.h>

#ifdef __linux__
int linux_accept(int listener, struct sockaddr *peer, socklen_t *length) {
    return accept4(listener, peer, length, SOCK_NONBLOCK | SOCK_CLOEXEC);
}
#endif
