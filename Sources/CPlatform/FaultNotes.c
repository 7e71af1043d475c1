#include "CivilDate.h"
#include "FaultNotes.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static _Thread_local fault_note note;
static _Thread_local bool has_stack;

static const int signals[] = {SIGILL, SIGTRAP, SIGSEGV, SIGBUS, SIGFPE, SIGABRT};
static const char *const names[] = {"SIGILL", "SIGTRAP", "SIGSEGV", "SIGBUS", "SIGFPE", "SIGABRT"};
enum { signal_count = 6, stack_size = 65536 };

static struct sigaction previous[signal_count];
static int output = STDERR_FILENO;
static bool is_json;
static atomic_bool is_installed;
static atomic_flag has_written = ATOMIC_FLAG_INIT;

// MARK: The stack of the handlers

static pthread_key_t stack_key;
static pthread_once_t stack_once = PTHREAD_ONCE_INIT;

static void remove_stack(void *memory) {
    stack_t none = {.ss_flags = SS_DISABLE};
    sigaltstack(&none, NULL);
    free(memory);
}

static void make_stack_key(void) { pthread_key_create(&stack_key, remove_stack); }

static void add_stack(void) {
    has_stack = true;
    stack_t known;
    // A sanitizer may have set one.
    if (sigaltstack(NULL, &known) != 0 || !(known.ss_flags & SS_DISABLE)) return;
    pthread_once(&stack_once, make_stack_key);
    stack_t stack = {.ss_sp = malloc(stack_size), .ss_size = stack_size};
    if (stack.ss_sp == NULL) return;
    if (sigaltstack(&stack, NULL) != 0 || pthread_setspecific(stack_key, stack.ss_sp) != 0) remove_stack(stack.ss_sp);
}

// MARK: The notes of all threads

typedef struct watched {
    uint64_t thread;
    // Not in the note itself: other threads read it while a thread ends.
    uint64_t count;
    const fault_note *note;
    struct watched *next;
    struct watched **link;
} watched;

static pthread_mutex_t watched_lock = PTHREAD_MUTEX_INITIALIZER;
static watched *first_watched;
static uint64_t last_thread;
static pthread_key_t watched_key;
static pthread_once_t watched_once = PTHREAD_ONCE_INIT;
// Of a thread that nobody watches.
static _Thread_local uint64_t own_count;

static void unwatch(void *memory) {
    watched *entry = memory;
    note.count = &own_count;
    pthread_mutex_lock(&watched_lock);
    *entry->link = entry->next;
    if (entry->next != NULL) entry->next->link = entry->link;
    pthread_mutex_unlock(&watched_lock);
    free(entry);
}

static void make_watched_key(void) { pthread_key_create(&watched_key, unwatch); }

static void watch(void) {
    note.count = &own_count;
    pthread_once(&watched_once, make_watched_key);
    watched *entry = calloc(1, sizeof *entry);
    if (entry == NULL) return;
    if (pthread_setspecific(watched_key, entry) != 0) {
        free(entry);
        return;
    }
    entry->note = &note;
    note.count = &entry->count;
    pthread_mutex_lock(&watched_lock);
    entry->thread = ++last_thread;
    entry->next = first_watched;
    entry->link = &first_watched;
    if (entry->next != NULL) entry->next->link = &entry->next;
    first_watched = entry;
    pthread_mutex_unlock(&watched_lock);
}

size_t fault_note_runs(fault_note_run *found, size_t limit) {
    size_t number = 0;
    pthread_mutex_lock(&watched_lock);
    for (watched *entry = first_watched; entry != NULL && number < limit; entry = entry->next) {
        uint64_t count = __atomic_load_n(&entry->count, __ATOMIC_ACQUIRE);
        if (count & 1) found[number++] = (fault_note_run){.thread = entry->thread, .count = count};
    }
    pthread_mutex_unlock(&watched_lock);
    return number;
}

bool fault_note_of_run(fault_note_run run, fault_note *copy) {
    bool is_found = false;
    pthread_mutex_lock(&watched_lock);
    for (watched *entry = first_watched; entry != NULL && !is_found; entry = entry->next) {
        if (entry->thread != run.thread) continue;
        if (__atomic_load_n(&entry->count, __ATOMIC_ACQUIRE) != run.count) break;
        *copy = *entry->note;
        is_found = __atomic_load_n(&entry->count, __ATOMIC_ACQUIRE) == run.count;
        break;
    }
    pthread_mutex_unlock(&watched_lock);
    return is_found;
}

