/* The kernels of caches and memory: what each must leave in memory, computed here another way; that a
 * single changed word is refused; what they count. bus_speed is in test_kernels_bus_speed, and that each
 * kernel passes its own check in test_kernels_every. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "collect/worker.h"
#include "kernels/kernel.h"
#include "kernels/mem_speed.h"
#include "kernels/sweep.h"
#include "kernels/vector.h"

enum { KIB = 1024, MIB = 1024 * 1024 };

static const struct kernel_host host = {.l1d_bytes = 32 * KIB,
                                        .l2_bytes = MIB,
                                        .l3_bytes = 32 * MIB,
                                        .available_bytes = UINT64_C(8192) * MIB,
                                        .n_cpus = 2};

/* ---- a job of one thread */

static void job_find(struct kernel_job *job, const char *kernel, const char *test, uint64_t x,
                     const struct kernel_value *settings)
{
    *job = (struct kernel_job){
        .host = &host, .x = x, .threads = 1, .seed = 7, .settings = settings, .folder = ""};
    for (size_t i = 0; kernel_registry[i]; i++)
        if (strcmp(kernel_registry[i]->name, kernel) == 0)
            job->kernel = kernel_registry[i];
    assert_non_null(job->kernel);
    for (const struct kernel_test *t = job->kernel->tests; t->name; t++)
        if (strcmp(t->name, test) == 0)
            job->test = t;
    assert_non_null(job->test);
}

/* False when this machine cannot. */
static bool job_begin(struct kernel_job *job, const char *kernel, const char *test, uint64_t x,
                      const struct kernel_value *settings)
{
    job_find(job, kernel, test, x, settings);
    enum kernel_outcome outcome = job->kernel->needs(job);
    if (outcome == KERNEL_UNAVAILABLE)
        return false;
    assert_int_equal(outcome, KERNEL_OK);
    job->memory_bytes = job->kernel->memory(job);
    /* to the byte, so that valgrind and the sanitizers see a step too far */
    assert_int_equal(posix_memalign(&job->memory, 4096, job->memory_bytes), 0);
    memset(job->memory, 0, job->memory_bytes);
    assert_int_equal(job->kernel->setup(job), KERNEL_OK);
    return true;
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
    assert_null(job->state);
    free(job->memory);
}

static void check_accepts(struct kernel_job *job)
{
    if (job->kernel->check(job) != KERNEL_OK)
        fail_msg("%s.%s, %llu B: %s", job->kernel->name, job->test->name,
                 (unsigned long long)job->x, job->reason);
}

static void reason_has(const struct kernel_job *job, const char *text)
{
    if (!strstr(job->reason, text))
        fail_msg("'%s' does not contain '%s'", job->reason, text);
}

static void check_refuses(struct kernel_job *job, const char *text)
{
    assert_int_equal(job->kernel->check(job), KERNEL_WRONG);
    reason_has(job, text);
}

static void needs_refuses(const char *kernel, const char *test, uint64_t x,
                          const struct kernel_value *settings, const char *text)
{
    struct kernel_job job;
    job_find(&job, kernel, test, x, settings);
    assert_int_equal(job.kernel->needs(&job), KERNEL_UNAVAILABLE);
    reason_has(&job, text);
}

static struct kernel_work work_of(const char *kernel, const char *test, uint64_t x,
                                  const struct kernel_value *settings)
{
    struct kernel_job job;
    struct kernel_work work = {0};
    job_find(&job, kernel, test, x, settings);
    job.kernel->work(&job, &work);
    return work;
}

/* ---- the same in the harness, with several threads or processes */

static void cell_run(const char *kernel, const char *test, uint64_t x, unsigned threads,
                     const struct kernel_value *settings, struct worker_result *result)
{
    struct kernel_job job;
    struct err err;
    struct kernel_value copy[8] = {{NULL, NULL}};
    job_find(&job, kernel, test, x, settings);
    size_t n = 0;
    for (; settings[n].key; n++)
        copy[n] = settings[n];
    copy[n] = (struct kernel_value){"pages", "default"};
    struct plan_cell cell = {.kernel = job.kernel,
                             .test = job.test,
                             .x = x,
                             .has_x = true,
                             .threads = threads,
                             .settings = copy};
    struct worker_request request = {.measure = {.cell = &cell,
                                                 .host = &host,
                                                 .seed = 7,
                                                 .min_seconds = 0.002,
                                                 .folder = ""},
                                     .timeout_seconds = 60};
    assert_int_equal(worker_run(&request, result, &err), 0);
}

