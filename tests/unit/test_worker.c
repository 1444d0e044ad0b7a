/* measure_cell and worker_run on kernels made for it: what behaves, and what crashes, hangs, lies
 * or ends without a word. */
#include <math.h>
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

#include "collect/stop.h"
#include "collect/worker.h"
#include "tests/unit/scene.h"

static void sleep_ms(uint64_t ms)
{
    struct timespec time = {(time_t)(ms / 1000), (long)(ms % 1000) * 1000000};
    while (nanosleep(&time, &time) < 0)
        ;
}

static enum kernel_outcome run_sleep(struct kernel_job *job, uint64_t iterations)
{
    (void)job;
    sleep_ms(2 * iterations);
    return KERNEL_OK;
}

/* The first call is held up for longer than a sample takes. */
static enum kernel_outcome run_held_up(struct kernel_job *job, uint64_t iterations)
{
    static bool is_late;
    if (!is_late)
        sleep_ms(60);
    is_late = true;
    return run_sleep(job, iterations);
}

/* Half of it belongs to a lap; the second thread takes twice as long. */
static enum kernel_outcome run_laps(struct kernel_job *job, uint64_t iterations)
{
    sleep_ms(5 * iterations);
    kernel_lap(job, NULL);
    sleep_ms(5 * iterations * (1 + job->thread));
    kernel_lap(job, "sync_time");
    return KERNEL_OK;
}

/* Twelve operations of 5 ms, and one of 40. */
static enum kernel_outcome run_ticks(struct kernel_job *job, uint64_t iterations)
{
    (void)iterations;
    for (uint64_t i = 0; i < 13; i++) {
        sleep_ms(i == 6 ? 40 : 5);
        kernel_tick(job);
        kernel_progress(job, (i + 1) * 1000);
    }
    return KERNEL_OK;
}

static enum kernel_outcome run_crash(struct kernel_job *job, uint64_t iterations)
{
    (void)job;
    (void)iterations;
    signal(SIGSEGV, SIG_DFL); /* a sanitizer would make an exit of it */
    raise(SIGSEGV);
    return KERNEL_OK;
}

static enum kernel_outcome run_exit(struct kernel_job *job, uint64_t iterations)
{
    (void)job;
    (void)iterations;
    _exit(3);
}

static enum kernel_outcome run_hang(struct kernel_job *job, uint64_t iterations)
{
    (void)job;
    (void)iterations;
    for (int i = 0; i < 600; i++) /* ten minutes: longer than any test waits */
        sleep_ms(1000);
    return KERNEL_OK;
}

static enum kernel_outcome run_fill(struct kernel_job *job, uint64_t iterations)
{
    (void)iterations;
    memset(job->memory, job->thread == 0 ? 0x11 : 0x22, job->memory_bytes);
    return KERNEL_OK;
}

static enum kernel_outcome check_fine(struct kernel_job *job)
{
    (void)job;
    return KERNEL_OK;
}

static enum kernel_outcome check_bad(struct kernel_job *job)
{
    return kernel_reason(job, KERNEL_WRONG, "thread %u is wrong", job->thread);
}

/* Memory of one's own, or shared: then the threads wrote over each other, but wholly. */
static enum kernel_outcome check_fill(struct kernel_job *job)
{
    const unsigned char *bytes = job->memory;
    bool is_shared = job->kernel->flags & KERNEL_SHARED_MEMORY;
    unsigned char own = job->thread == 0 ? 0x11 : 0x22;
    for (size_t i = 0; i < job->memory_bytes; i++)
        if (is_shared ? bytes[i] != 0x11 && bytes[i] != 0x22 : bytes[i] != own)
            return kernel_reason(job, KERNEL_WRONG, "byte %zu is %d", i, bytes[i]);
    return KERNEL_OK;
}

static enum kernel_outcome needs_wings(struct kernel_job *job)
{
    return kernel_reason(job, KERNEL_UNAVAILABLE, "no wings");
}

static void work_some(const struct kernel_job *job, struct kernel_work *work)
{
    (void)job;
    *work = (struct kernel_work){
        .flops = 10, .bytes_read = 100, .bytes_written = 50, .steps = 4};
}

