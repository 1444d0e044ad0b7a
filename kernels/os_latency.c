/* What the operating system takes for what programs ask of it. An iteration is a share of some tens
 * of operations, so that looking at the clock costs little of it. */
#include "kernels/os_latency.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { SYSCALL, PAGE_FAULT, FILE_MAP, CONTEXT_SWITCH, THREAD, PROCESS, POLL, SIGNAL, CLOCK };

/* Of a share. */
enum { CALLS = 256, MAPPINGS = 32, SIGNALS = 128, CLOCKS = 2048 };
enum { FILE_BYTE = 'f', WRITE_STEP = 16384 };

static bool is_set(const struct kernel_job *job, const char *key, const char *value)
{
    return strcmp(kernel_setting(job, key), value) == 0;
}

/* getppid: no C library remembers its result. */
static enum kernel_outcome syscall_share(struct kernel_job *job, struct os_latency *state)
{
    char byte = 1;
    if (is_set(job, "call", "read")) {
        for (int i = 0; i < CALLS; i++)
            state->done += read(state->fd, &byte, 1) == 1;
    } else if (is_set(job, "call", "write")) {
        for (int i = 0; i < CALLS; i++)
            state->done += write(state->fd, &byte, 1) == 1;
    } else {
        long parent = getppid();
        for (int i = 0; i < CALLS; i++)
            state->done += syscall(SYS_getppid) == parent;
    }
    return KERNEL_OK;
}

static enum kernel_outcome clock_share(struct kernel_job *job, struct os_latency *state)
{
    struct timespec before = {0}, now;
    for (int i = 0; i < CLOCKS; i++) {
        if (clock_gettime(CLOCK_MONOTONIC, &now) < 0)
            return kernel_reason(job, KERNEL_FAILED, "clock_gettime: %s", strerror(errno));
        state->done += now.tv_sec > before.tv_sec ||
                       (now.tv_sec == before.tv_sec && now.tv_nsec >= before.tv_nsec);
        before = now;
    }
    return KERNEL_OK;
}

static enum kernel_outcome pages_give_back(struct kernel_job *job, struct os_latency *state)
{
    if (madvise(state->pages, OS_PAGES * state->page_bytes, MADV_DONTNEED) < 0)
        return kernel_reason(job, KERNEL_FAILED, "madvise: %s", strerror(errno));
    return KERNEL_OK;
}

/* Anonymous pages that a share has touched are given back after it, when no time counts; those of a
 * file within it, as lat_pagefault of lmbench does. */
static enum kernel_outcome fault_share(struct kernel_job *job, struct os_latency *state)
{
    if (is_set(job, "page", "file")) {
        for (size_t i = 0; i < OS_PAGES; i++) {
            const volatile unsigned char *page =
                state->pages + state->order[i] * state->page_bytes;
            state->done += *page == FILE_BYTE;
        }
        return pages_give_back(job, state);
    }
    for (size_t i = 0; i < OS_PAGES; i++) {
        volatile unsigned char *page = state->pages + i * state->page_bytes;
        *page = 1;
        state->done++;
    }
    return KERNEL_OK;
}

static enum kernel_outcome map_share(struct kernel_job *job, struct os_latency *state)
{
    size_t size = state->map_bytes, end = state->writes_tenth ? size / 10 : 0;
    int access = state->writes_tenth ? PROT_READ | PROT_WRITE : PROT_READ;
    for (int i = 0; i < MAPPINGS; i++) {
        volatile unsigned char *map = mmap(NULL, size, access, MAP_SHARED, state->fd, 0);
        if (map == MAP_FAILED)
            return kernel_reason(job, KERNEL_FAILED, "mmap: %s", strerror(errno));
        for (size_t at = 0; at < end; at += WRITE_STEP)
            map[at] = FILE_BYTE;
        state->done += *map == FILE_BYTE;
        munmap((void *)(uintptr_t)map, size);
    }
    return KERNEL_OK;
}

static enum kernel_outcome poll_share(struct kernel_job *job, struct os_latency *state)
{
    (void)job;
    for (int i = 0; i < CALLS; i++) {
        struct pollfd one = {.fd = state->fd, .events = POLLIN};
        state->done += poll(&one, 1, 0) == 1 && one.revents == POLLIN;
    }
    return KERNEL_OK;
}

static volatile sig_atomic_t n_caught;

static void catch(int signal)
{
    (void)signal;
    n_caught = n_caught + 1;
}