static void cell_passes(const char *kernel, const char *test, uint64_t x, unsigned threads,
                        const struct kernel_value *settings)
{
    struct worker_result result;
    cell_run(kernel, test, x, threads, settings, &result);
    if (result.status != STATUS_OK)
        fail_msg("%s.%s, %u threads: %s", kernel, test, threads, result.reason);
    assert_true(result.n > 0);
    worker_result_free(&result);
}

/* ---- sizes */

static void sizes_are(const struct kernel_host *of, enum kernel_suite suite, const uint64_t *expected,
                      size_t n_expected)
{
    uint64_t sizes[32];
    size_t n = sweep_sizes(of, suite, sizes, 32);
    assert_int_equal(n, n_expected);
    for (size_t i = 0; i < n; i++)
        assert_true(sizes[i] == expected[i]);
}

static void sizes_go_from_half_of_the_first_cache_past_the_last(void **state)
{
    (void)state;
    static const uint64_t quick[] = {16 * KIB, 512 * KIB, 16 * MIB, 128 * MIB};
    static const uint64_t standard[] = {16 * KIB, 64 * KIB, 256 * KIB, MIB,
                                        4 * MIB,  16 * MIB, 64 * MIB,  128 * MIB};
    sizes_are(&host, SUITE_QUICK, quick, 4);
    sizes_are(&host, SUITE_STANDARD, standard, 8);
    static const struct kernel_host unknown = {0}, small = {.available_bytes = MIB, .n_cpus = 1},
                                    large = {.l1d_bytes = 48 * KIB,
                                             .l2_bytes = 2 * MIB,
                                             .l3_bytes = UINT64_C(480) * MIB,
                                             .available_bytes = UINT64_C(1) << 40,
                                             .n_cpus = 4},
                                    server = {.l1d_bytes = 48 * KIB,
                                              .l2_bytes = 2 * MIB,
                                              .l3_bytes = UINT64_C(100) * MIB,
                                              .available_bytes = UINT64_C(1) << 40,
                                              .n_cpus = 4},
                                    no_third = {.l1d_bytes = 32 * KIB, .l2_bytes = MIB};
    static const uint64_t of_unknown[] = {16 * KIB, 256 * KIB, 16 * MIB, 128 * MIB};
    static const uint64_t of_small[] = {16 * KIB, 128 * KIB};
    static const uint64_t of_large[] = {24 * KIB, MIB, UINT64_C(240) * MIB, UINT64_C(960) * MIB};
    static const uint64_t of_server[] = {24 * KIB, MIB, UINT64_C(50) * MIB, UINT64_C(384) * MIB};
    static const uint64_t of_two[] = {16 * KIB, 512 * KIB, 64 * MIB};
    sizes_are(&unknown, SUITE_QUICK, of_unknown, 4);
    sizes_are(&small, SUITE_QUICK, of_small, 2);
    sizes_are(&large, SUITE_QUICK, of_large, 4);
    sizes_are(&server, SUITE_QUICK, of_server, 4);
    sizes_are(&no_third, SUITE_QUICK, of_two, 3);
}

/* ---- mem_latency */

enum { LINE = 64, BLOCK = 64 * 4096 };

static void *next_of(const void *line)
{
    void *next;
    memcpy(&next, line, sizeof next);
    return next;
}

/* The number of lines of the cycle through the first line, and how often it leaves a block. */
static size_t cycle_walk(const struct kernel_job *job, size_t *n_leaves)
{
    size_t n = 0, limit = job->memory_bytes / LINE + 1;
    const char *memory = job->memory, *at = memory;
    *n_leaves = 0;
    do {
        const char *next = next_of(at);
        *n_leaves += (next - memory) / BLOCK != (at - memory) / BLOCK;
        at = next;
        n++;
    } while (at != memory && n < limit);
    return n;
}

