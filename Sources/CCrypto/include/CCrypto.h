#ifndef STOREHOUSE_CCRYPTO_H
#define STOREHOUSE_CCRYPTO_H

#include <stddef.h>

// AES-256-GCM of OpenSSL's libcrypto, bound at run time: the program is not linked with it, and maps nothing of it where nothing
// is sealed.

// What the library is called on this system.
#ifdef __APPLE__
#define CCRYPTO_LIBRARY "libcrypto.3.dylib"
#else
#define CCRYPTO_LIBRARY "libcrypto.so.3"
#endif

#define CCRYPTO_KEY_LENGTH 32
#define CCRYPTO_NONCE_LENGTH 12
#define CCRYPTO_TAG_LENGTH 16

// Loads the library of that name, from any thread. The first that is found serves the whole process, and is never unloaded.
//
// Returns NULL, or what went wrong: a text that lives until the calling thread calls this again. Nothing below may be called
// before it has returned NULL.
const char *ccrypto_load(const char *library);

// Encrypts `length` bytes into as many, and makes the tag that they are known by, together with `label`, which stays in clear.
// Returns 1, or 0 where the library failed. No nonce may be used twice with one key.
int ccrypto_seal(const unsigned char *key, const unsigned char *nonce, const unsigned char *label, size_t label_length,
                 const unsigned char *clear, size_t length, unsigned char *sealed, unsigned char *tag);

// Decrypts `length` bytes into as many. Returns 1, or 0 where they, the tag or the label are not what was made with this key;
// then what stands in `clear` means nothing.
int ccrypto_open(const unsigned char *key, const unsigned char *nonce, const unsigned char *label, size_t label_length,
                 const unsigned char *sealed, size_t length, const unsigned char *tag, unsigned char *clear);

#endif
