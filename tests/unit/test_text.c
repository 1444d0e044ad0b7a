#include "schema/text.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static void well_formed_utf8_is_told_from_the_rest(void **state)
{
    (void)state;
    /* The table of RFC 3629, section 4: each edge, inside and outside. */
    static const struct {
        const char *text;
        size_t size, good;
    } cases[] = {
        {"", 0, 0},
        {"a\0b", 3, 3},
        {"\x7f", 1, 1},
        {"\x80", 1, 0},
        {"\xc1\xbf", 2, 0},
        {"\xc2\x80", 2, 2},
        {"\xdf\xbf", 2, 2},
        {"\xc2", 1, 0},
        {"\xc2\x7f", 2, 0},
        {"\xc2\xc0", 2, 0},
        {"\xe0\x9f\xbf", 3, 0},
        {"\xe0\xa0\x80", 3, 3},
        {"\xed\x9f\xbf", 3, 3},
        {"\xed\xa0\x80", 3, 0}, /* a surrogate */
        {"\xef\xbf\xbf", 3, 3},
        {"\xe2\x82", 2, 0},
        {"\xe2\x82\x41", 3, 0},
        {"\xf0\x8f\xbf\xbf", 4, 0},
        {"\xf0\x90\x80\x80", 4, 4},
        {"\xf4\x8f\xbf\xbf", 4, 4},
        {"\xf4\x90\x80\x80", 4, 0},
        {"\xf5\x80\x80\x80", 4, 0},
        {"\xff", 1, 0},
        {"abcdefgh\xff", 9, 8},
        {"abcdefghijk\xc3\xa4xyz\xff", 17, 16},
        {"\xc3\xa4\xc3", 3, 2},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        assert_int_equal(text_utf8_prefix(cases[i].text, cases[i].size), cases[i].good);
}

static void a_bad_byte_is_found_at_every_place(void **state)
{
    (void)state;
    char text[64];
    for (size_t size = 1; size <= sizeof text; size++) {
        for (size_t at = 0; at < size; at++) {
            memset(text, 'x', size);
            text[at] = '\xfe';
            assert_int_equal(text_utf8_prefix(text, size), at);
        }
    }
}

static void what_machines_say_is_cleaned(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        size_t limit;
        const char *clean;
        bool is_changed;
    } cases[] = {
        {"Intel(R) CPU", 100, "Intel(R) CPU", false},
        {"  a \t\r\n b  ", 100, "a b", false},
        {"", 100, "", false},
        {"   ", 100, "", false},
        {"a\x01"
         "b",
         100, "a\\x01b", true},
        {"\x1b[31m", 100, "\\x1b[31m", true},
        {"\xc3\xa4\xff", 100, "\xc3\xa4\\xff", true},
        {"\x7f", 100, "\\x7f", true},
        {"\xc2\x9b"
         "31m\xc2\xa0",
         100, "\\xc2\\x9b31m\xc2\xa0", true}, /* CSI of C1 */
        {"abc", 3, "abc", false},
        {"abcd", 3, "abc", true},
        {"ab\xc3\xa4", 3, "ab", true},
        {"ab\xc3\xa4", 4, "ab\xc3\xa4", false},
        {"ab c", 3, "ab", true},
        {"ab\x01", 5, "ab", true},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct buffer out = {0};
        buffer_add_text(&out, "> ");
        bool is_changed = text_clean(cases[i].text, strlen(cases[i].text), cases[i].limit, &out);
        assert_string_equal(out.bytes + 2, cases[i].clean);
        assert_int_equal(is_changed, cases[i].is_changed);
        buffer_free(&out);
    }
}

static void times_are_told_from_other_texts(void **state)
{
    (void)state;
    static const char *const good[] = {"2007",
                                       "2007-08",
                                       "2007-08-06",
                                       "2024-02-29",
                                       "2000-02-29",
                                       "2024-01-01T00:00:00Z",
                                       "2024-12-31T23:59:60Z",
                                       "2024-01-01T00:00:00.5Z",
                                       "2024-01-01T00:00:00.123456789Z"};
    for (size_t i = 0; i < sizeof good / sizeof good[0]; i++)
        if (!text_is_time(good[i]))
            fail_msg("'%s' is a time", good[i]);
    static const char *const bad[] = {"",
                                      "207",
                                      "20x7",
                                      "2007-",
                                      "2007-1",
                                      "2007-00",
                                      "2007-13",
                                      "2007-08-",
                                      "2007-08-6",
                                      "2007-08-00",
                                      "2007-04-31",
                                      "2023-02-29",
                                      "1900-02-29",
                                      "2007/08/06",
                                      "2007-08-06T",
                                      "2007-08-06T00:00:00",
                                      "2007-08-06 00:00:00Z",
                                      "2007-08-06T24:00:00Z",
                                      "2007-08-06T00:60:00Z",
                                      "2007-08-06T00:00:61Z",
                                      "2007-08-06T00:00:00+01:00",
                                      "2007-08-06T00:00:00.Z",
                                      "2007-08-06T00:00:00.5",
                                      "2007-08-06T00:00:00,5Z",
                                      "2007-08-06T00:00:00.5xZ",
                                      "2007-08-06T00:00:00Z ",
                                      "2007-08-06T0a:00:00Z"};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        if (text_is_time(bad[i]))
            fail_msg("'%s' is no time", bad[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(well_formed_utf8_is_told_from_the_rest),
        cmocka_unit_test(a_bad_byte_is_found_at_every_place),
        cmocka_unit_test(what_machines_say_is_cleaned),
        cmocka_unit_test(times_are_told_from_other_texts),
    };
    return cmocka_run_group_tests_name("text", tests, NULL, NULL);
}