static void mem_latency_makes_one_cycle_of_all_lines(void **state)
{
    (void)state;
    static const uint64_t sizes[] = {1024, 1100, 64000, BLOCK, BLOCK + LINE, 4 * BLOCK + 777};
    static const struct kernel_value random[] = {{"chains", "1"}, {"order", "random"}, {0}};
    static const struct kernel_value page[] = {{"chains", "1"}, {"order", "page"}, {0}};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        struct kernel_job job;
        size_t leaves, blocks = (size_t)(sizes[i] / LINE * LINE + BLOCK - 1) / BLOCK;
        assert_true(job_begin(&job, "mem_latency", "chase", sizes[i], random));
        assert_int_equal(cycle_walk(&job, &leaves), sizes[i] / LINE);
        assert_true(blocks < 4 || leaves > sizes[i] / LINE / 2);
        job_end(&job);
        assert_true(job_begin(&job, "mem_latency", "chase", sizes[i], page));
        assert_int_equal(cycle_walk(&job, &leaves), sizes[i] / LINE);
        assert_int_equal(leaves, blocks > 1 ? blocks : 0);
        job_end(&job);
    }
}

static void mem_latency_follows_every_chain(void **state)
{
    (void)state;
    static const char *const chains[] = {"1", "2", "4", "8"};
    for (size_t i = 0; i < 4; i++) {
        const struct kernel_value settings[] = {{"chains", chains[i]}, {"order", "random"}, {0}};
        size_t k = (size_t)strtoul(chains[i], NULL, 10);
        for (uint64_t lines = 16; lines < 40; lines++) {
            struct kernel_job job;
            assert_true(job_begin(&job, "mem_latency", "chase", lines * LINE, settings));
            assert_int_equal(job_run(&job, 1), KERNEL_OK);
            check_accepts(&job);
            assert_int_equal(job_run(&job, 5), KERNEL_OK);
            check_accepts(&job);
            job_end(&job);
        }
        assert_true(work_of("mem_latency", "chase", 100 * LINE, settings).steps ==
                    (double)((100 / k + 1) * k));
    }
}

static void mem_latency_refuses_another_cycle(void **state)
{
    (void)state;
    static const struct kernel_value settings[] = {{"chains", "2"}, {"order", "random"}, {0}};
    struct kernel_job job;
    assert_true(job_begin(&job, "mem_latency", "chase", 64 * LINE, settings));
    char *first = job.memory, *second = first + 17 * LINE;
    void *of_first = next_of(first), *of_second = next_of(second);
    assert_int_equal(job_run(&job, 1), KERNEL_OK);
    check_accepts(&job);
    memcpy(first, &of_second, sizeof of_second); /* two cycles */
    memcpy(second, &of_first, sizeof of_first);
    check_refuses(&job, "");
    void *outside = first + 64 * LINE;
    memcpy(first, &outside, sizeof outside);
    memcpy(second, &of_second, sizeof of_second);
    check_refuses(&job, "line 0 points out of the memory");
    memcpy(first, &of_first, sizeof of_first);
    check_accepts(&job);
    job.n_iterations++;
    check_refuses(&job, "did 1 passes of 2");
    job_end(&job);
    needs_refuses("mem_latency", "chase", 1023, settings, "fewer than 16 lines");
}

/* ---- int_burn */

static uint64_t repeated(unsigned byte)
{
    return byte * UINT64_C(0x0101010101010101);
}

