#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "report/chart/ticks.h"

/* "1 2 *5": the ticks, a star before each that has no label, compared as text. */
static void ticks_are(const struct ticks *ticks, double min, double max, const char *expected)
{
    char text[4096] = "";
    size_t used = 0;
    for (size_t i = 0; i < ticks->n; i++)
        used += (size_t)snprintf(text + used, sizeof text - used, "%s%s%.12g", i > 0 ? " " : "",
                                 ticks->has_label[i] ? "" : "*", ticks->at[i]);
    assert_string_equal(text, expected);
    assert_true(ticks->min == min);
    assert_true(ticks->max == max);
}

static void linear_ticks_are_round_numbers(void **state)
{
    (void)state;
    struct ticks t;
    ticks_linear(0, 3530, 10, &t);
    ticks_are(&t, 0, 4000, "0 500 1000 1500 2000 2500 3000 3500 4000");
    ticks_linear(0, 3530, 5, &t);
    ticks_are(&t, 0, 4000, "0 1000 2000 3000 4000");
    ticks_linear(0, 0.31, 8, &t);
    ticks_are(&t, 0, 0.35, "0 0.05 0.1 0.15 0.2 0.25 0.3 0.35");
    ticks_linear(-1, 1, 5, &t);
    ticks_are(&t, -1, 1, "-1 -0.5 0 0.5 1");
    ticks_linear(103, 107, 10, &t);
    ticks_are(&t, 103, 107, "103 103.5 104 104.5 105 105.5 106 106.5 107");
    ticks_linear(0, 10, 2, &t);
    ticks_are(&t, 0, 10, "0 10");
}

/* 3 * 0.1 is not 0.3; a tick is what its label says. */
static void linear_ticks_are_the_nearest_numbers(void **state)
{
    (void)state;
    struct ticks t;
    ticks_linear(0, 0.8, 10, &t);
    assert_int_equal(t.n, 9);
    assert_true(t.at[3] == 0.3);
    assert_true(t.at[6] == 0.6);
    assert_true(t.at[7] == 0.7);
}

static void a_single_value_gets_a_range_around_it(void **state)
{
    (void)state;
    struct ticks t;
    ticks_linear(0, 0, 5, &t);
    ticks_are(&t, 0, 1, "0 0.5 1");
    ticks_linear(10, 10, 5, &t);
    ticks_are(&t, 5, 15, "5 10 15");
    ticks_linear(-10, -10, 5, &t);
    ticks_are(&t, -15, -5, "-15 -10 -5");
    ticks_log10(10, 10, 10, &t);
    ticks_are(&t, 5, 20, "5 6 7 8 9 10 20");
    ticks_log10(7, 7, 10, &t);
    ticks_are(&t, 5, 10, "5 6 7 8 9 10");
    ticks_log2(4096, 4096, 10, &t);
    ticks_are(&t, 2048, 8192, "2048 4096 8192");
}

static void values_that_differ_by_rounding_are_one_value(void **state)
{
    (void)state;
    struct ticks t;
    ticks_linear(1e15, 1e15 + 0.25, 5, &t);
    assert_true(t.n >= 2 && t.n <= 5);
    assert_true(t.min < 1e15 && t.max > 1e15);
}

static void decades_are_labelled_where_there_are_four(void **state)
{
    (void)state;
    struct ticks t;
    ticks_log10(6, 9555, 10, &t);
    ticks_are(&t, 5, 10000,
              "*5 *6 *7 *8 *9 10 *20 *30 *40 *50 *60 *70 *80 *90 100 *200 *300 *400 *500 *600 "
              "*700 *800 *900 1000 *2000 *3000 *4000 *5000 *6000 *7000 *8000 *9000 10000");
}

static void short_ranges_have_labels_between_the_decades(void **state)
{
    (void)state;
    struct ticks t;
    ticks_log10(12, 480, 8, &t);
    ticks_are(&t, 10, 500,
              "10 20 *30 *40 50 *60 *70 *80 *90 100 200 *300 *400 500");
    ticks_log10(12, 480, 4, &t);
    ticks_are(&t, 10, 500,
              "10 *20 30 *40 *50 *60 *70 *80 *90 100 *200 300 *400 *500");
    ticks_log10(12, 480, 2, &t);
    ticks_are(&t, 10, 500,
              "10 *20 *30 *40 *50 *60 *70 *80 *90 100 *200 *300 *400 *500");
    ticks_log10(2, 9, 10, &t);
    ticks_are(&t, 2, 10, "2 3 4 5 6 7 8 9 10");
    ticks_log10(101, 147, 10, &t);
    ticks_are(&t, 100, 150, "100 110 120 130 140 150");
}

