#ifndef CPORTABLE_OPENSSLEXIT_H
#define CPORTABLE_OPENSSLEXIT_H

#include <dlfcn.h>
#include <stddef.h>
#include <stdint.h>

/// Keeps OpenSSL from freeing its data when the process exits: other threads use them until the end, and the memory would be
/// freed twice (OPENSSL_init_crypto(3), OPENSSL_INIT_NO_ATEXIT).
///
/// `library` is OpenSSL, or a library that may depend on it. It must not be in use yet.
static inline void keep_openssl_at_exit(void *library) {
    static const uint64_t no_atexit = 0x00080000;
    int (*initialize)(uint64_t, const void *) =
        (__typeof__(initialize))dlsym(library, "OPENSSL_init_crypto");
    if (initialize != NULL) initialize(no_atexit, NULL);
}

#endif
