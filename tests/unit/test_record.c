#include "schema/record.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "tests/unit/random_record.h"

static struct record sample(void)
{
    struct record record = record_new(KIND_SAMPLE);
    record.run = "20240101T000000Z-ab12-cd34";
    record.machine = "desk";
    record.time = "2024-01-01T00:00:00Z";
    record.kernel = "bus_speed";
    RECORD_SET(&record, revision, 1);
    record.test = "read_all";
    record.variant = "gcc12-m64-O2";
    RECORD_SET(&record, threads, 2);
    RECORD_SET(&record, x, 65536);
    record.x_unit = "B";
    record.params = "word=64";
    record.metric = "rate";
    RECORD_SET(&record, rep, 0);
    RECORD_SET(&record, value, 1.5e10);
    record.unit = "B/s";
    RECORD_SET(&record, iterations, 1000);
    RECORD_SET(&record, elapsed_ns, 18446744073709551615U);
    return record;
}

static struct record fact(void)
{
    struct record record = record_new(KIND_FACT);
    record.run = "r";
    record.machine = "desk";
    record.time = "2007";
    record.metric = "cpu.model";
    record.text = "A \"fast\" one, by all accounts";
    return record;
}

static struct record end_row(void)
{
    struct record record = record_new(KIND_END);
    record.metric = "records";
    RECORD_SET(&record, value, 3);
    record.unit = "1";
    record.text = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
    return record;
}

static const char sample_row[] =
    "1,sample,20240101T000000Z-ab12-cd34,desk,2024-01-01T00:00:00Z,bus_speed,1,read_all,"
    "gcc12-m64-O2,2,65536,B,word=64,rate,0,15000000000,B/s,1000,18446744073709551615,ok,\n";
static const char fact_row[] =
    "1,fact,r,desk,2007,,,,,,,,,cpu.model,,,,,,ok,\"A \"\"fast\"\" one, by all accounts\"\n";
static const char end_row_text[] =
    "1,end,,,,,,,,,,,,records,,3,1,,,ok,"
    "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855\n";

static void the_header_row_is_the_contract(void **state)
{
    (void)state;
    struct buffer out = {0};
    record_header(&out);
    assert_string_equal(out.bytes,
                        "schema,kind,run,machine,time,kernel,revision,test,variant,threads,x,"
                        "x_unit,params,metric,rep,value,unit,iterations,elapsed_ns,status,text\n");
    buffer_free(&out);
}

static void records_are_written_exactly(void **state)
{
    (void)state;
    struct record records[] = {sample(), fact(), end_row()};
    const char *const rows[] = {sample_row, fact_row, end_row_text};
    for (int i = 0; i < 3; i++) {
        struct buffer out = {0};
        record_encode(&records[i], &out);
        assert_string_equal(out.bytes, rows[i]);
        buffer_free(&out);
    }
}

static void rows_are_read_exactly(void **state)
{
    (void)state;
    struct record records[] = {sample(), fact(), end_row()};
    const char *const rows[] = {sample_row, fact_row, end_row_text};
    for (int i = 0; i < 3; i++) {
        char line[512];
        snprintf(line, sizeof line, "%s", rows[i]);
        struct record record;
        struct err err;
        assert_int_equal(record_decode_line(line, &record, &err), 0);
        assert_true(record_equals(&record, &records[i]));
        assert_int_equal(record_check(&record, &err), 0);
    }
}

static void only_what_needs_quotes_gets_them(void **state)
{
    (void)state;
    static const struct {
        const char *text, *written;
    } cases[] = {{"plain", "plain"},      {"in side", "in side"},   {" edge", "\" edge\""},
                 {"edge ", "\"edge \""},  {"\tedge", "\"\tedge\""}, {"a,b", "\"a,b\""},
                 {"a\"b", "\"a\"\"b\""},  {"\"", "\"\"\"\""},       {"a\nb", "\"a\nb\""},
                 {"a\rb", "\"a\rb\""},    {"=1+1", "=1+1"},         {"it's;", "it's;"},
                 {"\xc3\xa4", "\xc3\xa4"}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct record record = fact();
        record.text = cases[i].text;
        struct buffer out = {0};
        record_encode(&record, &out);
        char wanted[256];
        snprintf(wanted, sizeof wanted, "1,fact,r,desk,2007,,,,,,,,,cpu.model,,,,,,ok,%s\n",
                 cases[i].written);
        assert_string_equal(out.bytes, wanted);
        buffer_free(&out);
    }
}

