/* The kernels of floating-point arithmetic: published results to the printed digits where the
 * arithmetic is that of the publication, and every family refuses a wrong operand; whetstone does in
 * test_kernels_whetstone. That each kernel passes its own check is tested for all of them by
 * test_kernels_every. */
#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "kernels/kernel.h"
#include "kernels/livermore.h"
#include "tests/unit/kernel_find.h"

/* Published digits are those of IEEE double arithmetic without fused operations. */
#if FLT_EVAL_METHOD == 0 && !defined(__FMA__) && defined(__x86_64__)
enum { IS_PLAIN_IEEE = 1 };
#else
enum { IS_PLAIN_IEEE = 0 };
#endif

static const struct kernel_host host = {.n_cpus = 1};

/* A job of the test with these settings, set up, with memory; ended by job_end. */
static void job_begin(struct kernel_job *job, const char *kernel, const char *test, uint64_t x,
                      const struct kernel_value *settings)
{
    *job = (struct kernel_job){.host = &host, .x = x, .threads = 1, .settings = settings};
    job->kernel = kernel_find(kernel);
    job->test = kernel_test_find(job->kernel, test);
    if (job->kernel->needs && job->kernel->needs(job) == KERNEL_UNAVAILABLE) {
        print_message("# SKIP %s.%s: %s\n", kernel, test, job->reason);
        skip();
    }
    job->memory_bytes = job->kernel->memory ? job->kernel->memory(job) : 0;
    if (job->memory_bytes > 0) {
        job->memory = aligned_alloc(4096, (job->memory_bytes + 4095) / 4096 * 4096);
        assert_non_null(job->memory);
        memset(job->memory, 0, job->memory_bytes);
    }
    assert_int_equal(job->kernel->setup(job), KERNEL_OK);
}

static enum kernel_outcome job_run(struct kernel_job *job, uint64_t iterations)
{
    enum kernel_outcome outcome = job->test->run(job, iterations);
    job->n_runs++;
    job->n_iterations += iterations;
    return outcome;
}

static void job_end(struct kernel_job *job)
{
    job->kernel->teardown(job);
    free(job->memory);
}

static void assert_check(struct kernel_job *job, enum kernel_outcome outcome)
{
    enum kernel_outcome found = job->kernel->check(job);
    if (found != outcome)
        fail_msg("%s.%s: outcome %d, not %d: %s", job->kernel->name, job->test->name, found,
                 outcome, job->reason);
}

/* ---- linpack */

static const struct kernel_value linpack_double[] = {{"type", "double"}, {"lda", "201"}, {0}};
static const struct kernel_value linpack_double_200[] = {{"type", "double"}, {"lda", "200"}, {0}};
static const struct kernel_value linpack_float[] = {{"type", "float"}, {"lda", "201"}, {0}};

static void residual_note(struct kernel_job *job, const char *metric, double value)
{
    assert_string_equal(metric, "residual");
    *(double *)job->harness = value;
}

static void linpack_expect(const struct kernel_value *settings, const char *first, const char *last,
                           const char *residual)
{
    struct kernel_job job;
    double reported = 0;
    job_begin(&job, "linpack", "n100", 0, settings);
    job.report = residual_note;
    job.harness = &reported;
    job_run(&job, 1);
    job_run(&job, 2);
    assert_check(&job, KERNEL_OK);
    const double *x = job.state;
    char text[64];
    snprintf(text, sizeof text, "%.8e", x[0] - 1);
    if (IS_PLAIN_IEEE)
        assert_string_equal(text, first);
    snprintf(text, sizeof text, "%.8e", x[99] - 1);
    if (IS_PLAIN_IEEE)
        assert_string_equal(text, last);
    snprintf(text, sizeof text, "%.1f", reported);
    if (IS_PLAIN_IEEE)
        assert_string_equal(text, residual);
    job_end(&job);
}

static void linpack_gives_the_published_solution(void **state)
{
    (void)state;
    linpack_expect(linpack_double, "-1.49880108e-14", "-1.89848137e-14", "1.7");
    linpack_expect(linpack_double_200, "-1.49880108e-14", "-1.89848137e-14", "1.7");
    linpack_expect(linpack_float, "-1.38282776e-05", "-7.51018524e-06", "1.6");
}

