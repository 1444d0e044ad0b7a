#include "schema/plain.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>

#include <cmocka.h>

#include "schema/reader.h"
#include "schema/writer.h"
#include "tests/unit/folder.h"
#include "tests/unit/random_record.h"

#define HEADER                                                                                     \
    "schema,kind,run,machine,time,kernel,revision,test,variant,threads,x,x_unit,params,metric,"    \
    "rep,value,unit,iterations,elapsed_ns,status,text\n"
#define ROW "1,sample,r1,m,2024-02-29,bus_speed,1,read_all,gcc12-m64-O2,1,"

static bool is_taken(const char *line)
{
    struct plain plain = {0};
    struct canonical row;
    return plain_take(&plain, line, strlen(line), &row);
}

static void good_canonical_rows_are_taken(void **state)
{
    (void)state;
    static const char *const rows[] = {
        ROW "64,B,,rate,1,1500000000,B/s,3,77,ok,\n",
        ROW "64,B,a=1;b=%3B,rate,0,0.30000000000000004,B/s,,,ok,said so\n",
        ROW ",,,time,12,1.5e-7,s,18446744073709551615,1,ok,\n",
        ROW "0.5,s,,ipc,12,123456789012345.6,1,,,ok,\n",
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct plain plain = {0};
        struct canonical row, split;
        /* more behind it, and nothing */
        char two[512];
        size_t size = strlen(rows[i]);
        snprintf(two, sizeof two, "%s%s", rows[i], rows[i]);
        assert_true(plain_take(&plain, two, strlen(two), &row));
        assert_int_equal(row.size, size);
        assert_true(plain_take(&plain, two + size, size, &row)); /* as the one before */
        assert_true(canonical_split(&split, two + size, size));
        assert_memory_equal(&row, &split, sizeof row);
        assert_true(is_taken(rows[i]));
    }
}

