/* mem_latency: its cycle of lines, and that another one is refused. */
#include "tests/unit/memory_job.h"

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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(mem_latency_makes_one_cycle_of_all_lines),
        cmocka_unit_test(mem_latency_follows_every_chain),
        cmocka_unit_test(mem_latency_refuses_another_cycle),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
