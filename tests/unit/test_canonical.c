#include "schema/canonical.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

/* Rows in the order they sort in; the comment says what decides against the row before. */
static const char *const ordered[] = {
    "1,fact,r1,m,2024-01-01T00:00:00Z,,,,,,,,,cpu.model,,,,,,ok,A\n",
    /* time, before machine */
    "1,fact,r1,m,2024-01-01T00:00:01Z,,,,,,,,,cpu.model,,,,,,ok,A\n",
    "1,fact,r1,l,2024-01-01T00:00:02Z,,,,,,,,,cpu.model,,,,,,ok,A\n",
    /* the whole row */
    "1,fact,r1,m,2024-01-01T00:00:02Z,,,,,,,,,cpu.model,,,,,,ok,A\n",
    "1,fact,r1,m,2024-01-01T00:00:02Z,,,,,,,,,cpu.model,,,,,,ok,B\n",
    /* metric */
    "1,fact,r1,m,2024-01-01T00:00:00Z,,,,,,,,,memory.total,,1,B,,,ok,\n",
    /* run, before everything behind it; a shorter one first */
    "1,fact,r10,m,2023-01-01T00:00:00Z,,,,,,,,,a,,,,,,ok,A\n",
    "1,fact,r2,m,2023-01-01T00:00:00Z,,,,,,,,,a,,,,,,ok,A\n",
    /* kind; here a quoted machine with commas, quotes and a line end in it */
    "1,sample,r0,\"a,\"\"\n,b\",2024-01-01T00:00:00Z,bus,1,t,v,1,64,B,,rate,1,9,B/s,,,ok,\n",
    /* rep, as bytes; its time is earlier and its machine smaller */
    "1,sample,r0,a,2020-01-01T00:00:00Z,bus,1,t,v,1,64,B,,rate,10,9,B/s,,,ok,\n",
    "1,sample,r0,a,2020-01-01T00:00:00Z,bus,1,t,v,1,64,B,,rate,2,9,B/s,,,ok,\n",
    /* params */
    "1,sample,r0,a,2020-01-01T00:00:00Z,bus,1,t,v,1,64,B,a=1,rate,1,9,B/s,,,ok,\n",
    /* kernel */
    "1,sample,r0,a,2020-01-01T00:00:00Z,bus_speed,1,t,v,1,64,B,,rate,1,9,B/s,,,ok,\n",
};
enum { N_ORDERED = sizeof ordered / sizeof ordered[0] };

static struct canonical split(const char *line)
{
    struct canonical row;
    assert_true(canonical_split(&row, line, strlen(line)));
    return row;
}

static void rows_sort_by_kind_run_identity_time_and_the_rest(void **state)
{
    (void)state;
    for (int i = 0; i < N_ORDERED; i++) {
        for (int j = 0; j < N_ORDERED; j++) {
            struct canonical a = split(ordered[i]), b = split(ordered[j]);
            int order = canonical_compare(&a, &b);
            if ((order > 0) - (order < 0) != (i > j) - (i < j))
                fail_msg("%d against %d: %d", i, j, order);
        }
    }
}

static void check_same(const char *a_line, const char *b_line, bool is_same)
{
    struct canonical a = split(a_line), b = split(b_line);
    assert_int_equal(canonical_is_same_record(&a, &b), is_same);
    assert_int_equal(canonical_is_same_record(&b, &a), is_same);
}

#define SAMPLE(run, machine, time, threads, rep, value)                                            \
    "1,sample," run "," machine "," time ",bus,1,t,v," threads ",64,B,,rate," rep "," value        \
    ",B/s,,,ok,\n"

static void samples_are_the_same_by_run_and_kernel_to_rep(void **state)
{
    (void)state;
    const char *base = SAMPLE("r", "m", "2024", "1", "1", "9");
    check_same(base, base, true);
    check_same(base, SAMPLE("r", "m", "2024", "1", "1", "8"), true);
    check_same(base, SAMPLE("r", "\"m,1\"", "2025-01", "1", "1", "9"), true);
    check_same(base, SAMPLE("s", "m", "2024", "1", "1", "9"), false);
    check_same(base, SAMPLE("r", "m", "2024", "2", "1", "9"), false);
    check_same(base, SAMPLE("r", "m", "2024", "1", "2", "9"), false);
    check_same(base, SAMPLE("r", "m", "2024", "1", "11", "9"), false);
}

#define FACT(time, test, metric, text) "1,fact,r,m," time ",,," test ",,,,,," metric ",,,,,,ok," text "\n"

static void facts_are_the_same_by_their_time_as_well(void **state)
{
    (void)state;
    const char *base = FACT("2024", "", "a", "x");
    check_same(base, FACT("2024", "", "a", "y"), true);
    check_same(base, FACT("2025", "", "a", "x"), false);
    check_same(base, FACT("2024", "before", "a", "x"), false);
    check_same(base, FACT("2024", "", "b", "x"), false);
}

static void fields_are_found_behind_quotes(void **state)
{
    (void)state;
    struct canonical row = split(ordered[8]);
    size_t size;
    const char *field = canonical_field(&row, COLUMN_machine, &size);
    assert_int_equal(size, 9);
    assert_memory_equal(field, "\"a,\"\"\n,b\"", 9);
    field = canonical_field(&row, COLUMN_rep, &size);
    assert_int_equal(size, 1);
    assert_memory_equal(field, "1", 1);
    field = canonical_field(&row, COLUMN_text, &size);
    assert_int_equal(size, 0);
    field = canonical_field(&row, COLUMN_schema, &size);
    assert_int_equal(size, 1);
    assert_ptr_equal(field, row.line);
}

static void other_numbers_of_columns_are_no_record(void **state)
{
    (void)state;
    struct canonical row;
    static const char *const bad[] = {
        "",
        "\n",
        "1,fact,r,m,2024,,,,,,,,,a,,,,,,ok\n",      /* one fewer */
        "1,fact,r,m,2024,,,,,,,,,a,,,,,,ok,x,y\n",  /* one more */
        "1,fact,r,m,2024,,,,,,,,,a,,,,,,ok,x",      /* no line end */
        "1,fact,r,m,2024,,,,,,,,,a,,,,,,ok,\"x\n",  /* an open quote */
        "1,fact,r,m,2024,,,,,,,,,a,,,,,,ok,x\n1\n", /* more behind the line end */
    };
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        if (canonical_split(&row, bad[i], strlen(bad[i])))
            fail_msg("taken: %s", bad[i]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_sort_by_kind_run_identity_time_and_the_rest),
        cmocka_unit_test(samples_are_the_same_by_run_and_kernel_to_rep),
        cmocka_unit_test(facts_are_the_same_by_their_time_as_well),
        cmocka_unit_test(fields_are_found_behind_quotes),
        cmocka_unit_test(other_numbers_of_columns_are_no_record),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