/* Sent to the thread itself, a signal is delivered before the call returns. */
static enum kernel_outcome signal_share(struct kernel_job *job, struct os_latency *state)
{
    long process = getpid(), thread = syscall(SYS_gettid);
    n_caught = 0;
    for (int i = 0; i < SIGNALS; i++)
        if (syscall(SYS_tgkill, process, thread, SIGUSR1) < 0)
            return kernel_reason(job, KERNEL_FAILED, "tgkill: %s", strerror(errno));
    state->done += (uint64_t)n_caught;
    return KERNEL_OK;
}

static const struct {
    os_share *run;
    unsigned operations;
} shares[] = {[SYSCALL] = {syscall_share, CALLS},
              [PAGE_FAULT] = {fault_share, OS_PAGES},
              [FILE_MAP] = {map_share, MAPPINGS},
              [CONTEXT_SWITCH] = {os_switch_share, SWITCHES},
              [THREAD] = {os_thread_share, THREADS},
              [PROCESS] = {os_process_share, PROCESSES},
              [POLL] = {poll_share, CALLS},
              [SIGNAL] = {signal_share, SIGNALS},
              [CLOCK] = {clock_share, CLOCKS}};

/* Faults of this thread that waited for no device; or how often it left the processor, waiting or
 * because what it woke took its place. */
static uint64_t counter_read(int code)
{
    struct rusage usage;
    if (getrusage(RUSAGE_THREAD, &usage) < 0)
        return 0;
    return code == PAGE_FAULT       ? (uint64_t)usage.ru_minflt
           : code == CONTEXT_SWITCH ? (uint64_t)(usage.ru_nvcsw + usage.ru_nivcsw)
                                    : 0;
}

static enum kernel_outcome os_run(struct kernel_job *job, uint64_t iterations)
{
    struct os_latency *state = job->state;
    int code = job->test->code;
    uint64_t before = counter_read(code);
    kernel_lap(job, NULL);
    for (uint64_t i = 0; i < iterations; i++) {
        enum kernel_outcome outcome = shares[code].run(job, state);
        kernel_tick(job);
        if (outcome != KERNEL_OK)
            return outcome;
        if (code == PAGE_FAULT) {
            outcome = pages_give_back(job, state);
            if (outcome != KERNEL_OK)
                return outcome;
            kernel_lap(job, NULL);
        }
    }
    state->counted += counter_read(code) - before;
    return KERNEL_OK;
}

/* ---- what the shares need */

static enum kernel_outcome file_make(struct kernel_job *job, struct os_latency *state, size_t bytes)
{
    static const unsigned char first = FILE_BYTE;
    state->fd = memfd_create("os_latency", MFD_CLOEXEC);
    if (state->fd < 0)
        return kernel_reason(job, KERNEL_UNAVAILABLE, "memfd_create: %s", strerror(errno));
    bool is_made = ftruncate(state->fd, (off_t)bytes) == 0;
    for (size_t at = 0; at < bytes && is_made; at += state->page_bytes)
        is_made = pwrite(state->fd, &first, 1, (off_t)at) == 1;
    return is_made ? KERNEL_OK
                   : kernel_reason(job, KERNEL_FAILED, "file in memory: %s", strerror(errno));
}

/* Those of a file without an order that the system could foresee. */
static enum kernel_outcome pages_map(struct kernel_job *job, struct os_latency *state)
{
    size_t bytes = OS_PAGES * state->page_bytes;
    bool is_file = is_set(job, "page", "file");
    enum kernel_outcome outcome = is_file ? file_make(job, state, bytes) : KERNEL_OK;
    if (outcome != KERNEL_OK)
        return outcome;
    state->pages = mmap(NULL, bytes, is_file ? PROT_READ : PROT_READ | PROT_WRITE,
                        is_file ? MAP_SHARED : MAP_PRIVATE | MAP_ANONYMOUS, state->fd, 0);
    if (state->pages == MAP_FAILED)
        return kernel_reason(job, KERNEL_FAILED, "mmap: %s", strerror(errno));
    /* A huge page would be one fault; refused where there are none. */
    madvise(state->pages, bytes, MADV_NOHUGEPAGE);
    uint64_t random = job->seed;
    for (unsigned short i = 0; i < OS_PAGES; i++) { /* Knuth, TAOCP 2, 3.4.2, algorithm P */
        size_t other = (size_t)(kernel_random(&random) % (i + 1u));
        state->order[i] = state->order[other];
        state->order[other] = i;
    }
    return KERNEL_OK;
}

static enum kernel_outcome map_make(struct kernel_job *job, struct os_latency *state)
{
    uint64_t bytes = kernel_setting_number(job, "bytes"), room = job->host->available_bytes / 2;
    if (bytes < state->page_bytes || bytes > SIZE_MAX / 2 || (room > 0 && bytes > room))
        return kernel_reason(job, KERNEL_UNAVAILABLE,
                             "a file in memory of %" PRIu64 " B has no whole page, or no room", bytes);
    state->map_bytes = (size_t)bytes;
    state->writes_tenth = is_set(job, "touch", "tenth");
    return file_make(job, state, state->map_bytes);
}

