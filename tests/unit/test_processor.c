/* The kernels of the processor and the operating system: cpu_ops, cpu_mp, dhrystone, classic,
 * os_latency. That each test passes its own check is tested for all kernels by test_kernels_every; here,
 * that wrong results are refused, that time grows with the work, and how cycles are counted. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "collect/cpu_clock.h"
#include "collect/measure.h"
#include "kernels/classic.h"
#include "kernels/cpu_ops.h"
#include "kernels/dhrystone.h"
#include "kernels/kernel.h"
#include "kernels/os_latency.h"

static const struct kernel_host host = {.n_cpus = 1};
static const struct kernel_value settings[] = {{"mhz", "auto"},     {"mode", "thread"},
                                               {"call", "getppid"}, {"page", "anonymous"},
                                               {"bytes", "65536"},  {"touch", "first"},
                                               {0}};

static const struct kernel *kernel_find(const char *name)
{
    for (size_t i = 0; kernel_registry[i]; i++)
        if (strcmp(kernel_registry[i]->name, name) == 0)
            return kernel_registry[i];
    fail_msg("no kernel %s", name);
    return NULL;
}

static const struct kernel_test *test_find(const struct kernel *kernel, const char *name)
{
    for (const struct kernel_test *test = kernel->tests; test->name; test++)
        if (strcmp(test->name, name) == 0)
            return test;
    fail_msg("no test %s", name);
    return NULL;
}

/* Set up, with memory; false where this machine cannot. Ended by job_end. */
static bool job_begin_with(struct kernel_job *job, const char *kernel, const char *test,
                           const struct kernel_value *values)
{
    *job = (struct kernel_job){.kernel = kernel_find(kernel),
                               .host = &host,
                               .threads = 1,
                               .seed = 1,
                               .settings = values,
                               .folder = ""};
    job->test = test_find(job->kernel, test);
    if (job->kernel->needs && job->kernel->needs(job) == KERNEL_UNAVAILABLE) {
        print_message("# %s.%s: %s\n", kernel, test, job->reason);
        return false;
    }
    job->memory_bytes = job->kernel->memory ? job->kernel->memory(job) : 0;
    if (job->memory_bytes > 0) {
        job->memory = aligned_alloc(65536, (job->memory_bytes + 65535) / 65536 * 65536);
        assert_non_null(job->memory);
        memset(job->memory, 0, job->memory_bytes);
    }
    assert_int_equal(job->kernel->setup(job), KERNEL_OK);
    return true;
}

static bool job_begin(struct kernel_job *job, const char *kernel, const char *test)
{
    return job_begin_with(job, kernel, test, settings);
}

static void job_run(struct kernel_job *job, uint64_t iterations)
{
    assert_int_equal(job->test->run(job, iterations), KERNEL_OK);
    job->n_runs++;
    job->n_iterations += iterations;
}

static void job_end(struct kernel_job *job)
{
    job->kernel->teardown(job);
    assert_null(job->state);
    free(job->memory);
}

static void assert_accepted(struct kernel_job *job)
{
    if (job->kernel->check(job) != KERNEL_OK)
        fail_msg("%s.%s: %s", job->kernel->name, job->test->name, job->reason);
}

static void assert_refused(struct kernel_job *job, const char *reason)
{
    assert_int_equal(job->kernel->check(job), KERNEL_WRONG);
    if (!strstr(job->reason, reason))
        fail_msg("%s.%s: '%s' does not contain '%s'", job->kernel->name, job->test->name,
                 job->reason, reason);
}

/* ---- cpu_ops */

/* One bit of the first chain. */
static void cpu_ops_refuses_every_operation_whose_result_is_wrong(void **state)
{
    (void)state;
    const struct kernel *kernel = kernel_find("cpu_ops");
    for (const struct kernel_test *test = kernel->tests; test->name; test++) {
        struct kernel_job job;
        if (!job_begin(&job, "cpu_ops", test->name))
            continue;
        job_run(&job, 2);
        assert_accepted(&job);
        ((unsigned char *)job.state)[0] ^= 1; /* of what the first pass left */
        assert_refused(&job, "chain 0 ends with");
        job_end(&job);
    }
}