static void linpack_refuses_a_wrong_operand(void **state)
{
    (void)state;
    struct kernel_job job;
    job_begin(&job, "linpack", "n100", 0, linpack_double);
    ((double *)job.memory)[50 * 201 + 50] += 1e-9;
    job_run(&job, 1);
    assert_check(&job, KERNEL_WRONG);
    job_end(&job);
    job_begin(&job, "linpack", "n100", 0, linpack_float);
    ((float *)job.memory)[99 * 201 + 99] += 0.01f;
    job_run(&job, 1);
    assert_check(&job, KERNEL_WRONG);
    job_end(&job);
}

/* A row that was not exchanged shows as a multiplier above 1, work on rows that there are not between
 * the columns; the working copy stands behind matrix and right-hand side. */
static void linpack_refuses_wrong_factors(void **state)
{
    (void)state;
    const size_t copy = 201 * 100 + 100, at[] = {copy + 201 * 7 + 8, copy + 201 * 7 + 100};
    for (size_t i = 0; i < 2; i++) {
        struct kernel_job job;
        job_begin(&job, "linpack", "n100", 0, linpack_double);
        job_run(&job, 1);
        assert_check(&job, KERNEL_OK);
        ((double *)job.memory)[at[i]] = 1.0001;
        assert_check(&job, KERNEL_WRONG);
        assert_non_null(strstr(job.reason, "pivoting"));
        job_end(&job);
    }
}

static void linpack_refuses_a_pass_that_differs(void **state)
{
    (void)state;
    struct kernel_job job;
    job_begin(&job, "linpack", "n100", 0, linpack_double);
    job_run(&job, 1);
    ((double *)job.memory)[0] += 1e-9;
    job_run(&job, 1);
    assert_check(&job, KERNEL_WRONG);
    job_end(&job);
}

/* ---- livermore */

static const struct kernel_value spans[][2] = {
    {{"span", "long"}, {0}}, {{"span", "medium"}, {0}}, {{"span", "short"}, {0}}};

static void every_livermore_loop_has_its_checksum_after_each_iteration(void **state)
{
    (void)state;
    for (int loop = 1; loop <= LIVERMORE_LOOPS; loop++) {
        for (size_t i = 0; i < 3; i++) {
            char name[16];
            snprintf(name, sizeof name, "loop%d", loop);
            struct kernel_job job;
            job_begin(&job, "livermore", name, 0, spans[i]);
            job_run(&job, 1);
            job_run(&job, 1);
            assert_check(&job, KERNEL_OK);
            job_end(&job);
        }
    }
}

/* To the last printed digit but one: the definition of "OK digits" in the original counts 16. */
static void livermore_loops_give_the_published_digits(void **state)
{
    (void)state;
    static const struct {
        const char *test, *digits;
    } published[] = {{"loop1", "5.11465269322467e+04"},  {"loop6", "4.37511634472999e+03"},
                     {"loop13", "1.20253396184280e+11"}, {"loop16", "5.65076000000000e+05"},
                     {"loop18", "1.01572703750230e+05"}, {"loop21", "1.59730828071020e+08"}};
    for (size_t i = 0; IS_PLAIN_IEEE && i < sizeof published / sizeof published[0]; i++) {
        struct kernel_job job;
        char digits[32];
        job_begin(&job, "livermore", published[i].test, 0, spans[0]);
        job_run(&job, 1);
        snprintf(digits, sizeof digits, "%.14e", *(const double *)job.state);
        assert_string_equal(digits, published[i].digits);
        job_end(&job);
    }
}

/* One operand of each loop, by as little as two neighbours of the initial values differ. */
static void every_livermore_loop_refuses_a_wrong_operand(void **state)
{
    (void)state;
    static const size_t operands[LIVERMORE_LOOPS] = {
        offsetof(struct livermore, z[20]),      offsetof(struct livermore, v[7]),
        offsetof(struct livermore, z[20]),      offsetof(struct livermore, y[9]),
        offsetof(struct livermore, z[20]),      offsetof(struct livermore, b[3][5]),
        offsetof(struct livermore, u[9]),       offsetof(struct livermore, u2[0][5][1]),
        offsetof(struct livermore, px[7][11]),  offsetof(struct livermore, cx[7][4]),
        offsetof(struct livermore, y[20]),      offsetof(struct livermore, y[20]),
        offsetof(struct livermore, y[40]),      offsetof(struct livermore, ex[2]),
        offsetof(struct livermore, vg[3][4]),   offsetof(struct livermore, zone[2]),
        offsetof(struct livermore, vlin[5]),    offsetof(struct livermore, zu[3][4]),
        offsetof(struct livermore, sb[9]),      offsetof(struct livermore, u[9]),
        offsetof(struct livermore, cx[9][2]),   offsetof(struct livermore, v[9]),
        offsetof(struct livermore, zz[3][4]),   offsetof(struct livermore, x[3])};
    for (int loop = 1; loop <= LIVERMORE_LOOPS; loop++) {
        char name[16];
        snprintf(name, sizeof name, "loop%d", loop);
        struct kernel_job job;
        job_begin(&job, "livermore", name, 0, spans[0]);
        for (size_t copy = 0; copy < 2; copy++) {
            char *operand =
                (char *)job.memory + copy * sizeof(struct livermore) + operands[loop - 1];
            if (loop == 16)
                *(int *)(void *)operand = 75; /* n: ends the search */
            else if (loop == 24)
                *(double *)(void *)operand = -2e10;
            else if (loop == 14)
                for (int i = 0; i < 1001; i++)
                    ((double *)(void *)(operand - 2 * sizeof(double)))[i] += 1e-4;
            else
                *(double *)(void *)operand += 1e-4;
        }
        job_run(&job, 1);
        assert_check(&job, KERNEL_WRONG);
        job_end(&job);
    }
}

