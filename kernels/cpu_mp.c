/* An integer and a floating-point test, alone and beside each other in threads: the additions of
 * WhatCPU through four registers. The integer thread does three additions for each of the other, so
 * that both take about the same time where a floating-point addition takes three or four cycles. */
#include "kernels/kernel.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

enum { INTEGER, FLOAT, BOTH, FOUR_LOW_PRIORITY };

enum {
    ROUNDS = 1000,
    UNROLLED = 10,
    CHAINS = 4,
    FLOAT_ADDITIONS = ROUNDS * UNROLLED * CHAINS, /* of an iteration */
    INTEGER_FACTOR = 3,
    LOWEST_PRIORITY = 19
};

/* In job->state. What is added differs by thread and test, and is not known to the compiler. */
struct cpu_mp {
    uint32_t integers[CHAINS]; /* their sums so far, modulo 2^32 */
    double reals[CHAINS];      /* of the latest iteration */
    uint32_t integer_step;
    double real_step;
    uint64_t passes;
    uint64_t n_different; /* iterations whose sums are wrong */
};

static bool is_integer(const struct kernel_job *job)
{
    return job->test->code == INTEGER || (job->test->code != FLOAT && job->thread % 2 == 0);
}

#define TIMES_10(code) code code code code code code code code code code

static __attribute__((noinline)) void integers_add(uint32_t *sums, uint32_t step, int rounds)
{
    uint32_t a = sums[0], b = sums[1], c = sums[2], d = sums[3];
    for (int i = 0; i < rounds; i++) {
        TIMES_10(a += step; b += step; c += step; d += step; KERNEL_KEEP(a); KERNEL_KEEP(b);
                 KERNEL_KEEP(c); KERNEL_KEEP(d);)
    }
    sums[0] = a;
    sums[1] = b;
    sums[2] = c;
    sums[3] = d;
}

/* Sums of small whole numbers and quarters are exact. */
static __attribute__((noinline)) void reals_add(double *sums, double step, int rounds)
{
    double a = sums[0], b = sums[1], c = sums[2], d = sums[3];
    for (int i = 0; i < rounds; i++) {
        TIMES_10(a += step; b += step; c += step; d += step;)
    }
    sums[0] = a;
    sums[1] = b;
    sums[2] = c;
    sums[3] = d;
}

static enum kernel_outcome integer_run(struct cpu_mp *mp, uint64_t iterations)
{
    for (uint64_t i = 0; i < iterations; i++, mp->passes++) {
        integers_add(mp->integers, mp->integer_step, ROUNDS * INTEGER_FACTOR);
        KERNEL_BARRIER();
    }
    return KERNEL_OK;
}

static enum kernel_outcome float_run(struct cpu_mp *mp, uint64_t iterations)
{
    for (uint64_t i = 0; i < iterations; i++, mp->passes++) {
        for (int c = 0; c < CHAINS; c++)
            mp->reals[c] = c;
        KERNEL_BARRIER();
        reals_add(mp->reals, mp->real_step, ROUNDS);
        KERNEL_BARRIER();
        for (int c = 0; c < CHAINS; c++)
            mp->n_different += mp->reals[c] != c + ROUNDS * UNROLLED * mp->real_step;
    }
    return KERNEL_OK;
}

static enum kernel_outcome mp_run(struct kernel_job *job, uint64_t iterations)
{
    return is_integer(job) ? integer_run(job->state, iterations)
                           : float_run(job->state, iterations);
}

static enum kernel_outcome mp_needs(struct kernel_job *job)
{
    if (job->test->code == BOTH && job->threads % 2 != 0)
        return kernel_reason(job, KERNEL_UNAVAILABLE, "both kinds want an even number of threads");
    if (job->test->code == FOUR_LOW_PRIORITY && job->threads != 4)
        return kernel_reason(job, KERNEL_UNAVAILABLE, "this test is of four threads");
    return KERNEL_OK;
}

/* On Linux, priorities are those of threads. */
static enum kernel_outcome mp_setup(struct kernel_job *job)
{
    struct cpu_mp *mp = calloc(1, sizeof *mp);
    if (!mp)
        return kernel_reason(job, KERNEL_FAILED, "out of memory");
    job->state = mp;
    uint64_t seed = job->seed;
    mp->integer_step = (uint32_t)kernel_random(&seed) | 1;
    mp->real_step = 1 + (double)(kernel_random(&seed) % 1000) / 4;
    if (job->test->code == FOUR_LOW_PRIORITY && job->thread > 0 &&
        setpriority(PRIO_PROCESS, 0, LOWEST_PRIORITY) < 0)
        return kernel_reason(job, KERNEL_FAILED, "setpriority: %s", strerror(errno));
    return KERNEL_OK;
}

static void mp_teardown(struct kernel_job *job)
{
    free(job->state);
    job->state = NULL;
}

static enum kernel_outcome mp_check(struct kernel_job *job)
{
    const struct cpu_mp *mp = job->state;
    if (mp->passes == 0 || mp->passes != job->n_iterations)
        return kernel_reason(job, KERNEL_WRONG, "did %" PRIu64 " passes of %" PRIu64, mp->passes,
                             job->n_iterations);
    uint32_t right = (uint32_t)(mp->passes * ROUNDS * INTEGER_FACTOR * UNROLLED) * mp->integer_step;
    for (int c = 0; is_integer(job) && c < CHAINS; c++)
        if (mp->integers[c] != right)
            return kernel_reason(job, KERNEL_WRONG, "sum %d is %" PRIu32 ", right is %" PRIu32, c,
                                 mp->integers[c], right);
    if (mp->n_different > 0)
        return kernel_reason(job, KERNEL_WRONG, "%" PRIu64 " sums are wrong", mp->n_different);
    return KERNEL_OK;
}

static void mp_work(const struct kernel_job *job, struct kernel_work *work)
{
    work->steps = FLOAT_ADDITIONS * (is_integer(job) ? INTEGER_FACTOR : 1.0);
}

static const struct kernel_metric metrics[] = {{"rate", QUANTITY_STEP_RATE}, {0}};

static const struct kernel_test tests[] = {
    {.name = "integer", .summary = "integer additions in one thread", .from = SUITE_STANDARD,
     .metrics = metrics, .code = INTEGER, .run = mp_run},
    {.name = "float", .summary = "floating-point additions in one thread", .from = SUITE_STANDARD,
     .metrics = metrics, .code = FLOAT, .run = mp_run},
    {.name = "both", .summary = "a thread of each kind", .from = SUITE_STANDARD, .metrics = metrics,
     .code = BOTH, .threads = "2", .run = mp_run},
    {.name = "four_low_priority",
     .summary = "two threads of each kind, all but the first of the lowest priority",
     .from = SUITE_STANDARD, .metrics = metrics, .code = FOUR_LOW_PRIORITY, .threads = "4",
     .run = mp_run},
    {0}};

const struct kernel kernel_cpu_mp = {
    .name = "cpu_mp",
    .summary = "Integer and floating-point additions, alone and together: total rates, up to the "
               "end of the last thread",
    .source = "Longbottom, CPUIDMP and WhatCPU",
    .revision = 1,
    .tests = tests,
    .work = mp_work,
    .needs = mp_needs,
    .setup = mp_setup,
    .check = mp_check,
    .teardown = mp_teardown,
};
