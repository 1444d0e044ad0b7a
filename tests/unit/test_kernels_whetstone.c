/* whetstone: what it must refuse, that no work is left out, and the priority of its threads. */
#include <math.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "kernels/whetstone.h"
#include "tests/unit/kernel_bench.h"

static void whetstone_refuses_a_wrong_result(void **state)
{
    (void)state;
    struct bench bench;
    bench_named(&bench, "whetstone", "mwips");
    bench_start(&bench);
    double *results = ((struct whetstone *)bench.job.state)->seen;
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

/* One operand of a module is wrong from the first pass on: a number by a millionth, an index by one. */
static void whetstone_refuses_a_wrong_operand(void **state)
{
    (void)state;
#define NUMBER(test, member) {test, offsetof(struct whetstone, member), false}
#define INDEX(test, member) {test, offsetof(struct whetstone, member), true}
    static const struct {
        const char *test;
        size_t operand;
        bool is_index;
    } cases[] = {
        NUMBER("n1", start[0][0]), NUMBER("n1", start[0][1]), NUMBER("n1", start[0][2]),
        NUMBER("n1", start[0][3]), NUMBER("n1", t),           NUMBER("n2", start[1][0]),
        NUMBER("n2", start[1][1]), NUMBER("n2", start[1][2]), NUMBER("n2", start[1][3]),
        NUMBER("n2", t),           NUMBER("n2", t2),          INDEX("n3", j),
        NUMBER("n4", start[3][0]), NUMBER("n4", start[3][1]), NUMBER("n5", start[4][0]),
        NUMBER("n5", start[4][1]), NUMBER("n5", t),           NUMBER("n5", t2),
        NUMBER("n6", start[5][1]), NUMBER("n6", start[5][2]), NUMBER("n6", t),
        NUMBER("n6", t1),          NUMBER("n6", t2),          NUMBER("n7", start[6][3]),
        INDEX("n7", j),            INDEX("n7", k),            INDEX("n7", l),
        NUMBER("n8", start[7][0]), NUMBER("n8", t1)};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct bench bench;
        bench_named(&bench, "whetstone", cases[i].test);
        assert_int_equal(bench_setup(&bench, true), KERNEL_OK);
        char *operand = (char *)bench.job.state + cases[i].operand;
        if (cases[i].is_index)
            *(int *)(void *)operand -= 1;
        else
            *(double *)(void *)operand += 1e-6;
        assert_int_equal(bench_run(&bench, 2), KERNEL_OK);
        check_refuses(&bench, cases[i].test);
        bench_end(&bench);
    }
}

static double cpu_seconds(void)
{
    struct timespec time;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

static double run_seconds(struct bench *bench, uint64_t iterations)
{
    double start = cpu_seconds();
    assert_int_equal(bench_run(bench, iterations), KERNEL_OK);
    return cpu_seconds() - start;
}

/* No compiler may do several passes at once, or no work at all: 8 operations in a clock of 6 GHz is
 * more than any processor does. The best of some, and patience, since others slow the processor down
 * at times. */
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
        while (run_seconds(&bench, n) < 1e-3)
            n *= 2;
        double one = INFINITY, two = INFINITY, ratio = 0;
        for (int patience = 0; patience < 60 && !(ratio > 1.5 && ratio < 2.7); patience++) {
            one = fmin(one, run_seconds(&bench, n));
            two = fmin(two, run_seconds(&bench, 2 * n));
            ratio = two / one;
        }
        struct kernel_work work = {0};
        kernel->work(&bench.job, &work);
        double rate = (work.flops + work.steps) * (double)n / one;
        if (!(ratio > 1.5 && ratio < 2.7) || rate > 8 * 6e9)
            fail_msg("%s: %g s for %llu passes, %g s for twice as many, %g op/s", test->name, one,
                     (unsigned long long)n, two, rate);
        bench_end(&bench);
    }
}

/* Sets up thread 1 of 2 in a thread of its own, whose priority is changed for good. */
static void *priority_after_setup(void *priority)
{
    struct bench bench;
    bench_named(&bench, "whetstone", "mwips_low");
    bench.job.threads = 2;
    bench.job.thread = 1;
    assert_int_equal(bench_setup(&bench, true), KERNEL_OK);
    *(int *)priority = getpriority(PRIO_PROCESS, (id_t)gettid());
    bench_end(&bench);
    return NULL;
}

static void whetstone_lowers_the_priority_of_the_second_thread_alone(void **state)
{
    (void)state;
    struct bench bench;
    pthread_t thread;
    int before = getpriority(PRIO_PROCESS, (id_t)gettid()), priority = 0;
    assert_int_equal(pthread_create(&thread, NULL, priority_after_setup, &priority), 0);
    pthread_join(thread, NULL);
    assert_int_equal(priority, 19);
    bench_named(&bench, "whetstone", "mwips");
    bench_start(&bench);
    assert_int_equal(bench_check(&bench), KERNEL_OK);
    bench_end(&bench);
    assert_int_equal(getpriority(PRIO_PROCESS, (id_t)gettid()), before);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(whetstone_refuses_a_wrong_result),
        cmocka_unit_test(whetstone_refuses_a_wrong_operand),
        cmocka_unit_test(whetstone_does_all_the_work_it_counts),
        cmocka_unit_test(whetstone_lowers_the_priority_of_the_second_thread_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
