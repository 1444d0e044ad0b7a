/* rand_mem: the index, what a pass leaves behind, and threads that share the array. */
#include "tests/unit/memory_job.h"

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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rand_mem_adds_one_to_each_word_in_a_pass),
        cmocka_unit_test(rand_mem_has_an_index_in_order_or_at_random),
        cmocka_unit_test(rand_mem_refuses_a_changed_word),
        cmocka_unit_test(rand_mem_threads_share_the_array),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