static void cpu_ops_refuses_a_pass_that_ends_otherwise(void **state)
{
    (void)state;
    struct kernel_job job;
    assert_true(job_begin(&job, "cpu_ops", "add_latency"));
    job_run(&job, 1);
    /* The registers that a pass starts from follow those of the first pass. */
    ((unsigned char *)job.state)[sizeof(struct cpu_registers)] ^= 1;
    job_run(&job, 3);
    ((unsigned char *)job.state)[sizeof(struct cpu_registers)] ^= 1;
    assert_refused(&job, "3 passes end with other results");
    job_end(&job);
}

static void cpu_ops_refuses_a_store_that_did_not_happen(void **state)
{
    (void)state;
    struct kernel_job job;
    assert_true(job_begin(&job, "cpu_ops", "store_throughput"));
    job_run(&job, 1);
    assert_accepted(&job);
    ((unsigned char *)job.memory)[3] ^= 1;
    assert_refused(&job, "memory does not hold");
    job_end(&job);
}

/* Every processor does these, so the tables of all have them. */
static void every_processor_has_the_common_operations(void **state)
{
    (void)state;
    static const enum cpu_op common[] = {
        OP_ADD_LATENCY,        OP_ADD_THROUGHPUT, OP_MULTIPLY_LATENCY, OP_LOAD_LATENCY,
        OP_STORE,              OP_STORE_FORWARD,  OP_BRANCH_RANDOM,    OP_CALL_RETURN,
        OP_DOUBLE_ADD_LATENCY, OP_DOUBLE_DIVIDE_LATENCY};
    for (size_t i = 0; i < sizeof common / sizeof common[0]; i++)
        assert_non_null(cpu_codes[common[i]].run);
}

/* ---- how cycles are counted */

struct seen {
    double time, rate, cycles, ipc, clock;
};

static void note(void *context, const struct measure_sample *sample)
{
    struct seen *seen = context;
    if (sample->is_warmup)
        return;
    if (strcmp(sample->metric, "time") == 0)
        seen->time = sample->value;
    else if (strcmp(sample->metric, "rate") == 0)
        seen->rate = sample->value;
    else if (strcmp(sample->metric, "cycles") == 0)
        seen->cycles = sample->value;
    else if (strcmp(sample->metric, "ipc") == 0)
        seen->ipc = sample->value;
    else if (strcmp(sample->metric, "clock") == 0)
        seen->clock = sample->value;
}

static struct seen measure(const char *test, const struct kernel_value *values)
{
    const struct kernel *kernel = kernel_find("cpu_ops");
    const struct plan_cell cell = {.kernel = kernel,
                                   .test = test_find(kernel, test),
                                   .threads = 1,
                                   .settings = values};
    const struct measure_request request = {
        .cell = &cell, .host = &host, .seed = 1, .min_seconds = 0.01, .folder = ""};
    struct seen seen = {0};
    char reason[KERNEL_REASON_SIZE];
    assert_int_equal(measure_cell(&request, note, &seen, reason), KERNEL_OK);
    return seen;
}

static void assert_near(double value, double right, double share)
{
    if (!(fabs(value - right) <= share * fabs(right)))
        fail_msg("%.17g is not %.17g", value, right);
}

static void cycles_follow_from_the_time_and_the_clock(void **state)
{
    (void)state;
    static const struct kernel_value given[] = {{"mhz", "1000"}, {0}};
    struct seen seen = measure("add_latency", given);
    assert_true(seen.clock == 1e9);
    assert_near(seen.cycles, seen.time * 1e9, 1e-12);
    assert_near(seen.ipc, 1 / seen.cycles, 1e-12);
    assert_near(seen.rate, 1 / seen.time, 1e-12);
}

