/* int_burn and multi_task: the patterns, and that any flipped bit is found. */
#include "tests/unit/memory_job.h"

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
        const struct kernel_value settings[] = {
            {"pattern", pairs[i].pattern}, {"fault", "no"}, {0}};
        for (int is_read = 0; is_read < 2; is_read++) {
            struct kernel_job job;
            assert_true(
                job_begin(&job, "int_burn", is_read ? "read" : "write_read", 200, settings));
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
        snprintf(place, sizeof place, "byte %zu of the array",
                 bit / 8 / sizeof(size_t) * sizeof(size_t));
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(int_burn_writes_the_pairs_and_swaps_them),
        cmocka_unit_test(int_burn_finds_any_flipped_bit),
        cmocka_unit_test(a_fault_on_purpose_is_a_wrong_result),
        cmocka_unit_test(int_burn_counts_what_it_writes_and_reads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