static size_t memory_x(const struct kernel_job *job)
{
    return (size_t)job->x;
}

static const struct kernel_metric all_metrics[] = {
    {"time", QUANTITY_TIME},         {"cycles", QUANTITY_STEP_TIME}, {"rate", QUANTITY_BYTE_RATE},
    {"flops", QUANTITY_FLOP_RATE},   {"ipc", QUANTITY_STEP_RATE},    {"sync_time", QUANTITY_LAP},
    {NULL, QUANTITY_TIME}};

/* There must be one. */
static const struct measure_sample *find(const struct worker_result *result, const char *metric,
                                         bool is_warmup)
{
    const struct measure_sample *sample = scene_find(result, metric, is_warmup);
    if (!sample)
        fail_msg("no sample of %s", metric);
    return sample;
}

static void worker_set(struct scene *scene, enum kernel_outcome (*run)(struct kernel_job *, uint64_t),
                       enum kernel_outcome (*check)(struct kernel_job *), unsigned threads)
{
    scene_set(scene, all_metrics, run, check, threads);
    scene->kernel.work = work_some;
}

static void values_follow_from_the_clock_and_the_work(void **state)
{
    (void)state;
    struct scene scene;
    struct worker_result result;
    worker_set(&scene, run_sleep, check_fine, 1);
    scene_run(&scene, 10, &result);
    assert_int_equal(result.status, STATUS_OK);
    const struct measure_sample *time = find(&result, "time", false);
    assert_true(time->iterations >= 10); /* 2 ms each, 20 ms at least */
    assert_true(time->elapsed_ns >= 20000000);
    double t = (double)time->elapsed_ns * 1e-9, n = (double)time->iterations;
    assert_true(time->value == t / n);
    assert_string_equal(time->unit, "s");
    assert_true(find(&result, "cycles", false)->value == t / (n * 4));
    assert_true(find(&result, "rate", false)->value == n * 150 / t);
    assert_string_equal(find(&result, "rate", false)->unit, "B/s");
    assert_true(find(&result, "flops", false)->value == n * 10 / t);
    assert_true(find(&result, "ipc", false)->value == n * 4 / t);
    assert_int_equal(find(&result, "time", true)->iterations, time->iterations);
    worker_result_free(&result);
}

static void a_warmup_that_was_held_up_makes_no_short_sample(void **state)
{
    (void)state;
    struct scene scene;
    struct worker_result result;
    worker_set(&scene, run_held_up, check_fine, 1);
    scene_run(&scene, 10, &result);
    assert_int_equal(result.status, STATUS_OK);
    assert_true(find(&result, "time", false)->iterations >= 5); /* of 2 ms, 20 ms being wanted */
    assert_true(find(&result, "time", false)->elapsed_ns >= 10000000);
    worker_result_free(&result);
}

static void laps_are_the_slowest_threads_and_rates_the_sum(void **state)
{
    (void)state;
    struct scene scene;
    struct worker_result result;
    worker_set(&scene, run_laps, check_fine, 2);
    scene.kernel.flags = KERNEL_ONE_PASS;
    scene_run(&scene, 10, &result);
    assert_int_equal(result.status, STATUS_OK);
    double lap = find(&result, "sync_time", false)->value;
    assert_true(lap >= 0.010 && lap < 5);
    const struct measure_sample *rate = find(&result, "rate", false);
    assert_int_equal(rate->iterations, 1);
    assert_true(rate->elapsed_ns >= 15000000);
    assert_true(rate->value == 2 * 150 / ((double)rate->elapsed_ns * 1e-9));
    double spread = find(&result, "finish_spread", false)->value;
    assert_true(spread > 0 && spread < 5);
    for (size_t i = 0; i < result.n; i++)
        assert_false(result.samples[i].is_warmup);
    worker_result_free(&result);
}

struct seen {
    struct measure_progress first;
    size_t n;
};

static void progress_see(void *context, const struct measure_progress *progress)
{
    struct seen *seen = context;
    if (seen->n++ == 0)
        seen->first = *progress;
}

