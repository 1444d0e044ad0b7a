/* The kinds of cores of one machine: fast and frugal ones do not compare, and each kind has a clock,
 * caches and a number of threads of its own. */
#ifndef COLLECT_FINGERPRINT_KINDS_H
#define COLLECT_FINGERPRINT_KINDS_H

#include "collect/fingerprint/probe.h"

enum { KINDS_MAX = 8, KINDS_NONE = 255 };

struct kind {
    char key[96];  /* what CPUs of one kind agree in */
    char name[64]; /* for people, "Cortex-X4", "cpu_core"; "" when nothing names it */
    size_t n;      /* CPUs */
    uint64_t capacity; /* of 1024, as the scheduler sees it; 0: not said */
};

/* Large: for the heap. */
struct kinds {
    struct kind kind[KINDS_MAX]; /* [n] in the order of their first CPUs */
    size_t n;
    unsigned char of[PROBE_CPUS_MAX]; /* kind of a CPU, KINDS_NONE of those that were not asked */
    const char *source;               /* what told the kinds apart */
};

/* Sorts the CPUs by what tells kinds apart: the lists of Intel's hybrid processors, the main ID
 * register of ARM, the scheduler's capacity and, where nothing else speaks, the highest clock. */
void kinds_read(const struct probe_root *root, const char *cpuinfo, const unsigned *cpus, size_t n,
                struct kinds *kinds);

/* The CPUs of one kind among cpus[n]; how many. */
size_t kinds_cpus(const struct kinds *kinds, size_t kind, const unsigned *cpus, size_t n,
                  unsigned out[static PROBE_CPUS_MAX]);

#endif
