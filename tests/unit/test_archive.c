#include "schema/archive.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "schema/buffer.h"
#include "schema/gzip.h"
#include "schema/output.h"
#include "schema/writer.h"

/* ---- files in a folder of the test's own; the current folder while a test runs ---- */

static char folder[4096];
static char *before;

static int enter_folder(void **state)
{
    (void)state;
    const char *tmp = getenv("TMPDIR");
    before = getcwd(NULL, 0);
    snprintf(folder, sizeof folder, "%s/test_archive.XXXXXX", tmp ? tmp : "/tmp");
    return before && mkdtemp(folder) ? chdir(folder) : -1;
}

static int leave_folder(void **state)
{
    (void)state;
    char command[sizeof folder + 16];
    snprintf(command, sizeof command, "rm -rf '%s'", folder);
    int result = chdir(before) | system(command);
    free(before);
    return result;
}

#define HEADER                                                                                     \
    "schema,kind,run,machine,time,kernel,revision,test,variant,threads,x,x_unit,params,metric,"    \
    "rep,value,unit,iterations,elapsed_ns,status,text\n"
#define SAMPLE(rep, value) "1,sample,r1,m,2024,bus,1,t,v,1,64,B,," "rate," rep "," value ",B/s,,,ok,\n"

static void put_file(const char *path, const char *text)
{
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
}