static void single_operations_have_quantiles_and_progress_has_samples(void **state)
{
    (void)state;
    static const struct kernel_metric metrics[] = {{"time_median", QUANTITY_MEDIAN},
                                                   {"time_p95", QUANTITY_P95},
                                                   {"time_p99", QUANTITY_P99},
                                                   {"bytes", QUANTITY_MOVED},
                                                   {"sustained", QUANTITY_SUSTAINED},
                                                   {"incremental", QUANTITY_INCREMENTAL},
                                                   {NULL, QUANTITY_TIME}};
    struct scene scene;
    struct worker_result result;
    worker_set(&scene, run_ticks, check_fine, 1);
    scene.kernel.flags = KERNEL_ONE_PASS;
    scene.tests[0].metrics = metrics;
    struct err err;
    struct seen seen = {0};
    struct worker_request request = scene_request(&scene, 10);
    request.measure.min_seconds = 0;
    request.measure.progress_seconds = 0.03;
    request.measure.live = progress_see;
    request.measure.live_context = &seen;
    assert_int_equal(worker_run(&request, &result, &err), 0);
    assert_int_equal(result.status, STATUS_OK);
    double median = find(&result, "time_median", false)->value;
    assert_true(median >= 0.005 && median < 0.04);
    assert_true(find(&result, "time_p99", false)->value >= 0.04);
    assert_true(find(&result, "time_p95", false)->value >= 0.04); /* rank 13 of 13 */
    const struct measure_sample *first = find(&result, "sustained", false);
    assert_true(first->has_time);
    /* The end of an interval of 30 ms: of the first, unless an operation was held up for longer. */
    double n_intervals = floor(first->at / 0.03 + 0.5);
    assert_true(n_intervals >= 1 && first->at == n_intervals * 30000000 / 1e9);
    assert_true((double)first->elapsed_ns >= first->at * 1e9);
    /* 3 to 6 operations of 1000 bytes fit into the first 30 ms, if all goes well; fewer if not. */
    assert_true(first->value > 0 && first->value <= 7000 / 0.03);
    assert_true(find(&result, "incremental", false)->value == first->value);
    /* The same quotient by another order of operations: a few roundings apart. */
    double rate = find(&result, "bytes", false)->value * 1e9 / (double)first->elapsed_ns;
    assert_true(rate > first->value * (1 - 1e-12) && rate < first->value * (1 + 1e-12));
    /* The process saw them while it waited, and they are those of the record. */
    size_t n = 0;
    const struct measure_sample *last = NULL;
    for (size_t i = 0; i < result.n; i++) {
        if (strcmp(result.samples[i].metric, "sustained") != 0)
            continue;
        assert_true(!last || result.samples[i].at > last->at);
        /* 40 ms without a word: the interval in which nothing came has no sample. */
        assert_true(result.samples[i].at <= (double)result.samples[i].elapsed_ns * 1e-9 &&
                    result.samples[i].at + 0.03 > (double)result.samples[i].elapsed_ns * 1e-9);
        last = &result.samples[i];
        n++;
    }
    assert_int_equal(seen.n, n);
    assert_int_equal(seen.first.ns, first->elapsed_ns);
    assert_int_equal(seen.first.last_ns, first->elapsed_ns);
    assert_true((double)seen.first.bytes == find(&result, "bytes", false)->value);
    worker_result_free(&result);
}

static void threads_get_memory_of_their_own_or_share_it(void **state)
{
    (void)state;
    struct scene scene;
    struct worker_result result;
    for (unsigned flags = 0; flags <= KERNEL_SHARED_MEMORY; flags += KERNEL_SHARED_MEMORY) {
        worker_set(&scene, run_fill, check_fill, 2);
        scene.kernel.flags = KERNEL_ONE_PASS | flags;
        scene.kernel.memory = memory_x;
        scene.cell.x = 100000;
        scene_run(&scene, 10, &result);
        assert_string_equal(result.reason, "");
        assert_int_equal(result.status, STATUS_OK);
        worker_result_free(&result);
    }
}

