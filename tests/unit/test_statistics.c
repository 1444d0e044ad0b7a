#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>

#include "report/statistics/statistics.h"

static void the_median_of_odd_and_even_counts(void **state)
{
    (void)state;
    double odd[] = {100, 1, 2};
    double even[] = {100, 1, 4, 2};
    statistics_sort(odd, 3);
    statistics_sort(even, 4);
    assert_true(odd[0] == 1 && odd[2] == 100);
    assert_true(statistics_median(odd, 3) == 2);
    assert_true(statistics_median(even, 4) == 3);
    assert_true(statistics_median(odd, 1) == 1);
}

static void the_median_of_two_huge_values_does_not_overflow(void **state)
{
    (void)state;
    const double huge[] = {1.7e308, 1.7e308};
    assert_true(statistics_median(huge, 2) == 1.7e308);
}

/* Ranks from 1. The coverage is 1 - 2 B(low - 1; n, 1/2), summed with whole numbers by hand (of 20
 * and 30: in exact rational arithmetic). */
static void intervals_have_the_ranks_of_the_binomial_tables(void **state)
{
    (void)state;
    static const struct {
        size_t n, low, high;
        double coverage;
    } known[] = {
        {6, 1, 6, 1 - 2.0 / 64},     {7, 1, 7, 1 - 2.0 / 128},   {8, 1, 8, 1 - 2.0 / 256},
        {9, 2, 8, 1 - 20.0 / 512},   {10, 2, 9, 1 - 22.0 / 1024}, {11, 2, 10, 1 - 24.0 / 2048},
        {12, 3, 10, 1 - 158.0 / 4096}, {20, 6, 15, 0.9586105346679688},
        {30, 10, 21, 0.9572260547429323},
    };
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        size_t low, high;
        double coverage;
        assert_true(statistics_median_interval(known[i].n, 0.95, &low, &high, &coverage));
        assert_int_equal(low + 1, known[i].low);
        assert_int_equal(high + 1, known[i].high);
        assert_true(fabs(coverage - known[i].coverage) < 1e-12);
    }
}

static void fewer_than_six_samples_have_no_interval(void **state)
{
    (void)state;
    for (size_t n = 0; n < 6; n++) {
        size_t low = 77, high = 77;
        assert_false(statistics_median_interval(n, 0.95, &low, &high, NULL));
        assert_int_equal(low, 77);
    }
}

static void a_long_series_has_an_interval_of_about_the_square_root(void **state)
{
    (void)state;
    size_t low, high;
    double coverage;
    assert_true(statistics_median_interval(100000, 0.95, &low, &high, &coverage));
    /* 100000/2 -+ 1.96 * sqrt(100000)/2 = 49690 and 50310 */
    assert_in_range(low, 49688, 49691);
    assert_int_equal(low + high, 99999);
    assert_true(coverage >= 0.95 && coverage < 0.951);
}

static void five_samples_show_their_range(void **state)
{
    (void)state;
    const double values[] = {1, 2, 3, 4, 50};
    struct summary summary = statistics_summary(values, 5);
    assert_int_equal(summary.n, 5);
    assert_true(summary.median == 3);
    assert_false(summary.has_interval);
    assert_true(summary.low == 1 && summary.high == 50);
}

static void nine_samples_show_the_second_and_the_eighth(void **state)
{
    (void)state;
    const double values[] = {1, 2, 3, 4, 5, 6, 7, 8, 900};
    struct summary summary = statistics_summary(values, 9);
    assert_true(summary.has_interval);
    assert_true(summary.median == 5 && summary.low == 2 && summary.high == 8);
}

static void no_sample_is_no_number(void **state)
{
    (void)state;
    assert_int_equal(statistics_summary(NULL, 0).n, 0);
}

static void equal_samples_have_an_interval_of_no_width(void **state)
{
    (void)state;
    const double values[] = {7, 7, 7, 7, 7, 7};
    struct summary summary = statistics_summary(values, 6);
    assert_true(summary.has_interval && summary.low == 7 && summary.high == 7);
}

static void the_geometric_mean_neither_overflows_nor_takes_zero(void **state)
{
    (void)state;
    const double plain[] = {2, 8};
    const double huge[] = {1e300, 1e300, 1e300};
    const double with_zero[] = {2, 0, 8};
    const double negative[] = {2, -8};
    assert_true(fabs(statistics_geometric_mean(plain, 2) - 4) < 1e-12);
    assert_true(fabs(statistics_geometric_mean(huge, 3) / 1e300 - 1) < 1e-12);
    assert_true(isnan(statistics_geometric_mean(with_zero, 3)));
    assert_true(isnan(statistics_geometric_mean(negative, 2)));
    assert_true(isnan(statistics_geometric_mean(plain, 0)));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_median_of_odd_and_even_counts),
        cmocka_unit_test(the_median_of_two_huge_values_does_not_overflow),
        cmocka_unit_test(intervals_have_the_ranks_of_the_binomial_tables),
        cmocka_unit_test(fewer_than_six_samples_have_no_interval),
        cmocka_unit_test(a_long_series_has_an_interval_of_about_the_square_root),
        cmocka_unit_test(five_samples_show_their_range),
        cmocka_unit_test(nine_samples_show_the_second_and_the_eighth),
        cmocka_unit_test(no_sample_is_no_number),
        cmocka_unit_test(equal_samples_have_an_interval_of_no_width),
        cmocka_unit_test(the_geometric_mean_neither_overflows_nor_takes_zero),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
