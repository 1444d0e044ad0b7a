#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "report/layout/derive.h"

/* Names that the tests know: one figure each of a, b, d; three of all. */
struct known {
    struct quantity a, b, d, all[3];
    struct arena arena;
    struct err err;
};

static struct record at_x(double x)
{
    struct record record = record_new(KIND_SAMPLE);
    RECORD_SET(&record, x, x);
    record.x_unit = "B";
    return record;
}

static struct quantity number(double value, const char *unit, enum better better)
{
    return (struct quantity){
        .type = QUANTITY_NUMBER, .number = value, .weight = 1, .unit = unit, .better = better};
}

static bool is_known(void *context, const char *name)
{
    (void)context;
    return strcmp(name, "a") == 0 || strcmp(name, "b") == 0 || strcmp(name, "d") == 0 ||
           strcmp(name, "all") == 0 || strcmp(name, "none") == 0;
}

static int look_up(void *context, const char *name, bool is_common, struct quantity **list,
                   size_t *n, struct err *err)
{
    struct known *known = context;
    (void)is_common;
    (void)err;
    static struct quantity missing;
    missing = (struct quantity){.type = QUANTITY_NONE};
    *n = strcmp(name, "all") == 0 ? 3 : 1;
    *list = strcmp(name, "a") == 0     ? &known->a
            : strcmp(name, "b") == 0   ? &known->b
            : strcmp(name, "d") == 0   ? &known->d
            : strcmp(name, "all") == 0 ? known->all
                                       : &missing;
    return 0;
}

static int open_known(void **state)
{
    static struct known known;
    known = (struct known){
        .a = number(6, "s", BETTER_LOWER),
        .b = number(3, "s", BETTER_LOWER),
        .d = number(2048, "B", BETTER_NONE),
        .all = {number(1, "B/s", BETTER_HIGHER), number(2, "B/s", BETTER_HIGHER),
                number(4, "B/s", BETTER_HIGHER)},
    };
    *state = &known;
    return 0;
}

static int close_known(void **state)
{
    arena_free(&((struct known *)*state)->arena);
    return 0;
}

static struct quantity computed(void **state, const char *text)
{
    struct known *known = *state;
    struct derive *derive;
    struct quantity q = {.type = QUANTITY_TEXT};
    int result = derive_parse(text, is_known, NULL, &known->arena, &derive, &known->err);
    if (result < 0)
        fail_msg("%s: %s", text, known->err.text);
    assert_string_equal(derive_text(derive), text);
    assert_int_equal(derive_compute(derive, look_up, known, &known->arena, &q, &known->err), 0);
    return q;
}

static void assert_number(void **state, const char *text, double expected, const char *unit)
{
    struct quantity q = computed(state, text);
    assert_int_equal(q.type, QUANTITY_NUMBER);
    assert_float_equal(q.number, expected, 1e-12);
    assert_string_equal(q.unit, unit);
}

static void assert_missing(void **state, const char *text)
{
    assert_int_equal(computed(state, text).type, QUANTITY_NONE);
}

static void assert_refused(void **state, const char *text, const char *message)
{
    struct known *known = *state;
    struct derive *derive;
    assert_int_equal(derive_parse(text, is_known, NULL, &known->arena, &derive, &known->err),
                     ERR_DATA);
    assert_string_equal(known->err.text, message);
}

static void products_bind_more_than_sums(void **state)
{
    assert_number(state, "1 + 2 * 3 - 8 / 4", 5, "1");
    assert_number(state, "(1 + 2) * 3", 9, "1");
    assert_number(state, "7 - 2 - 1", 4, "1");
    assert_number(state, "8 / 4 / 2", 1, "1");
    assert_number(state, "-2 * -3", 6, "1");
}

static void units_follow_the_arithmetic(void **state)
{
    assert_number(state, "a + b", 9, "s");
    assert_number(state, "a / b", 2, "1");
    assert_number(state, "100 * a / b", 200, "1");
    assert_number(state, "2 * a", 12, "s");
    assert_number(state, "a / 2", 3, "s");
    assert_number(state, "d / a", 2048.0 / 6, "B/s");
    assert_number(state, "a * b", 18, "1");
}

static void a_name_of_many_is_computed_element_by_element(void **state)
{
    assert_number(state, "sum(2 * all)", 14, "B/s");
    assert_number(state, "max(all - 1)", 3, "1");
    assert_number(state, "mean(all, 5 * all)", 7, "B/s");
    assert_missing(state, "all");
    assert_missing(state, "all + 1");
}

