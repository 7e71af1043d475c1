#include "CHiredis.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stddef.h>

#define FUNCTIONS(each)                                                                                                \
    each(redisReaderCreate) each(redisReaderFree) each(redisReaderFeed) each(redisReaderGetReply) each(freeReplyObject)

// Pointers to the functions, with the types of the header.
struct functions {
#define MEMBER(name) __typeof__(&name) name;
    FUNCTIONS(MEMBER)
};

// Written once, under the lock. A thread that has held the lock since then may read it without.
static struct functions hiredis;
static int is_ready;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static const char *bind_to(void *library) {
    struct functions found;
#define FIND(name)                                                                                                     \
    found.name = (__typeof__(found.name))dlsym(library, #name);                                                        \
    if (found.name == NULL) return dlerror();
    FUNCTIONS(FIND)
    hiredis = found;
    is_ready = 1;
    return NULL;
}

const char *chiredis_load(const char *name) {
    const char *problem = NULL;
    pthread_mutex_lock(&lock);
    if (!is_ready) {
        void *library = dlopen(name, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
        problem = library == NULL ? dlerror() : bind_to(library);
    }
    pthread_mutex_unlock(&lock);
    return problem;
}

redisReader *chiredis_reader(void) { return hiredis.redisReaderCreate(); }

void chiredis_free_reader(redisReader *reader) { hiredis.redisReaderFree(reader); }

int chiredis_feed(redisReader *reader, const void *bytes, size_t count) {
    return hiredis.redisReaderFeed(reader, bytes, count) == REDIS_OK;
}

redisReply *chiredis_next(redisReader *reader, int *failed) {
    void *reply = NULL;
    *failed = hiredis.redisReaderGetReply(reader, &reply) != REDIS_OK;
    return reply;
}

void chiredis_free_reply(redisReply *reply) { hiredis.freeReplyObject(reply); }
