#include "schema/reader.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>

#include <cmocka.h>

#include "schema/gzip.h"
#include "schema/writer.h"
#include "tests/unit/folder.h"
#include "tests/unit/random_record.h"

#define HEADER                                                                                     \
    "schema,kind,run,machine,time,kernel,revision,test,variant,threads,x,x_unit,params,metric,"    \
    "rep,"                                                                                         \
    "value,unit,iterations,elapsed_ns,status,text"
#define FACT(text) "1,fact,r,m,2007,,,,,,,,,note,,,,,,ok," text
#define END(count, digest) "1,end,,,,,,,,,,,,records,," count ",1,,,ok," digest

/* sha256sum of FACT("a") LF, of FACT("b") LF, of both. */
#define SUM_A "c6fa37744247e37243e42087ead6f70f14dd3c8a9e85e04ec2d9c4195931c864"
#define SUM_B "d310bd807d226147c27a6854f0d274da163957bf430ef778f8b83f93ad33df3e"
#define SUM_AB "1db71e498bfb41c11003e09840e5dcf9ab371160a9fdd461a479b30412f72111"

static int to_buffer(void *context, const void *bytes, size_t size, struct err *err)
{
    (void)err;
    buffer_add(context, bytes, size);
    return 0;
}

static void add_message(struct buffer *out, const char *what, const char *path,
                        const struct err *err)
{
    size_t size = strlen(path);
    assert_memory_equal(err->text, path, size); /* every message names the file first */
    assert_true(err->text[size] == ':');
    buffer_add_format(out, "%s%s\n", what, err->text + size + 1);
}

/* What reading the file comes to: a line for each record (its line and canonical row), bad row,
 * error, and the end. */
static void transcribe(const char *path, size_t block_bytes, struct buffer *out)
{
    struct reader *reader;
    struct record record;
    struct err err;
    buffer_clear(out);
    if (reader_open_blocks(&reader, path, block_bytes, &err) < 0) {
        add_message(out, "refused ", path, &err);
        return;
    }
    int result;
    while ((result = reader_next(reader, &record, &err)) > 0) {
        if (result == READER_BAD_ROW) {
            add_message(out, "bad ", path, &err);
            continue;
        }
        buffer_add_format(out, "%" PRIu64 " ", reader_line(reader));
        record_encode(&record, out);
    }
    if (result < 0)
        add_message(out, "error ", path, &err);
    else
        buffer_add_text(out, reader_is_complete(reader) ? "complete\n" : "end\n");
    reader_close(reader);
}

/* With blocks of every size up to the file's, or a few sizes for a large file. */
static void check_bytes(const void *bytes, size_t size, const char *wanted)
{
    struct folder folder;
    folder_make(&folder);
    const char *path = folder_write(&folder, "f", bytes, size);
    struct buffer out = {0};
    bool is_small = size < 2000;
    for (size_t block = is_small ? 1 : 997; block <= size + 1; block += is_small ? 1 : size / 7) {
        transcribe(path, block, &out);
        assert_string_equal(out.bytes, wanted);
    }
    buffer_free(&out);
    folder_remove(&folder);
}

static void check_text(const char *text, const char *wanted)
{
    check_bytes(text, strlen(text), wanted);
}

static void add_gzip(struct buffer *out, const char *text, size_t size)
{
    struct gzip_writer *gzip;
    struct err err;
    assert_int_equal(gzip_writer_open(&gzip, to_buffer, out, &err), 0);
    assert_int_equal(gzip_writer_write(gzip, text, size, &err), 0);
    assert_int_equal(gzip_writer_close(gzip, &err), 0);
}

static void a_good_file_is_read_at_every_split(void **state)
{
    (void)state;
    check_text(HEADER "\n" FACT("a") "\n" FACT("b") "\n" END("2", SUM_AB) "\n",
               "2 " FACT("a") "\n3 " FACT("b") "\ncomplete\n");
}

