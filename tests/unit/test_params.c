#include "schema/params.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "tests/unit/random.h"

static void params_are_sorted_and_escaped(void **state)
{
    (void)state;
    struct param params[] = {
        {"word", "64"}, {"path", "/a;b=c%\n\x7f"}, {"mode", ""}, {"type", "\xc3\xa4"}};
    struct buffer out = {0};
    params_format(params, 4, &out);
    assert_string_equal(out.bytes, "mode=;path=/a%3Bb%3Dc%25%0A%7F;type=\xc3\xa4;word=64");
    assert_null(params_check(out.bytes));
    buffer_clear(&out);
    params_format(params, 0, &out);
    assert_string_equal(buffer_text(&out), "");
    buffer_free(&out);
}

static void a_value_is_found_unescaped(void **state)
{
    (void)state;
    static const char text[] = "a=1;ab=2%3B%25;b=";
    struct buffer out = {0};
    assert_true(params_get(text, "a", &out));
    assert_string_equal(buffer_text(&out), "1");
    buffer_clear(&out);
    assert_true(params_get(text, "ab", &out));
    assert_string_equal(buffer_text(&out), "2;%");
    buffer_clear(&out);
    assert_true(params_get(text, "b", &out));
    assert_false(params_get(text, "c", &out));
    assert_false(params_get(text, "", &out));
    assert_false(params_get("", "a", &out));
    assert_string_equal(buffer_text(&out), "");
    buffer_free(&out);
}

static void one_pair_can_be_left_out(void **state)
{
    (void)state;
    static const struct {
        const char *text, *key, *rest;
    } cases[] = {{"a=1;b=2;c=3", "a", "b=2;c=3"},
                 {"a=1;b=2;c=3", "b", "a=1;c=3"},
                 {"a=1;b=2;c=3", "c", "a=1;b=2"},
                 {"a=1;b=2;c=3", "d", "a=1;b=2;c=3"},
                 {"a=1", "a", ""},
                 {"", "a", ""},
                 {"a=%3B;b=2", "b", "a=%3B"}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct buffer out = {0};
        params_without(cases[i].text, cases[i].key, &out);
        assert_string_equal(buffer_text(&out), cases[i].rest);
        buffer_free(&out);
    }
}

static void what_is_not_canonical_is_named(void **state)
{
    (void)state;
    static const struct {
        const char *text, *wrong;
    } cases[] = {{"a=1;", "end with ';'"},
                 {";a=1", "empty key"},
                 {"a=1;;b=2", "empty key"},
                 {"=1", "empty key"},
                 {"a", "without '='"},
                 {"a=1;b", "without '='"},
                 {"b=1;a=2", "ascending"},
                 {"a=1;a=2", "ascending"},
                 {"ab=1;a=2", "ascending"},
                 {"a=%", "'%'"},
                 {"a=%4", "'%'"},
                 {"a=%3b", "'%'"},
                 {"a=%GG", "'%'"},
                 {"a=%41", "needs no escape"},
                 {"a=1=2", "reserved character"},
                 {"a=\n", "reserved character"},
                 {"a=\x7f", "reserved character"}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const char *wrong = params_check(cases[i].text);
        if (!wrong || !strstr(wrong, cases[i].wrong))
            fail_msg("'%s': %s, not %s", cases[i].text, wrong ? wrong : "accepted", cases[i].wrong);
    }
    static const char *const good[] = {"", "a=", "a=1", "a=1;ab=2", "a.b=x y;c=%3D%0A"};
    for (size_t i = 0; i < sizeof good / sizeof good[0]; i++)
        assert_null(params_check(good[i]));
}

static void any_values_come_back(void **state)
{
    (void)state;
    uint64_t seed = 2;
    for (int round = 0; round < 500; round++) {
        char values[4][9];
        struct param params[4];
        static const char *const keys[4] = {"d", "a", "cc", "b"};
        for (int i = 0; i < 4; i++) {
            size_t size = random_below(&seed, 9);
            for (size_t k = 0; k < size; k++)
                values[i][k] = (char)(1 + random_below(&seed, 127));
            values[i][size] = '\0';
            params[i] = (struct param){keys[i], values[i]};
        }
        struct buffer text = {0}, value = {0};
        params_format(params, 4, &text);
        assert_null(params_check(buffer_text(&text)));
        for (int i = 0; i < 4; i++) {
            buffer_clear(&value);
            assert_true(params_get(buffer_text(&text), keys[i], &value));
            assert_string_equal(buffer_text(&value), values[i]);
        }
        buffer_free(&text);
        buffer_free(&value);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(params_are_sorted_and_escaped),
        cmocka_unit_test(a_value_is_found_unescaped),
        cmocka_unit_test(one_pair_can_be_left_out),
        cmocka_unit_test(what_is_not_canonical_is_named),
        cmocka_unit_test(any_values_come_back),
    };
    return cmocka_run_group_tests_name("params", tests, NULL, NULL);
}