static void int_burn_writes_the_pairs_and_swaps_them(void **state)
{
    (void)state;
    static const struct {
        const char *pattern;
        unsigned first, second;
    } pairs[] = {{"00ff", 0x00, 0xff}, {"ff00", 0xff, 0x00}, {"a55a", 0xa5, 0x5a},
                 {"55aa", 0x55, 0xaa}, {"33cc", 0x33, 0xcc}, {"f00f", 0xf0, 0x0f},
                 {"0000", 0x00, 0x00}, {"ffff", 0xff, 0xff}};
    for (size_t i = 0; i < sizeof pairs / sizeof pairs[0]; i++) {
        const struct kernel_value settings[] = {{"pattern", pairs[i].pattern}, {"fault", "no"}, {0}};
        for (int is_read = 0; is_read < 2; is_read++) {
            struct kernel_job job;
            assert_true(job_begin(&job, "int_burn", is_read ? "read" : "write_read", 200, settings));
            assert_int_equal(job.memory_bytes, 192);
            for (int pass = 1; pass <= 3; pass++) {
                assert_int_equal(job_run(&job, 1), KERNEL_OK);
                check_accepts(&job);
                const uint64_t *words = job.memory;
                bool is_swapped = !is_read && pass % 2 == 1;
                for (size_t k = 0; k < 24; k++)
                    assert_true(words[k] == repeated((k % 8 < 4) != is_swapped ? pairs[i].first
                                                                               : pairs[i].second));
            }
            job_end(&job);
        }
    }
}

static const struct kernel_value burn_good[] = {{"pattern", "a55a"}, {"fault", "no"}, {0}};
static const struct kernel_value burn_fault[] = {{"pattern", "a55a"}, {"fault", "yes"}, {0}};

static void int_burn_finds_any_flipped_bit(void **state)
{
    (void)state;
    struct kernel_job job;
    assert_true(job_begin(&job, "int_burn", "read", 192, burn_good));
    unsigned char *bytes = job.memory;
    for (size_t bit = 0; bit < 192 * 8; bit++) {
        char place[64];
        bytes[bit / 8] = (unsigned char)(bytes[bit / 8] ^ 1 << bit % 8);
        snprintf(place, sizeof place, "byte %zu of the array", bit / 8 / sizeof(size_t) * sizeof(size_t));
        job.reason[0] = '\0';
        assert_int_equal(job.test->run(&job, 1), KERNEL_WRONG);
        reason_has(&job, place);
        reason_has(&job, "; 1 words were wrong");
        bytes[bit / 8] = (unsigned char)(bytes[bit / 8] ^ 1 << bit % 8);
    }
    job.n_iterations = 192 * 8; /* each of them ended in its first pass */
    check_accepts(&job);
    bytes[72] ^= 0x80;
    check_refuses(&job, "byte 72 of the array, address 0x");
    if (sizeof(size_t) == 8)
        reason_has(&job, ": expected a5a5a5a5a5a5a5a5, found a5a5a5a5a5a5a525");
    job_end(&job);
    needs_refuses("int_burn", "read", 63, burn_good, "smaller than 64 B");
}

static void a_fault_on_purpose_is_a_wrong_result(void **state)
{
    (void)state;
    static const char *const kernels[] = {"int_burn", "multi_task"};
    static const char *const tests[] = {"write_read", "read"};
    for (size_t i = 0; i < 4; i++) {
        struct worker_result result;
        cell_run(kernels[i / 2], tests[i % 2], 16 * KIB, 2, burn_fault, &result);
        assert_int_equal(result.status, STATUS_WRONG);
        assert_non_null(strstr(result.reason, "of the array, address 0x"));
        assert_non_null(strstr(result.reason, ": expected "));
        assert_non_null(strstr(result.reason, ", found "));
        assert_int_equal(result.n, 0);
        worker_result_free(&result);
        cell_passes(kernels[i / 2], tests[i % 2], 16 * KIB, 2, burn_good);
    }
}

static void int_burn_counts_what_it_writes_and_reads(void **state)
{
    (void)state;
    struct kernel_work work = work_of("int_burn", "write_read", 1000, burn_good);
    assert_true(work.bytes_read == 960 && work.bytes_written == 960);
    work = work_of("multi_task", "read", 1000, burn_good);
    assert_true(work.bytes_read == 960 && work.bytes_written == 0);
}

/* ---- rand_mem */

static const struct kernel_value no_settings[] = {{0}};