/* On random numbers each loop has the result that was computed apart, and a loop that ends one step early
 * has not. */
static void livermore_loops_have_their_results_on_random_numbers(void **state)
{
    (void)state;
    static const int n[LIVERMORE_LOOPS] = {27, 15, 27, 27, 27, 8,  21, 14, 15, 15, 27, 26,
                                           8,  27, 15, 15, 15, 14, 15, 26, 20, 15, 14, 27};
    struct livermore *data = calloc(2, sizeof *data);
    assert_non_null(data);
    for (int loop = 1; loop <= LIVERMORE_LOOPS; loop++) {
        const double right = livermore_random_results[loop - 1];
        /* loop 4 takes every fifth, of loop 24 the least is the sixteenth */
        const int less = loop == 4 ? 5 : loop == 24 ? 12 : 1;
        double result = livermore_random_result(data, loop, n[loop - 1]);
        if (!(fabs(result - right) <= 1e-13 * fabs(right)))
            fail_msg("loop %d: %.17g, not %.17g", loop, result, right);
        if (loop == 16)
            continue; /* it has an n of its own */
        result = livermore_random_result(data, loop, n[loop - 1] - less);
        if (fabs(result - right) <= 1e-6 * fabs(right))
            fail_msg("loop %d: %.17g after a step less", loop, result);
    }
    free(data);
}

/* ---- fft */

static const struct kernel_value fft_types[][2] = {{{"type", "double"}, {0}},
                                                   {{"type", "float"}, {0}}};

static void fft_finds_the_tone_at_each_size(void **state)
{
    (void)state;
    for (uint64_t points = 16; points <= 65536; points *= 2) {
        for (size_t type = 0; type < 2; type++) {
            struct kernel_job job;
            job_begin(&job, "fft", "forward", points, fft_types[type]);
            job_run(&job, 1);
            job_run(&job, 2);
            assert_check(&job, KERNEL_OK);
            job_end(&job);
        }
    }
}

static void fft_refuses_points_that_are_no_power_of_two(void **state)
{
    (void)state;
    const uint64_t points[] = {0, 8, 1000, 1025, UINT64_C(1) << 40};
    for (size_t i = 0; i < sizeof points / sizeof points[0]; i++) {
        struct kernel_job job;
        job_begin(&job, "fft", "forward", 1024, fft_types[0]);
        job.x = points[i];
        assert_int_equal(job.kernel->needs(&job), KERNEL_UNAVAILABLE);
        job.x = 1024;
        job_end(&job);
    }
}

/* In the source, then in the table of twiddles, which stands behind source and result. */
static void fft_refuses_a_wrong_operand(void **state)
{
    (void)state;
    const size_t n = 1024, at[] = {2 * 77, 2 * 2 * n + 2 * (256 + 100)};
    for (size_t i = 0; i < 2; i++) {
        struct kernel_job job;
        job_begin(&job, "fft", "forward", n, fft_types[0]);
        ((double *)job.memory)[at[i]] += 1e-8;
        job_run(&job, 1);
        assert_check(&job, KERNEL_WRONG);
        job_end(&job);
        job_begin(&job, "fft", "forward", n, fft_types[1]);
        ((float *)job.memory)[at[i]] += 0.1f;
        job_run(&job, 1);
        assert_check(&job, KERNEL_WRONG);
        job_end(&job);
    }
}

/* ---- mflops */