static void crlf_and_bom_are_read(void **state)
{
    (void)state;
    check_text("\xef\xbb\xbf" HEADER
               "\r\n" FACT("a") "\r\n" FACT("b") "\r\n" END("2", SUM_AB) "\r\n",
               "2 " FACT("a") "\n3 " FACT("b") "\ncomplete\n");
    check_text(HEADER "\r\n" FACT("a") "\n" FACT("b") "\r\n",
               "2 " FACT("a") "\n3 " FACT("b") "\nend\n");
}

static void quotes_and_blanks_are_read(void **state)
{
    (void)state;
    check_text(HEADER "\n" FACT("\"a\nb\n\"\"c\"\"\"") "\n" FACT("\"d\"") "\n",
               "2 " FACT("\"a\nb\n\"\"c\"\"\"") "\n5 " FACT("d") "\nend\n");
    check_text(HEADER "\n\"1\",\"fact\",\" r \", m\t,2007,,,,,,,,,note,,,,,,ok,\"a\r\nb\"\n",
               "2 1,fact,\" r \",\" m\t\",2007,,,,,,,,,note,,,,,,ok,\"a\r\nb\"\nend\n");
    check_text(HEADER "\n" FACT("\"\"\"\"") "\n" FACT("\",\"") "\r\n",
               "2 " FACT("\"\"\"\"") "\n3 " FACT("\",\"") "\nend\n");
}

static void gzip_is_read(void **state)
{
    (void)state;
    static const char text[] = HEADER "\n" FACT("a") "\n" END("1", SUM_A) "\n";
    struct buffer gz = {0};
    add_gzip(&gz, text, strlen(text));
    check_bytes(gz.bytes, gz.size, "2 " FACT("a") "\ncomplete\n");
    add_gzip(&gz, text, strlen(text));
    check_bytes(gz.bytes, gz.size, "2 " FACT("a") "\n5 " FACT("a") "\ncomplete\n");
    struct folder folder;
    folder_make(&folder);
    struct buffer out = {0};
    transcribe(folder_write(&folder, "f", gz.bytes, gz.size - 4), 4096, &out);
    char wanted[512];
    snprintf(
        wanted, sizeof wanted,
        "2 " FACT("a") "\n5 " FACT("a") "\nerror 7: gzip: cut short: the file ends inside member "
                                        "2, after %zu bytes of text\n",
        2 * strlen(text));
    assert_string_equal(out.bytes, wanted);
    buffer_free(&out);
    buffer_free(&gz);
    folder_remove(&folder);
}