/* SplitMix64 from 0 begins with e220a8397b1dcdaf. */
static void rand_mem_adds_one_to_each_word_in_a_pass(void **state)
{
    (void)state;
    static const char *const tests[] = {"serial_rw", "random_rw"};
    for (size_t t = 0; t < 2; t++) {
        for (uint64_t x = 8; x < 400; x += 24) {
            struct kernel_job job;
            assert_true(job_begin(&job, "rand_mem", tests[t], x, no_settings));
            size_t n = (size_t)x / 8;
            uint32_t before[64], *data = (uint32_t *)job.memory + n;
            memcpy(before, data, n * sizeof *before);
            assert_int_equal(before[0], 0x7b1dcdaf);
            assert_int_equal(job_run(&job, 1), KERNEL_OK);
            assert_int_equal(job_run(&job, 4), KERNEL_OK);
            for (size_t i = 0; i < n; i++)
                assert_int_equal(data[i], before[i] + 5);
            check_accepts(&job);
            job_end(&job);
        }
    }
}

static void rand_mem_has_an_index_in_order_or_at_random(void **state)
{
    (void)state;
    struct kernel_job job;
    assert_true(job_begin(&job, "rand_mem", "serial_read", 8000, no_settings));
    const uint32_t *index = job.memory;
    for (uint32_t i = 0; i < 1000; i++)
        assert_int_equal(index[i], i);
    job_end(&job);
    assert_true(job_begin(&job, "rand_mem", "random_read", 8000, no_settings));
    index = job.memory;
    uint32_t seen[1000] = {0}, neighbours = 0;
    for (size_t i = 0; i < 1000; i++) {
        assert_in_range(index[i], 0, 999);
        seen[index[i]]++;
        neighbours += i > 0 && index[i] == index[i - 1] + 1;
    }
    for (size_t i = 0; i < 1000; i++)
        assert_int_equal(seen[i], 1);
    assert_true(neighbours < 10); /* about one is expected */
    job_end(&job);
}

static void rand_mem_refuses_a_changed_word(void **state)
{
    (void)state;
    struct kernel_job job;
    assert_true(job_begin(&job, "rand_mem", "random_read", 800, no_settings));
    uint32_t *words = job.memory;
    assert_int_equal(job_run(&job, 3), KERNEL_OK);
    check_accepts(&job);
    words[150] ^= 4;
    check_refuses(&job, "word 50 of the data");
    assert_int_equal(job_run(&job, 1), KERNEL_OK);
    words[150] ^= 4;
    check_refuses(&job, "the sum of all that was read");
    job_end(&job);
    assert_true(job_begin(&job, "rand_mem", "random_rw", 800, no_settings));
    words = job.memory;
    assert_int_equal(job_run(&job, 3), KERNEL_OK);
    words[100]--;
    check_refuses(&job, "word 0 of the data was written 2 times, not 3 to 3");
    words[100]++;
    uint32_t index = words[7];
    words[7] = words[8];
    check_refuses(&job, "the index has changed");
    words[7] = index;
    check_accepts(&job);
    job_end(&job);
    assert_true(job_begin(&job, "rand_mem", "serial_read", 800, no_settings));
    words = job.memory;
    assert_int_equal(job_run(&job, 1), KERNEL_OK);
    words[3] = 4;
    words[4] = 3; /* a permutation, but not in order */
    check_refuses(&job, "the index has changed");
    job_end(&job);
}

static void rand_mem_threads_share_the_array(void **state)
{
    (void)state;
    static const char *const tests[] = {"serial_read", "serial_rw", "random_read", "random_rw"};
    for (size_t t = 0; t < 4; t++) {
        cell_passes("rand_mem", tests[t], 16 * KIB, 2, no_settings);
        cell_passes("rand_mem", tests[t], 1000, 3, no_settings);
    }
    struct kernel_job job;
    job_find(&job, "rand_mem", "serial_rw", 16, no_settings);
    job.threads = 3;
    assert_int_equal(job.kernel->needs(&job), KERNEL_UNAVAILABLE);
    reason_has(&job, "fewer than 8 for each of 3 threads");
    struct kernel_work work = work_of("rand_mem", "serial_rw", 800, no_settings);
    assert_true(work.bytes_read == 800 && work.bytes_written == 400);
    work = work_of("rand_mem", "random_read", 800, no_settings);
    assert_true(work.bytes_read == 800 && work.bytes_written == 0);
}

/* ---- mem_speed */

static const char *const types[] = {"double", "float", "int32"};
static const char *const codes[] = {"scalar", "vector128", "vector256", "vector512", "vector"};

