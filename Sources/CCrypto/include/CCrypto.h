#ifndef STOREHOUSE_CCRYPTO_H
#define STOREHOUSE_CCRYPTO_H

#include <stddef.h>

// AES-256-GCM, SHA-256, HMAC and signatures of OpenSSL's libcrypto. The library is loaded on first use: the program is not
// linked with it.

// The file name of the library on this system.
#ifdef __APPLE__
#define CCRYPTO_LIBRARY "libcrypto.3.dylib"
#else
#define CCRYPTO_LIBRARY "libcrypto.so.3"
#endif

#define CCRYPTO_KEY_LENGTH 32
#define CCRYPTO_NONCE_LENGTH 12
#define CCRYPTO_TAG_LENGTH 16
// Of SHA-256, and of HMAC with it.
#define CCRYPTO_DIGEST_LENGTH 32

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

// Computes the SHA-256 of the bytes. Returns 1, or 0 if the library fails.
int ccrypto_sha256(const unsigned char *bytes, size_t length, unsigned char *digest);

// Computes the HMAC with SHA-256 of the bytes. Returns 1, or 0 if the library fails.
int ccrypto_hmac_sha256(const unsigned char *key, size_t key_length, const unsigned char *bytes, size_t length,
                        unsigned char *code);

// Returns 1 if the bytes are equal, else 0. It takes the same time wherever the first difference is.
int ccrypto_are_equal(const unsigned char *one, const unsigned char *other, size_t length);

enum ccrypto_key_kind { CCRYPTO_KEY_OTHER, CCRYPTO_KEY_RSA, CCRYPTO_KEY_P256, CCRYPTO_KEY_ED25519 };

// Reads a public key (SubjectPublicKeyInfo of RFC 5280, in DER). Returns NULL if the bytes are anything else. The key may be
// used by several threads at a time, and must be freed.
void *ccrypto_read_public_key(const unsigned char *der, size_t length, enum ccrypto_key_kind *kind, int *bits);

void ccrypto_free_public_key(void *key);

// Returns 1 if the signature of the bytes was made with the private key: with PKCS #1 v1.5 for RSA, as a DER sequence for P-256.
int ccrypto_verify(void *key, int uses_sha256, const unsigned char *signature, size_t signature_length,
                   const unsigned char *bytes, size_t length);

// Counts the certificates of a PEM file. Returns 0 if there is none, or if one of them is broken or cut off.
int ccrypto_count_certificates(const unsigned char *pem, size_t length);

// Returns 1 if the first certificate of a PEM file belongs to the private key of another one. Nobody is asked for a password.
int ccrypto_key_fits(const unsigned char *certificate, size_t certificate_length, const unsigned char *key,
                     size_t key_length, const char *password);

#endif
