#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "collect/plan.h"

static const struct kernel_host host = {.n_cpus = 2,
                                        .memory_bytes = UINT64_C(1) << 32,
                                        .available_bytes = UINT64_C(1) << 31};
static struct err err;

static void make(struct plan *plan, const struct plan_request *request)
{
    assert_int_equal(plan_make(plan, request, &host, &err), 0);
}

static void refuse(const struct plan_request *request, const char *message)
{
    struct plan plan;
    assert_int_equal(plan_make(&plan, request, &host, &err), ERR_USAGE);
    plan_free(&plan);
    if (!strstr(err.text, message))
        fail_msg("'%s' does not say '%s'", err.text, message);
}

static void every_cell_is_repeated_and_numbered_in_the_order_of_running(void **state)
{
    (void)state;
    const char *names[] = {"control"};
    struct plan_request request = {.names = names, .n_names = 1, .repeat = 4, .seed = 7};
    struct plan plan;
    make(&plan, &request);
    assert_int_equal(plan.n_cells, 2); /* nop and fixed: liar runs only when it is named */
    assert_int_equal(plan.n_jobs, 8);
    unsigned seen[2] = {0};
    for (size_t i = 0; i < plan.n_jobs; i++)
        assert_int_equal(plan.jobs[i].rep, ++seen[plan.jobs[i].cell - plan.cells]);
    plan_free(&plan);
}

static void the_seed_alone_decides_the_order(void **state)
{
    (void)state;
    const char *names[] = {"bus_speed"};
    struct plan_request request = {.names = names, .n_names = 1, .seed = 11, .x = "16K,64K"};
    struct plan one, same, other;
    make(&one, &request);
    make(&same, &request);
    request.seed = 12;
    make(&other, &request);
    assert_int_equal(one.n_jobs, same.n_jobs);
    assert_int_equal(one.n_jobs, other.n_jobs);
    size_t n_moved = 0;
    for (size_t i = 0; i < one.n_jobs; i++) {
        assert_int_equal(one.jobs[i].cell - one.cells, same.jobs[i].cell - same.cells);
        n_moved += one.jobs[i].cell - one.cells != other.jobs[i].cell - other.cells;
    }
    assert_true(n_moved > one.n_jobs / 2);
    plan_free(&one);
    plan_free(&same);
    plan_free(&other);
}

static void settings_threads_and_sizes_multiply(void **state)
{
    (void)state;
    const char *names[] = {"bus_speed.read_all"};
    const char *settings[] = {"word=32,64"};
    struct plan_request request = {.names = names,
                                   .n_names = 1,
                                   .repeat = 1,
                                   .threads = "1,all,2",
                                   .x = "16K,1M",
                                   .settings = settings,
                                   .n_settings = 1};
    struct plan plan;
    make(&plan, &request);
    assert_int_equal(plan.n_cells, 2 * 2 * 2); /* all is 2 here, and 2 is there once */
    for (size_t i = 0; i < plan.n_cells; i++) {
        const struct plan_cell *cell = &plan.cells[i];
        assert_true(cell->x == 16384 || cell->x == 1048576);
        assert_true(cell->threads == 1 || cell->threads == 2);
        size_t n_words = 0;
        for (const struct kernel_value *value = cell->settings; value->key; value++)
            n_words += strcmp(value->key, "word") == 0;
        assert_int_equal(n_words, 1);
    }
    plan_free(&plan);
}

static void sizes_in_settings_have_one_form(void **state)
{
    (void)state;
    const char *names[] = {"disk_block.write"};
    const char *settings[] = {"size=64K", "mode=direct"};
    struct plan_request request = {.names = names,
                                   .n_names = 1,
                                   .x = "4K",
                                   .settings = settings,
                                   .n_settings = 2};
    struct plan plan;
    make(&plan, &request);
    assert_int_equal(plan.n_cells, 1);
    bool has_size = false;
    for (const struct kernel_value *v = plan.cells[0].settings; v->key; v++)
        has_size = has_size || (strcmp(v->key, "size") == 0 && strcmp(v->value, "65536") == 0);
    assert_true(has_size);
    plan_free(&plan);
}

static void liar_runs_when_it_is_named(void **state)
{
    (void)state;
    const char *names[] = {"control.liar"};
    struct plan_request request = {.names = names, .n_names = 1, .repeat = 1};
    struct plan plan;
    make(&plan, &request);
    assert_int_equal(plan.n_cells, 1);
    assert_string_equal(plan.cells[0].test->name, "liar");
    plan_free(&plan);
}

static void what_is_not_known_is_named(void **state)
{
    (void)state;
    const char *names[] = {"bus_speed.read_al"};
    struct plan_request request = {.names = names, .n_names = 1};
    refuse(&request, "'bus_speed.read_al' is no kernel");
    names[0] = "bus_speed";
    request.threads = "0";
    refuse(&request, "--threads: '0'");
    request.threads = "1,,2";
    refuse(&request, "an empty value in '1,,2'");
    request.threads = NULL;
    request.x = "12X";
    refuse(&request, "--x: '12X'");
    request.x = NULL;
    const char *settings[] = {"word=33"};
    request.settings = settings;
    request.n_settings = 1;
    refuse(&request, "--set=word: '33' is not 32,64");
    settings[0] = "wort=32";
    refuse(&request, "--set=wort=32: no selected test has this setting");
}

