/* Every kernel that the build found: its description, and each of its tests run and checked. What a
 * family must refuse is tested by test_kernels_FAMILY and its like. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "collect/measure.h"
#include "kernels/kernel.h"
#include "schema/number.h"
#include "schema/unit.h"
#include "tests/unit/kernel_bench.h"

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

static bool is_named(const struct bench *bench, const char *kernel, const char *test)
{
    return strcmp(bench->job.kernel->name, kernel) == 0 &&
           (!test || strcmp(bench->job.test->name, test) == 0);
}

/* openssl measures each of its own for a second or two: a few stand for all. */
static bool is_slow(const struct bench *bench)
{
    return is_named(bench, "openssl_speed", NULL) && !is_named(bench, "openssl_speed", "md5") &&
           !is_named(bench, "openssl_speed", "dsa_verify");
}

static void passes_its_check(struct bench *bench)
{
    if (is_slow(bench)) {
        bench_end(bench);
    } else if (is_named(bench, "control", "liar")) {
        assert_int_equal(bench_do(bench), KERNEL_WRONG);
        assert_string_not_equal(bench->job.reason, "");
        bench_end(bench);
    } else {
        bench_passes(bench);
    }
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
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
