/* What a run will do, fixed before it starts: every kernel x test x size x setting x thread count
 * asked for, each as often as it is repeated, in an order shuffled by a seed. */
#ifndef COLLECT_PLAN_H
#define COLLECT_PLAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collect/variant.h"
#include "kernels/kernel.h"
#include "schema/arena.h"
#include "schema/err.h"

/* As the command line has it; texts NULL where the suite decides. Borrowed while the plan lives. */
struct plan_request {
    const char *const *names; /* [n_names] KERNEL or KERNEL.TEST; none: all of the suite */
    size_t n_names;
    enum kernel_suite suite;
    unsigned repeat; /* 0: as the suite has it */
    uint64_t seed;
    const char *threads;         /* "1,2,all" */
    const char *x;               /* "4K,1M" */
    const char *const *settings; /* [n_settings] "key=value,value" */
    size_t n_settings;
    const struct variant *variants; /* [n_variants] that run every job; none: this program alone */
    size_t n_variants;
};

/* One cell: what is measured repeatedly under one identity. */
struct plan_cell {
    const struct kernel *kernel;
    const struct kernel_test *test;
    bool has_x;
    uint64_t x;
    unsigned threads;
    const struct kernel_value *settings; /* ended by a NULL key */
    const struct variant *variant;       /* NULL: this program */
};

/* One child process: one repetition of a cell. */
struct plan_job {
    const struct plan_cell *cell;
    unsigned rep; /* from 1, in the order of running */
};

struct plan {
    struct arena arena;
    struct plan_cell *cells;
    size_t n_cells;
    struct plan_job *jobs; /* [n_jobs] in the order of running */
    size_t n_jobs;
    unsigned repeat;
};

unsigned plan_repeat(enum kernel_suite suite); /* repetitions when none are asked for */
double plan_min_seconds(enum kernel_suite suite); /* shortest time of a sample, likewise */

/* ERR_USAGE names what is not known: a kernel, a test, a setting, a value. */
int plan_make(struct plan *plan, const struct plan_request *request,
              const struct kernel_host *host, struct err *err);
void plan_free(struct plan *plan);

/* About how long all jobs take, s, when samples are measured over min_seconds: each is preceded by calls
 * that find out how many iterations that takes, and by what the kernel says of its cost. Right to a
 * factor of two on a machine of today. */
double plan_seconds(const struct plan *plan, const struct kernel_host *host, enum kernel_suite suite,
                    double min_seconds);
/* What a suite may take by that estimate on a machine with two processors, s. */
double plan_budget(enum kernel_suite suite);

/* The setting `limit` as a number of bytes: memory that the job may use. 0 without one. */
uint64_t plan_limit(const struct kernel_value *settings);
/* The machine as a job with these settings sees it. */
struct kernel_host plan_host(const struct kernel_host *host, const struct kernel_value *settings);

#endif
