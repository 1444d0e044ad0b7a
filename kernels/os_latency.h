/* The operations of the kernel os_latency, of which a share is done at a time. */
#ifndef KERNELS_OS_LATENCY_H
#define KERNELS_OS_LATENCY_H

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/types.h>

#include "kernels/kernel.h"

enum { OS_PAGES = 256 }; /* of a share of page_fault: 1 MiB, where pages have 4 KiB */

/* In job->state. */
struct os_latency {
    uint64_t done;    /* operations whose result was right */
    uint64_t counted; /* page faults or context switches that the system has counted */
    int fd;           /* file to map, to read or to write, or event to poll; -1: none */
    unsigned char *pages; /* [OS_PAGES] to touch; MAP_FAILED: none */
    size_t page_bytes;
    unsigned short order[OS_PAGES]; /* in which they are touched */
    size_t map_bytes; /* of file_map; writes_tenth: see touch_setting */
    bool writes_tenth;
    struct sigaction old_action; /* of SIGUSR1, where has_action */
    bool has_action;
    /* The other side of a context switch: it reads a byte, and writes one back. */
    int to[2], from[2]; /* pipes; -1: none */
    pid_t partner;      /* 0: none */
    pthread_t thread;
    bool has_thread;
    cpu_set_t old_cpus; /* where is_pinned */
    bool is_pinned;
};

/* Does a share of the operations of the test, counts in state->done; kernel_reason unless OK. */
typedef enum kernel_outcome os_share(struct kernel_job *job, struct os_latency *state);

/* os_process.c: threads, processes, and switches between them. */
enum { SWITCHES = 64, THREADS = 16, PROCESSES = 4 }; /* of a share */
os_share os_switch_share, os_thread_share, os_process_share;
enum kernel_outcome os_switch_begin(struct kernel_job *job, struct os_latency *state);
void os_switch_end(struct os_latency *state);

#endif
