/* Processes in place of threads, and what memory they get. */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "collect/memory.h"
#include "collect/worker.h"
#include "tests/unit/scene.h"

enum { MIB = 1 << 20 };

/* Where the member runs, in its own memory. */
static enum kernel_outcome setup_who(struct kernel_job *job)
{
    pid_t *who = job->memory;
    if (*who != 0)
        return kernel_reason(job, KERNEL_FAILED, "the memory is not zero");
    *who = getpid();
    job->state = malloc(1);
    return job->state ? KERNEL_OK : KERNEL_FAILED;
}

static void teardown_state(struct kernel_job *job)
{
    free(job->state);
    job->state = NULL;
}

static enum kernel_outcome run_nap(struct kernel_job *job, uint64_t iterations)
{
    struct timespec time = {.tv_nsec = (long)(5000000 * (1 + job->thread))};
    for (uint64_t i = 0; i < iterations; i++)
        nanosleep(&time, NULL);
    return KERNEL_OK;
}

static enum kernel_outcome run_crash(struct kernel_job *job, uint64_t iterations)
{
    (void)iterations;
    if (job->thread == 1) {
        signal(SIGSEGV, SIG_DFL); /* a sanitizer would make an exit of it */
        raise(SIGSEGV);
    }
    return KERNEL_OK;
}

static enum kernel_outcome run_leave(struct kernel_job *job, uint64_t iterations)
{
    (void)iterations;
    if (job->thread == 1)
        _exit(7);
    return KERNEL_OK;
}

static enum kernel_outcome check_who(struct kernel_job *job)
{
    if (*(const pid_t *)job->memory != getpid() || !job->state)
        return kernel_reason(job, KERNEL_WRONG, "this is another process");
    return KERNEL_OK;
}

static enum kernel_outcome check_last(struct kernel_job *job)
{
    return job->thread == 2 ? kernel_reason(job, KERNEL_WRONG, "process %u is wrong", job->thread)
                            : check_who(job);
}

static void work_one(const struct kernel_job *job, struct kernel_work *work)
{
    (void)job;
    work->steps = 1;
}

static size_t memory_x(const struct kernel_job *job)
{
    return (size_t)job->x;
}

static enum kernel_pages pages_huge(const struct kernel_job *job)
{
    (void)job;
    return KERNEL_PAGES_HUGE;
}

static enum kernel_pages pages_default(const struct kernel_job *job)
{
    (void)job;
    return KERNEL_PAGES_DEFAULT;
}

static const struct kernel_metric metrics_rate[] = {{"rate", QUANTITY_STEP_RATE}, {0}};

static void processes_set(struct scene *scene,
                          enum kernel_outcome (*run)(struct kernel_job *, uint64_t),
                          enum kernel_outcome (*check)(struct kernel_job *), unsigned threads)
{
    scene_set(scene, metrics_rate, run, check, threads);
    scene->kernel.flags = KERNEL_PROCESSES;
    scene->kernel.work = work_one;
    scene->kernel.memory = memory_x;
    scene->kernel.setup = setup_who;
    scene->kernel.teardown = teardown_state;
    scene->cell.x = 4096;
    scene->cell.has_x = true;
}

/* Work of all is counted, the slowest sets the time, and each finds its own memory and state. */
static void processes_are_measured_like_threads(void **state)
{
    (void)state;
    struct scene scene;
    struct worker_result result;
    processes_set(&scene, run_nap, check_who, 3);
    scene_run(&scene, 20, &result);
    assert_string_equal(result.reason, "");
    assert_int_equal(result.status, STATUS_OK);
    const struct measure_sample *rate = scene_find(&result, "rate", false);
    const struct measure_sample *spread = scene_find(&result, "finish_spread", false);
    assert_non_null(rate);
    assert_non_null(spread);
    double n = (double)rate->iterations, seconds = (double)rate->elapsed_ns * 1e-9;
    assert_true(seconds >= 0.015 * n);
    double expected = 3 * n / seconds;
    assert_true(rate->value > expected * 0.999999 && rate->value < expected * 1.000001);
    assert_true(spread->value > 0.009 * n && spread->value < seconds);
    worker_result_free(&result);
    processes_set(&scene, run_nap, check_who, 1);
    scene_run(&scene, 20, &result);
    assert_int_equal(result.status, STATUS_OK);
    assert_null(scene_find(&result, "finish_spread", false));
    worker_result_free(&result);
}

static void each_process_checks_its_own_result(void **state)
{
    (void)state;
    struct scene scene;
    struct worker_result result;
    processes_set(&scene, run_nap, check_last, 3);
    scene_run(&scene, 20, &result);
    assert_int_equal(result.status, STATUS_WRONG);
    assert_string_equal(result.reason, "process 2 is wrong");
    assert_int_equal(result.n, 0);
    worker_result_free(&result);
}

