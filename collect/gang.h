/* The threads of one repetition: made, pinned, given memory, started together for each call of the
 * kernel, checked and ended. */
#ifndef COLLECT_GANG_H
#define COLLECT_GANG_H

#include <pthread.h>
#include <sched.h>
#include <stdbool.h>
#include <stdint.h>

#include "collect/measure.h"

enum { LAPS_MAX = 4, REPORTS_MAX = 8, MARKS_MAX = 4096 };

struct gang;

/* One thread of a repetition. */
struct member {
    struct kernel_job job;
    struct gang *gang;
    pthread_t thread;
    void *map; /* owned, when the memory is this thread's own */
    size_t map_bytes;
    uint64_t start_ns, end_ns;
    uint64_t lap_ns; /* when the current lap began */
    struct lap {
        const char *metric;
        uint64_t ns;
    } laps[LAPS_MAX];
    size_t n_laps;
    struct report {
        const char *metric;
        double value;
    } reports[REPORTS_MAX];
    size_t n_reports;
    _Atomic uint64_t progress_bytes;
    uint64_t tick_ns; /* when the current operation began */
    uint64_t *ticks;  /* [n_ticks] ns, owned */
    size_t n_ticks, ticks_capacity;
    enum kernel_outcome outcome;
};

/* How far all threads were at one moment, seen by the first of them. */
struct mark {
    uint64_t ns; /* since the start of run */
    uint64_t bytes;
};

/* The threads of a repetition, started together for each call of run. */
struct gang {
    const struct measure_request *request;
    struct member *members; /* [n] */
    unsigned n;
    pthread_barrier_t barrier;
    cpu_set_t cpus; /* this process may use */
    uint64_t iterations;
    struct mark *marks; /* [n_marks], at most MARKS_MAX, owned; of the last call */
    size_t n_marks;
    uint64_t mark_interval_ns;
    bool is_over;
    unsigned n_started;  /* threads that wait at the barrier, the leader included */
    bool is_set_up;
};

/* Asks the kernel what it needs, and gets the memory. gang_close ends it, whatever came out. */
enum kernel_outcome gang_open(struct gang *gang, const struct measure_request *request);
/* Starts the threads and sets the kernel up in each. False: see gang_trouble. */
bool gang_start(struct gang *gang);
/* One call of run in every thread; the time from the common start to the last end, ns. */
uint64_t gang_call(struct gang *gang, uint64_t iterations);
/* Lets every thread's result be checked; false: see gang_trouble. */
bool gang_check(struct gang *gang);
/* The first thread that is not well, or NULL. */
const struct member *gang_trouble(const struct gang *gang);
/* Ends the threads; then teardown and the memory. */
void gang_close(struct gang *gang);

#endif
