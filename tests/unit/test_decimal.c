#include "schema/decimal.h"

#include <inttypes.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/unit/random.h"

enum { N_ROUNDS = 20000 };

static uint64_t to_bits(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

/* What the C library makes of it. */
static double by_library(uint64_t digits, int exponent)
{
    char text[64];
    snprintf(text, sizeof text, "%" PRIu64 "e%d", digits, exponent);
    return strtod(text, NULL);
}

static void check_to_double(uint64_t digits, int exponent)
{
    double value;
    if (!decimal_to_double(digits, exponent, &value))
        return;
    if (to_bits(value) != to_bits(by_library(digits, exponent)))
        fail_msg("%" PRIu64 "e%d is read as %.17g", digits, exponent, value);
}

static void decimals_are_read_as_the_c_library_does(void **state)
{
    (void)state;
    uint64_t seed = 1;
    for (int i = 0; i < N_ROUNDS; i++) {
        uint64_t digits = random_next(&seed) >> random_below(&seed, 64);
        check_to_double(digits, -(int)random_below(&seed, 30));
        check_to_double(digits, (int)random_below(&seed, 30) - 15);
    }
    for (int exponent = -30; exponent < 3; exponent++) {
        check_to_double(0, exponent);
        check_to_double(1, exponent);
        check_to_double(UINT64_MAX, exponent);
    }
}

/* The decimal of a double plus half a unit of it, exactly, is a tie. */
static void ties_go_to_even(void **state)
{
    (void)state;
    check_to_double(UINT64_C(9007199254740993), 0);
    check_to_double(UINT64_C(9007199254740995), 0);
    check_to_double(UINT64_C(90071992547409935), -1);
    check_to_double(UINT64_C(45035996273704965), -1);
    check_to_double(UINT64_C(45035996273704975), -1);
    check_to_double(UINT64_C(22517998136852485), -1);
    double value;
#ifdef __SIZEOF_INT128__
    assert_true(decimal_to_double(UINT64_C(9007199254740993), 0, &value));
    assert_true(value == 9007199254740992.0);
    assert_true(decimal_to_double(UINT64_C(9007199254740995), 0, &value));
    assert_true(value == 9007199254740996.0);
#else
    assert_false(decimal_to_double(1, 0, &value));
#endif
}

/* The rule of schema/number.c, by the C library: the first of 15, 16 and 17 digits that reads back. */
static void check_shortest(double value, int *n_done)
{
    uint64_t digits;
    int exponent;
    if (!decimal_shortest(value, &digits, &exponent))
        return;
    ++*n_done;
    char text[64];
    int precision = 15;
    do
        snprintf(text, sizeof text, "%.*e", precision - 1, value);
    while (to_bits(strtod(text, NULL)) != to_bits(value) && ++precision <= 17);
    char found[64];
    snprintf(found, sizeof found, "%.*e", precision - 1, by_library(digits, exponent));
    if (strcmp(found, text) != 0 || to_bits(by_library(digits, exponent)) != to_bits(value))
        fail_msg("%s is written as %" PRIu64 "e%d", text, digits, exponent);
    while (digits % 10 == 0)
        digits /= 10;
    char *end = strchr(text, 'e');
    while (end[-1] == '0')
        end--;
    size_t n = (size_t)(end - text) - (end - text > 1); /* the point */
    char count[32];
    assert_int_equal(snprintf(count, sizeof count, "%" PRIu64, digits), n);
}

static void the_shortest_digits_are_those_of_the_general_way(void **state)
{
    (void)state;
    uint64_t seed = 2;
    int n_done = 0;
    for (int i = 0; i < N_ROUNDS; i++) {
        uint64_t bits = (random_next(&seed) & ((UINT64_C(1) << 52) - 1)) |
                        (uint64_t)(1023 - 40 + random_below(&seed, 100)) << 52;
        double value;
        memcpy(&value, &bits, sizeof value);
        check_shortest(value, &n_done);
        /* as measured: work by time */
        check_shortest((double)(random_next(&seed) >> 30) / (double)(random_next(&seed) >> 20),
                       &n_done);
        /* few digits */
        value = (double)random_below(&seed, 100000) / pow(10, random_below(&seed, 10));
        if (value > 0)
            check_shortest(value, &n_done);
    }
#ifdef __SIZEOF_INT128__
    assert_true(n_done > 2 * N_ROUNDS); /* the range is one that numbers are in */
#endif
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(decimals_are_read_as_the_c_library_does),
        cmocka_unit_test(ties_go_to_even),
        cmocka_unit_test(the_shortest_digits_are_those_of_the_general_way),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