/* The definition of the measured clock; loose, for a machine that others use. */
static void a_dependent_addition_takes_a_cycle(void **state)
{
    (void)state;
    static const struct kernel_value measured[] = {{"mhz", "auto"}, {0}};
    double best = 1e9;
    for (int i = 0; i < 20 && best > 1.1; i++)
        best = fmin(best, measure("add_latency", measured).cycles);
    if (best < 0.8 || best > 1.1)
        fail_msg("%g cycles", best);
}

static void the_measured_clock_is_one_that_processors_have(void **state)
{
    (void)state;
    double hertz = cpu_clock_measure();
    if (!(hertz > 1e7 && hertz < 2e10))
        fail_msg("%g Hz", hertz);
}

/* ---- cpu_mp, dhrystone, os_latency */

static void cpu_mp_refuses_threads_that_it_is_not_for(void **state)
{
    (void)state;
    struct kernel_job job = {.kernel = kernel_find("cpu_mp"), .threads = 1};
    job.test = test_find(job.kernel, "both");
    assert_int_equal(job.kernel->needs(&job), KERNEL_UNAVAILABLE);
    job.threads = 2;
    assert_int_equal(job.kernel->needs(&job), KERNEL_OK);
    job.test = test_find(job.kernel, "four_low_priority");
    assert_int_equal(job.kernel->needs(&job), KERNEL_UNAVAILABLE);
    job.threads = 4;
    assert_int_equal(job.kernel->needs(&job), KERNEL_OK);
}

static void cpu_mp_refuses_a_wrong_sum(void **state)
{
    (void)state;
    struct kernel_job job;
    assert_true(job_begin(&job, "cpu_mp", "integer"));
    job_run(&job, 2);
    assert_accepted(&job);
    ((uint32_t *)job.state)[0]++;
    assert_refused(&job, "sum 0 is");
    job_end(&job);
    assert_true(job_begin(&job, "cpu_mp", "float"));
    job_run(&job, 2);
    assert_accepted(&job);
    job_end(&job);
}

/* Threads 0 and 2 do integers, three times as many. */
static void cpu_mp_counts_the_kind_of_each_thread(void **state)
{
    (void)state;
    struct kernel_job job = {.kernel = kernel_find("cpu_mp"), .threads = 4};
    job.test = test_find(job.kernel, "four_low_priority");
    static const double right[] = {120000, 40000, 120000, 40000};
    for (job.thread = 0; job.thread < 4; job.thread++) {
        struct kernel_work work = {0};
        job.kernel->work(&job, &work);
        assert_true(work.steps == right[job.thread]);
    }
}

static void dhrystone_refuses_wrong_final_values(void **state)
{
    (void)state;
    struct kernel_job job;
    assert_true(job_begin(&job, "dhrystone", "dhrystone"));
    job_run(&job, 1);
    assert_accepted(&job);
    job_run(&job, 1000);
    assert_accepted(&job);
    struct dhrystone_world *world = job.state; /* comes first in it */
    world->record->variant.first.number++;
    assert_refused(&job, "Ptr_Glob->Int_Comp is 18, should be 17");
    world->record->variant.first.number--;
    world->next->variant.first.text[29] = 'E';
    assert_refused(&job, "Next_Ptr_Glob->Str_Comp is 'DHRYSTONE PROGRAM, SOME STRINE'");
    world->next->variant.first.text[29] = 'G';
    job.n_iterations++;
    assert_refused(&job, "did 1001 rounds of 1002");
    job_end(&job);
}

