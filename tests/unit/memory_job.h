/* A driver for the unit tests of the kernels of caches and memory: a job with the size and the
 * settings that a test gives, in memory of that size to the byte, and the same in the harness.
 * Their metrics and checks in general are the matter of kernel_bench.h. */
#ifndef TESTS_UNIT_MEMORY_JOB_H
#define TESTS_UNIT_MEMORY_JOB_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "collect/worker.h"
#include "kernels/kernel.h"
#include "tests/unit/kernel_find.h"

enum { KIB = 1024, MIB = 1024 * 1024 };

static const struct kernel_host host = {.l1d_bytes = 32 * KIB,
                                        .l2_bytes = MIB,
                                        .l3_bytes = 32 * MIB,
                                        .available_bytes = UINT64_C(8192) * MIB,
                                        .n_cpus = 2};

/* ---- a job of one thread */

static inline void job_find(struct kernel_job *job, const char *kernel, const char *test,
                            uint64_t x, const struct kernel_value *settings)
{
    *job = (struct kernel_job){
        .host = &host, .x = x, .threads = 1, .seed = 7, .settings = settings, .folder = ""};
    job->kernel = kernel_find(kernel);
    job->test = kernel_test_find(job->kernel, test);
}

/* False when this machine cannot. */
static inline bool job_begin(struct kernel_job *job, const char *kernel, const char *test,
                             uint64_t x, const struct kernel_value *settings)
{
    job_find(job, kernel, test, x, settings);
    enum kernel_outcome outcome = job->kernel->needs(job);
    if (outcome == KERNEL_UNAVAILABLE)
        return false;
    assert_int_equal(outcome, KERNEL_OK);
    job->memory_bytes = job->kernel->memory(job);
    /* to the byte, so that valgrind and the sanitizers see a step too far */
    assert_int_equal(posix_memalign(&job->memory, 4096, job->memory_bytes), 0);
    memset(job->memory, 0, job->memory_bytes);
    assert_int_equal(job->kernel->setup(job), KERNEL_OK);
    return true;
}

static inline enum kernel_outcome job_run(struct kernel_job *job, uint64_t iterations)
{
    enum kernel_outcome outcome = job->test->run(job, iterations);
    job->n_runs++;
    job->n_iterations += iterations;
    return outcome;
}

static inline void job_end(struct kernel_job *job)
{
    job->kernel->teardown(job);
    assert_null(job->state);
    free(job->memory);
}

static inline void check_accepts(struct kernel_job *job)
{
    if (job->kernel->check(job) != KERNEL_OK)
        fail_msg("%s.%s, %llu B: %s", job->kernel->name, job->test->name,
                 (unsigned long long)job->x, job->reason);
}

static inline void reason_has(const struct kernel_job *job, const char *text)
{
    if (!strstr(job->reason, text))
        fail_msg("'%s' does not contain '%s'", job->reason, text);
}

static inline void check_refuses(struct kernel_job *job, const char *text)
{
    assert_int_equal(job->kernel->check(job), KERNEL_WRONG);
    reason_has(job, text);
}

static inline void needs_refuses(const char *kernel, const char *test, uint64_t x,
                                 const struct kernel_value *settings, const char *text)
{
    struct kernel_job job;
    job_find(&job, kernel, test, x, settings);
    assert_int_equal(job.kernel->needs(&job), KERNEL_UNAVAILABLE);
    reason_has(&job, text);
}

static inline struct kernel_work work_of(const char *kernel, const char *test, uint64_t x,
                                         const struct kernel_value *settings)
{
    struct kernel_job job;
    struct kernel_work work = {0};
    job_find(&job, kernel, test, x, settings);
    job.kernel->work(&job, &work);
    return work;
}

/* ---- the same in the harness, with several threads or processes */

static inline void cell_run(const char *kernel, const char *test, uint64_t x, unsigned threads,
                            const struct kernel_value *settings, struct worker_result *result)
{
    struct kernel_job job;
    struct err err;
    struct kernel_value copy[8] = {{NULL, NULL}};
    job_find(&job, kernel, test, x, settings);
    size_t n = 0;
    for (; settings[n].key; n++)
        copy[n] = settings[n];
    copy[n] = (struct kernel_value){"pages", "default"};
    struct plan_cell cell = {.kernel = job.kernel,
                             .test = job.test,
                             .x = x,
                             .has_x = true,
                             .threads = threads,
                             .settings = copy};
    struct worker_request request = {
        .measure = {.cell = &cell, .host = &host, .seed = 7, .min_seconds = 0.002, .folder = ""},
        .timeout_seconds = 60};
    assert_int_equal(worker_run(&request, result, &err), 0);
}

static inline void cell_passes(const char *kernel, const char *test, uint64_t x, unsigned threads,
                               const struct kernel_value *settings)
{
    struct worker_result result;
    cell_run(kernel, test, x, threads, settings, &result);
    if (result.status != STATUS_OK)
        fail_msg("%s.%s, %u threads: %s", kernel, test, threads, result.reason);
    assert_true(result.n > 0);
    worker_result_free(&result);
}

#endif
