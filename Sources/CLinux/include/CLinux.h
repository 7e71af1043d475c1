#ifndef STOREHOUSE_CLINUX_H
#define STOREHOUSE_CLINUX_H

// What Swift's Glibc module leaves out: epoll, accept4 and eventfd.
#ifdef __linux__
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>

// accept4 that makes the new socket non-blocking and closed in child processes.
int clinux_accept(int listener, struct sockaddr *peer, socklen_t *length);
#endif

#endif
