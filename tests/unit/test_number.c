#include "schema/number.h"

#include <inttypes.h>
#include <locale.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/unit/random.h"

static double from_bits(uint64_t bits)
{
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static uint64_t to_bits(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static const struct {
    double value;
    const char *text;
} known[] = {
    {0.0, "0"},
    {-0.0, "0"},
    {1, "1"},
    {-1, "-1"},
    {0.1, "0.1"},
    {-0.1, "-0.1"},
    {0.3, "0.3"},
    {0.1 + 0.2, "0.30000000000000004"},
    {1.0 / 3.0, "0.3333333333333333"},
    {1.5e9, "1500000000"},
    {1234.5678, "1234.5678"},
    {0.000001, "0.000001"},
    {1e-7, "1e-7"},
    {1.5e-7, "1.5e-7"},
    {1e20, "100000000000000000000"},
    {1e21, "1e+21"},
    {1.25e21, "1.25e+21"},
    {1e22, "1e+22"},
    {1e23, "1e+23"},
    {123456789012345680000.0, "123456789012345680000"},
    {9007199254740991.0, "9007199254740991"},
    {9007199254740992.0, "9007199254740992"},
    {9007199254740994.0, "9007199254740994"},
    {18446744073709551616.0, "18446744073709552000"},
    {5e-324, "5e-324"},
    {-5e-324, "-5e-324"},
    {1e-323, "1e-323"},
    {2.225073858507201e-308, "2.225073858507201e-308"},
    {2.2250738585072014e-308, "2.2250738585072014e-308"},
    {1.7976931348623157e308, "1.7976931348623157e+308"},
    /* 2^-44: the nearest 16 digits, ...801e-14, read back to its neighbour. */
    {5.684341886080802e-14, "5.684341886080802e-14"},
    {1.0 / 17592186044416.0, "5.684341886080802e-14"},
};

static void known_numbers_are_written_exactly(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        char text[NUMBER_TEXT_SIZE];
        size_t size = number_format(text, known[i].value);
        assert_string_equal(text, known[i].text);
        assert_int_equal(size, strlen(text));
    }
}

static void known_numbers_are_read_exactly(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        double value = 7;
        assert_true(number_parse(known[i].text, strlen(known[i].text), &value));
        assert_true(value == known[i].value);
    }
    static const struct {
        const char *text;
        double value;
    } others[] = {
        {"1.0", 1},
        {"1E2", 100},
        {"1e+2", 100},
        {"1e-2", 0.01},
        {"1.50", 1.5},
        {"0.0", 0},
        {"0e400", 0},
        {"1e-400", 0},
        {"10e-1", 1},
        {"2.4703282292062328e-324", 5e-324}, /* just above half of it */
        {"2.4703282292062327e-324", 0},
        {"9007199254740993", 9007199254740992.0}, /* halfway: to even */
        {"9007199254740993.0000000000000000000000000000000000000000001", 9007199254740994.0},
        {"1.7976931348623158e308", 1.7976931348623157e308},
        {"0.00000000000000000000000000000000000000001e41", 1},
        {"100000000000000000000000000000000e-32", 1},
        {"123456789012345678901234567890", 1.2345678901234568e29},
    };
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
        double value = 7;
        assert_true(number_parse(others[i].text, strlen(others[i].text), &value));
        assert_int_equal(to_bits(value), to_bits(others[i].value));
    }
}

static void what_is_no_number_is_refused(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "",         "-",   "1,5", "1.",    ".5",     "+1",    "0x1", "0x1p3", "inf",  "-inf",
        "infinity", "nan", "NaN", "1e400", "-1e400", " 1",    "1 ",  "01",    "-01",  "00",
        "1e",       "1e+", "1e-", "1.e1",  "e1",     "1e1.5", "1_0", "1'0",   "1..2", "1.2.3",
        "--1",      "1-",  "1f",  "1\n",   "\t1",    "1e 1",  "- 1", "٣",
    };
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        double value = 7;
        if (number_parse(texts[i], strlen(texts[i]), &value))
            fail_msg("'%s' was taken for a number", texts[i]);
        assert_true(value == 7);
    }
    double value = 7;
    assert_false(number_parse("1\0002", 3, &value));
    assert_true(number_parse("12", 1, &value)); /* the size counts, not a NUL */
    assert_true(value == 1);
}

