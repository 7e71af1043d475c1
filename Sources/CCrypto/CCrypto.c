#include "CCrypto.h"

#include "OpenSSLExit.h"

#include <dlfcn.h>
#include <limits.h>
#include <openssl/bio.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/err.h>
#include <openssl/hmac.h>
#include <openssl/pem.h>
#include <openssl/x509.h>
#include <pthread.h>
#include <string.h>

#define FUNCTIONS(each)                                                                                                \
    each(EVP_CIPHER_CTX_new) each(EVP_CIPHER_CTX_free) each(EVP_CIPHER_CTX_ctrl) each(EVP_aes_256_gcm)                 \
    each(EVP_EncryptInit_ex) each(EVP_EncryptUpdate) each(EVP_EncryptFinal_ex)                                         \
    each(EVP_DecryptInit_ex) each(EVP_DecryptUpdate) each(EVP_DecryptFinal_ex)                                         \
    each(EVP_MD_fetch) each(EVP_MD_CTX_new) each(EVP_MD_CTX_free) each(EVP_Digest) each(HMAC)         \
    each(EVP_DigestVerifyInit) each(EVP_DigestVerify) each(d2i_PUBKEY) each(EVP_PKEY_free)                             \
    each(EVP_PKEY_get_base_id) each(EVP_PKEY_get_bits) each(EVP_PKEY_get_group_name) each(CRYPTO_memcmp)               \
    each(BIO_new_mem_buf) each(BIO_free) each(PEM_read_bio_X509) each(PEM_read_bio_PrivateKey) each(X509_free)         \
    each(X509_check_private_key) each(ERR_peek_last_error) each(ERR_clear_error)

// Pointers to the functions, with the types of OpenSSL's headers.
struct functions {
#define MEMBER(name) __typeof__(&name) name;
    FUNCTIONS(MEMBER)
    EVP_MD *sha256;
};

// Written once, under the lock. A thread that has held the lock since then may read it without.
static struct functions crypto;
static int is_ready;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static const char *bind_to(void *library) {
    struct functions found;
#define FIND(name)                                                                                                     \
    found.name = (__typeof__(found.name))dlsym(library, #name);                                          \
    if (found.name == NULL) return dlerror();
    FUNCTIONS(FIND)
    keep_openssl_at_exit(library);
    // Fetched once: each use of EVP_sha256() would look for the implementation again.
    found.sha256 = found.EVP_MD_fetch(NULL, "SHA256", NULL);
    if (found.sha256 == NULL) return "it has no SHA-256";
    crypto = found;
    is_ready = 1;
    return NULL;
}

const char *ccrypto_load(const char *name) {
    void *library = dlopen(name, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    if (library == NULL) return dlerror();
    pthread_mutex_lock(&lock);
    const char *problem = is_ready ? NULL : bind_to(library);
    pthread_mutex_unlock(&lock);
    return problem;
}

// A nonce of 12 bytes is the default of GCM.
int ccrypto_seal(const unsigned char *key, const unsigned char *nonce, const unsigned char *label, size_t label_length,
                 const unsigned char *clear, size_t length, unsigned char *sealed, unsigned char *tag) {
    if (label_length > INT_MAX || length > INT_MAX) return 0;
    EVP_CIPHER_CTX *context = crypto.EVP_CIPHER_CTX_new();
    if (context == NULL) return 0;
    int written = 0;
    int is_done = crypto.EVP_EncryptInit_ex(context, crypto.EVP_aes_256_gcm(), NULL, key, nonce) == 1 &&
                  crypto.EVP_EncryptUpdate(context, NULL, &written, label, (int)label_length) == 1 &&
                  crypto.EVP_EncryptUpdate(context, sealed, &written, clear, (int)length) == 1 && (size_t)written == length &&
                  crypto.EVP_EncryptFinal_ex(context, tag, &written) == 1 && written == 0 &&
                  crypto.EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_GET_TAG, CCRYPTO_TAG_LENGTH, tag) == 1;
    crypto.EVP_CIPHER_CTX_free(context);
    return is_done;
}

int ccrypto_open(const unsigned char *key, const unsigned char *nonce, const unsigned char *label, size_t label_length,
                 const unsigned char *sealed, size_t length, const unsigned char *tag, unsigned char *clear) {
    if (label_length > INT_MAX || length > INT_MAX) return 0;
    EVP_CIPHER_CTX *context = crypto.EVP_CIPHER_CTX_new();
    if (context == NULL) return 0;
    int written = 0;
    // The library only reads the tag.
    int is_done = crypto.EVP_DecryptInit_ex(context, crypto.EVP_aes_256_gcm(), NULL, key, nonce) == 1 &&
                  crypto.EVP_DecryptUpdate(context, NULL, &written, label, (int)label_length) == 1 &&
                  crypto.EVP_DecryptUpdate(context, clear, &written, sealed, (int)length) == 1 && (size_t)written == length &&
                  crypto.EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_SET_TAG, CCRYPTO_TAG_LENGTH, (void *)tag) == 1 &&
                  crypto.EVP_DecryptFinal_ex(context, clear + length, &written) == 1 && written == 0;
    crypto.EVP_CIPHER_CTX_free(context);
    return is_done;
}

