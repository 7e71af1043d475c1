#ifndef CPLATFORM_LINUX_H
#define CPLATFORM_LINUX_H

// The parts of glibc that Swift's Glibc module lacks: epoll, eventfd, accept4 and malloc_trim.
#ifdef __linux__
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif

// Calls accept4: the new socket does not block, and is closed on exec.
int linux_accept(int listener, struct sockaddr *peer, socklen_t *length);
#endif

#endif