static const struct kernel_value codes[][3] = {
    {{"code", "scalar"}, {"type", "double"}, {0}},
    {{"code", "vector"}, {"type", "double"}, {0}},
    {{"code", "scalar"}, {"type", "float"}, {0}},
    {{"code", "vector"}, {"type", "float"}, {0}}};
static const char *const array_tests[] = {"ops2", "ops8", "ops32"};

static void mflops_arrays_go_where_the_definition_leads(void **state)
{
    (void)state;
    for (size_t test = 0; test < 3; test++) {
        for (size_t code = 0; code < 2; code++) {
            struct kernel_job job;
            job_begin(&job, "mflops", array_tests[test], 12800, codes[code]);
            job_run(&job, 1);
            job_run(&job, 3000);
            assert_check(&job, KERNEL_OK);
            job_end(&job);
        }
    }
}

static void mflops_refuses_a_wrong_operand(void **state)
{
    (void)state;
    for (size_t test = 0; test < 3; test++) {
        for (size_t code = 0; code < 2; code++) {
            struct kernel_job job;
            job_begin(&job, "mflops", array_tests[test], 12800, codes[code]);
            *(float *)job.state += 1e-3f; /* the first constant */
            job_run(&job, 1);
            assert_check(&job, KERNEL_WRONG);
            job_end(&job);
            job_begin(&job, "mflops", array_tests[test], 12800, codes[code]);
            job_run(&job, 1);
            ((float *)job.memory)[3199] += 1e-3f;
            assert_check(&job, KERNEL_WRONG);
            job_end(&job);
        }
    }
}

/* The factor, then the summand. */
static void mflops_peak_counts_its_rounds(void **state)
{
    (void)state;
    for (size_t code = 0; code < 4; code++) {
        for (size_t operand = 0; operand < 2; operand++) {
            struct kernel_job job;
            job_begin(&job, "mflops", "peak", 0, codes[code]);
            job_run(&job, 1);
            job_run(&job, 2);
            assert_check(&job, KERNEL_OK);
            assert_check(&job, KERNEL_OK); /* left everything as it was */
            job_run(&job, 1);
            assert_check(&job, KERNEL_OK);
            if (code < 2)
                ((double *)job.memory)[operand] = 0.5;
            else
                ((float *)job.memory)[operand] = 0.5f;
            job_run(&job, 1);
            assert_check(&job, KERNEL_WRONG);
            job_end(&job);
        }
    }
}

/* ---- asm_loops */

static const char *const asm_tests[] = {"movsd_save", "movlpd", "movsd", "movlpd4"};

static void assembly_loops_sum_every_product(void **state)
{
    (void)state;
    for (size_t test = 0; test < 4; test++) {
        struct kernel_job job;
        job_begin(&job, "asm_loops", asm_tests[test], 0, NULL);
        job_run(&job, 1);
        job_run(&job, 10);
        assert_check(&job, KERNEL_OK);
        job_end(&job);
    }
}

static void assembly_loops_refuse_a_wrong_operand(void **state)
{
    (void)state;
    for (size_t test = 0; test < 4; test++) {
        for (size_t at = 0; at < 8; at++) {
            struct kernel_job job;
            job_begin(&job, "asm_loops", asm_tests[test], 0, NULL);
            ((double *)job.memory)[(at < 4 ? 500 : 512 + 32 + 500) + at] += 1;
            job_run(&job, 1);
            assert_check(&job, KERNEL_WRONG);
            job_end(&job);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(linpack_gives_the_published_solution),
        cmocka_unit_test(linpack_refuses_a_wrong_operand),
        cmocka_unit_test(linpack_refuses_wrong_factors),
        cmocka_unit_test(linpack_refuses_a_pass_that_differs),
        cmocka_unit_test(every_livermore_loop_has_its_checksum_after_each_iteration),
        cmocka_unit_test(livermore_loops_give_the_published_digits),
        cmocka_unit_test(every_livermore_loop_refuses_a_wrong_operand),
        cmocka_unit_test(livermore_loops_have_their_results_on_random_numbers),
        cmocka_unit_test(fft_finds_the_tone_at_each_size),
        cmocka_unit_test(fft_refuses_points_that_are_no_power_of_two),
        cmocka_unit_test(fft_refuses_a_wrong_operand),
        cmocka_unit_test(mflops_arrays_go_where_the_definition_leads),
        cmocka_unit_test(mflops_refuses_a_wrong_operand),
        cmocka_unit_test(mflops_peak_counts_its_rounds),
        cmocka_unit_test(assembly_loops_sum_every_product),
        cmocka_unit_test(assembly_loops_refuse_a_wrong_operand),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
