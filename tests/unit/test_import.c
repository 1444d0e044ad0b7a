#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "normalize/import.h"
#include "normalize/import/figures.h"
#include "normalize/import/importing.h"

static void what_is_no_plain_number_is_a_status(void **state)
{
    (void)state;
    static const struct {
        const char *figure;
        enum record_status status;
    } none[] = {{"", STATUS_UNAVAILABLE},     {"N/A", STATUS_UNAVAILABLE}, {"-", STATUS_UNAVAILABLE},
                {"null", STATUS_UNAVAILABLE}, {"est", STATUS_UNAVAILABLE}, {"12est", STATUS_UNAVAILABLE},
                {"~12", STATUS_UNAVAILABLE},  {"inf", STATUS_FAILED},      {"-inf", STATUS_FAILED},
                {"nan", STATUS_FAILED},       {"1.#INF", STATUS_FAILED},   {"1,5", STATUS_FAILED},
                {"1,234", STATUS_FAILED},     {"12 34", STATUS_FAILED},    {"0x10", STATUS_FAILED},
                {"1e400", STATUS_FAILED},     {"12k", STATUS_FAILED},      {".", STATUS_FAILED},
                {"--5", STATUS_FAILED},       {"5-", STATUS_FAILED}};
    for (size_t i = 0; i < sizeof none / sizeof none[0]; i++) {
        double value = 7;
        enum record_status status = STATUS_OK;
        assert_non_null(figure_read(none[i].figure, &value, &status));
        if (status != none[i].status)
            fail_msg("'%s' is %s", none[i].figure, record_status_text(status));
        assert_true(value == 7);
    }
}

static void plain_numbers_of_old_programs_are_read(void **state)
{
    (void)state;
    static const struct {
        const char *figure;
        double value;
    } some[] = {{"71.", 71}, {".5", 0.5}, {"+5", 5},    {"007", 7},        {"-0.25", -0.25},
                {"0", 0},    {"00", 0},   {"1e3", 1000}, {"8.39915160e-14", 8.3991516e-14}};
    for (size_t i = 0; i < sizeof some / sizeof some[0]; i++) {
        double value = -1;
        enum record_status status;
        assert_null(figure_read(some[i].figure, &value, &status));
        assert_true(value == some[i].value);
    }
}

static void a_negative_and_an_empty_measurement_are_refused(void **state)
{
    (void)state;
    assert_non_null(figure_refusal(-1, "B/s"));
    assert_non_null(figure_refusal(0, "s"));
    assert_non_null(figure_refusal(0, "flop/s"));
    assert_non_null(figure_refusal(-1, "B"));
    assert_non_null(figure_refusal(1.0 / 0.0, "s"));
    assert_null(figure_refusal(0, "B"));
    assert_null(figure_refusal(0, "1"));
    assert_null(figure_refusal(1e-9, "s"));
}

static void scaling_by_a_power_of_ten_is_exact(void **state)
{
    (void)state;
    assert_true(import_scale(4052123, 1e-9) == 0.004052123);
    assert_true(import_scale(24.68, 1e6) == 24680000.0);
    assert_true(import_scale(1.1e-7, 1e-3) == 1.1e-10);
    assert_true(import_scale(3, 1048576) == 3145728.0);
    assert_true(import_scale(0, 1e6) == 0);
}

static void users_hosts_and_homes_are_left_out(void **state)
{
    (void)state;
    static const char *const texts[][2] = {
        {"Linux version 5.1 (jane@secret-host) (gcc 9)", "Linux version 5.1 (?@?) (gcc 9)"},
        {"/home/jane/bin/sort /home/jane", "/home/?/bin/sort /home/?"},
        {"/Users/jane/x", "/Users/?/x"},
        {"C:\\Users\\jane\\x", "C:\\Users\\?\\x"},
        {"Example CPU @ 2.40GHz", "Example CPU @ 2.40GHz"},
        {"a\tb\n", "a b"},
    };
    struct import import = {0};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
        assert_string_equal(import_redact(&import, texts[i][0]), texts[i][1]);
    assert_false(import.failed);
    import_close(&import);
}

static void names_of_tests_are_plain(void **state)
{
    (void)state;
    struct import import = {0};
    assert_string_equal(import_name(&import, "AES-128 cbc"), "aes_128_cbc");
    assert_string_equal(import_name(&import, " hmac(md5) "), "hmac_md5");
    assert_string_equal(import_name(&import, "()"), "");
    import_close(&import);
}

static void formats_have_names_of_their_own(void **state)
{
    (void)state;
    for (size_t i = 0; importers[i]; i++)
        for (size_t k = 0; k < i; k++)
            assert_string_not_equal(importers[i]->name, importers[k]->name);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_no_plain_number_is_a_status),
        cmocka_unit_test(plain_numbers_of_old_programs_are_read),
        cmocka_unit_test(a_negative_and_an_empty_measurement_are_refused),
        cmocka_unit_test(scaling_by_a_power_of_ten_is_exact),
        cmocka_unit_test(users_hosts_and_homes_are_left_out),
        cmocka_unit_test(names_of_tests_are_plain),
        cmocka_unit_test(formats_have_names_of_their_own),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
