/* Every kernel that the build found: its description, and each of its tests run and checked; then
 * what each family must refuse. */
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <math.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "collect/measure.h"
#include "kernels/kernel.h"
#include "schema/number.h"
#include "schema/unit.h"
#include "tests/unit/folder.h"

enum { SETTINGS_MAX = 8, VALUE_SIZE = 32, SIZES_MAX = 64, FILE_BYTES = 1 << 20, FILES_MAX = 20 };

static const struct kernel_host ordinary = {.l1d_bytes = 32768,
                                            .l2_bytes = 1 << 20,
                                            .l3_bytes = 32 << 20,
                                            .memory_bytes = UINT64_C(1) << 30,
                                            .available_bytes = UINT64_C(512) << 20,
                                            .n_cpus = 2};

/* ---- a driver for one job */

struct bench {
    struct kernel_job job;
    struct kernel_value settings[SETTINGS_MAX + 1];
    char values[SETTINGS_MAX][VALUE_SIZE];
    struct folder folder;
    const char *laps[8]; /* as kernel_lap was called, NULL written as "" */
    size_t n_laps;
};

static void lap_note(struct kernel_job *job, const char *metric)
{
    struct bench *bench = job->harness;
    if (bench->n_laps < sizeof bench->laps / sizeof bench->laps[0])
        bench->laps[bench->n_laps++] = metric ? metric : "";
}

/* The index-th item of a comma-separated list; false when it has none. */
static bool list_item(const char *list, size_t index, char *out)
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

static uint64_t smallest_x(const struct kernel *kernel)
{
    uint64_t sizes[SIZES_MAX];
    return kernel->sizes && kernel->sizes(&ordinary, SUITE_QUICK, sizes, SIZES_MAX) > 0 ? sizes[0]
                                                                                        : 0;
}

/* The defaults of a setting on the ordinary machine, separated by commas. */
static const char *setting_defaults(const struct kernel_setting *setting, enum kernel_suite suite)
{
    return setting->automatic ? setting->automatic(&ordinary, suite) : setting->values[suite];
}