int ccrypto_sha256(const unsigned char *bytes, size_t length, unsigned char *digest) {
    unsigned int written = 0;
    return crypto.EVP_Digest(bytes, length, digest, &written, crypto.sha256, NULL) == 1 &&
           written == CCRYPTO_DIGEST_LENGTH;
}

int ccrypto_hmac_sha256(const unsigned char *key, size_t key_length, const unsigned char *bytes, size_t length,
                        unsigned char *code) {
    unsigned int written = 0;
    if (key_length > INT_MAX) return 0;
    return crypto.HMAC(crypto.sha256, key, (int)key_length, bytes, length, code, &written) != NULL &&
           written == CCRYPTO_DIGEST_LENGTH;
}

int ccrypto_are_equal(const unsigned char *one, const unsigned char *other, size_t length) {
    return crypto.CRYPTO_memcmp(one, other, length) == 0;
}

static enum ccrypto_key_kind kind_of(EVP_PKEY *key, int *bits) {
    char group[32];
    size_t length = 0;
    *bits = crypto.EVP_PKEY_get_bits(key);
    switch (crypto.EVP_PKEY_get_base_id(key)) {
    case EVP_PKEY_RSA: return CCRYPTO_KEY_RSA;
    case EVP_PKEY_ED25519: return CCRYPTO_KEY_ED25519;
    case EVP_PKEY_EC:
        if (crypto.EVP_PKEY_get_group_name(key, group, sizeof group, &length) != 1) return CCRYPTO_KEY_OTHER;
        return strcmp(group, "prime256v1") == 0 ? CCRYPTO_KEY_P256 : CCRYPTO_KEY_OTHER;
    default: return CCRYPTO_KEY_OTHER;
    }
}

void *ccrypto_read_public_key(const unsigned char *der, size_t length, enum ccrypto_key_kind *kind, int *bits) {
    if (length > LONG_MAX) return NULL;
    const unsigned char *end = der;
    EVP_PKEY *key = crypto.d2i_PUBKEY(NULL, &end, (long)length);
    if (key == NULL) return NULL;
    if (end != der + length) {
        crypto.EVP_PKEY_free(key);
        return NULL;
    }
    *kind = kind_of(key, bits);
    return key;
}

void ccrypto_free_public_key(void *key) { crypto.EVP_PKEY_free(key); }

int ccrypto_verify(void *key, int uses_sha256, const unsigned char *signature, size_t signature_length,
                   const unsigned char *bytes, size_t length) {
    EVP_MD_CTX *context = crypto.EVP_MD_CTX_new();
    if (context == NULL) return 0;
    int is_done =
        crypto.EVP_DigestVerifyInit(context, NULL, uses_sha256 ? crypto.sha256 : NULL, NULL, key) == 1 &&
        crypto.EVP_DigestVerify(context, signature, signature_length, bytes, length) == 1;
    crypto.EVP_MD_CTX_free(context);
    return is_done;
}

int ccrypto_count_certificates(const unsigned char *pem, size_t length) {
    BIO *file = length > INT_MAX ? NULL : crypto.BIO_new_mem_buf(pem, (int)length);
    if (file == NULL) return 0;
    int count = 0;
    X509 *certificate;
    crypto.ERR_clear_error();
    while ((certificate = crypto.PEM_read_bio_X509(file, NULL, NULL, "")) != NULL) {
        crypto.X509_free(certificate);
        count++;
    }
    // Behind the last one, it looks for the start of another.
    int is_whole = ERR_GET_REASON(crypto.ERR_peek_last_error()) == PEM_R_NO_START_LINE;
    crypto.ERR_clear_error();
    crypto.BIO_free(file);
    return is_whole ? count : 0;
}

int ccrypto_key_fits(const unsigned char *certificate, size_t certificate_length, const unsigned char *key,
                     size_t key_length, const char *password) {
    if (certificate_length > INT_MAX || key_length > INT_MAX) return 0;
    BIO *certificate_file = crypto.BIO_new_mem_buf(certificate, (int)certificate_length);
    BIO *key_file = crypto.BIO_new_mem_buf(key, (int)key_length);
    X509 *owner = NULL;
    EVP_PKEY *secret = NULL;
    if (certificate_file != NULL) owner = crypto.PEM_read_bio_X509(certificate_file, NULL, NULL, "");
    if (key_file != NULL) secret = crypto.PEM_read_bio_PrivateKey(key_file, NULL, NULL, (void *)password);
    int fits = owner != NULL && secret != NULL && crypto.X509_check_private_key(owner, secret) == 1;
    crypto.EVP_PKEY_free(secret);
    crypto.X509_free(owner);
    crypto.BIO_free(key_file);
    crypto.BIO_free(certificate_file);
    crypto.ERR_clear_error();
    return fits;
}