static fault_note *note_of_thread(void) {
    if (note.count == NULL) watch();
    if (!has_stack && atomic_load_explicit(&is_installed, memory_order_relaxed)) add_stack();
    return &note;
}

void fault_notes_keep(void) { atomic_store_explicit(&fault_notes, note_of_thread, memory_order_relaxed); }

// MARK: The line

typedef struct {
    char text[1024];
    size_t count;
} line;

static void add(line *line, const char *text, size_t limit) {
    for (size_t index = 0; index < limit && text[index] != 0 && line->count < sizeof line->text - 2; index++) {
        unsigned char byte = (unsigned char)text[index];
        bool is_plain = byte >= 0x20 && byte != '"' && byte != '\\' && byte != 0x7f;
        line->text[line->count++] = is_plain ? (char)byte : '?';
    }
}

static void add_raw(line *line, const char *text) {
    while (*text != 0 && line->count < sizeof line->text - 2) line->text[line->count++] = *text++;
}

static void add_number(line *line, int64_t number, int width) {
    for (int place = width - 1; place >= 0; place--) {
        line->text[line->count + (size_t)place] = (char)('0' + number % 10);
        number /= 10;
    }
    line->count += (size_t)width;
}

// The moment in UTC (RFC 3339).
static void add_time(line *line) {
    struct timespec now = {0};
    clock_gettime(CLOCK_REALTIME, &now);
    int64_t seconds = now.tv_sec % 86400;
    civil_date date = civil_date_of_day(now.tv_sec / 86400);
    add_number(line, date.year, 4);
    add_raw(line, "-");
    add_number(line, date.month, 2);
    add_raw(line, "-");
    add_number(line, date.day, 2);
    add_raw(line, "T");
    add_number(line, seconds / 3600, 2);
    add_raw(line, ":");
    add_number(line, seconds / 60 % 60, 2);
    add_raw(line, ":");
    add_number(line, seconds % 60, 2);
    add_raw(line, ".");
    add_number(line, now.tv_nsec / 1000000, 3);
    add_raw(line, "Z");
}

static void add_field(line *line, const char *name, const char *value, size_t limit) {
    if (value == NULL || value[0] == 0) return;
    add_raw(line, is_json ? ",\"" : " ");
    add_raw(line, name);
    add_raw(line, is_json ? "\":\"" : "=");
    add(line, value, limit);
    if (is_json) add_raw(line, "\"");
}

static void write_line(const char *signal) {
    line line = {.count = 0};
    if (is_json) add_raw(&line, "{\"time\":\"");
    add_time(&line);
    add_raw(&line, is_json ? "\",\"level\":\"error\",\"message\":\"" : " error ");
    add_raw(&line, "the code of a store has ended the process");
    if (is_json) add_raw(&line, "\"");
    add_field(&line, "store", note.store, SIZE_MAX);
    add_field(&line, "type", note.type, SIZE_MAX);
    add_field(&line, "session", note.session, sizeof note.session);
    add_field(&line, "signal", signal, SIZE_MAX);
    if (is_json) add_raw(&line, "}");
    line.text[line.count++] = '\n';
    size_t written = 0;
    while (written < line.count) {
        ssize_t count = write(output, line.text + written, line.count - written);
        if (count <= 0) return;
        written += (size_t)count;
    }
}

// MARK: The handlers

static void handle(int number, siginfo_t *info, void *context) {
    (void)context;
    int code = errno;
    int index = 0;
    while (index < signal_count - 1 && signals[index] != number) index++;
    // Of several threads that fault, the first one is named. A fault in this handler ends the process at once.
    if (note.store != NULL && !atomic_flag_test_and_set(&has_written)) write_line(names[index]);
    // The previous action takes the signal next: usually it ends the process.
    sigaction(number, &previous[index], NULL);
    errno = code;
    // The instruction that faulted is run again and faults again, so a debugger or a core file shows it. A signal that was
    // sent, or that comes after its instruction, would not come again.
    bool comes_again = info->si_code > 0 && number != SIGTRAP && number != SIGABRT;
    if (!comes_again) raise(number);
}

void fault_note_install(int descriptor, bool as_json) {
    output = descriptor;
    is_json = as_json;
    fault_notes_keep();
    if (atomic_exchange(&is_installed, true)) return;
    for (int index = 0; index < signal_count; index++) {
        struct sigaction action = {.sa_sigaction = handle, .sa_flags = SA_ONSTACK | SA_SIGINFO};
        sigemptyset(&action.sa_mask);
        sigaction(signals[index], &action, &previous[index]);
    }
}