static void means_are_those_of_the_textbook(void **state)
{
    assert_number(state, "mean(all)", 7.0 / 3, "B/s");
    assert_number(state, "geomean(all)", 2, "B/s");
    assert_number(state, "harmonic(all)", 3 / (1 + 0.5 + 0.25), "B/s");
    assert_number(state, "count(all)", 3, "1");
    assert_number(state, "geomean(1 + all) - 1", 2.1072325059538586, "1");
}

static void weights_count_in_means_and_not_in_extremes(void **state)
{
    struct known *known = *state;
    known->all[1].weight = 2;
    assert_number(state, "mean(all)", 2.25, "B/s");
    assert_number(state, "geomean(all)", 2, "B/s");
    assert_number(state, "harmonic(all)", 4 / (1 + 1 + 0.25), "B/s");
    assert_number(state, "max(all)", 4, "B/s");
    assert_number(state, "min(all)", 1, "B/s");
}

static void what_is_missing_is_left_out_by_functions_alone(void **state)
{
    struct known *known = *state;
    known->all[1].type = QUANTITY_NONE;
    assert_number(state, "mean(all)", 2.5, "B/s");
    assert_number(state, "count(all)", 2, "1");
    assert_number(state, "first(none, a)", 6, "s");
    assert_missing(state, "none + a");
    assert_missing(state, "mean(none)");
    assert_missing(state, "count(none)");
}

static void no_mean_of_several_units_nor_of_what_has_none(void **state)
{
    struct known *known = *state;
    assert_missing(state, "mean(a, d)");
    assert_missing(state, "a / 0");
    known->all[2].number = -4;
    assert_missing(state, "geomean(all)");
    assert_missing(state, "harmonic(all)");
    known->all[2].number = 0;
    assert_missing(state, "geomean(all)");
}

static void worse_goes_by_what_is_better(void **state)
{
    struct known *known = *state;
    assert_number(state, "worse(a, b)", 2, "1");
    known->a.better = known->b.better = BETTER_HIGHER;
    assert_number(state, "worse(a, b)", 0.5, "1");
    known->a.better = BETTER_LOWER;
    assert_missing(state, "worse(a, b)");
    assert_missing(state, "worse(d, d)");
}

static void of_equal_extremes_the_largest_x_is_taken(void **state)
{
    struct known *known = *state;
    struct record records[3] = {at_x(10), at_x(30), at_x(20)};
    struct cell cells[3] = {{.key = &records[0]}, {.key = &records[1]}, {.key = &records[2]}};
    for (int i = 0; i < 3; i++) {
        known->all[i].number = 5;
        known->all[i].cell = &cells[i];
    }
    assert_number(state, "x(min(all))", 30, "B");
    assert_number(state, "x(max(all))", 30, "B");
    assert_number(state, "max(x(all))", 30, "B");
    assert_number(state, "x(first(all))", 10, "B");
    assert_number(state, "x(last(all))", 20, "B");
    assert_missing(state, "x(a)");
}

static void a_wrong_formula_says_what_is_wrong(void **state)
{
    assert_refused(state, "", "a number or a name is due in the formula before ''");
    assert_refused(state, "a +", "a number or a name is due in the formula before ''");
    assert_refused(state, "a b", "the formula should end before 'b'");
    assert_refused(state, "q", "nothing above is named 'q'");
    assert_refused(state, "median(a)", "'median' is no function");
    assert_refused(state, "mean()", "a number or a name is due in the formula before ')'");
    assert_refused(state, "1,5", "the formula should end before ',5'");
    assert_refused(state, "1..5", "a number or a name is due in the formula before '1..5'");
    assert_refused(state, "common(1)", "common() takes one name");
    char deep[300];
    memset(deep, '(', sizeof deep - 1);
    deep[sizeof deep - 1] = '\0';
    assert_refused(state, deep, "the formula is nested too deeply");
    memset(deep, '-', sizeof deep - 1);
    assert_refused(state, deep, "the formula is nested too deeply");
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, open_known, close_known)
    const struct CMUnitTest tests[] = {
        TEST(products_bind_more_than_sums),
        TEST(units_follow_the_arithmetic),
        TEST(a_name_of_many_is_computed_element_by_element),
        TEST(means_are_those_of_the_textbook),
        TEST(weights_count_in_means_and_not_in_extremes),
        TEST(what_is_missing_is_left_out_by_functions_alone),
        TEST(no_mean_of_several_units_nor_of_what_has_none),
        TEST(worse_goes_by_what_is_better),
        TEST(of_equal_extremes_the_largest_x_is_taken),
        TEST(a_wrong_formula_says_what_is_wrong),
    };
#undef TEST
    return cmocka_run_group_tests(tests, NULL, NULL);
}