static double element(const struct kernel_job *job, size_t type, size_t at)
{
    const char *p = (const char *)job->memory + at;
    return type == 0   ? *(const double *)(const void *)p
           : type == 1 ? (double)*(const float *)(const void *)p
                       : (double)*(const int32_t *)(const void *)p;
}

/* One pass and three, against the formula with what was in memory before. */
static void mem_speed_try(const char *test, size_t type, const char *code, const char *store,
                          size_t n)
{
    const struct kernel_value settings[] = {
        {"type", types[type]}, {"code", code}, {"store", store}, {0}};
    size_t size = type == 0 ? 8 : 4;
    struct kernel_job job, old;
    if (!job_begin(&job, "mem_speed", test, 2 * n * size, settings))
        return;
    size_t y = job.memory_bytes - n * size;
    assert_true(y % 64 == 0 && y >= n * size);
    old = job;
    old.memory = malloc(job.memory_bytes);
    assert_non_null(old.memory);
    memcpy(old.memory, job.memory, job.memory_bytes);
    for (int passes = 1; passes <= 3; passes += 2) {
        assert_int_equal(job_run(&job, passes == 1 ? 1 : 2), KERNEL_OK);
        for (size_t i = 0; i < n; i++) {
            double x0 = element(&old, type, i * size), y0 = element(&old, type, y + i * size);
            double right = x0;
            if (strcmp(test, "copy") == 0)
                right = y0;
            else if (strcmp(test, "add") == 0)
                right = type == 2 ? x0 + passes * y0 : x0 + y0;
            else if (strcmp(test, "triad") == 0)
                right = type == 2 ? x0 + passes * (2 + y0) : x0 + 2 * y0;
            assert_true(element(&job, type, i * size) == right);
            assert_true(element(&job, type, y + i * size) == y0);
            assert_true(y0 != 0 && y0 >= -2 && y0 <= 2 && x0 >= -2 && x0 <= 2);
        }
        check_accepts(&job);
    }
    assert_int_equal(job_run(&job, 40), KERNEL_OK);
    check_accepts(&job);
    free(old.memory);
    job_end(&job);
}

static void mem_speed_computes_its_formulas_in_every_width(void **state)
{
    (void)state;
    static const char *const tests[] = {"dot", "triad", "add", "copy"};
    static const size_t sizes[] = {1, 2, 3, 15, 16, 17, 31, 64, 127, 129, 200, 257, 1000};
    for (size_t t = 0; t < 4; t++)
        for (size_t type = 0; type < 3; type++)
            for (size_t code = 0; code < 5; code++)
                for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++)
                    mem_speed_try(tests[t], type, codes[code], "normal", sizes[s]);
    for (size_t code = 1; code < 5; code++)
        for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++)
            mem_speed_try("copy", s % 3, codes[code], "streaming", sizes[s]);
}

/* 1*4 + 2*5 + ... with known arrays. */
static void mem_speed_sums_as_one_does_by_hand(void **state)
{
    (void)state;
    _Alignas(64) double x[3] = {1, 2, 3}, y[3] = {4, 5, 6};
    _Alignas(64) float f[5] = {1, 2, 3, 4, 5}, g[5] = {2, 2, 2, 2, 2};
    _Alignas(64) uint32_t i[2] = {7, UINT32_MAX}, k[2] = {1, 1};
    static const int widths[] = {0, 128, 256, 512};
    for (size_t w = 0; w < 4; w++) {
        if (widths[w] && vector_missing(widths[w]))
            continue;
        assert_int_equal(mem_speed_loops(MEM_SPEED_DOUBLE, widths[w])->dot(x, y, 3, 1), 32);
        assert_int_equal(mem_speed_loops(MEM_SPEED_DOUBLE, widths[w])->dot(x, y, 3, 10), 320);
        assert_int_equal(mem_speed_loops(MEM_SPEED_FLOAT, widths[w])->dot(f, g, 5, 2), 60);
        assert_int_equal(mem_speed_loops(MEM_SPEED_INT32, widths[w])->dot(i, k, 2, 1), 8);
    }
}

