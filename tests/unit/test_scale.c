#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "report/scale.h"

static void number_is(double value, int digits, const char *expected)
{
    char text[SCALE_TEXT_SIZE];
    assert_int_equal(scale_number(value, digits, text), strlen(expected));
    assert_string_equal(text, expected);
}

static void format_is(double value, const char *unit, int digits, const char *expected)
{
    char text[SCALE_TEXT_SIZE];
    assert_int_equal(scale_format(value, unit, digits, text), strlen(expected));
    assert_string_equal(text, expected);
}

static void nothing_but_zero_is_written_as_zero(void **state)
{
    (void)state;
    number_is(0, 3, "0");
    number_is(-0.0, 3, "0");
    number_is(0.004, 3, "0.004");
    number_is(0.00123456, 3, "0.00123");
    number_is(0.000001, 3, "0.000001");
    number_is(9.99e-7, 3, "9.99e-7");
    number_is(1.23456e-9, 3, "1.23e-9");
    number_is(4.9406564584124654e-324, 3, "4.94e-324");
    number_is(-0.0004, 1, "-0.0004");
}

static void digits_before_the_point_are_all_kept(void **state)
{
    (void)state;
    number_is(1234567, 3, "1,234,567");
    number_is(1234567.8, 3, "1,234,568");
    number_is(-1234.5, 2, "-1,234"); /* a tie goes to even */
    number_is(999.6, 3, "1,000");
    number_is(123456789012345.0, 3, "123,456,789,012,345");
    number_is(1e15, 3, "1e15");
    number_is(1.5e300, 3, "1.5e300");
    number_is(1.23456e20, 3, "1.23e20");
    number_is(1.7976931348623157e308, 17, "1.7976931348623157e308");
}

static void decimals_that_a_number_does_not_have_are_not_added(void **state)
{
    (void)state;
    number_is(64, 3, "64");
    number_is(2.5, 3, "2.5");
    number_is(2.4988, 3, "2.50");
    number_is(1.0004, 3, "1.00");
    number_is(100, 3, "100");
    number_is(1000, 2, "1,000");
    number_is(0.1, 3, "0.1");
    number_is(0.099999, 3, "0.100");
    number_is(12.34, 3, "12.3");
    number_is(12.36, 3, "12.4");
}

static void what_is_not_finite_is_not_a_number(void **state)
{
    (void)state;
    number_is(NAN, 3, "n/a");
    number_is(INFINITY, 3, "n/a");
    format_is(NAN, "B/s", 3, "n/a");
}

static void rates_times_and_sizes_have_their_prefixes(void **state)
{
    (void)state;
    format_is(3393e6, "B/s", 3, "3.39 GB/s");
    format_is(970e6, "B/s", 3, "970 MB/s");
    format_is(16e6, "B/s", 3, "16 MB/s");
    format_is(999.7e3, "B/s", 3, "1.00 MB/s");
    format_is(0.25, "B/s", 3, "0.25 B/s");
    format_is(65536, "B", 3, "64 KiB");
    format_is(1023, "B", 3, "1,023 B");
    format_is(1048576, "B", 3, "1 MiB");
    format_is(1536, "B", 3, "1.5 KiB");
    format_is(1048575.9, "B", 3, "1.00 MiB");
    format_is(102400000, "B", 3, "97.7 MiB");
    format_is(12.3456e-9, "s", 3, "12.3 ns");
    format_is(4.5e-6, "s", 2, "4.5 µs");
    format_is(0.25, "s", 3, "250 ms");
    format_is(1e-5, "s", 3, "10 µs"); /* 1e-5 / 1e-6 is not quite 10 */
    format_is(1e-4, "s", 12, "100 µs");
    format_is(3600, "s", 3, "3,600 s");
    format_is(2e-15, "s", 3, "0.002 ps");
    format_is(0, "s", 3, "0 s");
    format_is(2.1e9, "Hz", 3, "2.1 GHz");
    format_is(58.25e6, "flop/s", 3, "58.2 Mflop/s");
    format_is(25000, "1/s", 3, "25 k/s");
    format_is(12.5, "1/s", 3, "12.5 /s");
    format_is(4e6, "op/s", 3, "4 Mop/s");
    format_is(12345.678, "cycle", 3, "12,346 cycle");
    format_is(0.333333, "1", 3, "0.333");
    format_is(7, "furlong", 3, "7 furlong");
    format_is(-3393e6, "B/s", 3, "-3.39 GB/s");
    format_is(1e300, "B/s", 3, "1e282 EB/s");
}

static void a_column_has_one_unit(void **state)
{
    (void)state;
    struct scale scale;
    char text[SCALE_TEXT_SIZE];
    assert_true(scale_find("B/s", "MB/s", &scale));
    assert_string_equal(scale.unit, "MB/s");
    scale_value(5146e6, &scale, 3, text);
    assert_string_equal(text, "5,146");
    scale_value(4321, &scale, 3, text);
    assert_string_equal(text, "0.00432");
    scale_format_as(12.3e6, &scale, 3, text);
    assert_string_equal(text, "12.3 MB/s");

    scale = scale_choose(5146e6, "B/s", 3);
    assert_string_equal(scale.unit, "GB/s");
    scale_format_as(7e6, &scale, 2, text);
    assert_string_equal(text, "0.007 GB/s");

    assert_true(scale_find("s", "us", &scale));
    assert_string_equal(scale.unit, "µs");
    assert_true(scale_find("1", "%", &scale));
    scale_format_as(0.27, &scale, 3, text);
    assert_string_equal(text, "27 %");
}

static void a_unit_of_another_dimension_is_refused(void **state)
{
    (void)state;
    struct scale scale = {7, "x"};
    assert_false(scale_find("B", "MB/s", &scale));
    assert_false(scale_find("B/s", "parsec", &scale));
    assert_true(scale.per == 7);
    assert_string_equal(scale.unit, "x");
}

static void percentages_have_a_sign(void **state)
{
    (void)state;
    static const struct {
        double share;
        const char *expected;
    } cases[] = {
        {0.0123, "+1.2 %"}, {-0.0123, "-1.2 %"}, {0.12345, "+12.3 %"},
        {0, "0 %"},         {3.5, "+350 %"},     {0.000012, "+0.0012 %"},
        {NAN, "n/a"},       {INFINITY, "n/a"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char text[SCALE_TEXT_SIZE];
        assert_int_equal(scale_percent(cases[i].share, text), strlen(cases[i].expected));
        assert_string_equal(text, cases[i].expected);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_but_zero_is_written_as_zero),
        cmocka_unit_test(digits_before_the_point_are_all_kept),
        cmocka_unit_test(decimals_that_a_number_does_not_have_are_not_added),
        cmocka_unit_test(what_is_not_finite_is_not_a_number),
        cmocka_unit_test(rates_times_and_sizes_have_their_prefixes),
        cmocka_unit_test(a_column_has_one_unit),
        cmocka_unit_test(a_unit_of_another_dimension_is_refused),
        cmocka_unit_test(percentages_have_a_sign),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