static void os_latency_refuses_operations_that_failed(void **state)
{
    (void)state;
    static const struct {
        const char *test;
        struct kernel_value settings[3];
    } cases[] = {{"syscall", {{"call", "getppid"}}},
                 {"syscall", {{"call", "read"}}},
                 {"syscall", {{"call", "write"}}},
                 {"page_fault", {{"page", "file"}}},
                 {"file_map", {{"bytes", "65536"}, {"touch", "first"}}},
                 {"file_map", {{"bytes", "524288"}, {"touch", "tenth"}}},
                 {"context_switch", {{"mode", "process"}}},
                 {"context_switch", {{"mode", "thread"}}},
                 {"clock", {{0}}},
                 {"poll", {{0}}}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct kernel_job job;
        if (!job_begin_with(&job, "os_latency", cases[i].test, cases[i].settings))
            continue;
        job_run(&job, 3);
        assert_accepted(&job);
        ((struct os_latency *)job.state)->done--; /* as if one had given something else */
        assert_refused(&job, "did what they should");
        job_end(&job);
    }
}

/* Of a file a fault may bring many pages, but not all that this has touched. */
static void os_latency_refuses_pages_that_did_not_fault(void **state)
{
    (void)state;
    static const char *const pages[] = {"anonymous", "file"};
    for (size_t i = 0; i < 2; i++) {
        const struct kernel_value values[] = {{"page", pages[i]}, {0}};
        struct kernel_job job;
        if (!job_begin_with(&job, "os_latency", "page_fault", values))
            skip();
        job_run(&job, 3);
        assert_accepted(&job);
        struct os_latency *latency = job.state;
        latency->counted = i == 0 ? latency->counted / 2 : 2;
        assert_refused(&job, "page faults");
        job_end(&job);
    }
}

static void os_latency_touches_each_page_of_a_file_once(void **state)
{
    (void)state;
    static const struct kernel_value values[] = {{"page", "file"}, {0}};
    struct kernel_job job;
    if (!job_begin_with(&job, "os_latency", "page_fault", values))
        skip();
    const struct os_latency *latency = job.state;
    unsigned char n_seen[OS_PAGES] = {0};
    size_t n_in_order = 0;
    for (size_t i = 0; i < OS_PAGES; i++) {
        assert_in_range(latency->order[i], 0, OS_PAGES - 1);
        assert_int_equal(n_seen[latency->order[i]]++, 0);
        n_in_order += latency->order[i] == i;
    }
    assert_in_range(n_in_order, 0, OS_PAGES / 8);
    job_end(&job);
}

static void os_latency_refuses_files_that_cannot_be_mapped(void **state)
{
    (void)state;
    static const struct kernel_value values[] = {{"bytes", "100"}, {"touch", "first"}, {0}};
    struct kernel_job job = {.kernel = kernel_find("os_latency"), .settings = values, .seed = 1};
    job.host = &host;
    job.test = test_find(job.kernel, "file_map");
    assert_int_equal(job.kernel->setup(&job), KERNEL_UNAVAILABLE);
    job.kernel->teardown(&job);
}

/* ---- classic */

static void classic_refuses_every_wrong_answer(void **state)
{
    (void)state;
    const struct kernel *kernel = kernel_find("classic");
    for (const struct kernel_test *test = kernel->tests; test->name; test++) {
        struct kernel_job job;
        if (!job_begin(&job, "classic", test->name))
            continue;
        job_run(&job, 1);
        assert_accepted(&job);
        struct classic *classic = job.state;
        classic->answer++;
        assert_refused(&job, "the answers are");
        classic->answer--;
        classic->n_different = 1;
        assert_refused(&job, "1 answers differ");
        job_end(&job);
    }
}

static void classic_refuses_a_wrong_element(void **state)
{
    (void)state;
    struct kernel_job job;
    assert_true(job_begin(&job, "classic", "matrix"));
    job_run(&job, 1);
    ((int32_t *)job.memory)[2 * 40000 + 12345]++;
    assert_refused(&job, "not the product");
    job_end(&job);
    static const char *const sorts[] = {"bubble", "qsort"};
    for (size_t i = 0; i < 2; i++) {
        assert_true(job_begin(&job, "classic", sorts[i]));
        job_run(&job, 1);
        uint32_t *elements = job.memory;
        elements[100] = elements[101];
        elements[102] = elements[103];
        assert_refused(&job, "not sorted, or not the same");
        job_end(&job);
    }
    assert_true(job_begin(&job, "classic", "savage"));
    job_run(&job, 1);
    ((struct classic *)job.state)->real *= 1 + 1e-9;
    assert_refused(&job, "the answer is");
    job_end(&job);
}