static void mem_speed_refuses_a_changed_element(void **state)
{
    (void)state;
    static const char *const tests[] = {"dot", "triad", "add", "copy"};
    for (size_t t = 0; t < 4; t++) {
        for (size_t type = 0; type < 3; type++) {
            const struct kernel_value settings[] = {
                {"type", types[type]}, {"code", "scalar"}, {"store", "normal"}, {0}};
            struct kernel_job job;
            assert_true(job_begin(&job, "mem_speed", tests[t], 4096, settings));
            unsigned char *bytes = job.memory;
            assert_int_equal(job_run(&job, 3), KERNEL_OK);
            check_accepts(&job);
            bytes[800] ^= 1;
            check_refuses(&job, type == 0 ? "x[100] is " : "x[200] is ");
            bytes[800] ^= 1;
            bytes[job.memory_bytes - 1] ^= 0x80;
            check_refuses(&job, type == 0 ? "y[255] is " : "y[511] is ");
            if (t == 0) {
                assert_int_equal(job_run(&job, 1), KERNEL_OK);
                bytes[job.memory_bytes - 1] ^= 0x80;
                check_refuses(&job, "the sum of x * y is ");
            }
            job_end(&job);
        }
    }
}

static void mem_speed_counts_bytes_and_operations(void **state)
{
    (void)state;
    static const struct {
        const char *test, *type;
        double read, written, flops;
    } cases[] = {{"dot", "double", 1600, 0, 200},    {"triad", "double", 1600, 800, 200},
                 {"add", "double", 1600, 800, 100},  {"copy", "double", 800, 800, 0},
                 {"triad", "float", 1600, 800, 400}, {"triad", "int32", 1600, 800, 0}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const struct kernel_value settings[] = {
            {"type", cases[i].type}, {"code", "scalar"}, {"store", "normal"}, {0}};
        struct kernel_work work = work_of("mem_speed", cases[i].test, 1600, settings);
        assert_true(work.bytes_read == cases[i].read && work.bytes_written == cases[i].written);
        assert_true(work.flops == cases[i].flops);
    }
}

static void mem_speed_says_what_it_cannot(void **state)
{
    (void)state;
    const struct kernel_value scalar[] = {
        {"type", "double"}, {"code", "scalar"}, {"store", "streaming"}, {0}};
    needs_refuses("mem_speed", "copy", 4096, scalar, "streaming stores are made of vectors only");
    const struct kernel_value normal[] = {
        {"type", "double"}, {"code", "scalar"}, {"store", "normal"}, {0}};
    needs_refuses("mem_speed", "copy", 15, normal, "fewer than two elements of 8 B");
    for (size_t i = 1; i < 4; i++) {
        const struct kernel_value settings[] = {
            {"type", "double"}, {"code", codes[i]}, {"store", "normal"}, {0}};
        const char *missing = vector_missing(128 << (i - 1));
        if (missing)
            needs_refuses("mem_speed", "copy", 4096, settings, missing);
    }
}

static void integers_have_no_rate_of_floating_point_operations(void **state)
{
    (void)state;
    for (size_t type = 0; type < 3; type++) {
        const struct kernel_value settings[] = {
            {"type", types[type]}, {"code", "scalar"}, {"store", "normal"}, {0}};
        struct worker_result result;
        bool has_flops = false;
        cell_run("mem_speed", "triad", 16 * KIB, 1, settings, &result);
        assert_int_equal(result.status, STATUS_OK);
        for (size_t i = 0; i < result.n; i++)
            has_flops = has_flops || strcmp(result.samples[i].metric, "flops") == 0;
        assert_true(has_flops == (type < 2));
        worker_result_free(&result);
    }
}

/* ---- mem_move */

/* ANS Forth, 17.6.1.0910: character by character from lower to higher addresses. */
static void forth_cmove(unsigned char *memory, size_t from, size_t to, size_t n)
{
    for (size_t i = 0; i < n; i++)
        memory[to + i] = memory[from + i];
}

/* 17.6.1.0920: from higher to lower addresses. */
static void forth_cmove_up(unsigned char *memory, size_t from, size_t to, size_t n)
{
    for (size_t i = n; i > 0; i--)
        memory[to + i - 1] = memory[from + i - 1];
}