static void a_process_that_dies_ends_the_repetition(void **state)
{
    (void)state;
    struct scene scene;
    struct worker_result result;
    processes_set(&scene, run_crash, check_who, 3);
    scene_run(&scene, 20, &result);
    assert_int_equal(result.status, STATUS_FAILED);
    assert_non_null(strstr(result.reason, "killed by signal 11"));
    worker_result_free(&result);
    processes_set(&scene, run_leave, check_who, 2);
    scene_run(&scene, 20, &result);
    assert_int_equal(result.status, STATUS_FAILED);
    assert_non_null(strstr(result.reason, "ended with status 7"));
    worker_result_free(&result);
}

/* Threads of the same kernel would find one process only. */
static void without_the_flag_there_is_one_process(void **state)
{
    (void)state;
    struct scene scene;
    struct worker_result result;
    processes_set(&scene, run_nap, check_who, 2);
    scene.kernel.flags = 0;
    scene_run(&scene, 20, &result);
    assert_int_equal(result.status, STATUS_OK);
    worker_result_free(&result);
}

static void huge_pages_are_got_or_the_job_says_that_they_are_not(void **state)
{
    (void)state;
    struct scene scene;
    struct worker_result result;
    processes_set(&scene, run_nap, check_who, 2);
    scene.kernel.pages = pages_huge;
    scene.cell.x = 3 * MIB;
    scene_run(&scene, 20, &result);
    if (result.status != STATUS_OK) {
        assert_int_equal(result.status, STATUS_UNAVAILABLE);
        assert_non_null(strstr(result.reason, "huge pages"));
    }
    worker_result_free(&result);
}

static void samples_say_which_share_of_the_memory_is_huge(void **state)
{
    (void)state;
    struct scene scene;
    struct worker_result result;
    struct memory memory;
    assert_true(memory_open(&memory, 1, KERNEL_PAGES_DEFAULT));
    size_t huge_page = memory.huge_page;
    memory_close(&memory);
    processes_set(&scene, run_nap, check_who, 2);
    scene.kernel.pages = pages_default;
    scene_run(&scene, 20, &result);
    assert_null(scene_find(&result, "huge_pages", false)); /* a page of 4 KiB is not huge */
    worker_result_free(&result);
    scene.cell.x = 4 * MIB;
    scene_run(&scene, 20, &result);
    assert_int_equal(result.status, STATUS_OK);
    const struct measure_sample *share = scene_find(&result, "huge_pages", false);
    assert_int_equal(share != NULL, huge_page > 0 && huge_page <= 4 * MIB);
    if (share)
        assert_true(share->value >= 0 && share->value <= 1);
    worker_result_free(&result);
}

static void memory_is_aligned_zero_and_as_large_as_asked(void **state)
{
    (void)state;
    static const size_t sizes[] = {1, 4096, 4097, 2 * MIB, 2 * MIB + 1};
    for (int pages = KERNEL_PAGES_DEFAULT; pages <= KERNEL_PAGES_HUGE; pages++) {
        for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
            struct memory memory;
            assert_true(memory_open(&memory, sizes[i], (enum kernel_pages)pages));
            assert_true(memory.bytes >= sizes[i]);
            size_t unit = pages == KERNEL_PAGES_HUGE && memory.huge_page ? memory.huge_page
                                                                         : (size_t)sysconf(_SC_PAGESIZE);
            assert_int_equal((uintptr_t)memory.start % unit, 0);
            bool is_got = memory_touch(&memory);
            assert_true(is_got || pages == KERNEL_PAGES_HUGE);
            assert_true(memory.huge_bytes <= memory.bytes);
            assert_true(pages != KERNEL_PAGES_SMALL || memory.huge_bytes == 0);
            assert_true(pages != KERNEL_PAGES_HUGE || !is_got || memory.huge_bytes == memory.bytes);
            const char *bytes = memory.start;
            for (size_t k = 0; k < memory.bytes; k++)
                assert_int_equal(bytes[k], 0);
            memory_close(&memory);
            assert_null(memory.map);
        }
    }
    struct memory memory;
    assert_false(memory_open(&memory, SIZE_MAX, KERNEL_PAGES_DEFAULT));
    memory_close(&memory);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(processes_are_measured_like_threads),
        cmocka_unit_test(each_process_checks_its_own_result),
        cmocka_unit_test(a_process_that_dies_ends_the_repetition),
        cmocka_unit_test(without_the_flag_there_is_one_process),
        cmocka_unit_test(huge_pages_are_got_or_the_job_says_that_they_are_not),
        cmocka_unit_test(samples_say_which_share_of_the_memory_is_huge),
        cmocka_unit_test(memory_is_aligned_zero_and_as_large_as_asked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
