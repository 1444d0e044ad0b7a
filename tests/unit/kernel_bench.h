/* A driver for the unit tests of kernels: does with one job what collect does in its child. */
#ifndef TESTS_UNIT_KERNEL_BENCH_H
#define TESTS_UNIT_KERNEL_BENCH_H

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "kernels/kernel.h"
#include "schema/number.h"
#include "tests/unit/folder.h"
#include "tests/unit/kernel_find.h"

enum { SETTINGS_MAX = 8, VALUE_SIZE = 32, SIZES_MAX = 64, FILE_BYTES = 1 << 20, FILES_MAX = 20 };

static const struct kernel_host ordinary = {.l1d_bytes = 32768,
                                            .l2_bytes = 1 << 20,
                                            .l3_bytes = 32 << 20,
                                            .memory_bytes = UINT64_C(1) << 30,
                                            .available_bytes = UINT64_C(512) << 20,
                                            .n_cpus = 2};

struct bench {
    struct kernel_job job;
    struct kernel_value settings[SETTINGS_MAX + 1];
    char values[SETTINGS_MAX][VALUE_SIZE];
    struct folder folder;
    const char *laps[8]; /* as kernel_lap was called, NULL written as "" */
    size_t n_laps;
};

static inline void lap_note(struct kernel_job *job, const char *metric)
{
    struct bench *bench = job->harness;
    if (bench->n_laps < sizeof bench->laps / sizeof bench->laps[0])
        bench->laps[bench->n_laps++] = metric ? metric : "";
}

/* The index-th item of a comma-separated list; false when it has none. */
static inline bool list_item(const char *list, size_t index, char *out)
{
    for (; index > 0 && list; index--)
        list = strchr(list, ',') ? strchr(list, ',') + 1 : NULL;
    if (!list)
        return false;
    size_t size = strcspn(list, ",");
    assert_true(size < VALUE_SIZE);
    memcpy(out, list, size);
    out[size] = '\0';
    return true;
}

static inline uint64_t smallest_x(const struct kernel *kernel)
{
    uint64_t sizes[SIZES_MAX];
    return kernel->sizes && kernel->sizes(&ordinary, SUITE_QUICK, sizes, SIZES_MAX) > 0 ? sizes[0]
                                                                                        : 0;
}

/* The defaults of a setting on the ordinary machine, separated by commas. */
static inline const char *setting_defaults(const struct kernel_setting *setting, enum kernel_suite suite)
{
    return setting->automatic ? setting->automatic(&ordinary, suite) : setting->values[suite];
}

/* Files are kept small, and few. */
static inline void value_keep_small(const struct kernel_setting *setting, char *value)
{
    uint64_t number;
    bool is_few = setting->type == SETTING_COUNT && strcmp(setting->key, "files") == 0;
    if (setting->type == SETTING_BYTES && number_parse_size(value, &number))
        snprintf(value, VALUE_SIZE, "%llu",
                 (unsigned long long)(number < FILE_BYTES ? number : FILE_BYTES));
    else if (is_few && number_parse_count(value, strlen(value), &number) && number > FILES_MAX)
        snprintf(value, VALUE_SIZE, "%d", FILES_MAX);
}

/* The first default of every setting. */
static inline void bench_init(struct bench *bench, const struct kernel *kernel,
                       const struct kernel_test *test)
{
    *bench = (struct bench){.job = {.kernel = kernel,
                                    .test = test,
                                    .host = &ordinary,
                                    .x = test->has_no_x ? 0 : smallest_x(kernel),
                                    .threads = 1,
                                    .seed = 1,
                                    .settings = bench->settings,
                                    .folder = "",
                                    .save = "",
                                    .source = "",
                                    .lap = lap_note,
                                    .harness = bench}};
    for (size_t i = 0; test->settings && test->settings[i]; i++) {
        const struct kernel_setting *setting = test->settings[i];
        assert_true(i < SETTINGS_MAX);
        assert_true(list_item(setting_defaults(setting, SUITE_QUICK), 0, bench->values[i]));
        value_keep_small(setting, bench->values[i]);
        bench->settings[i] = (struct kernel_value){setting->key, bench->values[i]};
    }
    folder_make(&bench->folder);
    if (kernel->flags & KERNEL_WANTS_FOLDER)
        bench->job.folder = bench->folder.path;
}

static inline void bench_named(struct bench *bench, const char *kernel_name, const char *test_name)
{
    const struct kernel *kernel = kernel_find(kernel_name);
    bench_init(bench, kernel, kernel_test_find(kernel, test_name));
}

static inline void bench_set(struct bench *bench, const char *key, const char *value)
{
    for (size_t i = 0; bench->settings[i].key; i++)
        if (strcmp(bench->settings[i].key, key) == 0)
            snprintf(bench->values[i], VALUE_SIZE, "%s", value);
}