/* Reads back, and no shorter text does: dropping the last digit, rounding down or up, never reads
 * back to the same double. */
static void check_round_trip(double value)
{
    char text[NUMBER_TEXT_SIZE];
    size_t size = number_format(text, value);
    assert_true(size < NUMBER_TEXT_SIZE);
    double back;
    if (!number_parse(text, size, &back) || to_bits(back) != to_bits(value))
        fail_msg("%a was written as %s", value, text);

    uint64_t digits = 0;
    int exponent = 0, n = 0;
    bool in_fraction = false;
    for (const char *p = text; *p && *p != 'e'; p++) {
        in_fraction = in_fraction || *p == '.';
        if (*p < '0' || *p > '9' || n >= 18) {
            exponent += !in_fraction && *p == '0'; /* zeros of a large plain number */
            continue;
        }
        digits = digits * 10 + (uint64_t)(*p - '0');
        n += n > 0 || *p != '0';
        exponent -= in_fraction;
    }
    const char *e = strchr(text, 'e');
    exponent += e ? (int)strtol(e + 1, NULL, 10) : 0;
    while (digits % 10 == 0) {
        digits /= 10;
        exponent++;
        n--;
    }
    if (n < 2)
        return;
    for (uint64_t shorter = digits / 10; shorter <= digits / 10 + 1; shorter++) {
        char candidate[64];
        snprintf(candidate, sizeof candidate, "%s%" PRIu64 "e%d", value < 0 ? "-" : "", shorter,
                 exponent + 1);
        if (number_parse(candidate, strlen(candidate), &back) && to_bits(back) == to_bits(value))
            fail_msg("%a was written as %s, %s would do", value, text, candidate);
    }
}

static void every_double_reads_back_in_fewest_digits(void **state)
{
    (void)state;
    uint64_t seed = 1;
    for (int i = 0; i < 20000; i++) {
        double value = from_bits(random_next(&seed));
        if (isfinite(value))
            check_round_trip(value);
    }
    for (int i = 0; i < 2000; i++) { /* subnormal, of every length */
        uint64_t bits = random_next(&seed) >> (12 + random_below(&seed, 52));
        if (bits > 0)
            check_round_trip(from_bits(bits));
    }
    for (int i = 0; i < 5000; i++) /* as measured values look */
        check_round_trip((double)(random_next(&seed) >> random_below(&seed, 64) | 1) / 1000);
}

static void every_power_of_two_reads_back_in_fewest_digits(void **state)
{
    (void)state;
    for (int e = -1074; e < 1024; e++) {
        check_round_trip(ldexp(1, e));
        check_round_trip(nextafter(ldexp(1, e), 0) > 0 ? nextafter(ldexp(1, e), 0) : 1.0);
        check_round_trip(nextafter(ldexp(1, e), 1e308));
    }
}

static void the_locale_changes_nothing(void **state)
{
    if (!setlocale(LC_ALL, "de_DE.UTF-8")) {
        print_message("skipped: there is no locale de_DE.UTF-8 (make build/locales/de_DE.utf8)\n");
        skip();
    }
    char comma[16];
    snprintf(comma, sizeof comma, "%.1f", 1.5);
    assert_string_equal(comma, "1,5"); /* the locale is in force */
    known_numbers_are_written_exactly(state);
    known_numbers_are_read_exactly(state);
    what_is_no_number_is_refused(state);
    assert_non_null(setlocale(LC_ALL, "C"));
}