static void all_else_is_left_to_the_reader(void **state)
{
    (void)state;
    static const char *const rows[] = {
        "",
        "\n",
        ROW "64,B,,rate,1,1500000000,B/s,3,77,ok,",          /* no end */
        ROW "64,B,,rate,1,1500000000,B/s,3,77,ok,\r\n",
        ROW "64,B,,rate,1,1500000000,B/s,3,77,ok\n",         /* too few */
        ROW "64,B,,rate,1,1500000000,B/s,3,77,ok,,\n",       /* too many */
        ROW "64,B,,rate,1,\"1500000000\",B/s,3,77,ok,\n",
        ROW "64,B,,rate,1,1.50e9,B/s,3,77,ok,\n",            /* not as it would be written */
        ROW "64,B,,rate,1,0.1000,B/s,3,77,ok,\n",
        ROW "64,B,,rate,1,0.30000000000000005,B/s,3,77,ok,\n",
        ROW "64,B,,rate,1,-0,B/s,3,77,ok,\n",
        ROW "64,B,,rate,1,,B/s,3,77,ok,\n",
        ROW "64,B,,rate,1,1,,3,77,ok,\n",
        ROW "64,B,,rate,1,1,s,3,77,ok,\n",
        ROW "64,B,,speed,1,1,B/s,3,77,ok,\n",
        ROW "64,B,b=1;a=1,rate,1,1,B/s,3,77,ok,\n",
        ROW "64,,,rate,1,1,B/s,3,77,ok,\n",
        ROW ",B,,rate,1,1,B/s,3,77,ok,\n",
        ROW "64,B,,rate,01,1,B/s,3,77,ok,\n",
        ROW "64,B,,rate,,1,B/s,3,77,ok,\n",
        ROW "64,B,,rate,1,1,B/s,3,x,ok,\n",
        ROW "64,B,,rate,1,1,B/s,3,18446744073709551616,ok,\n",
        ROW "64,B,,rate,1,,,3,77,failed,why\n",
        ROW "64,B,,rate,1,1,B/s,3,77,ok, \n",
        ROW "64,B,,rate,1,1,B/s,3,77,ok,\xc3\xa4\n",
        "2,sample,r1,m,2024,bus,1,t,v,1,64,B,,rate,1,1,B/s,,,ok,\n",
        "1,fact,r1,m,2024,bus,1,t,v,1,64,B,,rate,1,1,B/s,,,ok,\n",
        "1,sample,,m,2024,bus,1,t,v,1,64,B,,rate,1,1,B/s,,,ok,\n",
        "1,sample,r,m ,2024,bus,1,t,v,1,64,B,,rate,1,1,B/s,,,ok,\n",
        "1,sample,r,m,2024-13,bus,1,t,v,1,64,B,,rate,1,1,B/s,,,ok,\n",
        "1,sample,r,m,2024,Bus,1,t,v,1,64,B,,rate,1,1,B/s,,,ok,\n",
        "1,sample,r,m,2024,bus,,t,v,1,64,B,,rate,1,1,B/s,,,ok,\n",
        "1,sample,r,m,2024,bus,1,t,v,0,64,B,,rate,1,1,B/s,,,ok,\n",
        "1,sample,r,m,2024,bus,1,t,,1,64,B,,rate,1,1,B/s,,,ok,\n",
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        if (is_taken(rows[i]))
            fail_msg("taken: %s", rows[i]);
}

/* Wherever in the row a number stands, each of its characters is looked at. */
static void a_letter_in_a_number_is_seen_at_every_place(void **state)
{
    (void)state;
    static const char numbers[] =
        "64,B,,rate,1234567,1234567.12345678,B/s,123456789,1234567890123456789,ok,\n";
    for (int shift = 0; shift < 130; shift++) {
        char row[512];
        int before = snprintf(
            row, sizeof row, "1,sample,%0*d,m,2024-02-29,bus_speed,1,read_all,v,12,", 1 + shift, 7);
        snprintf(row + before, sizeof row - (size_t)before, "%s", numbers);
        if (!is_taken(row))
            fail_msg("not taken: %s", row);
        for (char *p = row + before - 3; *p != '\n'; p++) {
            char c = *p;
            if (c < '0' || c > '9')
                continue;
            static const char others[] = {'/', ':', ' ', 'x', '.'};
            for (size_t i = 0; i < sizeof others; i++) {
                *p = others[i];
                if (is_taken(row))
                    fail_msg("taken: %s", row);
            }
            *p = c;
        }
    }
}

/* The way of reading with the most rows: text of all messages and rows. */
static void transcribe(const char *path, size_t block_bytes, bool by_line, struct buffer *out)
{
    struct reader *reader;
    struct record record;
    struct canonical row;
    struct err err;
    int result = reader_open_blocks(&reader, path, block_bytes, &err);
    buffer_clear(out);
    assert_int_equal(result, 0);
    while ((result = by_line ? reader_next_line(reader, &row, &err)
                             : reader_next(reader, &record, &err)) > 0) {
        if (result == READER_BAD_ROW) {
            buffer_add_format(out, "%s\n", err.text);
            continue;
        }
        buffer_add_format(out, "%llu:", (unsigned long long)reader_line(reader));
        if (by_line)
            buffer_add(out, row.line, row.size);
        else
            record_encode(&record, out);
    }
    if (result < 0)
        buffer_add_format(out, "%s\n", err.text);
    else
        buffer_add_text(out, reader_is_complete(reader) ? "complete\n" : "no end row\n");
    reader_close(reader);
    assert_false(out->failed);
}

/* Most rows are good ones; in some a byte or two is changed, left out or doubled. */
static void put_row(uint64_t *seed, struct buffer *out)
{
    static const char interesting[] = "0123456789.-+eE,,\"\"\n\r\t ;=%ok/sBabzAZ_\x01\x7f\x80\xc3";
    static const char *const plain_texts[] = {"r1", "r2", "alpha", "a b", "x"};
    struct random_texts texts;
    struct buffer line = {0};
    struct record record = random_record(&texts, seed);
    if (record.kind == KIND_SAMPLE && random_below(seed, 4) > 0) {
        record.run = plain_texts[random_below(seed, 5)];
        record.machine = plain_texts[random_below(seed, 5)];
        record.test = record.variant = plain_texts[random_below(seed, 5)];
        if (record.status == STATUS_OK)
            record.text = "";
        if (RECORD_HAS(&record, value) && random_below(seed, 2))
            record.value = random_below(seed, 1000) / 8.0;
    }
    record_encode(&record, &line);
    for (uint32_t n = random_below(seed, 3) == 0 ? 1 + random_below(seed, 2) : 0; n > 0; n--) {
        size_t at = random_below(seed, (uint32_t)line.size);
        char c = interesting[random_below(seed, sizeof interesting - 1)];
        switch (random_below(seed, 3)) {
        case 0: line.bytes[at] = c; break;
        case 1: memmove(line.bytes + at, line.bytes + at + 1, line.size-- - at); break;
        default: buffer_add_char(&line, '\n'); memmove(line.bytes + at + 1, line.bytes + at,
                                                        line.size - 1 - at);
        }
    }
    buffer_add(out, line.bytes, line.size);
    buffer_free(&line);
}

static void lines_are_read_exactly_as_records_are(void **state)
{
    (void)state;
    struct folder folder;
    folder_make(&folder);
    struct buffer text = {0}, records = {0}, lines = {0};
    for (uint64_t seed = 1; seed <= 60; seed++) {
        uint64_t random = seed;
        buffer_clear(&text);
        buffer_add_text(&text, HEADER);
        for (int i = 0; i < 200; i++)
            put_row(&random, &text);
        const char *path = folder_write(&folder, "a.csv", text.bytes, text.size);
        transcribe(path, 1 << 18, false, &records);
        transcribe(path, seed % 2 ? 1 << 18 : 1 + random_below(&random, 700), true, &lines);
        if (strcmp(records.bytes, lines.bytes) != 0)
            fail_msg("seed %d", (int)seed);
    }
    buffer_free(&text);
    buffer_free(&records);
    buffer_free(&lines);
    folder_remove(&folder);
}

static int to_buffer(void *context, const void *bytes, size_t size, struct err *err)
{
    (void)err;
    buffer_add(context, bytes, size);
    return 0;
}

/* Lines before the end row go into its hash, whichever way they were read. */
static void the_end_row_is_verified_behind_lines(void **state)
{
    (void)state;
    struct folder folder;
    folder_make(&folder);
    struct buffer text = {0}, out = {0};
    struct writer writer;
    struct err err;
    writer_init(&writer, to_buffer, &text);
    assert_int_equal(writer_header(&writer, &err), 0);
    for (int i = 0; i < 50; i++) {
        char line[256];
        int size = snprintf(line, sizeof line, "%s64,B,,rate,%d,1,B/s,,,ok,%s\n", ROW, i,
                            i % 7 == 3 ? "\xc3\xa4" : "");
        assert_int_equal(writer_line(&writer, line, (size_t)size, &err), 0);
    }
    assert_int_equal(writer_end(&writer, &err), 0);
    writer_free(&writer);
    for (size_t block = 100; block < 1 << 18; block = block * 3 + 1) {
        const char *path = folder_write(&folder, "a.csv", text.bytes, text.size);
        transcribe(path, block, true, &out);
        assert_non_null(strstr(out.bytes, "complete\n"));
        char *digit = strstr(text.bytes, ",B,,rate,10,1,") - 1;
        *digit = '5';
        path = folder_write(&folder, "a.csv", text.bytes, text.size);
        *digit = '4';
        transcribe(path, block, true, &out);
        assert_null(strstr(out.bytes, "complete\n"));
        assert_non_null(strstr(out.bytes, "a.csv:52: the end row's SHA-256 does not agree"));
    }
    buffer_free(&text);
    buffer_free(&out);
    folder_remove(&folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(good_canonical_rows_are_taken),
        cmocka_unit_test(all_else_is_left_to_the_reader),
        cmocka_unit_test(a_letter_in_a_number_is_seen_at_every_place),
        cmocka_unit_test(lines_are_read_exactly_as_records_are),
        cmocka_unit_test(the_end_row_is_verified_behind_lines),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