static void any_record_comes_back(void **state)
{
    (void)state;
    uint64_t seed = 3;
    struct buffer first = {0}, second = {0};
    for (int i = 0; i < 5000; i++) {
        struct random_texts texts;
        struct record record = random_record(&texts, &seed), back;
        struct err err;
        if (record_check(&record, &err) < 0)
            fail_msg("a valid record was refused: %s", err.text);
        buffer_clear(&first);
        record_encode(&record, &first);
        char *line = strdup(first.bytes);
        assert_int_equal(record_decode_line(line, &back, &err), 0);
        assert_true(record_equals(&record, &back));
        buffer_clear(&second);
        record_encode(&back, &second);
        assert_string_equal(first.bytes, second.bytes);
        free(line);
    }
    buffer_free(&first);
    buffer_free(&second);
}

static void a_field_of_the_wrong_type_is_named(void **state)
{
    (void)state;
    static const struct {
        int column;
        const char *field, *message;
    } cases[] = {
        {COLUMN_schema, "", "schema: '' is no version number"},
        {COLUMN_schema, "x", "schema: 'x' is no version number"},
        {COLUMN_schema, "2", "schema: version 2 is newer than this program (this program reads 1)"},
        {COLUMN_schema, "0", "schema: version 0 is unknown (this program reads 1)"},
        {COLUMN_kind, "Sample", "kind: 'Sample' is not sample, fact or end"},
        {COLUMN_kind, "", "kind: '' is not sample, fact or end"},
        {COLUMN_value, "1,5", "value: '1,5' is no number"},
        {COLUMN_value, "nan", "value: 'nan' is no number"},
        {COLUMN_x, "1e400", "x: '1e400' is no number"},
        {COLUMN_threads, "-1", "threads: '-1' is no whole number"},
        {COLUMN_rep, "1.0", "rep: '1.0' is no whole number"},
        {COLUMN_status, "OK", "status: 'OK' is no status"},
        {COLUMN_status, "", "status: '' is no status"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const char *fields[COLUMN_COUNT];
        size_t sizes[COLUMN_COUNT];
        for (int c = 0; c < COLUMN_COUNT; c++) {
            fields[c] = c == cases[i].column ? cases[i].field
                        : c == COLUMN_schema ? "1"
                        : c == COLUMN_kind   ? "sample"
                        : c == COLUMN_status ? "ok"
                                             : "";
            sizes[c] = strlen(fields[c]);
        }
        struct record record;
        struct err err;
        assert_int_equal(record_decode(fields, sizes, &record, &err), ERR_DATA);
        assert_string_equal(err.text, cases[i].message);
    }
}

static void a_row_of_another_width_is_refused(void **state)
{
    (void)state;
    struct record record;
    struct err err;
    char shorter[] = "1,sample,r\n";
    assert_int_equal(record_decode_line(shorter, &record, &err), ERR_DATA);
    assert_non_null(strstr(err.text, "fewer"));
    char longer[] = ",,,,,,,,,,,,,,,,,,,,,\n";
    assert_int_equal(record_decode_line(longer, &record, &err), ERR_DATA);
    assert_non_null(strstr(err.text, "more"));
    char open_quote[] = "1,sample,\"r\n";
    assert_int_equal(record_decode_line(open_quote, &record, &err), ERR_DATA);
    assert_string_equal(err.text, "run: quote is not closed");
}

/* Sets one thing wrong in a good record and looks for the column in the message. */
#define REFUSES(make, change, column)                                                              \
    do {                                                                                           \
        struct record r = make();                                                                  \
        struct err err;                                                                            \
        assert_int_equal(record_check(&r, &err), 0);                                               \
        change;                                                                                    \
        if (record_check(&r, &err) != ERR_DATA)                                                    \
            fail_msg("%s was accepted", #change);                                                  \
        if (strncmp(err.text, column ": ", strlen(column) + 2) != 0)                               \
            fail_msg("%s: '%s' does not name %s", #change, err.text, column);                      \
    } while (0)

static void every_rule_of_a_sample_is_checked(void **state)
{
    (void)state;
    REFUSES(sample, r.run = "", "run");
    REFUSES(sample, r.machine = "", "machine");
    REFUSES(sample, r.time = "", "time");
    REFUSES(sample, r.time = "yesterday", "time");
    REFUSES(sample, r.kernel = "", "kernel");
    REFUSES(sample, r.kernel = "Bus", "kernel");
    REFUSES(sample, r.present &= ~COLUMN_BIT(revision), "revision");
    REFUSES(sample, r.test = "", "test");
    REFUSES(sample, r.variant = "", "variant");
    REFUSES(sample, r.present &= ~COLUMN_BIT(threads), "threads");
    REFUSES(sample, r.threads = 0, "threads");
    REFUSES(sample, r.x_unit = "", "x_unit");
    REFUSES(sample, r.x_unit = "MB", "x_unit");
    REFUSES(sample, r.present &= ~COLUMN_BIT(x), "x_unit");
    REFUSES(sample, r.params = "b=1;a=1", "params");
    REFUSES(sample, r.metric = "", "metric");
    REFUSES(sample, r.metric = "speed", "metric");
    REFUSES(sample, r.present &= ~COLUMN_BIT(rep), "rep");
    REFUSES(sample, r.unit = "", "unit");
    REFUSES(sample, r.unit = "MB/s", "unit");
    REFUSES(sample, r.unit = "s", "unit");
    REFUSES(sample, (r.present &= ~COLUMN_BIT(value), r.unit = ""), "value");
    REFUSES(sample, r.status = STATUS_UNKNOWN, "status");
    REFUSES(sample, (r.status = STATUS_FAILED, r.text = "why"), "value");
    REFUSES(sample, (r.status = STATUS_FAILED, r.present &= ~COLUMN_BIT(value), r.unit = ""),
            "text");
}

static void every_rule_of_a_fact_is_checked(void **state)
{
    (void)state;
    REFUSES(fact, r.run = "", "run");
    REFUSES(fact, r.kernel = "bus_speed", "kernel");
    REFUSES(fact, RECORD_SET(&r, rep, 1), "rep");
    REFUSES(fact, RECORD_SET(&r, x, 1), "x");
    REFUSES(fact, r.test = "during", "test");
    REFUSES(fact, r.metric = "CPU model", "metric");
    REFUSES(fact, r.status = STATUS_FAILED, "status");
    REFUSES(fact, r.text = "", "text");
    REFUSES(fact, (r.status = STATUS_UNKNOWN, r.text = ""), "text");
    REFUSES(fact, RECORD_SET(&r, value, 1), "unit");
    REFUSES(fact, r.unit = "B", "unit");
}

static void every_rule_of_an_end_row_is_checked(void **state)
{
    (void)state;
    REFUSES(end_row, r.run = "r", "run");
    REFUSES(end_row, r.metric = "rows", "metric");
    REFUSES(end_row, r.value = 1.5, "value");
    REFUSES(end_row, r.value = -1, "value");
    REFUSES(end_row, r.unit = "B", "value");
    REFUSES(end_row, r.status = STATUS_FAILED, "status");
    REFUSES(end_row, r.text = "e3b0", "text");
    REFUSES(end_row, r.text = "", "text");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_header_row_is_the_contract),
        cmocka_unit_test(records_are_written_exactly),
        cmocka_unit_test(rows_are_read_exactly),
        cmocka_unit_test(only_what_needs_quotes_gets_them),
        cmocka_unit_test(any_record_comes_back),
        cmocka_unit_test(a_field_of_the_wrong_type_is_named),
        cmocka_unit_test(a_row_of_another_width_is_refused),
        cmocka_unit_test(every_rule_of_a_sample_is_checked),
        cmocka_unit_test(every_rule_of_a_fact_is_checked),
        cmocka_unit_test(every_rule_of_an_end_row_is_checked),
    };
    return cmocka_run_group_tests_name("record", tests, NULL, NULL);
}
