/* For kernel_builds.sh: sets up, runs and checks the tests of the registry, which names no family
 * that needs a folder, in every combination of their settings. Needs no library, so that it runs on
 * a foreign or emulated machine. Says what failed; the last line is the tally. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "kernels/kernel.h"

enum { SETTINGS_MAX = 8, VALUE_SIZE = 32, SIZES_MAX = 64, PAGE = 65536 };

static const struct kernel_host host = {.l1d_bytes = 32768,
                                        .l2_bytes = 1 << 20,
                                        .memory_bytes = UINT64_C(1) << 30,
                                        .available_bytes = UINT64_C(256) << 20,
                                        .n_cpus = 1};

static unsigned n_passed, n_unavailable, n_failed;

/* The index-th item of a comma-separated list; false when it has none. */
static bool list_item(const char *list, size_t index, char *out)
{
    for (; index > 0 && list; index--)
        list = strchr(list, ',') ? strchr(list, ',') + 1 : NULL;
    if (!list)
        return false;
    snprintf(out, VALUE_SIZE, "%.*s", (int)strcspn(list, ","), list);
    return true;
}

/* Once, and twice more where that is quick. */
static enum kernel_outcome run(struct kernel_job *job)
{
    const clock_t start = clock();
    for (uint64_t iterations = 1; iterations < 3; iterations++) {
        if (iterations > 1 && clock() - start > CLOCKS_PER_SEC / 20)
            break;
        enum kernel_outcome outcome = job->test->run(job, iterations);
        job->n_runs++;
        job->n_iterations += iterations;
        if (outcome != KERNEL_OK)
            return outcome;
        if (job->kernel->flags & KERNEL_ONE_PASS)
            break;
    }
    return KERNEL_OK;
}

static enum kernel_outcome job_do(struct kernel_job *job)
{
    enum kernel_outcome outcome = job->kernel->needs ? job->kernel->needs(job) : KERNEL_OK;
    if (outcome != KERNEL_OK)
        return outcome;
    job->memory_bytes = job->kernel->memory ? job->kernel->memory(job) : 0;
    if (job->memory_bytes > 0) {
        job->memory = aligned_alloc(PAGE, (job->memory_bytes + PAGE - 1) / PAGE * PAGE);
        if (!job->memory)
            return kernel_reason(job, KERNEL_UNAVAILABLE, "out of memory");
        memset(job->memory, 0, job->memory_bytes);
    }
    outcome = job->kernel->setup ? job->kernel->setup(job) : KERNEL_OK;
    if (outcome == KERNEL_OK)
        outcome = run(job);
    if (outcome == KERNEL_OK)
        outcome = job->kernel->check(job);
    if (job->kernel->teardown)
        job->kernel->teardown(job);
    free(job->memory);
    return outcome;
}

static void job_count(const struct kernel_job *job, enum kernel_outcome outcome)
{
    n_passed += outcome == KERNEL_OK;
    n_unavailable += outcome == KERNEL_UNAVAILABLE;
    if (outcome != KERNEL_WRONG && outcome != KERNEL_FAILED)
        return;
    n_failed++;
    printf("%s.%s", job->kernel->name, job->test->name);
    for (const struct kernel_value *value = job->settings; value->key; value++)
        printf(" %s=%s", value->key, value->value);
    printf(": %s\n", job->reason);
}

/* Every combination of the default settings of the quick suite. */
static void test_do(const struct kernel *kernel, const struct kernel_test *test)
{
    uint64_t sizes[SIZES_MAX] = {0};
    if (kernel->sizes && !test->has_no_x)
        kernel->sizes(&host, SUITE_QUICK, sizes, SIZES_MAX);
    size_t at[SETTINGS_MAX] = {0};
    for (bool has_more = true; has_more;) {
        char values[SETTINGS_MAX][VALUE_SIZE], next[VALUE_SIZE];
        struct kernel_value settings[SETTINGS_MAX + 1] = {{0}};
        has_more = false;
        for (size_t i = 0; test->settings && test->settings[i] && i < SETTINGS_MAX; i++) {
            const struct kernel_setting *setting = test->settings[i];
            const char *list = setting->automatic ? setting->automatic(&host, SUITE_QUICK)
                                                  : setting->values[SUITE_QUICK];
            list_item(list, at[i], values[i]);
            settings[i] = (struct kernel_value){setting->key, values[i]};
            if (!has_more) {
                has_more = list_item(list, at[i] + 1, next);
                at[i] = has_more ? at[i] + 1 : 0;
            }
        }
        struct kernel_job job = {.kernel = kernel,
                                 .test = test,
                                 .host = &host,
                                 .x = sizes[0],
                                 .threads = 1,
                                 .seed = 1,
                                 .settings = settings,
                                 .folder = "",
                                .save = ""};
        job_count(&job, job_do(&job));
    }
}

int main(void)
{
    for (size_t i = 0; kernel_registry[i]; i++) {
        const struct kernel *kernel = kernel_registry[i];
        for (const struct kernel_test *test = kernel->tests; test->name; test++)
            if (test->from != SUITE_NEVER)
                test_do(kernel, test);
    }
    printf("%u passed, %u unavailable, %u failed\n", n_passed, n_unavailable, n_failed);
    return n_failed > 0 || n_passed == 0;
}