/* The sums by formula against plain loops. */
static void classic_formulas_are_right(void **state)
{
    (void)state;
    int64_t quotients = 0, rests = 0, scaled = 0, wide = 0;
    for (int64_t i = 0; i < CLASSIC_OPERATIONS; i++) {
        quotients += (123456789 + i) / 1234;
        rests += (123456789 + i) % 1234;
        scaled += (123456789 + i) * 355 / 4321;
        wide += (INT64_C(123456789012) + i) / 54321;
    }
    assert_true(classic_arithmetic_answer(classic_div) == quotients);
    assert_true(classic_arithmetic_answer(classic_divmod) == quotients + rests);
    assert_true(classic_arithmetic_answer(classic_star_slash) == scaled);
    assert_true(classic_arithmetic_answer(classic_m_div) == wide);
}

/* Of this thread alone: others may be at work. */
static double processor_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static double run_seconds(struct kernel_job *job, uint64_t iterations)
{
    double start = processor_seconds();
    job_run(job, iterations);
    return processor_seconds() - start;
}

/* Four times the work takes four times as long, unless it is moved out of the loop; and no less per
 * step than any processor of today needs. The best of some, and patience, since others slow the
 * processor down at times. */
static void time_grows_with_the_work(void **state)
{
    (void)state;
    static const double least_per_step = 2e-11; /* 8 steps a cycle at 6 GHz */
    const struct kernel *kernel = kernel_find("classic");
    for (const struct kernel_test *test = kernel->tests; test->name; test++) {
        struct kernel_job job;
        struct kernel_work work = {0};
        if (!job_begin(&job, "classic", test->name))
            continue;
        kernel->work(&job, &work);
        double ratio = 0, once = run_seconds(&job, 1), four = INFINITY;
        uint64_t n = once < 2e-4 ? 10 : 1;
        for (int patience = 0; patience < 30 && !(ratio > 3 && ratio < 5); patience++) {
            once = fmin(once, run_seconds(&job, n) / (double)n);
            four = fmin(four, run_seconds(&job, 4 * n) / (double)n);
            ratio = four / once;
        }
        if (!(ratio > 3 && ratio < 5) || once / work.steps < least_per_step)
            fail_msg("%s: %g s, four times the work takes %g times as long", test->name, once,
                     ratio);
        job_end(&job);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cpu_ops_refuses_every_operation_whose_result_is_wrong),
        cmocka_unit_test(cpu_ops_refuses_a_pass_that_ends_otherwise),
        cmocka_unit_test(cpu_ops_refuses_a_store_that_did_not_happen),
        cmocka_unit_test(every_processor_has_the_common_operations),
        cmocka_unit_test(cycles_follow_from_the_time_and_the_clock),
        cmocka_unit_test(a_dependent_addition_takes_a_cycle),
        cmocka_unit_test(the_measured_clock_is_one_that_processors_have),
        cmocka_unit_test(cpu_mp_refuses_threads_that_it_is_not_for),
        cmocka_unit_test(cpu_mp_refuses_a_wrong_sum),
        cmocka_unit_test(cpu_mp_counts_the_kind_of_each_thread),
        cmocka_unit_test(dhrystone_refuses_wrong_final_values),
        cmocka_unit_test(os_latency_refuses_operations_that_failed),
        cmocka_unit_test(os_latency_refuses_pages_that_did_not_fault),
        cmocka_unit_test(os_latency_touches_each_page_of_a_file_once),
        cmocka_unit_test(os_latency_refuses_files_that_cannot_be_mapped),
        cmocka_unit_test(classic_refuses_every_wrong_answer),
        cmocka_unit_test(classic_refuses_a_wrong_element),
        cmocka_unit_test(classic_formulas_are_right),
        cmocka_unit_test(time_grows_with_the_work),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