static void every_suite_has_a_plan_within_the_limits_of_its_lists(void **state)
{
    (void)state;
    size_t before = 0;
    for (int suite = SUITE_QUICK; suite < SUITE_COUNT; suite++) {
        struct plan_request request = {.suite = (enum kernel_suite)suite};
        struct plan plan;
        make(&plan, &request);
        assert_int_equal(plan.n_jobs, plan.n_cells * plan_repeat((enum kernel_suite)suite));
        assert_true(plan.n_cells > before);
        before = plan.n_cells;
        plan_free(&plan);
    }
}

static bool plan_has(const struct plan *plan, const struct kernel *kernel,
                     const struct kernel_test *test)
{
    for (size_t i = 0; i < plan->n_cells; i++)
        if (plan->cells[i].kernel == kernel && plan->cells[i].test == test)
            return true;
    return false;
}

static void the_standard_suite_has_every_family(void **state)
{
    (void)state;
    struct plan_request request = {.suite = SUITE_STANDARD};
    struct plan plan;
    make(&plan, &request);
    for (const struct kernel *const *k = kernel_registry; *k; k++) {
        bool has_one = false;
        for (const struct kernel_test *test = (*k)->tests; test->name; test++) {
            bool has_test = plan_has(&plan, *k, test);
            assert_int_equal(has_test, test->from <= SUITE_STANDARD);
            has_one = has_one || has_test;
        }
        if (!has_one)
            fail_msg("nothing of %s", (*k)->name);
    }
    plan_free(&plan);
}

/* What the manual promises, by the estimate: on an ordinary machine, and on one whose caches, and so the
 * arrays in memory, are as large as they come. */
static void every_suite_ends_within_its_budget(void **state)
{
    (void)state;
    static const struct kernel_host hosts[] = {
        {.l1d_bytes = 32768, .l2_bytes = 1 << 20, .l3_bytes = 32 << 20,
         .memory_bytes = UINT64_C(16) << 30, .available_bytes = UINT64_C(14) << 30, .n_cpus = 2,
         .disk_free_bytes = UINT64_C(100) << 30},
        {.l1d_bytes = 49152, .l2_bytes = 2 << 20, .l3_bytes = 300 << 20,
         .memory_bytes = UINT64_C(64) << 30, .available_bytes = UINT64_C(60) << 30, .n_cpus = 2,
         .disk_free_bytes = UINT64_C(100) << 30, .swap_bytes = UINT64_C(8) << 30,
         .can_confine = true}};
    for (size_t h = 0; h < sizeof hosts / sizeof hosts[0]; h++) {
        double before = 0;
        for (int s = SUITE_QUICK; s < SUITE_COUNT; s++) {
            enum kernel_suite suite = (enum kernel_suite)s;
            struct plan_request request = {.suite = suite};
            struct plan plan;
            assert_int_equal(plan_make(&plan, &request, &hosts[h], &err), 0);
            double seconds = plan_seconds(&plan, &hosts[h], suite, plan_min_seconds(suite));
            assert_true(seconds > before && seconds < plan_budget(suite));
            before = seconds;
            plan_free(&plan);
        }
    }
}

static void an_estimate_grows_with_samples_and_memory(void **state)
{
    (void)state;
    const char *names[] = {"bus_speed.read_all"};
    struct plan_request request = {.names = names, .n_names = 1, .x = "16K", .repeat = 4};
    struct plan plan;
    make(&plan, &request);
    double small = plan_seconds(&plan, &host, SUITE_QUICK, 0.1);
    assert_true(small > 4 * 2 * 0.1 && small < 4 * 4 * 0.1);
    assert_true(plan_seconds(&plan, &host, SUITE_QUICK, 1) > 9 * small);
    plan_free(&plan);
    request.x = "1G";
    make(&plan, &request);
    assert_true(plan_seconds(&plan, &host, SUITE_QUICK, 0.1) > small + 4);
    plan_free(&plan);
    request.x = "3G"; /* more than is available */
    make(&plan, &request);
    assert_true(plan_seconds(&plan, &host, SUITE_QUICK, 0.1) < small);
    plan_free(&plan);
}

/* Files of less than a byte, blocks of none. */
static void what_cannot_run_has_an_estimate_too(void **state)
{
    (void)state;
    const char *names[] = {"disk_files", "disk_random"}, *settings[] = {"block=0"};
    struct plan_request request = {.names = names, .n_names = 1, .x = "1", .suite = SUITE_FULL};
    struct plan plan;
    for (int i = 0; i < 2; i++) {
        make(&plan, &request);
        assert_true(plan_seconds(&plan, &host, SUITE_FULL, 0.1) > 0);
        plan_free(&plan);
        request = (struct plan_request){
            .names = names + 1, .n_names = 1, .settings = settings, .n_settings = 1};
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_cell_is_repeated_and_numbered_in_the_order_of_running),
        cmocka_unit_test(the_seed_alone_decides_the_order),
        cmocka_unit_test(settings_threads_and_sizes_multiply),
        cmocka_unit_test(sizes_in_settings_have_one_form),
        cmocka_unit_test(liar_runs_when_it_is_named),
        cmocka_unit_test(what_is_not_known_is_named),
        cmocka_unit_test(every_suite_has_a_plan_within_the_limits_of_its_lists),
        cmocka_unit_test(the_standard_suite_has_every_family),
        cmocka_unit_test(every_suite_ends_within_its_budget),
        cmocka_unit_test(an_estimate_grows_with_samples_and_memory),
        cmocka_unit_test(what_cannot_run_has_an_estimate_too),
    };
    return cmocka_run_group_tests_name("plan", tests, NULL, NULL);
}