/* needs, memory, setup; without needs where a test wants what needs would refuse. */
static inline enum kernel_outcome bench_setup(struct bench *bench, bool with_needs)
{
    struct kernel_job *job = &bench->job;
    if (with_needs && job->kernel->needs) {
        enum kernel_outcome outcome = job->kernel->needs(job);
        if (outcome != KERNEL_OK)
            return outcome;
    }
    if (job->kernel->memory) {
        job->memory_bytes = job->kernel->memory(job);
        assert_int_equal(posix_memalign(&job->memory, 65536, job->memory_bytes), 0);
        memset(job->memory, 0, job->memory_bytes);
    }
    return job->kernel->setup ? job->kernel->setup(job) : KERNEL_OK;
}

static inline enum kernel_outcome bench_run(struct bench *bench, uint64_t iterations)
{
    enum kernel_outcome outcome = bench->job.test->run(&bench->job, iterations);
    bench->job.n_runs++;
    bench->job.n_iterations += iterations;
    return outcome;
}

static inline enum kernel_outcome bench_check(struct bench *bench)
{
    return bench->job.kernel->check(&bench->job);
}

/* The kernel must have taken away what it made. */
static inline void bench_end(struct bench *bench)
{
    if (bench->job.kernel->teardown)
        bench->job.kernel->teardown(&bench->job);
    free(bench->job.memory);
    assert_null(bench->job.state);
    assert_int_equal(folder_count(&bench->folder), 0);
    folder_remove(&bench->folder);
}

/* Set up, run once. */
static inline void bench_start(struct bench *bench)
{
    assert_int_equal(bench_setup(bench, true), KERNEL_OK);
    assert_int_equal(bench_run(bench, 1), KERNEL_OK);
}

/* The check fails with a reason that contains the text. */
static inline void check_refuses(struct bench *bench, const char *text)
{
    assert_int_equal(bench_check(bench), KERNEL_WRONG);
    if (!strstr(bench->job.reason, text))
        fail_msg("'%s' does not contain '%s'", bench->job.reason, text);
}

static inline void needs_refuses(struct bench *bench, const char *text)
{
    assert_int_equal(bench->job.kernel->needs(&bench->job), KERNEL_UNAVAILABLE);
    if (!strstr(bench->job.reason, text))
        fail_msg("'%s' does not contain '%s'", bench->job.reason, text);
}

/* A metric of the test follows from the work. */
static inline bool has_rate(const struct kernel_test *test)
{
    for (const struct kernel_metric *m = test->metrics; m->name; m++)
        if (m->quantity == QUANTITY_BYTE_RATE || m->quantity == QUANTITY_FLOP_RATE ||
            m->quantity == QUANTITY_STEP_RATE || m->quantity == QUANTITY_STEP_TIME ||
            m->quantity == QUANTITY_FRAME_RATE)
            return true;
    return false;
}

/* needs, setup, two runs where there may be more than one, check; the work must be plausible. */
static inline enum kernel_outcome bench_do(struct bench *bench)
{
    struct kernel_job *job = &bench->job;
    enum kernel_outcome outcome = bench_setup(bench, true);
    if (outcome == KERNEL_OK) {
        struct kernel_work work = {0};
        job->kernel->work(job, &work);
        assert_true(work.flops >= 0 && work.bytes_read >= 0 && work.bytes_written >= 0);
        assert_true(!has_rate(job->test) ||
                    work.flops + work.bytes_read + work.bytes_written + work.steps > 0);
        outcome = bench_run(bench, 1);
    }
    if (outcome == KERNEL_OK && !(job->kernel->flags & KERNEL_ONE_PASS))
        outcome = bench_run(bench, 3);
    return outcome == KERNEL_OK ? bench_check(bench) : outcome;
}

/* The job passes its check, or says why this machine cannot run it; ends it. */
static inline void bench_passes(struct bench *bench)
{
    struct kernel_job *job = &bench->job;
    enum kernel_outcome outcome = bench_do(bench);
    if (outcome == KERNEL_UNAVAILABLE) {
        assert_string_not_equal(job->reason, "");
        static char last[KERNEL_REASON_SIZE];
        if (strcmp(last, job->reason) != 0)
            print_message("%s.%s: unavailable: %s\n", job->kernel->name, job->test->name,
                          job->reason);
        memcpy(last, job->reason, sizeof last);
    } else if (outcome != KERNEL_OK) {
        fail_msg("%s.%s: %s", job->kernel->name, job->test->name, job->reason);
    }
    bench_end(bench);
}

/* Sets up; false, with the test skipped, where this machine cannot. */
static inline bool starts_or_skips(struct bench *bench)
{
    if (bench_setup(bench, true) == KERNEL_OK)
        return true;
    print_message("%s.%s: %s\n", bench->job.kernel->name, bench->job.test->name,
                  bench->job.reason);
    bench_end(bench);
    skip();
    return false;
}

/* Flips a bit of the file "0" in the folder. */
static inline void file_change(struct bench *bench, off_t at)
{
    int fd = open(folder_file(&bench->folder, "0"), O_RDWR | O_CLOEXEC);
    unsigned char byte;
    assert_true(fd >= 0);
    assert_int_equal(pread(fd, &byte, 1, at), 1);
    byte ^= 1;
    assert_int_equal(pwrite(fd, &byte, 1, at), 1);
    assert_int_equal(fsync(fd), 0);
    close(fd);
}

#endif