static void a_file_that_is_no_record_file_says_so(void **state)
{
    (void)state;
    check_text("", "refused 1: empty file\n");
    check_text("\xef\xbb\xbf", "refused 1: empty file\n");
    check_text("hello world\nhow are you\n",
               "refused 1: not a record file: the header row is not schema,kind,run,...: it begins "
               "with 'hello world'\n");
    check_text("hello world", "refused 1: not a record file: its only line has no end\n");
    check_text(HEADER, "refused 1: not a record file: its only line has no end\n");
    check_text("\n" HEADER "\n", "refused 1: not a record file: an empty line\n");
    check_text(HEADER ",more\n" FACT("a") ",\n",
               "refused 1: not a record file: the header row is not schema,kind,run,...: it has 22 "
               "columns, not 21\n");
    check_text("schema,kind\n1,fact\n",
               "refused 1: not a record file: the header row is not schema,kind,run,...: column 3, "
               "run, is missing\n");
    check_text("schema,run,kind\n",
               "refused 1: not a record file: the header row is not schema,kind,run,...: column 2 "
               "is 'run', not kind\n");
    check_text("a\xff\n", "refused 1: not a record file: byte 2 of the row (0xff) is not UTF-8\n");
    check_text("\x1b[31m\n", "refused 1: not a record file: the header row is not "
                             "schema,kind,run,...: it begins with '\\x1b[31m'\n");
    check_text("a\rb\r\n", "refused 1: not a record file: a CR (0x0d) that is neither quoted nor "
                           "part of a line end\n");
    check_text(HEADER "\n", "error 2: no record behind the header row\n");
    check_text(HEADER "\n" END(
                   "0", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855") "\n",
               "error 3: no record behind the header row\n");
    check_text(HEADER "\nx\n", "bad 2: the row has 1 columns, not 21\n"
                               "error 3: no valid record behind the header row\n");
}

static void a_newer_schema_is_refused_by_name(void **state)
{
    (void)state;
    check_text(
        HEADER "\n" FACT("a") "\n2,fact,r,m,2007,,,,,,,,,note,,,,,,ok,b\n2,fact,more\n",
        "2 " FACT("a") "\n"
                       "bad 3: schema: version 2 is newer than this program (it reads 1)\n"
                       "bad 4: schema: version 2 is newer than this program (it reads 1)\nend\n");
    check_text("schema,kind,session\n7,fact,x\n",
               "refused 2: schema: version 7 is newer than this program (it reads 1)\n");
}

/* One bad row between two good ones: named with its line, and the good ones are read. */
static void check_bad_row(const char *row, size_t size, const char *message)
{
    struct buffer text = {0}, wanted = {0};
    buffer_add_text(&text, HEADER "\n" FACT("\"a\n\"") "\n");
    buffer_add(&text, row, size);
    buffer_add_text(&text, "\n" FACT("b") "\n");
    unsigned line = 5;
    for (size_t i = 0; i < size; i++)
        line += row[i] == '\n';
    buffer_add_format(&wanted, "2 %s\nbad 4: %s\n%u %s\nend\n", FACT("\"a\n\""), message, line,
                      FACT("b"));
    check_bytes(text.bytes, text.size, wanted.bytes);
    buffer_free(&text);
    buffer_free(&wanted);
}

static void a_bad_row_is_named_and_reading_goes_on(void **state)
{
    (void)state;
#define STRAY                                                                                      \
    ": a stray quote (a field with quotes in it stands in quotes as a whole, the inner ones "      \
    "doubled)"
    static const struct {
        const char *row;
        size_t size;
        const char *message;
    } cases[] = {
#define ROW(text) text, sizeof text - 1
        {ROW(""), "an empty line"},
        {ROW("\r"), "an empty line"},
        {ROW(" "), "the row has 1 columns, not 21"},
        {ROW("1,fact,r"), "the row has 3 columns, not 21"},
        {ROW(FACT("a,b")), "the row has 22 columns, not 21"},
        {ROW(FACT("a\0b")), "byte 39 of the row is NUL"},
        {ROW(FACT("a\xffz")), "byte 39 of the row (0xff) is not UTF-8"},
        {ROW(FACT("\"a\n\xc3\"")), "byte 41 of the row (0xc3) is not UTF-8"},
        {ROW(FACT("a\rb")), "a CR (0x0d) that is neither quoted nor part of a line end"},
        {ROW(FACT("\"a\"\rb")), "a CR (0x0d) that is neither quoted nor part of a line end"},
        {ROW(FACT("a\r\r")), "a CR (0x0d) that is neither quoted nor part of a line end"},
        {ROW(FACT("a\"b")), "text" STRAY},
        {ROW(FACT("a\"b\"")), "text" STRAY},
        {ROW(FACT("\"a\"b")), "text" STRAY},
        {ROW(FACT("\"a\" ")), "text" STRAY},
        {ROW(FACT(" \"a\"")), "text" STRAY},
        {ROW("1,fact,\"r\"x\"y\",m"), "run" STRAY},
        {ROW("1,fact,r\",m,\"2007\n\",x"), "run" STRAY},
        {ROW(HEADER), "a header row that is not behind an end row (files joined without their end "
                      "rows?)"},
        {ROW("1,fact,r,m,2007,,,,,,,,,note,,1,,,,ok,a"), "unit: a value and its unit go together"},
        {ROW("1,fact,r,m,2007,,,,,,,,,note,,\"1,5\",B,,,ok,a"), "value: '1,5' is no number"},
        {ROW("1,fact,r,m,2007-13,,,,,,,,,note,,,,,,ok,a"),
         "time: '2007-13' is not YYYY, YYYY-MM, YYYY-MM-DD or YYYY-MM-DDThh:mm:ssZ"},
        {ROW("1,fact,r,m,2007,,,,,,,,,note,,,,,,\x1b[31m,a"), "status: '\\x1b[31m' is no status"},
        {ROW(END("1", "abc")), "text: of an end row it is a SHA-256, 64 hexadecimal digits"},
#undef ROW
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        check_bad_row(cases[i].row, cases[i].size, cases[i].message);
}

static void a_torn_last_line_is_named(void **state)
{
    (void)state;
    static const char row[] = FACT("\"b\"");
    for (size_t size = 1; size < sizeof row; size++) {
        struct buffer text = {0};
        buffer_add_text(&text, HEADER "\n" FACT("a") "\n");
        buffer_add(&text, row, size);
        check_text(text.bytes, "2 " FACT("a") "\nbad 3: the last line is torn: it has no line end\n"
                                              "end\n");
        buffer_free(&text);
    }
    check_text(HEADER "\n" FACT("a") "\n" END("1", SUM_A),
               "2 " FACT("a") "\nbad 3: the last line is torn: it has no line end\nend\n");
}

static void a_quote_that_is_never_closed_is_an_error(void **state)
{
    (void)state;
    check_text(HEADER "\n" FACT("a") "\n" FACT("\"b") "\n" FACT("c") "\n",
               "2 " FACT("a") "\nerror 3: a quote is opened and never closed, or the last row is "
                              "torn\n");
}

static void sizes_are_bounded(void **state)
{
    (void)state;
    struct buffer text = {0};
    char *letters = malloc(RECORD_ROW_MAX);
    assert_non_null(letters);
    memset(letters, 'x', RECORD_ROW_MAX);
    buffer_add_text(&text, HEADER "\n" FACT(""));
    buffer_add(&text, letters, RECORD_FIELD_MAX + 1);
    buffer_add_text(&text, "\n" FACT("b") "\n");
    check_bytes(text.bytes, text.size,
                "bad 2: text: a field of 65537 bytes, more than 65536\n3 " FACT("b") "\nend\n");

    buffer_clear(&text);
    buffer_add_text(&text, HEADER "\n" FACT("a") "\n" FACT(""));
    buffer_add(&text, letters, RECORD_ROW_MAX);
    buffer_add_text(&text, "\n" FACT("b") "\n");
    check_bytes(text.bytes, text.size,
                "2 " FACT("a") "\nerror 3: a row of more than 1048576 bytes\n");

    buffer_clear(&text);
    buffer_add_text(&text, HEADER "\n" FACT("a") "\n" FACT("\""));
    buffer_add(&text, letters, RECORD_ROW_MAX);
    buffer_add_text(&text, "\n" FACT("b") "\n");
    check_bytes(text.bytes, text.size,
                "2 " FACT("a") "\nerror 3: a row of more than 1048576 bytes: a quote is opened and "
                               "not closed\n");

    buffer_clear(&text);
    buffer_add_text(&text, HEADER "\n" FACT(""));
    buffer_add(&text, letters, RECORD_FIELD_MAX);
    buffer_add_text(&text, "\n");
    struct folder folder;
    folder_make(&folder);
    struct buffer out = {0};
    transcribe(folder_write(&folder, "f", text.bytes, text.size), 4096, &out);
    assert_int_equal(out.size, text.size - strlen(HEADER "\n") + strlen("2 end\n"));
    buffer_free(&out);
    folder_remove(&folder);
    free(letters);
    buffer_free(&text);
}

static void an_end_row_that_does_not_agree_is_an_error(void **state)
{
    (void)state;
    check_text(
        HEADER "\n" FACT("a") "\n" END("2", SUM_AB) "\n",
        "2 " FACT("a") "\nerror 3: the end row counts 2 rows, there are 1: some are missing\n");
    check_text(HEADER "\n" FACT("a") "\n" FACT("b") "\n" END("1", SUM_A) "\n",
               "2 " FACT("a") "\n3 " FACT(
                   "b") "\nerror 4: the end row counts 1 rows, there are 2: some are too many\n");
    check_text(
        HEADER "\n" FACT("b") "\n" END("1", SUM_A) "\n",
        "2 " FACT("b") "\nerror 3: the end row's SHA-256 does not agree: rows before it were "
                       "changed\n");
    check_text(
        HEADER "\n" FACT("b") "\n" FACT("a") "\n" END("2", SUM_AB) "\n",
        "2 " FACT("b") "\n3 " FACT("a") "\nerror 4: the end row's SHA-256 does not agree: rows "
                                        "before it were changed\n");
    /* A bad row is a row: the end row still agrees or not by the bytes. */
    check_text(
        HEADER "\n" FACT("a") "\nx\n" END("1", SUM_A) "\n",
        "2 " FACT("a") "\nbad 3: the row has 1 columns, not 21\n"
                       "error 4: the end row counts 1 rows, there are 2: some are too many\n");
}

static void files_can_be_joined_and_gone_on_with(void **state)
{
    (void)state;
    check_text(HEADER
               "\n" FACT("a") "\n" END("1", SUM_A) "\n" HEADER
                                                   "\r\n" FACT("b") "\r\n" END("1", SUM_B) "\r\n",
               "2 " FACT("a") "\n5 " FACT("b") "\ncomplete\n");
    check_text(HEADER "\n" FACT("a") "\n" END("1", SUM_A) "\n" FACT("b") "\n" END("1", SUM_B) "\n",
               "2 " FACT("a") "\n4 " FACT("b") "\ncomplete\n");
    check_text(HEADER "\n" FACT("a") "\n" END("1", SUM_A) "\n" FACT("b") "\n",
               "2 " FACT("a") "\n4 " FACT("b") "\nend\n");
    check_text(HEADER "\n" FACT("a") "\n" END("1", SUM_A) "\n" HEADER "\n",
               "2 " FACT("a") "\nend\n");
    check_text(HEADER "\n" FACT("a") "\n" END("1", SUM_A) "\n" HEADER "\n" HEADER "\n",
               "2 " FACT("a") "\nbad 5: a header row that is not behind an end row (files joined "
                              "without their end rows?)\nend\n");
}

static void the_bytes_of_a_record_are_those_of_the_file(void **state)
{
    (void)state;
    struct folder folder;
    folder_make(&folder);
    static const char text[] = "\xef\xbb\xbf" HEADER "\r\n\"1\""
                               ","
                               "fact,r,m,2007,,,,,,,,,note,,,,,,ok,"
                               "\"a\nb\"\r\n" FACT("c") "\n";
    struct reader *reader;
    struct record record;
    struct err err;
    size_t size;
    assert_int_equal(reader_open(&reader, folder_write(&folder, "f", text, strlen(text)), &err), 0);
    assert_int_equal(reader_next(reader, &record, &err), READER_RECORD);
    const char *bytes = reader_bytes(reader, &size);
    static const char row[] = "\"1\",fact,r,m,2007,,,,,,,,,note,,,,,,ok,\"a\nb\"\r\n";
    assert_int_equal(size, strlen(row));
    assert_memory_equal(bytes, row, size);
    assert_int_equal(reader_line(reader), 2);
    assert_string_equal(record.text, "a\nb");
    assert_int_equal(reader_next(reader, &record, &err), READER_RECORD);
    assert_int_equal(reader_line(reader), 4);
    bytes = reader_bytes(reader, &size);
    assert_int_equal(size, strlen(FACT("c") "\n"));
    assert_memory_equal(bytes, FACT("c") "\n", size);
    assert_int_equal(reader_next(reader, &record, &err), READER_END);
    assert_int_equal(reader_next(reader, &record, &err), READER_END);
    reader_close(reader);
    reader_close(NULL);
    folder_remove(&folder);
}

static void system_errors_name_the_file_alone(void **state)
{
    (void)state;
    struct reader *reader;
    struct err err;
    assert_int_equal(reader_open(&reader, "/nonexistent", &err), ERR_SYSTEM);
    assert_string_equal(err.text, "/nonexistent: cannot open: No such file or directory");
}

/* What the writer writes, plain or gzip, the reader gives back, and record_decode_line agrees. */
static void any_records_come_back(void **state)
{
    (void)state;
    enum { N = 40 };
    uint64_t seed = 5;
    for (int round = 0; round < 12; round++) {
        static struct random_texts texts[N];
        struct record records[N];
        struct buffer plain = {0}, gz = {0};
        struct writer writer;
        struct gzip_writer *gzip;
        struct err err;
        bool is_gzip = round % 2 == 1;
        assert_int_equal(gzip_writer_open(&gzip, to_buffer, &gz, &err), 0);
        writer_init(&writer, is_gzip ? gzip_writer_write : to_buffer,
                    is_gzip ? (void *)gzip : (void *)&plain);
        assert_int_equal(writer_header(&writer, &err), 0);
        for (int i = 0; i < N; i++) {
            records[i] = random_record(&texts[i], &seed);
            assert_int_equal(writer_record(&writer, &records[i], &err), 0);
        }
        assert_int_equal(writer_end(&writer, &err), 0);
        writer_free(&writer);
        assert_int_equal(gzip_writer_close(gzip, &err), 0);

        struct folder folder;
        folder_make(&folder);
        const struct buffer *file = is_gzip ? &gz : &plain;
        const char *path = folder_write(&folder, "f", file->bytes, file->size);
        for (size_t block = 1; block < 100000; block = block * 3 + random_below(&seed, 5)) {
            struct reader *reader;
            struct record record, decoded;
            assert_int_equal(reader_open_blocks(&reader, path, block, &err), 0);
            for (int i = 0; i < N; i++) {
                if (reader_next(reader, &record, &err) != READER_RECORD)
                    fail_msg("record %d: %s", i, err.text);
                assert_true(record_equals(&record, &records[i]));
                size_t size;
                const char *bytes = reader_bytes(reader, &size);
                char *line = strndup(bytes, size);
                assert_int_equal(record_decode_line(line, &decoded, &err), 0);
                assert_true(record_equals(&record, &decoded));
                free(line);
            }
            assert_int_equal(reader_next(reader, &record, &err), READER_END);
            assert_true(reader_is_complete(reader));
            reader_close(reader);
        }
        folder_remove(&folder);
        buffer_free(&plain);
        buffer_free(&gz);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_good_file_is_read_at_every_split),
        cmocka_unit_test(crlf_and_bom_are_read),
        cmocka_unit_test(quotes_and_blanks_are_read),
        cmocka_unit_test(gzip_is_read),
        cmocka_unit_test(a_file_that_is_no_record_file_says_so),
        cmocka_unit_test(a_newer_schema_is_refused_by_name),
        cmocka_unit_test(a_bad_row_is_named_and_reading_goes_on),
        cmocka_unit_test(a_torn_last_line_is_named),
        cmocka_unit_test(a_quote_that_is_never_closed_is_an_error),
        cmocka_unit_test(sizes_are_bounded),
        cmocka_unit_test(an_end_row_that_does_not_agree_is_an_error),
        cmocka_unit_test(files_can_be_joined_and_gone_on_with),
        cmocka_unit_test(the_bytes_of_a_record_are_those_of_the_file),
        cmocka_unit_test(system_errors_name_the_file_alone),
        cmocka_unit_test(any_records_come_back),
    };
    return cmocka_run_group_tests_name("reader", tests, NULL, NULL);
}