static void wide_ranges_skip_decades(void **state)
{
    (void)state;
    struct ticks t;
    ticks_log10(1e-9, 1e9, 7, &t);
    ticks_are(&t, 1e-9, 1e9,
              "1e-09 *1e-08 *1e-07 1e-06 *1e-05 *0.0001 0.001 *0.01 *0.1 1 *10 *100 1000 *10000 "
              "*100000 1000000 *10000000 *100000000 1000000000");
    ticks_log10(1e-280, 1e280, 10, &t);
    size_t labels = 0;
    for (size_t i = 0; i < t.n; i++)
        labels += t.has_label[i];
    assert_true(labels >= 4 && labels <= 10);
    assert_true(t.n < TICKS_MAX && t.min <= 1e-280 && t.max >= 1e280);
}

static void sizes_have_ticks_at_powers_of_two(void **state)
{
    (void)state;
    struct ticks t;
    ticks_log2(4, 16384, 10, &t);
    ticks_are(&t, 4, 16384, "4 *8 16 *32 64 *128 256 *512 1024 *2048 4096 *8192 16384");
    ticks_log2(4, 16384, 20, &t);
    ticks_are(&t, 4, 16384, "4 8 16 32 64 128 256 512 1024 2048 4096 8192 16384");
    ticks_log2(3, 17, 10, &t);
    ticks_are(&t, 2, 32, "2 4 8 16 32");
    ticks_log2(1, 1048576, 4, &t);
    assert_int_equal(t.n, 21);
    assert_true(t.has_label[0] && !t.has_label[5] && t.has_label[6] && t.has_label[18]);
}

/* Whatever the range: the data is inside, ticks ascend within it and labels keep to the limit. */
static void every_range_is_covered(void **state)
{
    (void)state;
    static void (*const functions[])(double, double, size_t, struct ticks *) = {
        ticks_linear, ticks_log10, ticks_log2};
    uint64_t random = 42;
    for (int round = 0; round < 30000; round++) {
        double values[2];
        for (int i = 0; i < 2; i++) {
            random = random * 6364136223846793005u + 1442695040888963407u;
            double mantissa = 1 + (double)(random >> 40) / 16777216.0;
            int exponent = (int)(random >> 32 & 63) - 32;
            values[i] = mantissa;
            for (; exponent > 0; exponent--)
                values[i] *= 10;
            for (; exponent < 0; exponent++)
                values[i] /= 10;
        }
        double min = values[0] < values[1] ? values[0] : values[1];
        double max = values[0] < values[1] ? values[1] : values[0];
        size_t limit = 2 + (size_t)(random >> 20) % 12;
        struct ticks t;
        functions[round % 3](min, max, limit, &t);
        assert_true(t.n >= 1 && t.n <= TICKS_MAX);
        assert_true(t.min <= min * (1 + 1e-8) && t.max >= max * (1 - 1e-8) && t.min < t.max);
        size_t labels = 0;
        for (size_t i = 0; i < t.n; i++) {
            assert_true(t.at[i] >= t.min && t.at[i] <= t.max);
            assert_true(i == 0 || t.at[i] > t.at[i - 1]);
            labels += t.has_label[i];
        }
        assert_true(labels >= 1 && labels <= limit);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(linear_ticks_are_round_numbers),
        cmocka_unit_test(linear_ticks_are_the_nearest_numbers),
        cmocka_unit_test(a_single_value_gets_a_range_around_it),
        cmocka_unit_test(values_that_differ_by_rounding_are_one_value),
        cmocka_unit_test(decades_are_labelled_where_there_are_four),
        cmocka_unit_test(short_ranges_have_labels_between_the_decades),
        cmocka_unit_test(wide_ranges_skip_decades),
        cmocka_unit_test(sizes_have_ticks_at_powers_of_two),
        cmocka_unit_test(every_range_is_covered),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
