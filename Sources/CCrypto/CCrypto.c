#include "CCrypto.h"

#include <dlfcn.h>
#include <limits.h>
#include <openssl/evp.h>
#include <pthread.h>

#define FUNCTIONS(each)                                                                                                \
    each(CIPHER_CTX_new) each(CIPHER_CTX_free) each(CIPHER_CTX_ctrl) each(aes_256_gcm)                                 \
    each(EncryptInit_ex) each(EncryptUpdate) each(EncryptFinal_ex)                                                     \
    each(DecryptInit_ex) each(DecryptUpdate) each(DecryptFinal_ex)

// Pointers to the functions, with the types of OpenSSL's header.
struct functions {
#define MEMBER(name) __typeof__(&EVP_##name) name;
    FUNCTIONS(MEMBER)
};

// Written once, under the lock. A thread that has held the lock since then may read it without.
static struct functions evp;
static int is_ready;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static const char *bind_to(void *library) {
    struct functions found;
#define FIND(name)                                                                                                     \
    found.name = (__typeof__(found.name))dlsym(library, "EVP_" #name);                                                 \
    if (found.name == NULL) return dlerror();
    FUNCTIONS(FIND)
    evp = found;
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
    EVP_CIPHER_CTX *context = evp.CIPHER_CTX_new();
    if (context == NULL) return 0;
    int written = 0;
    int is_done = evp.EncryptInit_ex(context, evp.aes_256_gcm(), NULL, key, nonce) == 1 &&
                  evp.EncryptUpdate(context, NULL, &written, label, (int)label_length) == 1 &&
                  evp.EncryptUpdate(context, sealed, &written, clear, (int)length) == 1 && (size_t)written == length &&
                  evp.EncryptFinal_ex(context, tag, &written) == 1 && written == 0 &&
                  evp.CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_GET_TAG, CCRYPTO_TAG_LENGTH, tag) == 1;
    evp.CIPHER_CTX_free(context);
    return is_done;
}

int ccrypto_open(const unsigned char *key, const unsigned char *nonce, const unsigned char *label, size_t label_length,
                 const unsigned char *sealed, size_t length, const unsigned char *tag, unsigned char *clear) {
    if (label_length > INT_MAX || length > INT_MAX) return 0;
    EVP_CIPHER_CTX *context = evp.CIPHER_CTX_new();
    if (context == NULL) return 0;
    int written = 0;
    // The library only reads the tag.
    int is_done = evp.DecryptInit_ex(context, evp.aes_256_gcm(), NULL, key, nonce) == 1 &&
                  evp.DecryptUpdate(context, NULL, &written, label, (int)label_length) == 1 &&
                  evp.DecryptUpdate(context, clear, &written, sealed, (int)length) == 1 && (size_t)written == length &&
                  evp.CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_SET_TAG, CCRYPTO_TAG_LENGTH, (void *)tag) == 1 &&
                  evp.DecryptFinal_ex(context, clear + length, &written) == 1 && written == 0;
    evp.CIPHER_CTX_free(context);
    return is_done;
}
