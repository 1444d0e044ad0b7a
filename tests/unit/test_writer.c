#include "schema/writer.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static int to_buffer(void *context, const void *bytes, size_t size, struct err *err)
{
    (void)err;
    buffer_add(context, bytes, size);
    return 0;
}

static int to_nowhere(void *context, const void *bytes, size_t size, struct err *err)
{
    (void)context, (void)bytes, (void)size;
    return err_set(err, ERR_SYSTEM, "no room");
}

static struct record fact(const char *text)
{
    struct record record = record_new(KIND_FACT);
    record.run = "r";
    record.machine = "m";
    record.time = "2007";
    record.metric = "note";
    record.text = text;
    return record;
}

#define HEADER                                                                                     \
    "schema,kind,run,machine,time,kernel,revision,test,variant,threads,x,x_unit,params,metric,"    \
    "rep,"                                                                                         \
    "value,unit,iterations,elapsed_ns,status,text\n"
#define ROW(text) "1,fact,r,m,2007,,,,,,,,,note,,,,,,ok," text "\n"

static void a_file_closes_with_count_and_digest(void **state)
{
    (void)state;
    struct buffer out = {0};
    struct writer writer;
    struct err err;
    writer_init(&writer, to_buffer, &out);
    assert_int_equal(writer_header(&writer, &err), 0);
    struct record a = fact("one"), b = fact("two\nlines");
    assert_int_equal(writer_record(&writer, &a, &err), 0);
    assert_int_equal(writer_record(&writer, &b, &err), 0);
    assert_int_equal(writer_end(&writer, &err), 0);
    assert_int_equal(writer_line(&writer, ROW("one"), strlen(ROW("one")), &err), 0);
    assert_int_equal(writer_end(&writer, &err), 0);
    writer_free(&writer);
    /* The digests are sha256sum's. */
    assert_string_equal(
        out.bytes,
        HEADER ROW("one")
            ROW("\"two\nlines\"") "1,end,,,,,,,,,,,,records,,2,1,,,ok,"
                                  "4b8b6dfe05974b65b13a4e2c61ecea73aa2360332a2f36b5ff36c4c34f8f1442"
                                  "\n" ROW("one") "1,end,,,,,,,,,,,,records,,1,1,,,ok,"
                                                  "cc76597dc6dc2dc43660638c7cc85709a05092828d0df89a"
                                                  "654d3a78162a2b98\n");
    buffer_free(&out);
}

static void what_no_reader_takes_is_not_written(void **state)
{
    (void)state;
    struct buffer out = {0};
    struct writer writer;
    struct err err;
    writer_init(&writer, to_buffer, &out);

    struct record bad = fact("");
    assert_int_equal(writer_record(&writer, &bad, &err), ERR_DATA);
    assert_string_equal(err.text, "text: a fact is a number, a text or unknown");

    struct record latin = fact("M\xfcnchen");
    assert_int_equal(writer_record(&writer, &latin, &err), ERR_DATA);
    assert_string_equal(err.text, "byte 39 of the row (0xfc) is not UTF-8");

    char *text = malloc(RECORD_FIELD_MAX + 2);
    assert_non_null(text);
    memset(text, 'x', RECORD_FIELD_MAX + 1);
    text[RECORD_FIELD_MAX + 1] = '\0';
    struct record longer = fact(text);
    assert_int_equal(writer_record(&writer, &longer, &err), ERR_DATA);
    assert_string_equal(err.text, "text: a text of 65537 bytes, more than 65536");
    assert_int_equal(out.size, 0);

    text[RECORD_FIELD_MAX] = '\0';
    assert_int_equal(writer_record(&writer, &longer, &err), 0);
    assert_int_equal(out.size, strlen(ROW("")) + RECORD_FIELD_MAX);
    free(text);
    writer_free(&writer);
    buffer_free(&out);
}

static void an_error_of_the_sink_comes_back(void **state)
{
    (void)state;
    struct writer writer;
    struct err err;
    writer_init(&writer, to_nowhere, NULL);
    struct record record = fact("x");
    assert_int_equal(writer_header(&writer, &err), ERR_SYSTEM);
    assert_string_equal(err.text, "no room");
    assert_int_equal(writer_record(&writer, &record, &err), ERR_SYSTEM);
    assert_int_equal(writer_line(&writer, "x\n", 2, &err), ERR_SYSTEM);
    assert_int_equal(writer_end(&writer, &err), ERR_SYSTEM);
    writer_free(&writer);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_file_closes_with_count_and_digest),
        cmocka_unit_test(what_no_reader_takes_is_not_written),
        cmocka_unit_test(an_error_of_the_sink_comes_back),
    };
    return cmocka_run_group_tests_name("writer", tests, NULL, NULL);
}