#define OK(expression)                                                                             \
    do {                                                                                           \
        struct err *err_ = &err;                                                                   \
        if ((expression) < 0)                                                                      \
            fail_msg("%s: %s", #expression, err_->text);                                           \
    } while (0)

static struct archive *read_files(size_t n, const char *const *paths)
{
    struct err err;
    struct archive *archive;
    OK(archive_new(&archive, &err));
    for (size_t i = 0; i < n; i++)
        OK(archive_add(archive, paths[i], &err));
    return archive;
}

#define READ(...)                                                                                  \
    read_files(sizeof((const char *[]){__VA_ARGS__}) / sizeof(char *), (const char *[]){__VA_ARGS__})

static void seal(struct archive *archive, const char *prefer)
{
    struct err err;
    OK(archive_seal(archive, prefer, &err));
}

static void check_line(const struct archive *archive, size_t index, const char *expected,
                       const char *expected_path, uint64_t expected_line)
{
    size_t size;
    uint64_t line;
    const char *text = archive_line(archive, index, &size);
    assert_string_equal(text, expected);
    assert_int_equal(size, strlen(expected));
    assert_string_equal(archive_place(archive, index, &line), expected_path);
    assert_int_equal(line, expected_line);
}

static void check_error(struct archive *archive, const char *prefer, int code, const char *expected)
{
    struct err err = {0};
    assert_int_equal(archive_seal(archive, prefer, &err), code);
    assert_string_equal(err.text, expected);
    archive_free(archive);
}

/* ---- examples ---- */

static void records_come_in_canonical_form_and_order(void **state)
{
    (void)state;
    put_file("a.csv", HEADER SAMPLE("2", "1.50e3") SAMPLE("10", "-0") SAMPLE("1", "\"7.0\""));
    struct archive *archive = READ("a.csv");
    seal(archive, NULL);
    assert_int_equal(archive_count(archive), 3);
    check_line(archive, 0, SAMPLE("1", "7"), "a.csv", 4);
    check_line(archive, 1, SAMPLE("10", "0"), "a.csv", 3);
    check_line(archive, 2, SAMPLE("2", "1500"), "a.csv", 2);
    const struct record *record = archive_record(archive, 2);
    assert_int_equal(record->rep, 2);
    assert_true(record->value == 1500);
    assert_string_equal(record->kernel, "bus");
    assert_int_equal(archive_tally(archive).n_files, 1);
    assert_int_equal(archive_tally(archive).n_read, 3);
    assert_int_equal(archive_tally(archive).n_duplicates, 0);
    archive_free(archive);
}

static void duplicates_are_dropped_counted_and_keep_the_smallest_place(void **state)
{
    (void)state;
    put_file("a.csv", HEADER SAMPLE("2", "5") SAMPLE("1", "7.00") SAMPLE("1", "7"));
    put_file("b.csv", HEADER SAMPLE("1", "7") SAMPLE("3", "1"));
    for (int turn = 0; turn < 2; turn++) {
        struct archive *archive =
            turn ? READ("b.csv", "a.csv", "b.csv") : READ("b.csv", "b.csv", "a.csv");
        seal(archive, NULL);
        assert_int_equal(archive_count(archive), 3);
        check_line(archive, 0, SAMPLE("1", "7"), "a.csv", 3);
        check_line(archive, 1, SAMPLE("2", "5"), "a.csv", 2);
        check_line(archive, 2, SAMPLE("3", "1"), "b.csv", 3);
        struct archive_tally tally = archive_tally(archive);
        assert_int_equal(tally.n_files, 3);
        assert_int_equal(tally.n_read, 7);
        assert_int_equal(tally.n_duplicates, 4);
        assert_int_equal(tally.n_conflicts, 0);
        archive_free(archive);
    }
}

static void a_conflict_names_both_places_whatever_the_order(void **state)
{
    (void)state;
    put_file("a.csv", HEADER SAMPLE("2", "5") SAMPLE("1", "9"));
    put_file("b.csv", HEADER SAMPLE("1", "7") SAMPLE("2", "5"));
    const char *expected = "a.csv:3: conflict with b.csv:2: the same record, but value is 9 here "
                           "and 7 there (1 conflict in all)";
    check_error(READ("a.csv", "b.csv"), NULL, ERR_DATA, expected);
    check_error(READ("b.csv", "a.csv", "b.csv"), NULL, ERR_DATA, expected);
}

static void conflicts_are_counted_by_record(void **state)
{
    (void)state;
    put_file("a.csv", HEADER SAMPLE("1", "1") SAMPLE("1", "2") SAMPLE("1", "3") SAMPLE("2", "1"));
    put_file("b.csv", HEADER "1,sample,r1,\"m,2\",2024,bus,1,t,v,1,64,B,,rate,2,1,B/s,,,ok,\n");
    check_error(READ("a.csv", "b.csv"), NULL, ERR_DATA,
                "a.csv:2: conflict with a.csv:3: the same record, but value is 1 here and 2 there "
                "(2 conflicts in all)");
    put_file("a.csv", HEADER SAMPLE("2", "1"));
    check_error(READ("b.csv", "a.csv"), NULL, ERR_DATA,
                "a.csv:2: conflict with b.csv:2: the same record, but machine is m here and "
                "\"m,2\" there (1 conflict in all)");
}

static void the_preferred_file_settles_a_conflict(void **state)
{
    (void)state;
    put_file("a.csv", HEADER SAMPLE("1", "1") SAMPLE("2", "8"));
    put_file("b.csv", HEADER SAMPLE("1", "2") SAMPLE("2", "8"));
    put_file("c.csv", HEADER SAMPLE("1", "3") SAMPLE("1", "1"));
    struct archive *archive = READ("a.csv", "b.csv");
    seal(archive, "b.csv");
    assert_int_equal(archive_count(archive), 2);
    check_line(archive, 0, SAMPLE("1", "2"), "b.csv", 2);
    check_line(archive, 1, SAMPLE("2", "8"), "a.csv", 3);
    assert_int_equal(archive_tally(archive).n_conflicts, 1);
    assert_int_equal(archive_tally(archive).n_duplicates, 1);
    archive_free(archive);

    /* Its version is known by the line, though the place of that line is another file's. */
    put_file("d.csv", HEADER SAMPLE("1", "1"));
    archive = READ("d.csv", "b.csv", "a.csv");
    seal(archive, "d.csv");
    check_line(archive, 0, SAMPLE("1", "1"), "a.csv", 2);
    archive_free(archive);

    /* It cannot settle what it does not hold, or contradicts itself in. */
    check_error(READ("a.csv", "b.csv", "c.csv"), "c.csv", ERR_DATA,
                "a.csv:2: conflict with b.csv:2: the same record, but value is 1 here and 2 there "
                "(1 conflict in all)");
    put_file("e.csv", HEADER SAMPLE("3", "1"));
    check_error(READ("a.csv", "b.csv", "e.csv"), "e.csv", ERR_DATA,
                "a.csv:2: conflict with b.csv:2: the same record, but value is 1 here and 2 there "
                "(1 conflict in all)");
    check_error(READ("a.csv"), "b.csv", ERR_USAGE, "b.csv: is preferred, but not among the files");
}

static void files_without_an_end_row_are_named_in_the_order_of_names(void **state)
{
    (void)state;
    put_file("a.csv", HEADER SAMPLE("1", "1"));
    put_file("b.csv", HEADER SAMPLE("2", "1"));
    struct archive *archive = READ("b.csv", "a.csv", "b.csv");
    seal(archive, NULL);
    assert_string_equal(archive_warning(archive, 0),
                        "a.csv: no end row: the run may be incomplete");
    assert_string_equal(archive_warning(archive, 1),
                        "b.csv: no end row: the run may be incomplete");
    assert_null(archive_warning(archive, 2));
    assert_int_equal(archive_tally(archive).n_incomplete, 3);
    archive_free(archive);
}

static void the_first_bad_row_is_an_error(void **state)
{
    (void)state;
    struct err err;
    struct archive *archive;
    put_file("a.csv", HEADER SAMPLE("1", "1") SAMPLE("2", "\"1,5\"") SAMPLE("3", "x"));
    OK(archive_new(&archive, &err));
    assert_int_equal(archive_add(archive, "a.csv", &err), ERR_DATA);
    assert_string_equal(err.text, "a.csv:3: value: '1,5' is no number");
    archive_free(archive);
}

/* ---- the property: grouping, order and repetition of merges never show ---- */

/* xorshift64*, Vigna, ACM Trans. Math. Softw. 42 (2016) 30, section 4. */
static uint64_t next_random(uint64_t *state)
{
    *state ^= *state >> 12;
    *state ^= *state << 25;
    *state ^= *state >> 27;
    return *state * UINT64_C(2685821657736338717);
}

static unsigned below(uint64_t *state, unsigned n)
{
    return (unsigned)(next_random(state) >> 33) % n;
}

enum { N_RECORDS = 40, N_ROUNDS = 30 };

static const char *const odd_texts[] = {"m",     "m,1",  "\"",   "a \"b\"", "two\nlines",
                                        " edge ", "\xc3\xa4", "m\r\nn", "-",       "1"};

static const char *odd_text(uint64_t *state)
{
    return odd_texts[below(state, sizeof odd_texts / sizeof odd_texts[0])];
}

/* i makes the record's identity; everything else is by chance. */
static void random_record(uint64_t *state, unsigned i, struct buffer *out)
{
    static const char *const kernels[] = {"bus", "bus_speed", "b"};
    static const char *const runs[] = {"r1", "r10", "r,1", "r\"2"};
    struct record record = record_new(below(state, 4) ? KIND_SAMPLE : KIND_FACT);
    char name[32];
    record.run = runs[below(state, 4)];
    record.machine = odd_text(state);
    record.time = below(state, 2) ? "2007-08" : "2024-02-29T23:59:59.5Z";
    if (record.kind == KIND_SAMPLE) {
        record.kernel = kernels[below(state, 3)];
        RECORD_SET(&record, revision, below(state, 3));
        record.test = odd_text(state);
        record.variant = odd_text(state);
        RECORD_SET(&record, threads, 1 + below(state, 12));
        if (below(state, 2)) {
            RECORD_SET(&record, x, 1024.5 * below(state, 1000));
            record.x_unit = "B";
        }
        record.params = below(state, 2) ? "" : "a=1;b=%3B";
        record.metric = "rate";
        RECORD_SET(&record, rep, i);
    } else {
        snprintf(name, sizeof name, "name%u", i);
        record.metric = name;
    }
    RECORD_SET(&record, value, (double)next_random(state) / 3e12);
    record.unit = "B/s";
    record.text = odd_text(state);
    record_encode(&record, out);
}

/* The row in another spelling of the same content: every field in quotes, CR LF at the end. */
static void respell(const char *line, struct buffer *out)
{
    bool is_quoted = false, at_start = true;
    for (const char *p = line; *p; p++) {
        bool is_end = !is_quoted && (*p == ',' || *p == '\n');
        if (at_start && *p != '"')
            buffer_add_char(out, '"');
        if (*p == '"')
            is_quoted = !is_quoted;
        if (is_end && (at_start || p[-1] != '"'))
            buffer_add_char(out, '"');
        if (is_end && *p == '\n')
            buffer_add_char(out, '\r');
        buffer_add_char(out, *p);
        at_start = is_end;
    }
}

/* A file of some of the records, in any order and spelling; picks[i] says whether i is in it. */
static void put_random_file(uint64_t *state, const char *path, char *const *lines,
                            const bool *picks)
{
    struct buffer text = {0};
    buffer_add_text(&text, HEADER);
    unsigned start = below(state, N_RECORDS);
    bool respells = below(state, 2);
    for (unsigned i = 0; i < N_RECORDS; i++) {
        unsigned at = (start + 7 * i) % N_RECORDS; /* 7 is prime to N_RECORDS */
        for (unsigned copies = picks[at] ? 1 + below(state, 2) : 0; copies > 0; copies--) {
            if (respells)
                respell(lines[at], &text);
            else
                buffer_add_text(&text, lines[at]);
        }
    }
    put_file(path, buffer_text(&text));
    buffer_free(&text);
}

static void write_archive(const struct archive *archive, const char *path, bool is_gzip)
{
    struct err err;
    struct output *output;
    struct gzip_writer *gzip = NULL;
    struct writer writer;
    OK(output_open(&output, path, &err));
    if (is_gzip)
        OK(gzip_writer_open(&gzip, output_write, output, &err));
    writer_init(&writer, is_gzip ? gzip_writer_write : output_write,
                is_gzip ? (void *)gzip : (void *)output);
    OK(writer_header(&writer, &err));
    for (size_t i = 0; i < archive_count(archive); i++) {
        size_t size;
        const char *line = archive_line(archive, i, &size);
        OK(writer_line(&writer, line, size, &err));
    }
    OK(writer_end(&writer, &err));
    writer_free(&writer);
    if (is_gzip)
        OK(gzip_writer_close(gzip, &err));
    OK(output_commit(output, &err));
}

static void merge_files(size_t n, const char *const *paths, const char *out, bool is_gzip)
{
    struct archive *archive = read_files(n, paths);
    seal(archive, NULL);
    write_archive(archive, out, is_gzip);
    archive_free(archive);
}

static char *slurp(const char *path, size_t *size)
{
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    assert_int_equal(fseek(file, 0, SEEK_END), 0);
    long end = ftell(file);
    assert_true(end > 0);
    rewind(file);
    char *bytes = malloc((size_t)end + 1);
    assert_non_null(bytes);
    *size = fread(bytes, 1, (size_t)end, file);
    bytes[*size] = '\0';
    fclose(file);
    return bytes;
}

static void check_equal_files(const char *a, const char *b, uint64_t seed)
{
    size_t a_size, b_size;
    char *a_bytes = slurp(a, &a_size), *b_bytes = slurp(b, &b_size);
    if (a_size != b_size || memcmp(a_bytes, b_bytes, a_size) != 0)
        fail_msg("seed %" PRIu64 ": %s and %s differ", seed, a, b);
    free(a_bytes);
    free(b_bytes);
}

/* Every record is in the archive exactly once. */
static void check_all_there(const char *path, char *const *lines, uint64_t seed)
{
    struct archive *archive = read_files(1, &path);
    seal(archive, NULL);
    size_t size;
    if (archive_count(archive) != N_RECORDS)
        fail_msg("seed %" PRIu64 ": %zu records", seed, archive_count(archive));
    for (unsigned i = 0; i < N_RECORDS; i++) {
        size_t at = 0;
        while (at < N_RECORDS && strcmp(archive_line(archive, at, &size), lines[i]) != 0)
            at++;
        if (at == N_RECORDS)
            fail_msg("seed %" PRIu64 ": missing: %s", seed, lines[i]);
    }
    assert_null(archive_warning(archive, 0));
    archive_free(archive);
}

static void grouping_order_and_repetition_of_merges_never_show(void **state)
{
    (void)state;
    static const char *const parts[] = {"p0", "p1", "p2", "p3", "p4"};
    for (uint64_t seed = 1; seed <= N_ROUNDS; seed++) {
        uint64_t random = seed * UINT64_C(0x9e3779b97f4a7c15);
        char *lines[N_RECORDS];
        for (unsigned i = 0; i < N_RECORDS; i++) {
            struct buffer line = {0};
            random_record(&random, i, &line);
            assert_false(line.failed);
            lines[i] = line.bytes;
        }
        /* Every record in one file at least. */
        bool picks[5][N_RECORDS];
        for (unsigned i = 0; i < N_RECORDS; i++) {
            for (unsigned f = 0; f < 5; f++)
                picks[f][i] = below(&random, 3) == 0;
            picks[below(&random, 5)][i] = true;
        }
        for (unsigned f = 0; f < 5; f++) {
            picks[f][below(&random, N_RECORDS)] = true; /* a file has a record */
            put_random_file(&random, parts[f], lines, picks[f]);
        }
        merge_files(5, parts, "all", false);
        check_all_there("all", lines, seed);

        /* ((a b) c (d e a)) for five files in any order, plain and gzip in any mixture */
        const char *order[] = {"p0", "p1", "p2", "p3", "p4"};
        for (unsigned i = 4; i > 0; i--) {
            unsigned j = below(&random, i + 1);
            const char *swap = order[i];
            order[i] = order[j];
            order[j] = swap;
        }
        merge_files(2, order, "left", below(&random, 2));
        merge_files(3, (const char *[]){order[3], order[4], order[0]}, "right", below(&random, 2));
        merge_files(3, (const char *[]){"right", order[2], "left"}, "tree", false);
        check_equal_files("tree", "all", seed);
        merge_files(3, (const char *[]){"tree", order[1], "all"}, "again", false);
        check_equal_files("again", "all", seed);
        merge_files(2, (const char *[]){"all", "left"}, "x.gz", true);
        merge_files(2, (const char *[]){order[4], "x.gz"}, "y.gz", true);
        check_equal_files("x.gz", "y.gz", seed);
        for (unsigned i = 0; i < N_RECORDS; i++)
            free(lines[i]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(records_come_in_canonical_form_and_order),
        cmocka_unit_test(duplicates_are_dropped_counted_and_keep_the_smallest_place),
        cmocka_unit_test(a_conflict_names_both_places_whatever_the_order),
        cmocka_unit_test(conflicts_are_counted_by_record),
        cmocka_unit_test(the_preferred_file_settles_a_conflict),
        cmocka_unit_test(files_without_an_end_row_are_named_in_the_order_of_names),
        cmocka_unit_test(the_first_bad_row_is_an_error),
        cmocka_unit_test(grouping_order_and_repetition_of_merges_never_show),
    };
    return cmocka_run_group_tests(tests, enter_folder, leave_folder);
}