static void counts_are_digits_below_two_to_the_64(void **state)
{
    (void)state;
    uint64_t count = 7;
    assert_true(number_parse_count("0", 1, &count));
    assert_int_equal(count, 0);
    assert_true(number_parse_count("18446744073709551615", 20, &count));
    assert_true(count == UINT64_MAX);
    static const char *const texts[] = {"",
                                        "18446744073709551616",
                                        "18446744073709551620",
                                        "-1",
                                        "+1",
                                        "01",
                                        "1.0",
                                        "1e3",
                                        " 1",
                                        "1 ",
                                        "99999999999999999999",
                                        "0x1"};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
        assert_false(number_parse_count(texts[i], strlen(texts[i]), &count));
}

static void sizes_have_binary_suffixes(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        uint64_t value;
    } good[] = {{"0", 0},          {"512", 512},      {"4K", 4096},
                {"4k", 4096},      {"4KiB", 4096},    {"4KB", 4096},
                {"16M", 16777216}, {"1GiB", 1 << 30}, {"2T", UINT64_C(2) << 40},
                {"7B", 7}};
    for (size_t i = 0; i < sizeof good / sizeof good[0]; i++) {
        uint64_t value = 1;
        assert_true(number_parse_size(good[i].text, &value));
        assert_true(value == good[i].value);
    }
    static const char *const bad[] = {
        "", "K", "4X", "4KK", "4Ki B", "-4K", "4.5K", "99999999999T", "4K ", "i", "4iB"};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        uint64_t value = 1;
        if (number_parse_size(bad[i], &value))
            fail_msg("'%s' was taken for a size", bad[i]);
    }
}

/* By what it says: written again it is the same. */
static void check_canonical(const char *text)
{
    double value;
    char written[NUMBER_TEXT_SIZE];
    bool expected = number_parse(text, strlen(text), &value);
    if (expected) {
        number_format(written, value);
        expected = strcmp(written, text) == 0;
    }
    if (number_is_canonical(text, strlen(text)) != expected)
        fail_msg("'%s' is%s canonical", text, expected ? "" : " not");
}

static void canonical_is_what_would_be_written(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "",      "0",    "-0",    "0.0",      "00",        "1",          "-1",        "1.0",
        "1.50",  "1.5",  ".5",    "1.",       "1e3",       "1E3",        "1e-7",      "1.5e-7",
        "1e21",  "1e+21", "0.000001", "0.0000001", "0.0000015", "100000000000000000000",
        "123456789012345678", "9007199254740993", "9007199254740992", "9007199254740991",
        "0.30000000000000004", "0.3000000000000000444", "0.1234567890123456", "5e-324", "1e400",
        "-0.00001234", "1234567.8901234567", "0.00000123456789012345", "12345678901234567890123",
    };
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
        check_canonical(texts[i]);
    uint64_t seed = 7;
    for (int i = 0; i < 20000; i++) {
        char text[64];
        double value = (double)(random_next(&seed) >> random_below(&seed, 64)) /
                       pow(10, random_below(&seed, 25));
        size_t size = number_format(text, value);
        check_canonical(text);
        text[random_below(&seed, (uint32_t)size)] = "0123456789.e-"[random_below(&seed, 13)];
        check_canonical(text);
        snprintf(text, sizeof text, "%.*g", (int)random_below(&seed, 20), value);
        check_canonical(text);
        snprintf(text, sizeof text, "%.*f", (int)random_below(&seed, 20), value);
        check_canonical(text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(canonical_is_what_would_be_written),
        cmocka_unit_test(known_numbers_are_written_exactly),
        cmocka_unit_test(known_numbers_are_read_exactly),
        cmocka_unit_test(what_is_no_number_is_refused),
        cmocka_unit_test(every_double_reads_back_in_fewest_digits),
        cmocka_unit_test(every_power_of_two_reads_back_in_fewest_digits),
        cmocka_unit_test(the_locale_changes_nothing),
        cmocka_unit_test(counts_are_digits_below_two_to_the_64),
        cmocka_unit_test(sizes_have_binary_suffixes),
    };
    return cmocka_run_group_tests_name("number", tests, NULL, NULL);
}
