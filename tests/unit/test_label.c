#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "report/chart/label.h"

#define FFFD "\xef\xbf\xbd"

static void assert_close(double value, double expected)
{
    if (!(fabs(value - expected) <= 1e-9))
        fail_msg("%.17g is not %.17g", value, expected);
}

static void what_could_do_harm_is_replaced(void **state)
{
    (void)state;
    static const struct {
        const char *text, *expected;
    } cases[] = {
        {"", ""},
        {"plain 'quoted' `id` \"x\" %s \\n", "plain 'quoted' `id` \"x\" %s \\n"},
        {"a\tb\nc\r\nd", "a b c  d"},
        {"\x01\x7f", FFFD FFFD},
        {"caf\xc3\xa9 \xe4\xb8\xad \xf0\x9f\x98\x80", "caf\xc3\xa9 \xe4\xb8\xad \xf0\x9f\x98\x80"},
        {"\xff\xfe", FFFD FFFD},
        {"x\xc3", "x" FFFD},
        {"\xc0\xaf", FFFD FFFD},
        {"\xed\xa0\x80", FFFD FFFD FFFD},                  /* a surrogate */
        {"a\xe2\x80\xae" "b", "a" FFFD "b"},                /* right-to-left override */
        {"\xe2\x81\xa6\xe2\x80\x8b\xef\xbb\xbf", FFFD FFFD FFFD}, /* isolate, zero width, BOM */
        {"\xef\xbf\xbf", FFFD},                            /* U+FFFF is not in XML */
        {"\xc2\x85", FFFD},                                /* a C1 control */
        {"12345678\xff" "12345678", "12345678" FFFD "12345678"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct arena arena = {0};
        assert_string_equal(label_clean(cases[i].text, &arena), cases[i].expected);
        arena_free(&arena);
    }
}

static void widths_are_those_of_the_font(void **state)
{
    (void)state;
    assert_true(label_width("", 12) == 0);
    assert_close(label_width("MB/s", 1000), 863 + 686 + 337 + 521);
    assert_close(label_width("1,000", 12), (4 * 636 + 318) * 0.012);
    assert_close(label_width("\xc2\xb5s", 10), 7.5 + 5.21);
    assert_close(label_width("\xe2\x80\xa6", 10), 11);
}

static void long_texts_end_in_an_ellipsis(void **state)
{
    (void)state;
    struct arena arena = {0};
    assert_string_equal(label_fit("short", 12, 100, &arena), "short");
    const char *cut = label_fit("iiiiiiiiii mmmmmmmmmm", 10, 60, &arena);
    assert_string_equal(cut, "iiiiiiiiii m\xe2\x80\xa6");
    assert_true(label_width(cut, 10) <= 60);
    assert_string_equal(label_fit("word longer", 10, 41, &arena), "word\xe2\x80\xa6");
    assert_string_equal(label_fit("\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9", 10, 27, &arena),
                        "\xc3\xa9\xc3\xa9\xe2\x80\xa6");
    assert_string_equal(label_fit("anything", 10, 1, &arena), "\xe2\x80\xa6");
    assert_string_equal(label_fit_ends("short", 12, 100, &arena), "short");
    cut = label_fit_ends("a machine of a long name, direct, block 65536", 12, 160, &arena);
    assert_string_equal(cut, "a mac\xe2\x80\xa6" "irect, block 65536");
    assert_true(label_width(cut, 12) <= 160);
    assert_true(label_width(label_fit_ends("anything", 10, 1, &arena), 10) <= 11);
    arena_free(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_could_do_harm_is_replaced),
        cmocka_unit_test(widths_are_those_of_the_font),
        cmocka_unit_test(long_texts_end_in_an_ellipsis),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