/* Files are kept small, and few. */
static void value_keep_small(const struct kernel_setting *setting, char *value)
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
static void bench_init(struct bench *bench, const struct kernel *kernel,
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

static const struct kernel *kernel_find(const char *name)
{
    for (size_t i = 0; kernel_registry[i]; i++)
        if (strcmp(kernel_registry[i]->name, name) == 0)
            return kernel_registry[i];
    fail_msg("no kernel %s", name);
    return NULL;
}

static void bench_named(struct bench *bench, const char *kernel_name, const char *test_name)
{
    const struct kernel *kernel = kernel_find(kernel_name);
    for (const struct kernel_test *test = kernel->tests; test->name; test++) {
        if (strcmp(test->name, test_name) == 0) {
            bench_init(bench, kernel, test);
            return;
        }
    }
    fail_msg("no test %s.%s", kernel_name, test_name);
}

static void bench_set(struct bench *bench, const char *key, const char *value)
{
    for (size_t i = 0; bench->settings[i].key; i++)
        if (strcmp(bench->settings[i].key, key) == 0)
            snprintf(bench->values[i], VALUE_SIZE, "%s", value);
}

/* needs, memory, setup; without needs where a test wants what needs would refuse. */
static enum kernel_outcome bench_setup(struct bench *bench, bool with_needs)
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

static enum kernel_outcome bench_run(struct bench *bench, uint64_t iterations)
{
    enum kernel_outcome outcome = bench->job.test->run(&bench->job, iterations);
    bench->job.n_runs++;
    bench->job.n_iterations += iterations;
    return outcome;
}

static enum kernel_outcome bench_check(struct bench *bench)
{
    return bench->job.kernel->check(&bench->job);
}

/* The kernel must have taken away what it made. */
static void bench_end(struct bench *bench)
{
    if (bench->job.kernel->teardown)
        bench->job.kernel->teardown(&bench->job);
    free(bench->job.memory);
    assert_null(bench->job.state);
    assert_int_equal(folder_count(&bench->folder), 0);
    folder_remove(&bench->folder);
}

/* Set up, run once. */
static void bench_start(struct bench *bench)
{
    assert_int_equal(bench_setup(bench, true), KERNEL_OK);
    assert_int_equal(bench_run(bench, 1), KERNEL_OK);
}

/* The check fails with a reason that contains the text. */
static void check_refuses(struct bench *bench, const char *text)
{
    assert_int_equal(bench_check(bench), KERNEL_WRONG);
    if (!strstr(bench->job.reason, text))
        fail_msg("'%s' does not contain '%s'", bench->job.reason, text);
}

static void needs_refuses(struct bench *bench, const char *text)
{
    assert_int_equal(bench->job.kernel->needs(&bench->job), KERNEL_UNAVAILABLE);
    if (!strstr(bench->job.reason, text))
        fail_msg("'%s' does not contain '%s'", bench->job.reason, text);
}

/* Calls `each` for every test of every kernel with every combination of its default settings; but for
 * graphics, which test_graphics runs in a child process. */
static void for_each_job(void (*each)(struct bench *bench))
{
    struct bench bench;
    for (size_t k = 0; kernel_registry[k]; k++) {
        if (kernel_registry[k]->flags & KERNEL_UNPINNED) /* drivers leave memory behind */
            continue;
        for (const struct kernel_test *test = kernel_registry[k]->tests; test->name; test++) {
            size_t at[SETTINGS_MAX] = {0};
            for (bool more = true; more;) {
                bench_init(&bench, kernel_registry[k], test);
                more = false;
                for (size_t i = 0; bench.settings[i].key; i++) {
                    const struct kernel_setting *setting = test->settings[i];
                    char next[VALUE_SIZE];
                    if (setting->type != SETTING_BYTES)
                        list_item(setting_defaults(setting, SUITE_QUICK), at[i], bench.values[i]);
                    value_keep_small(setting, bench.values[i]);
                    if (more || setting->type == SETTING_BYTES)
                        continue;
                    more = list_item(setting_defaults(setting, SUITE_QUICK), at[i] + 1, next);
                    at[i] = more ? at[i] + 1 : 0;
                }
                each(&bench);
            }
        }
    }
}

/* ---- descriptions */

static bool is_name(const char *text)
{
    return text && *text && text[strspn(text, "abcdefghijklmnopqrstuvwxyz0123456789_")] == '\0';
}

static bool is_text(const char *text)
{
    return text && *text;
}

static void every_kernel_is_described(void **state)
{
    (void)state;
    assert_non_null(kernel_registry[0]);
    for (size_t i = 0; kernel_registry[i]; i++) {
        const struct kernel *kernel = kernel_registry[i];
        assert_true(is_name(kernel->name));
        assert_true(i == 0 || strcmp(kernel_registry[i - 1]->name, kernel->name) < 0);
        assert_true(is_text(kernel->summary) && is_text(kernel->source));
        assert_true(kernel->revision >= 1);
        assert_non_null(kernel->work);
        assert_non_null(kernel->check);
        assert_true(!kernel->x_unit == !kernel->sizes);
        assert_true(!kernel->x_unit || unit_find(kernel->x_unit));
        assert_non_null(kernel->tests);
        assert_non_null(kernel->tests[0].name);
        for (const struct kernel_test *test = kernel->tests; test->name; test++) {
            assert_true(is_name(test->name) && is_text(test->summary));
            assert_true(test->from <= SUITE_NEVER);
            assert_non_null(test->run);
            for (const struct kernel_test *other = kernel->tests; other < test; other++)
                assert_string_not_equal(other->name, test->name);
        }
    }
}

static void every_metric_is_in_the_schema(void **state)
{
    (void)state;
    for (size_t i = 0; kernel_registry[i]; i++) {
        for (const struct kernel_test *test = kernel_registry[i]->tests; test->name; test++) {
            assert_non_null(test->metrics);
            assert_non_null(test->metrics[0].name);
            for (const struct kernel_metric *m = test->metrics; m->name; m++) {
                const struct metric *metric = metric_find(m->name);
                if (!metric || !metric_has_unit(metric, measure_unit(m->quantity)))
                    fail_msg("%s.%s: %s", kernel_registry[i]->name, test->name, m->name);
                for (const struct kernel_metric *other = test->metrics; other < m; other++)
                    assert_string_not_equal(other->name, m->name);
            }
        }
    }
}

static bool list_has(const char *list, const char *item)
{
    char each[VALUE_SIZE];
    for (size_t i = 0; list_item(list, i, each); i++)
        if (strcmp(each, item) == 0)
            return true;
    return false;
}

static bool is_allowed(const struct kernel_setting *setting, const char *value)
{
    uint64_t number;
    if (setting->type == SETTING_BYTES && number_parse_size(value, &number))
        return true;
    if (setting->type == SETTING_COUNT && number_parse_count(value, strlen(value), &number))
        return true;
    if (setting->allowed)
        return list_has(setting->allowed, value);
    return setting->type == SETTING_WORD;
}

static void every_default_of_a_setting_is_allowed(void **state)
{
    (void)state;
    for (size_t i = 0; kernel_registry[i]; i++) {
        for (const struct kernel_test *test = kernel_registry[i]->tests; test->name; test++) {
            for (size_t s = 0; test->settings && test->settings[s]; s++) {
                const struct kernel_setting *setting = test->settings[s];
                char value[VALUE_SIZE];
                assert_true(is_name(setting->key) && is_text(setting->help));
                for (unsigned suite = 0; suite < SUITE_COUNT; suite++)
                    for (size_t v = 0; list_item(setting_defaults(setting, suite), v, value);
                         v++)
                        if (!is_allowed(setting, value))
                            fail_msg("%s.%s: %s=%s", kernel_registry[i]->name, test->name,
                                     setting->key, value);
            }
        }
    }
}

static void every_thread_list_is_one(void **state)
{
    (void)state;
    for (size_t i = 0; kernel_registry[i]; i++) {
        for (int suite = 0; suite < SUITE_COUNT; suite++) {
            const char *list = kernel_registry[i]->threads[suite];
            char item[VALUE_SIZE];
            uint64_t n;
            for (size_t k = 0; list && list_item(list, k, item); k++)
                assert_true(strcmp(item, "all") == 0 ||
                            (number_parse_count(item, strlen(item), &n) && n > 0));
        }
    }
}

static void sizes_ascend(const struct kernel_host *host, enum kernel_suite suite,
                         size_t (*of)(const struct kernel_host *host, enum kernel_suite suite,
                                      uint64_t *out, size_t capacity))
{
    uint64_t sizes[SIZES_MAX] = {0};
    size_t n = of(host, suite, sizes, SIZES_MAX);
    assert_in_range(n, 1, SIZES_MAX - 1);
    assert_true(sizes[0] > 0);
    for (size_t s = 1; s < n; s++)
        assert_true(sizes[s] > sizes[s - 1]);
    assert_int_equal(of(host, suite, sizes, 1), 1);
}

static void default_sizes_ascend_on_any_machine(void **state)
{
    (void)state;
    const struct kernel_host hosts[] = {
        ordinary,
        {0},
        {.l1d_bytes = 8192, .memory_bytes = 100 << 20, .available_bytes = 1 << 20, .n_cpus = 1},
        {.l1d_bytes = 192 << 10, .l2_bytes = 24 << 20, .memory_bytes = UINT64_C(1) << 42,
         .available_bytes = UINT64_C(1) << 41, .n_cpus = 512}};
    for (size_t i = 0; kernel_registry[i]; i++) {
        const struct kernel *kernel = kernel_registry[i];
        for (size_t h = 0; kernel->sizes && h < sizeof hosts / sizeof hosts[0]; h++) {
            for (unsigned suite = 0; suite < SUITE_COUNT; suite++) {
                sizes_ascend(&hosts[h], suite, kernel->sizes);
                for (const struct kernel_test *test = kernel->tests; test->name; test++)
                    if (test->sizes)
                        sizes_ascend(&hosts[h], suite, test->sizes);
            }
        }
    }
}

/* ---- every test */

static bool is_named(const struct bench *bench, const char *kernel, const char *test)
{
    return strcmp(bench->job.kernel->name, kernel) == 0 &&
           (!test || strcmp(bench->job.test->name, test) == 0);
}

/* A metric of the test follows from the work. */
static bool has_rate(const struct kernel_test *test)
{
    for (const struct kernel_metric *m = test->metrics; m->name; m++)
        if (m->quantity == QUANTITY_BYTE_RATE || m->quantity == QUANTITY_FLOP_RATE ||
            m->quantity == QUANTITY_STEP_RATE || m->quantity == QUANTITY_STEP_TIME ||
            m->quantity == QUANTITY_FRAME_RATE)
            return true;
    return false;
}

/* openssl measures each of its own for a second or two: a few stand for all. */
static bool is_slow(const struct bench *bench)
{
    return is_named(bench, "openssl_speed", NULL) && !is_named(bench, "openssl_speed", "md5") &&
           !is_named(bench, "openssl_speed", "dsa_verify");
}

static void passes_its_check(struct bench *bench)
{
    struct kernel_job *job = &bench->job;
    if (is_slow(bench)) {
        bench_end(bench);
        return;
    }
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
    if (outcome == KERNEL_OK)
        outcome = bench_check(bench);
    if (outcome == KERNEL_UNAVAILABLE) {
        assert_string_not_equal(job->reason, "");
        static char last[KERNEL_REASON_SIZE];
        if (strcmp(last, job->reason) != 0)
            print_message("%s.%s: unavailable: %s\n", job->kernel->name, job->test->name,
                          job->reason);
        memcpy(last, job->reason, sizeof last);
    } else if (is_named(bench, "control", "liar")) {
        assert_int_equal(outcome, KERNEL_WRONG);
        assert_string_not_equal(job->reason, "");
    } else if (outcome != KERNEL_OK) {
        fail_msg("%s.%s: %s", job->kernel->name, job->test->name, job->reason);
    }
    bench_end(bench);
}

static void every_test_passes_its_own_check_and_the_liar_does_not(void **state)
{
    (void)state;
    for_each_job(passes_its_check);
}

/* What run itself reports is missing when it did nothing: that is seen by collect. */
static bool is_reported(const struct kernel_test *test)
{
    return test->metrics[0].quantity == QUANTITY_BYTES;
}

static void refuses_an_idle_run(struct bench *bench)
{
    if (!is_reported(bench->job.test) && bench_setup(bench, true) == KERNEL_OK) {
        bench->job.n_runs = bench->job.n_iterations = 1;
        if (bench_check(bench) != KERNEL_WRONG)
            fail_msg("%s.%s accepts a run that did nothing", bench->job.kernel->name,
                     bench->job.test->name);
        assert_string_not_equal(bench->job.reason, "");
    }
    bench_end(bench);
}

static void a_run_that_did_nothing_is_refused(void **state)
{
    (void)state;
    for_each_job(refuses_an_idle_run);
}

/* ---- control */

static double wall_seconds(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

static void control_fixed_takes_a_millisecond(void **state)
{
    (void)state;
    struct bench bench;
    bench_named(&bench, "control", "fixed");
    assert_int_equal(bench_setup(&bench, true), KERNEL_OK);
    double start = wall_seconds();
    assert_int_equal(bench_run(&bench, 20), KERNEL_OK);
    assert_true(wall_seconds() - start >= 0.020);
    bench_end(&bench);
}

/* ---- bus_speed */

static void bus_speed_counts_what_it_loads(void **state)
{
    (void)state;
    static const struct {
        const char *test, *word;
        uint64_t x;
        double bytes;
    } cases[] = {{"inc32", "32", 65536, 2048},  {"inc32", "32", 65540, 2052},
                 {"inc16", "32", 100, 8},       {"inc2", "32", 65536, 32768},
                 {"read_all", "32", 103, 100},  {"simd128", "", 65536, 65536},
                 {"simd128", "", 100, 96},
#if UINTPTR_MAX > UINT32_MAX
                 {"inc32", "64", 65536, 2048},  {"inc32", "64", 256, 8},
                 {"read_all", "64", 103, 96}
#endif
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct bench bench;
        struct kernel_work work = {0};
        bench_named(&bench, "bus_speed", cases[i].test);
        bench_set(&bench, "word", cases[i].word);
        bench.job.x = cases[i].x;
        bench.job.kernel->work(&bench.job, &work);
        assert_true(work.bytes_read == cases[i].bytes);
        bench_end(&bench);
    }
}

/* Sizes around those of the unrolled loops, and one where check probes only a sample. */
static void bus_speed_reads_arrays_of_any_size(void **state)
{
    (void)state;
    static const uint64_t sizes[] = {64, 68, 252, 256, 260, 1000, 2048, 8200, 16384, 66052, 100000};
    const struct kernel *kernel = kernel_find("bus_speed");
    for (const struct kernel_test *test = kernel->tests; test->name; test++) {
        for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
            for (int word = 32; word <= 64; word += 32) {
                struct bench bench;
                bench_init(&bench, kernel, test);
                bench_set(&bench, "word", word == 32 ? "32" : "64");
                bench.job.x = sizes[i];
                passes_its_check(&bench);
                if (!test->settings)
                    break;
            }
        }
    }
}

/* Changes one word of 32 bits before the run or after it. */
static void bus_speed_refuses_a_change(const char *test, size_t word, bool before,
                                       const char *reason)
{
    struct bench bench;
    bench_named(&bench, "bus_speed", test);
    bench_set(&bench, "word", "32");
    bench.job.x = 8192;
    assert_int_equal(bench_setup(&bench, true), KERNEL_OK);
    uint32_t *words = bench.job.memory;
    if (before)
        words[word] ^= 4;
    assert_int_equal(bench_run(&bench, 2), KERNEL_OK);
    if (!before)
        words[word] ^= 4;
    check_refuses(&bench, reason);
    bench_end(&bench);
}

static void bus_speed_refuses_a_changed_array(void **state)
{
    (void)state;
    bus_speed_refuses_a_change("read_all", 0, true, "the AND of all loads is 55555551");
    bus_speed_refuses_a_change("read_all", 2047, true, "the AND of all loads is 55555551");
    bus_speed_refuses_a_change("read_all", 2047, false, "word 2047 of the array is 55555551");
    bus_speed_refuses_a_change("inc32", 2016, true, "the AND of all loads is 55555551");
    /* not loaded: behind the last of every 32, and behind the array */
    bus_speed_refuses_a_change("inc32", 2017, true, "word 2017 of the array is aaaaaaae");
    bus_speed_refuses_a_change("read_all", 2048, true, "word 2048 of the array is aaaaaaae");
}

static void bus_speed_says_what_it_cannot_read(void **state)
{
    (void)state;
    struct bench bench;
    bench_named(&bench, "bus_speed", "simd128");
    bench.job.x = 15;
    needs_refuses(&bench, "smaller than one load");
    bench.job.x = UINT64_MAX;
    needs_refuses(&bench, "more than this program can address");
    bench_end(&bench);
}

/* ---- whetstone */

static void whetstone_refuses_a_wrong_result(void **state)
{
    (void)state;
    struct bench bench;
    bench_named(&bench, "whetstone", "mwips");
    bench_start(&bench);
    double *results = bench.job.state;
    for (int module = 0; module < 8; module++) {
        char text[32];
        double right = results[module];
        snprintf(text, sizeof text, "n%d: result", module + 1);
        results[module] = right * (1 + 1e-10);
        check_refuses(&bench, text);
        results[module] = (double)NAN;
        check_refuses(&bench, text);
        results[module] = right;
        assert_int_equal(bench_check(&bench), KERNEL_OK);
    }
    /* the first pass is not what the others are */
    results[4] *= 1 + 1e-15;
    assert_int_equal(bench_run(&bench, 1), KERNEL_OK);
    check_refuses(&bench, "1 results differ");
    bench_end(&bench);
}

static double cpu_seconds(void)
{
    struct timespec time;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

static double best_seconds(struct bench *bench, uint64_t iterations)
{
    double best = 1e9;
    for (int i = 0; i < 7; i++) {
        double start = cpu_seconds();
        assert_int_equal(bench_run(bench, iterations), KERNEL_OK);
        double seconds = cpu_seconds() - start;
        best = seconds < best ? seconds : best;
    }
    return best;
}

/* No compiler may do several passes at once, or no work at all: 8 operations in a clock of 6 GHz is
 * more than any processor does. */
static void whetstone_does_all_the_work_it_counts(void **state)
{
    (void)state;
    const struct kernel *kernel = kernel_find("whetstone");
    for (const struct kernel_test *test = kernel->tests; test->name; test++) {
        if (strcmp(test->name, "mwips_low") == 0)
            continue; /* mwips in two threads */
        struct bench bench;
        bench_init(&bench, kernel, test);
        bench_start(&bench);
        uint64_t n = 1;
        while (best_seconds(&bench, n) < 1e-3)
            n *= 2;
        double one = best_seconds(&bench, n), two = best_seconds(&bench, 2 * n);
        struct kernel_work work = {0};
        kernel->work(&bench.job, &work);
        double rate = (work.flops + work.steps) * (double)n / one;
        if (two / one < 1.5 || two / one > 2.7 || rate > 8 * 6e9)
            fail_msg("%s: %g s for %llu passes, %g s for twice as many, %g op/s", test->name, one,
                     (unsigned long long)n, two, rate);
        bench_end(&bench);
    }
}

/* ---- disk_block */

static void file_change(struct bench *bench, off_t at)
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

static bool starts_or_skips(struct bench *bench)
{
    if (bench_setup(bench, true) == KERNEL_OK)
        return true;
    print_message("%s.%s: %s\n", bench->job.kernel->name, bench->job.test->name,
                  bench->job.reason);
    bench_end(bench);
    skip();
    return false;
}

static void disk_block_refuses_a_changed_file(void **state)
{
    (void)state;
    struct bench bench;
    bench_named(&bench, "disk_block", "write");
    bench_start(&bench);
    struct stat facts;
    assert_int_equal(stat(folder_file(&bench.folder, "0"), &facts), 0);
    assert_int_equal(facts.st_size, FILE_BYTES);
    assert_int_equal(bench_check(&bench), KERNEL_OK);
    file_change(&bench, 500001);
    check_refuses(&bench, "byte 500001 of the file");
    file_change(&bench, 500001);
    assert_int_equal(bench_check(&bench), KERNEL_OK);
    file_change(&bench, 4096); /* a stamp */
    check_refuses(&bench, "byte 4096 of the file");
    file_change(&bench, 4096);
    assert_int_equal(truncate(folder_file(&bench.folder, "0"), FILE_BYTES - 1), 0);
    check_refuses(&bench, "the file ends in block 255");
    bench_end(&bench);
}

static void disk_block_refuses_what_it_did_not_write(void **state)
{
    (void)state;
    struct bench bench;
    bench_named(&bench, "disk_block", "read");
    if (!starts_or_skips(&bench))
        return;
    file_change(&bench, 16384);
    assert_int_equal(bench_run(&bench, 1), KERNEL_OK);
    check_refuses(&bench, "1 blocks were not those written, the first was 4");
    bench_end(&bench);
    bench_named(&bench, "disk_block", "read");
    bench_start(&bench);
    file_change(&bench, 20000);
    check_refuses(&bench, "byte 20000 of the file");
    bench_end(&bench);
}

/* No page is like another, and none is of one value. */
static void disk_block_writes_what_does_not_repeat(void **state)
{
    (void)state;
    struct bench bench;
    bench_named(&bench, "disk_block", "write");
    bench_set(&bench, "size", "50331648"); /* thrice the pool */
    bench.job.x = 1 << 20;
    bench_start(&bench);
    int fd = open(folder_file(&bench.folder, "0"), O_RDONLY | O_CLOEXEC);
    uint64_t seen[3];
    for (size_t i = 0; i < 3; i++)
        assert_int_equal(pread(fd, &seen[i], sizeof seen[i], (off_t)i * (16 << 20)), sizeof seen[i]);
    close(fd);
    assert_true(seen[0] != seen[1] && seen[1] != seen[2] && seen[2] != seen[0]);
    bench_end(&bench);
}

static void disk_block_tells_the_time_of_the_last_fsync_apart(void **state)
{
    (void)state;
    struct bench bench;
    bench_named(&bench, "disk_block", "write");
    bench_start(&bench);
    assert_int_equal(bench.n_laps, 2);
    assert_string_equal(bench.laps[0], "");
    assert_string_equal(bench.laps[1], "sync_time");
    bench_end(&bench);
}

static void disk_block_writes_whole_blocks(void **state)
{
    (void)state;
    static const struct {
        uint64_t x;
        double bytes;
    } cases[] = {{4096, FILE_BYTES}, {3000, 1047000}, {2 << 20, 2 << 20}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct bench bench;
        struct kernel_work work = {0};
        struct stat facts;
        bench_named(&bench, "disk_block", "write");
        bench.job.x = cases[i].x;
        bench.job.kernel->work(&bench.job, &work);
        assert_true(work.bytes_written == cases[i].bytes && work.bytes_read == 0);
        bench_start(&bench);
        assert_int_equal(stat(folder_file(&bench.folder, "0"), &facts), 0);
        assert_true((double)facts.st_size == cases[i].bytes);
        assert_int_equal(bench_check(&bench), KERNEL_OK);
        bench_end(&bench);
    }
}

static void disk_block_leaves_room_for_others(void **state)
{
    (void)state;
    struct bench bench;
    bench_named(&bench, "disk_block", "write");
    bench_set(&bench, "size", "1152921504606846976");
    needs_refuses(&bench, "do not fit into the free space");
    bench_set(&bench, "size", "0");
    needs_refuses(&bench, "more than a tenth of the free space");
    bench_end(&bench);
}

/* With 8 processors: as many files, a tenth of the free space at most. */
static void disk_block_sizes_follow_the_free_space(void **state)
{
    (void)state;
    static const struct {
        uint64_t free_mib;
        enum kernel_suite suite;
        const char *size;
    } cases[] = {{0, SUITE_QUICK, "32M"},      {1 << 20, SUITE_QUICK, "32M"},
                 {1 << 20, SUITE_FULL, "1G"},  {81920, SUITE_FULL, "1G"},
                 {81919, SUITE_FULL, "256M"},  {2560, SUITE_QUICK, "32M"},
                 {2559, SUITE_QUICK, "16M"},   {80, SUITE_STANDARD, "1M"},
                 {79, SUITE_STANDARD, "0"}};
    struct bench bench;
    bench_named(&bench, "disk_block", "write");
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct kernel_host host = {.n_cpus = 8, .disk_free_bytes = cases[i].free_mib << 20};
        const struct kernel_setting *size = bench.job.test->settings[1];
        assert_string_equal(size->key, "size");
        assert_string_equal(size->automatic(&host, cases[i].suite), cases[i].size);
    }
    bench_end(&bench);
}

static void disk_block_writes_no_more_blocks_than_wanted(void **state)
{
    (void)state;
    struct bench bench;
    struct stat facts;
    bench_named(&bench, "disk_block", "write");
    bench_set(&bench, "blocks", "5");
    bench.job.x = 512;
    bench_start(&bench);
    assert_int_equal(stat(folder_file(&bench.folder, "0"), &facts), 0);
    assert_int_equal(facts.st_size, 5 * 512);
    assert_int_equal(bench_check(&bench), KERNEL_OK);
    bench_end(&bench);
}

static void disk_block_refuses_blocks_that_cannot_be_direct(void **state)
{
    (void)state;
    struct bench bench;
    bench_named(&bench, "disk_block", "write");
    bench_set(&bench, "mode", "direct");
    bench.job.x = 100;
    enum kernel_outcome outcome = bench_setup(&bench, true);
    if (outcome == KERNEL_OK)
        outcome = bench_run(&bench, 1);
    assert_int_equal(outcome, KERNEL_UNAVAILABLE);
    assert_string_not_equal(bench.job.reason, "");
    bench_end(&bench);
}

/* ---- disk_random */

static void disk_random_refuses_a_changed_block(void **state)
{
    (void)state;
    struct bench bench;
    bench_named(&bench, "disk_random", "write");
    bench_set(&bench, "mode", "buffered");
    bench.job.x = FILE_BYTES;
    if (!starts_or_skips(&bench))
        return;
    assert_int_equal(bench_run(&bench, 1), KERNEL_OK);
    assert_int_equal(bench_check(&bench), KERNEL_OK);
    assert_int_equal(bench_run(&bench, 1), KERNEL_OK); /* each write has bytes of its own */
    assert_int_equal(bench_check(&bench), KERNEL_OK);
    file_change(&bench, 700000);
    check_refuses(&bench, "byte 700000 of the file");
    bench_end(&bench);
}

/* As many ticks as transfers, at more than a few places. */
static size_t n_ticks;

static void tick_count(struct kernel_job *job)
{
    (void)job;
    n_ticks++;
}

static void disk_random_times_every_transfer(void **state)
{
    (void)state;
    struct bench bench;
    struct kernel_work work = {0};
    bench_named(&bench, "disk_random", "read");
    bench_set(&bench, "mode", "buffered");
    bench_set(&bench, "block", "1024");
    bench_set(&bench, "count", "300");
    bench.job.x = FILE_BYTES;
    bench.job.tick = tick_count;
    n_ticks = 0;
    if (!starts_or_skips(&bench))
        return;
    assert_int_equal(bench_run(&bench, 1), KERNEL_OK);
    assert_int_equal(n_ticks, 300);
    bench.job.kernel->work(&bench.job, &work);
    assert_true(work.steps == 300 && work.bytes_read == 307200 && work.bytes_written == 0);
    assert_int_equal(bench_check(&bench), KERNEL_OK);
    bench_end(&bench);
}

/* ---- disk_files */

static void disk_files_refuses_a_changed_small_file(void **state)
{
    (void)state;
    struct bench bench;
    bench_named(&bench, "disk_files", "small_write");
    bench.job.x = 5000;
    bench_start(&bench);
    assert_int_equal(folder_count(&bench.folder), FILES_MAX);
    assert_int_equal(bench_check(&bench), KERNEL_OK);
    file_change(&bench, 4999);
    check_refuses(&bench, "small file 0 is not what was written");
    file_change(&bench, 4999);
    assert_int_equal(bench_check(&bench), KERNEL_OK);
    assert_int_equal(truncate(folder_file(&bench.folder, "0"), 5001), 0);
    check_refuses(&bench, "small file 0 is not what was written");
    assert_int_equal(unlink(folder_file(&bench.folder, "0")), 0);
    check_refuses(&bench, "small file 0 is missing");
    bench_end(&bench);
}

static void disk_files_deletes_them_all(void **state)
{
    (void)state;
    struct bench bench;
    bench_named(&bench, "disk_files", "small_delete");
    bench_start(&bench);
    assert_int_equal(folder_count(&bench.folder), 0);
    assert_int_equal(bench_run(&bench, 2), KERNEL_OK);
    assert_int_equal(bench_check(&bench), KERNEL_OK);
    bench_end(&bench);
}

static struct found {
    uint64_t bytes;
    size_t n_files, n_folders;
} found;

static int entry_add(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
    (void)path;
    (void)ftw;
    found.bytes += type == FTW_F ? (uint64_t)st->st_size : 0;
    found.n_files += type == FTW_F;
    found.n_folders += type == FTW_D;
    return 0;
}

/* A small tree: folders in folders, and the bytes asked for exactly. */
static void disk_files_copies_a_tree(void **state)
{
    (void)state;
    static const char *const ways[] = {"read_write", "copy_file_range"};
    for (size_t w = 0; w < 2; w++) {
        struct bench bench;
        bench_named(&bench, "disk_files", "tree_copy");
        bench_set(&bench, "copy", ways[w]);
        bench_set(&bench, "files", "60");
        bench_set(&bench, "folders", "8");
        bench.job.x = 300000;
        if (!starts_or_skips(&bench))
            return;
        assert_int_equal(bench_run(&bench, 1), KERNEL_OK);
        assert_int_equal(bench_check(&bench), KERNEL_OK);
        found = (struct found){0};
        assert_int_equal(nftw(folder_file(&bench.folder, "copy0"), entry_add, 8, FTW_PHYS), 0);
        assert_int_equal(found.bytes, 300000);
        assert_int_equal(found.n_files, 60);
        assert_int_equal(found.n_folders, 9);
        int fd = open(folder_file(&bench.folder, "copy0/more"), O_WRONLY | O_CREAT, 0600);
        assert_true(fd >= 0);
        close(fd);
        check_refuses(&bench, "70 files and folders, not 69");
        bench_end(&bench);
    }
}

/* ---- disk_raw */

static void disk_raw_refuses_a_changed_source(void **state)
{
    (void)state;
    struct bench bench;
    bench_named(&bench, "disk_raw", "read");
    bench_set(&bench, "mode", "buffered");
    bench_set(&bench, "source", "file");
    assert_int_equal(bench_setup(&bench, true), KERNEL_UNAVAILABLE);
    assert_non_null(strstr(bench.job.reason, "--set=source=PATH"));
    bench.job.kernel->teardown(&bench.job);
    free(bench.job.memory);
    unsigned char *bytes = malloc(FILE_BYTES);
    assert_non_null(bytes);
    kernel_fill_random(bytes, FILE_BYTES, 5);
    char path[sizeof bench.folder.file];
    snprintf(path, sizeof path, "%s", folder_write(&bench.folder, "0", bytes, FILE_BYTES));
    free(bytes);
    bench.job.source = path;
    if (bench_setup(&bench, true) == KERNEL_OK) { /* not on tmpfs */
        assert_int_equal(bench_run(&bench, 1), KERNEL_OK);
        assert_int_equal(bench_check(&bench), KERNEL_OK);
        file_change(&bench, 7 * 4096);
        check_refuses(&bench, "block 7 has other bytes now");
        file_change(&bench, 7 * 4096);
        assert_int_equal(truncate(path, FILE_BYTES - 1), 0);
        check_refuses(&bench, "the source ends in block 255");
    }
    bench.job.kernel->teardown(&bench.job);
    free(bench.job.memory);
    bench.job.memory = NULL;
    bench_set(&bench, "size", "1048577"); /* whole blocks: 256 of them */
    assert_int_equal(truncate(path, FILE_BYTES - 1), 0);
    assert_int_equal(bench_setup(&bench, true), KERNEL_UNAVAILABLE);
    assert_non_null(strstr(bench.job.reason, "fewer than are to be read"));
    assert_int_equal(unlink(path), 0);
    bench_end(&bench);
}

/* On a small tmpfs of our own. */
static void disk_block_fails_on_a_full_disk_and_cleans_up(void **state)
{
    (void)state;
    struct bench bench;
    bench_named(&bench, "disk_block", "write");
    if (unshare(CLONE_NEWNS) < 0 || mount("none", "/", "none", MS_REC | MS_PRIVATE, "") < 0 ||
        mount("none", bench.folder.path, "tmpfs", 0, "size=512k") < 0) {
        print_message("cannot mount a small file system: %s\n", strerror(errno));
        bench_end(&bench);
        skip();
    }
    needs_refuses(&bench, "do not fit into the free space");
    assert_int_equal(bench_setup(&bench, false), KERNEL_OK);
    assert_int_equal(bench_run(&bench, 1), KERNEL_FAILED);
    assert_non_null(strstr(bench.job.reason, "no space"));
    bench.job.kernel->teardown(&bench.job);
    assert_int_equal(folder_count(&bench.folder), 0);

    bench.job.test++; /* read: memory is no disk */
    assert_string_equal(bench.job.test->name, "read");
    free(bench.job.memory);
    assert_int_equal(bench_setup(&bench, false), KERNEL_UNAVAILABLE);
    assert_non_null(strstr(bench.job.reason, "tmpfs"));
    bench.job.kernel->teardown(&bench.job);
    assert_int_equal(umount(bench.folder.path), 0);
    bench_end(&bench);
}

/* ---- paging */

static void paging_refuses_a_flipped_bit(void **state)
{
    (void)state;
    static const char *const patterns[] = {"random", "published"};
    for (size_t i = 0; i < 2; i++) {
        struct bench bench;
        bench_named(&bench, "paging", "write_read");
        bench_set(&bench, "pattern", patterns[i]);
        bench.job.x = 1 << 20;
        bench_start(&bench);
        uint64_t *words = *(uint64_t **)bench.job.state;
        if (i == 1) { /* the pair of the historical programs, swapped once */
            assert_true(words[0] == UINT64_C(0xaaaaaaaaaaaaaaaa) && words[3] == words[0]);
            assert_true(words[4] == UINT64_C(0x5555555555555555) && words[7] == words[4]);
            assert_true(words[8] == words[0]);
        } else {
            assert_true(words[0] != words[512] && words[0] != words[1]);
        }
        words[131071] ^= UINT64_C(1) << 63;
        words[1000] ^= 1;
        check_refuses(&bench, "at byte 8000 of the array: expected ");
        assert_non_null(strstr(bench.job.reason, "; 2 words were wrong in all"));
        bench_end(&bench);
    }
}

/* Every bit changes from pass to pass. */
static void paging_swaps_its_pattern(void **state)
{
    (void)state;
    struct bench bench;
    bench_named(&bench, "paging", "write_read");
    bench.job.x = 65536;
    bench_start(&bench);
    const uint64_t *words = *(uint64_t **)bench.job.state;
    uint64_t before = words[5000];
    assert_int_equal(bench_run(&bench, 1), KERNEL_OK);
    assert_true(words[5000] == ~before);
    assert_int_equal(bench_run(&bench, 2), KERNEL_OK);
    assert_true(words[5000] == ~before);
    assert_int_equal(bench_check(&bench), KERNEL_OK);
    bench_end(&bench);
}

static void paging_reads_arrays_of_any_size(void **state)
{
    (void)state;
    static const uint64_t sizes[] = {64, 100, 4032, 4096, 4160, 100000};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        struct bench bench;
        struct kernel_work work = {0};
        bench_named(&bench, "paging", "write_read");
        bench.job.x = sizes[i];
        bench.job.kernel->work(&bench.job, &work);
        assert_true(work.bytes_read == work.bytes_written);
        assert_true(work.bytes_read == (double)(sizes[i] - sizes[i] % 64));
        passes_its_check(&bench);
    }
}

