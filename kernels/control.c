/* Kernels whose right answer is known beforehand: they measure the harness itself. */
#include "kernels/kernel.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { SLEEP_NS = 1000000 };

/* Iterations done, in job->state. */
static enum kernel_outcome control_setup(struct kernel_job *job)
{
    job->state = calloc(1, sizeof(uint64_t));
    return job->state ? KERNEL_OK : kernel_reason(job, KERNEL_FAILED, "out of memory");
}

static void control_teardown(struct kernel_job *job)
{
    free(job->state);
    job->state = NULL;
}

static enum kernel_outcome nop_run(struct kernel_job *job, uint64_t iterations)
{
    uint64_t done = 0;
    for (; done < iterations; done++)
        KERNEL_BARRIER();
    *(uint64_t *)job->state += done;
    return KERNEL_OK;
}

static enum kernel_outcome fixed_run(struct kernel_job *job, uint64_t iterations)
{
    for (uint64_t i = 0; i < iterations; i++) {
        struct timespec left = {.tv_nsec = SLEEP_NS};
        while (nanosleep(&left, &left) < 0)
            if (errno != EINTR)
                return kernel_reason(job, KERNEL_FAILED, "nanosleep: %s", strerror(errno));
        ++*(uint64_t *)job->state;
    }
    return KERNEL_OK;
}

static enum kernel_outcome control_check(struct kernel_job *job)
{
    if (strcmp(job->test->name, "liar") == 0)
        return kernel_reason(job, KERNEL_WRONG, "wrong on purpose");
    uint64_t done = *(const uint64_t *)job->state;
    if (done != job->n_iterations)
        return kernel_reason(job, KERNEL_WRONG, "did %" PRIu64 " iterations of %" PRIu64, done,
                             job->n_iterations);
    return KERNEL_OK;
}

static void control_work(const struct kernel_job *job, struct kernel_work *work)
{
    (void)job;
    work->steps = 1;
}

static const struct kernel_metric time_metric[] = {{"time", QUANTITY_TIME}, {0}};

static const struct kernel_test tests[] = {
    {.name = "nop", .summary = "an empty loop: what the harness adds", .metrics = time_metric,
     .run = nop_run},
    {.name = "fixed", .summary = "sleeps 1 ms: whether the clock is right", .metrics = time_metric,
     .run = fixed_run},
    {.name = "liar", .summary = "gives a wrong result, which must be refused",
     .from = SUITE_NEVER, .metrics = time_metric, .run = nop_run},
    {0}};

const struct kernel kernel_control = {
    .name = "control",
    .summary = "Controls of the harness, whose right answer is known beforehand",
    .source = "this program",
    .revision = 1,
    .tests = tests,
    .work = control_work,
    .setup = control_setup,
    .check = control_check,
    .teardown = control_teardown,
};