static enum kernel_outcome device_open(struct kernel_job *job, struct os_latency *state)
{
    if (is_set(job, "call", "getppid"))
        return KERNEL_OK;
    bool is_read = is_set(job, "call", "read");
    const char *path = is_read ? "/dev/zero" : "/dev/null";
    state->fd = open(path, (is_read ? O_RDONLY : O_WRONLY) | O_CLOEXEC);
    return state->fd >= 0 ? KERNEL_OK
                          : kernel_reason(job, KERNEL_UNAVAILABLE, "%s: %s", path, strerror(errno));
}

static enum kernel_outcome event_make(struct kernel_job *job, struct os_latency *state)
{
    state->fd = eventfd(1, EFD_CLOEXEC);
    return state->fd >= 0 ? KERNEL_OK
                          : kernel_reason(job, KERNEL_FAILED, "eventfd: %s", strerror(errno));
}

static enum kernel_outcome handler_set(struct kernel_job *job, struct os_latency *state)
{
    struct sigaction action = {.sa_handler = catch};
    state->has_action = sigaction(SIGUSR1, &action, &state->old_action) == 0;
    return state->has_action
               ? KERNEL_OK
               : kernel_reason(job, KERNEL_FAILED, "sigaction: %s", strerror(errno));
}

static enum kernel_outcome os_setup(struct kernel_job *job)
{
    struct os_latency *state = calloc(1, sizeof *state);
    if (!state)
        return kernel_reason(job, KERNEL_FAILED, "out of memory");
    job->state = state;
    state->fd = state->to[0] = state->to[1] = state->from[0] = state->from[1] = -1;
    state->pages = MAP_FAILED;
    state->page_bytes = (size_t)sysconf(_SC_PAGESIZE);
    switch (job->test->code) {
    case SYSCALL:
        return device_open(job, state);
    case PAGE_FAULT:
        return pages_map(job, state);
    case FILE_MAP:
        return map_make(job, state);
    case CONTEXT_SWITCH:
        return os_switch_begin(job, state);
    case POLL:
        return event_make(job, state);
    case SIGNAL:
        return handler_set(job, state);
    default:
        return KERNEL_OK;
    }
}

static void os_teardown(struct kernel_job *job)
{
    struct os_latency *state = job->state;
    if (!state)
        return;
    os_switch_end(state);
    if (state->pages != MAP_FAILED)
        munmap(state->pages, OS_PAGES * state->page_bytes);
    if (state->fd >= 0)
        close(state->fd);
    if (state->has_action)
        sigaction(SIGUSR1, &state->old_action, NULL);
    free(state);
    job->state = NULL;
}

static enum kernel_outcome os_needs(struct kernel_job *job)
{
    if (job->test->code == PAGE_FAULT && counter_read(PAGE_FAULT) == 0)
        return kernel_reason(job, KERNEL_UNAVAILABLE, "the system does not count page faults");
    return KERNEL_OK;
}

/* Where the system counts what is measured, it must have been so often; the harness and, under
 * pressure, the system itself cause some more. Of a file it may map several pages at one fault, but
 * no more at once than a table of pages holds. */
static enum kernel_outcome counted_check(struct kernel_job *job, const char *what)
{
    const struct os_latency *state = job->state;
    uint64_t wanted = job->test->code == CONTEXT_SWITCH ? state->done / 2 : state->done;
    bool is_file = job->test->code == PAGE_FAULT && is_set(job, "page", "file");
    uint64_t least = is_file ? wanted / OS_PAGES : wanted - wanted / 50;
    if (state->counted < least || state->counted > wanted + wanted / 20 + 100)
        return kernel_reason(job, KERNEL_WRONG,
                             "the system counts %" PRIu64 " %s, %" PRIu64 " were caused",
                             state->counted, what, wanted);
    return KERNEL_OK;
}

static enum kernel_outcome os_check(struct kernel_job *job)
{
    const struct os_latency *state = job->state;
    int code = job->test->code;
    uint64_t wanted = job->n_iterations * shares[code].operations;
    if (state->done != wanted || wanted == 0)
        return kernel_reason(job, KERNEL_WRONG,
                             "%" PRIu64 " operations of %" PRIu64 " did what they should",
                             state->done, wanted);
    if (code == PAGE_FAULT)
        return counted_check(job, "page faults");
    if (code == CONTEXT_SWITCH)
        return counted_check(job, "switches of this side");
    return KERNEL_OK;
}

static void os_work(const struct kernel_job *job, struct kernel_work *work)
{
    work->steps = shares[job->test->code].operations;
}

