/* Which sizes the sweeps of caches and memory have. */
#include "kernels/sweep.h"
#include "tests/unit/memory_job.h"

static void sizes_are(const struct kernel_host *of, enum kernel_suite suite,
                      const uint64_t *expected, size_t n_expected)
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
    static const struct kernel_host shared = {.l1d_bytes = 48 * KIB,
                                              .l2_bytes = 2 * MIB,
                                              .l3_bytes = UINT64_C(300) * MIB,
                                              .available_bytes = UINT64_C(1) << 40,
                                              .n_cpus = 2};
    static const uint64_t of_shared[] = {24 * KIB,   96 * KIB, 384 * KIB, 1536 * KIB,
                                         6144 * KIB, 24 * MIB, 96 * MIB,  UINT64_C(600) * MIB};
    sizes_are(&shared, SUITE_STANDARD, of_shared, 8);
    static const uint64_t of_two[] = {16 * KIB, 512 * KIB, 64 * MIB};
    sizes_are(&unknown, SUITE_QUICK, of_unknown, 4);
    sizes_are(&small, SUITE_QUICK, of_small, 2);
    sizes_are(&large, SUITE_QUICK, of_large, 4);
    sizes_are(&server, SUITE_QUICK, of_server, 4);
    sizes_are(&no_third, SUITE_QUICK, of_two, 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sizes_go_from_half_of_the_first_cache_past_the_last),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
