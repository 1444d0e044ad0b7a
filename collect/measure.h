/* Measures one repetition of one cell, in the process that calls it. */
#ifndef COLLECT_MEASURE_H
#define COLLECT_MEASURE_H

#include <stdbool.h>
#include <stdint.h>

#include "collect/plan.h"
#include "kernels/kernel.h"

/* How far a call is that takes long. */
struct measure_progress {
    uint64_t ns, bytes;           /* since its start */
    uint64_t last_ns, last_bytes; /* since the progress before */
};

struct measure_request {
    const struct plan_cell *cell;
    const struct kernel_host *host;
    uint64_t seed;
    double min_seconds; /* that a timed call lasts at least, but for KERNEL_ONE_PASS */
    double progress_seconds; /* between samples over time; 0: 1 s */
    const char *folder;      /* as in struct kernel_job */
    const char *source;      /* as in struct kernel_job, or NULL */
    const char *save;        /* as in struct kernel_job, or NULL */
    /* Called with every sample over time as it is taken, whether its call counts or not; or NULL. */
    void (*live)(void *context, const struct measure_progress *progress);
    void *live_context;
};

/* One metric of one timed call. */
struct measure_sample {
    bool is_warmup;
    bool is_activity; /* of the machine meanwhile, not of the kernel */
    bool has_time; /* a sample over time: its x is `at`, s */
    double at;
    char metric[32];
    char unit[16];
    double value;
    uint64_t iterations;
    uint64_t elapsed_ns;
};

/* Called for every sample; a sample that is not a warm-up only once the result has checked. */
typedef void measure_sample_fn(void *context, const struct measure_sample *sample);

/* reason: [KERNEL_REASON_SIZE], filled unless KERNEL_OK is returned. */
enum kernel_outcome measure_cell(const struct measure_request *request, measure_sample_fn *emit,
                                 void *context, char *reason);

/* The unit that a metric of a quantity has. */
const char *measure_unit(enum kernel_quantity quantity);
/* Its samples are over time: their x is none of the cell's. */
bool measure_is_over_time(enum kernel_quantity quantity);

#endif
