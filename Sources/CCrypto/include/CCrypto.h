#ifndef STOREHOUSE_CCRYPTO_H
#define STOREHOUSE_CCRYPTO_H

#include <stddef.h>

// AES-256-GCM of OpenSSL's libcrypto. The library is loaded on first use: the program is not linked with it.

// The file name of the library on this system.
#ifdef __APPLE__
#define CCRYPTO_LIBRARY "libcrypto.3.dylib"
#else
#define CCRYPTO_LIBRARY "libcrypto.so.3"
#endif

#define CCRYPTO_KEY_LENGTH 32
#define CCRYPTO_NONCE_LENGTH 12
#define CCRYPTO_TAG_LENGTH 16

// Loads the library. Thread-safe. The first library that loads serves the whole process, and is never unloaded.
//
// Returns NULL, or an error message that is valid until the calling thread calls this again. The functions below must not be
// called before this has returned NULL.
const char *ccrypto_load(const char *library);

// Encrypts `length` bytes, and computes the tag that authenticates them and `label`, which is not encrypted. Returns 1, or 0 if
// the library fails. A nonce must not be used twice with one key.
int ccrypto_seal(const unsigned char *key, const unsigned char *nonce, const unsigned char *label, size_t label_length,
                 const unsigned char *clear, size_t length, unsigned char *sealed, unsigned char *tag);

// Decrypts `length` bytes. Returns 1, or 0 if the bytes, the tag or the label were not made with this key; then the content of
// `clear` is undefined.
int ccrypto_open(const unsigned char *key, const unsigned char *nonce, const unsigned char *label, size_t label_length,
                 const unsigned char *sealed, size_t length, const unsigned char *tag, unsigned char *clear);

#endif
