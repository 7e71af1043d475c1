#include "ThreadNumber.h"

#include <stdatomic.h>

static _Thread_local unsigned number_of_thread; // 0 before the first call, then the number plus one
static atomic_uint count;

unsigned thread_number(void) {
    if (number_of_thread == 0) number_of_thread = atomic_fetch_add_explicit(&count, 1, memory_order_relaxed) + 1;
    return number_of_thread - 1;
}