static void more_memory_than_there_is_is_not_touched(void **state)
{
    (void)state;
    struct scene scene;
    struct worker_result result;
    worker_set(&scene, run_fill, check_fill, 2);
    scene.kernel.memory = memory_x;
    scene.cell.x = 48 << 20; /* twice: 96 of the 64 MiB that the host says it has */
    scene_run(&scene, 10, &result);
    assert_int_equal(result.status, STATUS_UNAVAILABLE);
    assert_string_equal(result.reason,
                        "needs 100663296 bytes of memory, 67108864 are available");
    worker_result_free(&result);
}

static void a_wrong_result_is_no_sample(void **state)
{
    (void)state;
    struct scene scene;
    struct worker_result result;
    worker_set(&scene, run_sleep, check_bad, 1);
    scene_run(&scene, 10, &result);
    assert_int_equal(result.status, STATUS_WRONG);
    assert_string_equal(result.reason, "thread 0 is wrong");
    assert_int_equal(result.n, 0);
    worker_result_free(&result);
}

static void what_a_machine_lacks_is_said(void **state)
{
    (void)state;
    struct scene scene;
    struct worker_result result;
    worker_set(&scene, run_sleep, check_fine, 1);
    scene.kernel.needs = needs_wings;
    scene_run(&scene, 10, &result);
    assert_int_equal(result.status, STATUS_UNAVAILABLE);
    assert_string_equal(result.reason, "no wings");
    worker_result_free(&result);
}

static void a_crash_is_an_outcome(void **state)
{
    (void)state;
    struct scene scene;
    struct worker_result result;
    worker_set(&scene, run_crash, check_fine, 1);
    scene_run(&scene, 10, &result);
    assert_int_equal(result.status, STATUS_FAILED);
    assert_non_null(strstr(result.reason, "killed by signal 11"));
    worker_result_free(&result);
}

static void an_exit_without_a_result_is_an_outcome(void **state)
{
    (void)state;
    struct scene scene;
    struct worker_result result;
    worker_set(&scene, run_exit, check_fine, 1);
    scene_run(&scene, 10, &result);
    assert_int_equal(result.status, STATUS_FAILED);
    assert_string_equal(result.reason, "the process ended with status 3 and without a result");
    worker_result_free(&result);
}

static void a_hang_ends_with_its_time(void **state)
{
    (void)state;
    struct scene scene;
    struct worker_result result;
    worker_set(&scene, run_hang, check_fine, 2);
    scene_run(&scene, 0.3, &result);
    assert_int_equal(result.status, STATUS_TIMEOUT);
    assert_string_equal(result.reason, "not done after 0.3 s");
    worker_result_free(&result);
}

static void an_interruption_ends_the_child_and_is_an_error(void **state)
{
    (void)state;
    struct scene scene;
    struct worker_result result;
    struct err err;
    worker_set(&scene, run_hang, check_fine, 1);
    struct worker_request request = scene_request(&scene, 60);
    stop_signal = SIGINT;
    assert_int_equal(worker_run(&request, &result, &err), ERR_SYSTEM);
    stop_signal = 0;
    assert_string_equal(err.text, "interrupted by signal 2");
    worker_result_free(&result);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_follow_from_the_clock_and_the_work),
        cmocka_unit_test(a_warmup_that_was_held_up_makes_no_short_sample),
        cmocka_unit_test(laps_are_the_slowest_threads_and_rates_the_sum),
        cmocka_unit_test(single_operations_have_quantiles_and_progress_has_samples),
        cmocka_unit_test(threads_get_memory_of_their_own_or_share_it),
        cmocka_unit_test(more_memory_than_there_is_is_not_touched),
        cmocka_unit_test(a_wrong_result_is_no_sample),
        cmocka_unit_test(what_a_machine_lacks_is_said),
        cmocka_unit_test(a_crash_is_an_outcome),
        cmocka_unit_test(an_exit_without_a_result_is_an_outcome),
        cmocka_unit_test(a_hang_ends_with_its_time),
        cmocka_unit_test(an_interruption_ends_the_child_and_is_an_error),
    };
    return cmocka_run_group_tests_name("worker", tests, NULL, NULL);
}