static void paging_stays_within_the_memory_that_is_there(void **state)
{
    (void)state;
    struct kernel_host host = ordinary;
    struct bench bench;
    bench_named(&bench, "paging", "write_read");
    bench.job.host = &host;
    bench.job.x = UINT64_C(480) << 20; /* of the 512 that are available 32 stay free */
    assert_int_equal(bench.job.kernel->needs(&bench.job), KERNEL_OK);
    bench.job.x++;
    needs_refuses(&bench, "480 MiB do not fit in the 480 MiB of memory that may be used, and there "
                          "is no swap");
    host.swap_bytes = UINT64_C(256) << 20;
    needs_refuses(&bench, "--set=limit=256M pages within a control group");
    host.available_bytes = host.memory_bytes = host.swap_bytes = 0;
    needs_refuses(&bench, "do not fit in the 0 MiB");
    bench_end(&bench);
}

static void paging_without_a_limit_ends_where_nothing_fits(void **state)
{
    (void)state;
    struct kernel_host host = ordinary;
    struct bench bench;
    bench_named(&bench, "paging", "write_read");
    bench_set(&bench, "limit", "none");
    bench.job.host = &host;
    host.swap_bytes = UINT64_C(256) << 20;
    bench.job.x = UINT64_C(1280) << 20;
    assert_int_equal(bench.job.kernel->needs(&bench.job), KERNEL_OK);
    bench.job.x++;
    needs_refuses(&bench, "more than 1024 MiB of memory and 256 MiB of swap together");
    bench_end(&bench);
}

