/* bus_speed: what it counts, and what it must refuse. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "tests/unit/kernel_bench.h"

static void bus_speed_counts_what_it_loads(void **state)
{
    (void)state;
    static const struct {
        const char *test, *word;
        uint64_t x;
        double bytes;
    } cases[] = {{"inc32", "32", 65536, 2048},  {"inc32", "32", 65540, 2052},
                 {"inc16", "32", 100, 8},       {"inc2", "32", 65536, 32768},
                 {"read_all", "32", 103, 100},  {"simd128", "", 65536, 65536},
                 {"simd128", "", 100, 96},
#if UINTPTR_MAX > UINT32_MAX
                 {"inc32", "64", 65536, 2048},  {"inc32", "64", 256, 8},
                 {"read_all", "64", 103, 96}
#endif
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct bench bench;
        struct kernel_work work = {0};
        bench_named(&bench, "bus_speed", cases[i].test);
        bench_set(&bench, "word", cases[i].word);
        bench.job.x = cases[i].x;
        bench.job.kernel->work(&bench.job, &work);
        assert_true(work.bytes_read == cases[i].bytes);
        bench_end(&bench);
    }
}

/* Sizes around those of the unrolled loops, and one where check probes only a sample. */
static void bus_speed_reads_arrays_of_any_size(void **state)
{
    (void)state;
    static const uint64_t sizes[] = {64, 68, 252, 256, 260, 1000, 2048, 8200, 16384, 66052, 100000};
    const struct kernel *kernel = kernel_find("bus_speed");
    for (const struct kernel_test *test = kernel->tests; test->name; test++) {
        for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
            for (int word = 32; word <= 64; word += 32) {
                struct bench bench;
                bench_init(&bench, kernel, test);
                bench_set(&bench, "word", word == 32 ? "32" : "64");
                bench.job.x = sizes[i];
                bench_passes(&bench);
                if (!test->settings)
                    break;
            }
        }
    }
}

/* Changes one word of 32 bits before the run or after it. */
static void bus_speed_refuses_a_change(const char *test, size_t word, bool before,
                                       const char *reason)
{
    struct bench bench;
    bench_named(&bench, "bus_speed", test);
    bench_set(&bench, "word", "32");
    bench.job.x = 8192;
    assert_int_equal(bench_setup(&bench, true), KERNEL_OK);
    uint32_t *words = bench.job.memory;
    if (before)
        words[word] ^= 4;
    assert_int_equal(bench_run(&bench, 2), KERNEL_OK);
    if (!before)
        words[word] ^= 4;
    check_refuses(&bench, reason);
    bench_end(&bench);
}

static void bus_speed_refuses_a_changed_array(void **state)
{
    (void)state;
    bus_speed_refuses_a_change("read_all", 0, true, "the AND of all loads is 55555551");
    bus_speed_refuses_a_change("read_all", 2047, true, "the AND of all loads is 55555551");
    bus_speed_refuses_a_change("read_all", 2047, false, "word 2047 of the array is 55555551");
    bus_speed_refuses_a_change("inc32", 2016, true, "the AND of all loads is 55555551");
    /* not loaded: behind the last of every 32, and behind the array */
    bus_speed_refuses_a_change("inc32", 2017, true, "word 2017 of the array is aaaaaaae");
    bus_speed_refuses_a_change("read_all", 2048, true, "word 2048 of the array is aaaaaaae");
}

static void bus_speed_says_what_it_cannot_read(void **state)
{
    (void)state;
    struct bench bench;
    bench_named(&bench, "bus_speed", "simd128");
    bench.job.x = 15;
    needs_refuses(&bench, "smaller than one load");
    bench.job.x = UINT64_MAX;
    needs_refuses(&bench, "more than this program can address");
    bench_end(&bench);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bus_speed_counts_what_it_loads),
        cmocka_unit_test(bus_speed_reads_arrays_of_any_size),
        cmocka_unit_test(bus_speed_refuses_a_changed_array),
        cmocka_unit_test(bus_speed_says_what_it_cannot_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
