/* The threads of one repetition: made, pinned, given memory, started together for each call of the
 * kernel, checked and ended. With KERNEL_PROCESSES each but the first is a process; one that dies
 * takes this one with it, in the same way, so that the repetition is told as it ended. */
#ifndef COLLECT_GANG_H
#define COLLECT_GANG_H

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "collect/measure.h"
#include "collect/memory.h"

enum { LAPS_MAX = 4, REPORTS_MAX = 8, MARKS_MAX = 4096 };

struct gang;

/* One thread of a repetition. */
struct member {
    struct kernel_job job;
    struct gang *gang;
    pthread_t thread;
    pid_t process;        /* with KERNEL_PROCESSES, in the leader */
    struct memory memory; /* nothing is mapped where that of the leader is shared */
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

/* What the members of a gang see of it and of each other; in memory that processes share, too. */
struct meeting {
    pthread_barrier_t barrier;
    enum phase { PHASE_RUN, PHASE_CHECK, PHASE_END } phase; /* what is next behind the barrier */
    uint64_t iterations;
    struct member members[];
};

/* How far all threads were at one moment, seen by the first of them. */
struct mark {
    uint64_t interval; /* the number of whole intervals since the start of run */
    uint64_t ns;       /* since the start of run */
    uint64_t bytes;
};

/* The threads of a repetition, started together for each call of run. */
struct gang {
    const struct measure_request *request;
    struct meeting *meeting; /* owned, mapped */
    size_t meeting_bytes;
    struct member *members; /* [n], of the meeting */
    unsigned n;
    bool has_processes; /* in place of threads, but for the first */
    struct sigaction child_before; /* of SIGCHLD */
    cpu_set_t cpus; /* this process may use */
    struct mark *marks; /* [n_marks], at most MARKS_MAX, owned; of the last call */
    size_t n_marks;
    uint64_t mark_interval_ns;
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