/* 6.1.1900: afterwards the destination has what the source had before. */
static void forth_move(unsigned char *memory, size_t from, size_t to, size_t n)
{
    if (to > from)
        forth_cmove_up(memory, from, to, n);
    else
        forth_cmove(memory, from, to, n);
}

static const struct move {
    const char *test;
    void (*model)(unsigned char *memory, size_t from, size_t to, size_t n);
    bool is_down;
} moves[] = {{"cmove", forth_cmove, false},
             {"cmove_up", forth_cmove_up, true},
             {"move_up", forth_move, false},
             {"move_down", forth_move, true}};

static void mem_move_try(const struct move *move, bool overlaps, uint64_t x)
{
    const struct kernel_value settings[] = {{"overlap", overlaps ? "yes" : "no"}, {0}};
    struct kernel_job job;
    assert_true(job_begin(&job, "mem_move", move->test, x, settings));
    size_t n = (size_t)x / 8 * 8, all = job.memory_bytes, distance = all - n;
    assert_true(overlaps ? distance >= 8 && distance < n : distance >= n);
    unsigned char *model = malloc(all);
    assert_non_null(model);
    memcpy(model, job.memory, all);
    for (uint64_t pass = 1; pass <= 5; pass++) {
        assert_int_equal(job_run(&job, 1), KERNEL_OK);
        memcpy(model + (move->is_down ? all - 8 : 0), &pass, sizeof pass);
        move->model(model, move->is_down ? distance : 0, move->is_down ? 0 : distance, n);
        assert_memory_equal(job.memory, model, all);
        check_accepts(&job);
    }
    free(model);
    assert_int_equal(job_run(&job, 7), KERNEL_OK);
    check_accepts(&job);
    unsigned char *bytes = job.memory;
    size_t changed = all / 2 + 1;
    char place[64];
    snprintf(place, sizeof place, "byte %zu of the memory", changed / 8 * 8);
    bytes[changed] ^= 0x10;
    check_refuses(&job, place);
    job_end(&job);
}

static void mem_move_moves_as_forth_defines_it(void **state)
{
    (void)state;
    static const uint64_t sizes[] = {32, 40, 47, 64, 100, 1000, 4096, 16384, 32768, 65536 + 8};
    for (size_t m = 0; m < 4; m++) {
        for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
            mem_move_try(&moves[m], false, sizes[i]);
            mem_move_try(&moves[m], true, sizes[i]);
        }
        const struct kernel_value settings[] = {{"overlap", "no"}, {0}};
        needs_refuses("mem_move", moves[m].test, 31, settings, "31 B are fewer than 32");
        struct kernel_work work = work_of("mem_move", moves[m].test, 1001, settings);
        assert_true(work.bytes_written == 1000 && work.bytes_read == 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sizes_go_from_half_of_the_first_cache_past_the_last),
        cmocka_unit_test(mem_latency_makes_one_cycle_of_all_lines),
        cmocka_unit_test(mem_latency_follows_every_chain),
        cmocka_unit_test(mem_latency_refuses_another_cycle),
        cmocka_unit_test(int_burn_writes_the_pairs_and_swaps_them),
        cmocka_unit_test(int_burn_finds_any_flipped_bit),
        cmocka_unit_test(a_fault_on_purpose_is_a_wrong_result),
        cmocka_unit_test(int_burn_counts_what_it_writes_and_reads),
        cmocka_unit_test(rand_mem_adds_one_to_each_word_in_a_pass),
        cmocka_unit_test(rand_mem_has_an_index_in_order_or_at_random),
        cmocka_unit_test(rand_mem_refuses_a_changed_word),
        cmocka_unit_test(rand_mem_threads_share_the_array),
        cmocka_unit_test(mem_speed_computes_its_formulas_in_every_width),
        cmocka_unit_test(mem_speed_sums_as_one_does_by_hand),
        cmocka_unit_test(mem_speed_refuses_a_changed_element),
        cmocka_unit_test(mem_speed_counts_bytes_and_operations),
        cmocka_unit_test(mem_speed_says_what_it_cannot),
        cmocka_unit_test(integers_have_no_rate_of_floating_point_operations),
        cmocka_unit_test(mem_move_moves_as_forth_defines_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