/* More than the address space has. */
static void paging_says_when_memory_cannot_be_allocated(void **state)
{
    (void)state;
    struct bench bench;
    bench_named(&bench, "paging", "write_read");
    bench.job.x = UINTPTR_MAX / 64 * 63;
    assert_int_equal(bench_setup(&bench, false), KERNEL_UNAVAILABLE);
    assert_non_null(strstr(bench.job.reason, "cannot allocate"));
    bench_end(&bench);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_kernel_is_described),
        cmocka_unit_test(every_metric_is_in_the_schema),
        cmocka_unit_test(every_default_of_a_setting_is_allowed),
        cmocka_unit_test(every_thread_list_is_one),
        cmocka_unit_test(default_sizes_ascend_on_any_machine),
        cmocka_unit_test(every_test_passes_its_own_check_and_the_liar_does_not),
        cmocka_unit_test(a_run_that_did_nothing_is_refused),
        cmocka_unit_test(control_fixed_takes_a_millisecond),
        cmocka_unit_test(bus_speed_counts_what_it_loads),
        cmocka_unit_test(bus_speed_reads_arrays_of_any_size),
        cmocka_unit_test(bus_speed_refuses_a_changed_array),
        cmocka_unit_test(bus_speed_says_what_it_cannot_read),
        cmocka_unit_test(whetstone_refuses_a_wrong_result),
        cmocka_unit_test(whetstone_does_all_the_work_it_counts),
        cmocka_unit_test(disk_block_refuses_a_changed_file),
        cmocka_unit_test(disk_block_refuses_what_it_did_not_write),
        cmocka_unit_test(disk_block_writes_what_does_not_repeat),
        cmocka_unit_test(disk_block_tells_the_time_of_the_last_fsync_apart),
        cmocka_unit_test(disk_block_writes_whole_blocks),
        cmocka_unit_test(disk_block_leaves_room_for_others),
        cmocka_unit_test(disk_block_sizes_follow_the_free_space),
        cmocka_unit_test(disk_block_writes_no_more_blocks_than_wanted),
        cmocka_unit_test(disk_block_refuses_blocks_that_cannot_be_direct),
        cmocka_unit_test(disk_random_refuses_a_changed_block),
        cmocka_unit_test(disk_random_times_every_transfer),
        cmocka_unit_test(disk_files_refuses_a_changed_small_file),
        cmocka_unit_test(disk_files_deletes_them_all),
        cmocka_unit_test(disk_files_copies_a_tree),
        cmocka_unit_test(disk_raw_refuses_a_changed_source),
        cmocka_unit_test(paging_refuses_a_flipped_bit),
        cmocka_unit_test(paging_swaps_its_pattern),
        cmocka_unit_test(paging_reads_arrays_of_any_size),
        cmocka_unit_test(paging_stays_within_the_memory_that_is_there),
        cmocka_unit_test(paging_without_a_limit_ends_where_nothing_fits),
        cmocka_unit_test(paging_says_when_memory_cannot_be_allocated),
        /* last: the file systems of this process are its own from then on */
        cmocka_unit_test(disk_block_fails_on_a_full_disk_and_cleans_up),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