static const struct kernel_metric metrics[] = {
    {"time", QUANTITY_SHARE_TIME}, {"cycles", QUANTITY_CYCLES}, {"clock", QUANTITY_CLOCK}, {0}};

static const struct kernel_setting mhz_setting = {
    .key = "mhz",
    .help = "clock of the processor in MHz; auto: measured before and after each sample",
    .type = SETTING_COUNT,
    .values = {"auto", "auto", "auto"},
    .allowed = "auto"};
static const struct kernel_setting mode_setting = {
    .key = "mode",
    .help = "what is switched between",
    .type = SETTING_WORD,
    .values = {"process", "process,thread", "process,thread"},
    .allowed = "process,thread"};
static const struct kernel_setting call_setting = {
    .key = "call",
    .help = "getppid, read of a byte of /dev/zero, or write of one to /dev/null",
    .type = SETTING_WORD,
    .values = {"getppid", "getppid,read,write", "getppid,read,write"},
    .allowed = "getppid,read,write"};
static const struct kernel_setting page_setting = {
    .key = "page",
    .help = "anonymous: written, a fault for each; file: pages of a mapped file that is in memory, "
            "read without order and unmapped, of which the system may map several at a fault",
    .type = SETTING_WORD,
    .values = {"anonymous", "anonymous,file", "anonymous,file"},
    .allowed = "anonymous,file"};
static const struct kernel_setting bytes_setting = {
    .key = "bytes",
    .help = "how much of the file is mapped",
    .type = SETTING_BYTES,
    .values = {"64K", "64K", "64K,512K"},
    .allowed = NULL};
static const struct kernel_setting touch_setting = {
    .key = "touch",
    .help = "first: a byte of the first page is read; tenth: a byte in each 16 KiB of the first "
            "tenth is written, as lat_mmap of lmbench does",
    .type = SETTING_WORD,
    .values = {"first", "first", "first,tenth"},
    .allowed = "first,tenth"};
static const struct kernel_setting *const settings[] = {&mhz_setting, NULL};
static const struct kernel_setting *const call_settings[] = {&mhz_setting, &call_setting, NULL};
static const struct kernel_setting *const page_settings[] = {&mhz_setting, &page_setting, NULL};
static const struct kernel_setting *const map_settings[] = {&mhz_setting, &bytes_setting,
                                                            &touch_setting, NULL};
static const struct kernel_setting *const switch_settings[] = {&mhz_setting, &mode_setting, NULL};

#define OS_TEST(label, suite, which, list, text)                                                   \
    {.name = label,                                                                                \
     .summary = text,                                                                              \
     .from = suite,                                                                                \
     .metrics = metrics,                                                                           \
     .settings = list,                                                                             \
     .code = which,                                                                                \
     .run = os_run}

static const struct kernel_test tests[] = {
    OS_TEST("syscall", SUITE_QUICK, SYSCALL, call_settings,
            "a system call that does nothing, or moves one byte"),
    OS_TEST("page_fault", SUITE_QUICK, PAGE_FAULT, page_settings,
            "first touch of a page; the system must count the faults"),
    OS_TEST("file_map", SUITE_STANDARD, FILE_MAP, map_settings,
            "mmap of a file in memory, a touch of it, munmap"),
    OS_TEST("context_switch", SUITE_QUICK, CONTEXT_SWITCH, switch_settings,
            "half of a byte's way through two pipes, there and back, on one processor"),
    OS_TEST("thread", SUITE_STANDARD, THREAD, settings, "pthread_create and pthread_join"),
    OS_TEST("process", SUITE_STANDARD, PROCESS, settings, "fork, _exit and waitpid"),
    OS_TEST("poll", SUITE_STANDARD, POLL, settings, "poll of one descriptor that is ready"),
    OS_TEST("signal", SUITE_STANDARD, SIGNAL, settings, "a signal sent to itself and caught"),
    OS_TEST("clock", SUITE_QUICK, CLOCK, settings, "clock_gettime(CLOCK_MONOTONIC)"),
    {0}};

const struct kernel kernel_os_latency = {
    .name = "os_latency",
    .summary = "What the operating system takes for common requests, in time and in cycles of the "
               "measured clock; by the median of shares of 4 to 2048 operations",
    .source = "Mihocka, Summer of 2008 (page faults, file mappings and system calls under "
              "hypervisors); as McVoy and Staelin, lmbench, USENIX 1996",
    .revision = 1,
    .flags = KERNEL_ONE_THREAD,
    .tests = tests,
    .work = os_work,
    .needs = os_needs,
    .setup = os_setup,
    .check = os_check,
    .teardown = os_teardown,
};
