#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "report/statistics/changepoint.h"
#include "tests/unit/random.h"

static size_t find(const double *values, size_t n, struct changepoint *points)
{
    struct err err;
    size_t n_points = 99;
    assert_int_equal(changepoints_find(values, n, 0.01, 0.01, points, &n_points, &err), 0);
    return n_points;
}

static void a_step_up_and_a_step_back_are_found(void **state)
{
    (void)state;
    double values[36];
    struct changepoint points[9];
    uint64_t seed = 4;
    for (size_t i = 0; i < 36; i++)
        values[i] = (i >= 12 && i < 24 ? 110 : 100) + 0.01 * random_below(&seed, 100);
    assert_int_equal(find(values, 36, points), 2);
    assert_int_equal(points[0].at, 12);
    assert_int_equal(points[1].at, 24);
    assert_true(points[0].ratio > 1.08 && points[0].ratio < 1.12);
    assert_true(points[1].ratio > 0.89 && points[1].ratio < 0.93);
}

static void noise_and_short_series_have_no_change(void **state)
{
    (void)state;
    double values[40];
    struct changepoint points[10];
    uint64_t seed = 8;
    size_t n_false = 0;
    for (int round = 0; round < 200; round++) {
        for (size_t i = 0; i < 40; i++)
            values[i] = 100 + random_below(&seed, 5);
        n_false += find(values, 40, points) > 0;
    }
    assert_true(n_false <= 4);
    const double step[] = {1, 1, 1, 2, 2, 2, 2};
    assert_int_equal(find(step, 7, points), 0);
    assert_int_equal(find(step, 0, points), 0);
}

static void a_change_below_the_minimum_effect_is_none(void **state)
{
    (void)state;
    double values[20];
    struct changepoint points[5];
    for (size_t i = 0; i < 20; i++)
        values[i] = i < 10 ? 100 : 100.5;
    assert_int_equal(find(values, 20, points), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_step_up_and_a_step_back_are_found),
        cmocka_unit_test(noise_and_short_series_have_no_change),
        cmocka_unit_test(a_change_below_the_minimum_effect_is_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
