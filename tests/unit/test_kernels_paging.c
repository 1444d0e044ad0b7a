/* paging: what it must refuse, and how much memory it dares to take. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "tests/unit/kernel_bench.h"

static void paging_refuses_a_flipped_bit(void **state)
{
    (void)state;
    static const char *const patterns[] = {"random", "published"};
    for (size_t i = 0; i < 2; i++) {
        struct bench bench;
        bench_named(&bench, "paging", "write_read");
        bench_set(&bench, "pattern", patterns[i]);
        bench.job.x = 1 << 20;
        bench_start(&bench);
        uint64_t *words = *(uint64_t **)bench.job.state;
        if (i == 1) { /* the pair of the historical programs, swapped once */
            assert_true(words[0] == UINT64_C(0xaaaaaaaaaaaaaaaa) && words[3] == words[0]);
            assert_true(words[4] == UINT64_C(0x5555555555555555) && words[7] == words[4]);
            assert_true(words[8] == words[0]);
        } else {
            assert_true(words[0] != words[512] && words[0] != words[1]);
        }
        words[131071] ^= UINT64_C(1) << 63;
        words[1000] ^= 1;
        check_refuses(&bench, "at byte 8000 of the array: expected ");
        assert_non_null(strstr(bench.job.reason, "; 2 words were wrong in all"));
        bench_end(&bench);
    }
}

/* Every bit changes from pass to pass. */
static void paging_swaps_its_pattern(void **state)
{
    (void)state;
    struct bench bench;
    bench_named(&bench, "paging", "write_read");
    bench.job.x = 65536;
    bench_start(&bench);
    const uint64_t *words = *(uint64_t **)bench.job.state;
    uint64_t before = words[5000];
    assert_int_equal(bench_run(&bench, 1), KERNEL_OK);
    assert_true(words[5000] == ~before);
    assert_int_equal(bench_run(&bench, 2), KERNEL_OK);
    assert_true(words[5000] == ~before);
    assert_int_equal(bench_check(&bench), KERNEL_OK);
    bench_end(&bench);
}

static void paging_reads_arrays_of_any_size(void **state)
{
    (void)state;
    static const uint64_t sizes[] = {64, 100, 4032, 4096, 4160, 100000};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        struct bench bench;
        struct kernel_work work = {0};
        bench_named(&bench, "paging", "write_read");
        bench.job.x = sizes[i];
        bench.job.kernel->work(&bench.job, &work);
        assert_true(work.bytes_read == work.bytes_written);
        assert_true(work.bytes_read == (double)(sizes[i] - sizes[i] % 64));
        bench_passes(&bench);
    }
}

static void paging_stays_within_the_memory_that_is_there(void **state)
{
    (void)state;
    struct kernel_host host = ordinary;
    struct bench bench;
    bench_named(&bench, "paging", "write_read");
    bench.job.host = &host;
    bench.job.x = UINT64_C(480) << 20; /* of the 512 that are available 32 stay free */
    assert_int_equal(bench.job.kernel->needs(&bench.job), KERNEL_OK);
    bench.job.x++;
    needs_refuses(&bench, "480 MiB do not fit in the 480 MiB of memory that may be used, and there "
                          "is no swap");
    host.swap_bytes = UINT64_C(256) << 20;
    needs_refuses(&bench, "--set=limit=256M pages within a control group");
    host.available_bytes = host.memory_bytes = host.swap_bytes = 0;
    needs_refuses(&bench, "do not fit in the 0 MiB");
    bench_end(&bench);
}

static void paging_without_a_limit_ends_where_nothing_fits(void **state)
{
    (void)state;
    struct kernel_host host = ordinary;
    struct bench bench;
    bench_named(&bench, "paging", "write_read");
    bench_set(&bench, "limit", "none");
    bench.job.host = &host;
    host.swap_bytes = UINT64_C(256) << 20;
    bench.job.x = UINT64_C(1280) << 20;
    assert_int_equal(bench.job.kernel->needs(&bench.job), KERNEL_OK);
    bench.job.x++;
    needs_refuses(&bench, "more than 1024 MiB of memory and 256 MiB of swap together");
    bench_end(&bench);
}

/* More than the address space has. */
static void paging_says_when_memory_cannot_be_allocated(void **state)
{
    (void)state;
    struct bench bench;
    bench_named(&bench, "paging", "write_read");
    bench.job.x = UINTPTR_MAX / 64 * 63;
    assert_int_equal(bench_setup(&bench, false), KERNEL_UNAVAILABLE);
    assert_non_null(strstr(bench.job.reason, "cannot allocate"));
    bench_end(&bench);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(paging_refuses_a_flipped_bit),
        cmocka_unit_test(paging_swaps_its_pattern),
        cmocka_unit_test(paging_reads_arrays_of_any_size),
        cmocka_unit_test(paging_stays_within_the_memory_that_is_there),
        cmocka_unit_test(paging_without_a_limit_ends_where_nothing_fits),
        cmocka_unit_test(paging_says_when_memory_cannot_be_allocated),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
