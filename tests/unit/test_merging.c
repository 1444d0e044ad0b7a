#include "normalize/merging.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>

#include <cmocka.h>

#include "schema/archive.h"
#include "schema/output.h"
#include "schema/writer.h"
#include "tests/unit/folder.h"
#include "tests/unit/random.h"

#define HEADER                                                                                     \
    "schema,kind,run,machine,time,kernel,revision,test,variant,threads,x,x_unit,params,metric,"    \
    "rep,value,unit,iterations,elapsed_ns,status,text\n"

enum { N_FILES = 6, N_ROUNDS = 60, PATH_SIZE = 600 };

/* ---- files by chance ---- */

static const char *one_of(uint64_t *seed, const char *const *texts, uint32_t n)
{
    return texts[random_below(seed, n)];
}

/* i is its identity; `variation` changes the content. */
static void put_record(uint64_t i, uint32_t variation, struct buffer *out)
{
    static const char *const runs[] = {"r1", "r10", "r,1", "r\"2"};
    static const char *const texts[] = {"", "m,1", "a \"b\"", "two\nlines", " edge ", "\xc3\xa4"};
    uint64_t seed = i;
    struct record record = record_new(random_below(&seed, 5) ? KIND_SAMPLE : KIND_FACT);
    char name[32];
    record.run = one_of(&seed, runs, 4);
    record.machine = "m";
    record.time = "2024-02-29T23:59:59Z";
    record.params = random_below(&seed, 2) ? "" : "a=1;b=%3B";
    record.text = one_of(&seed, texts, 6);
    if (record.kind == KIND_SAMPLE) {
        record.kernel = random_below(&seed, 2) ? "bus" : "bus_speed";
        RECORD_SET(&record, revision, 1);
        record.test = "t";
        record.variant = "v";
        RECORD_SET(&record, threads, 1 + random_below(&seed, 3));
        record.metric = "rate";
        RECORD_SET(&record, rep, i);
    } else if (random_below(&seed, 20) == 0) {
        record.run = "r10";
        record.metric = "retracted";
        record.params = "";
        record.text = "the fan had stopped";
        record_encode(&record, out);
        return;
    } else {
        snprintf(name, sizeof name, "name%d", (int)i);
        record.metric = name;
    }
    RECORD_SET(&record, value, (double)random_below(&seed, 1000000) / 7 + variation);
    record.unit = "B/s";
    record_encode(&record, out);
}

struct files {
    struct folder folder;
    char paths[N_FILES][PATH_SIZE];
    char *names[N_FILES];
};

static void files_make(struct files *files)
{
    folder_make(&files->folder);
    for (int i = 0; i < N_FILES; i++) {
        char name[16];
        snprintf(name, sizeof name, "f%d.csv", i);
        snprintf(files->paths[i], PATH_SIZE, "%s", folder_file(&files->folder, name));
        files->names[i] = files->paths[i];
    }
}

static const char *file_at(struct files *files, const char *name, char path[static PATH_SIZE])
{
    snprintf(path, PATH_SIZE, "%s", folder_file(&files->folder, name));
    return path;
}

/* n_records different records over all files, in any order, some several times; one in `conflicts` rows
 * with other content, when that is not 0. */
static void files_fill(struct files *files, uint64_t *seed, uint32_t n_records, uint32_t conflicts)
{
    struct buffer text = {0};
    for (int f = 0; f < N_FILES; f++) {
        buffer_clear(&text);
        buffer_add_text(&text, HEADER);
        uint32_t start = random_below(seed, n_records), step = 1 + random_below(seed, 2) * 6;
        bool is_in_part = random_below(seed, 2);
        for (uint32_t i = 0; i < n_records; i++) {
            uint32_t at = (uint32_t)((start + (uint64_t)step * i) % n_records);
            if (i > 0 && random_below(seed, 3) > 0)
                continue;
            for (uint32_t n = 1 + random_below(seed, 8) / 7; n > 0; n--)
                put_record(at, conflicts && random_below(seed, conflicts) == 0, &text);
            if (is_in_part && i > n_records / 2)
                break;
        }
        folder_write(&files->folder, files->names[f] + strlen(files->folder.path) + 1, text.bytes,
                     text.size);
    }
    buffer_free(&text);
}

/* ---- the merge, and the same by the archive in memory, which is simple ---- */

/* Small enough that everything spills, joins and waits. */
static struct merge_settings small_settings(uint64_t *seed, const char *output)
{
    return (struct merge_settings){
        .output = output,
        .n_threads = 1 + random_below(seed, 3),
        .chunk_bytes = 4096 + random_below(seed, 3) * 5000,
        .buffer_bytes = 1 + random_below(seed, 2) * 700,
        .fan_in = 2 + random_below(seed, 4),
        .block_bytes = 1 + random_below(seed, 2000),
        .max_streams = random_below(seed, 7),
        .min_stream_bytes = 0,
        .n_ahead = 1 + random_below(seed, 3),
    };
}

static int merge(char *const *paths, size_t n, const struct merge_settings *settings,
                 struct merge_tally *tally, struct err *err)
{
    struct intake intake;
    int result = intake_init(&intake, paths, n, BAD_ROWS_FAIL, NULL, err);
    if (result == 0)
        result = merge_files(&intake, settings, tally, err);
    intake_free(&intake);
    return result;
}

static void write_simply(const struct archive *archive, const char *path)
{
    struct output *output;
    struct writer writer;
    struct err err;
    assert_int_equal(output_open(&output, path, &err), 0);
    writer_init(&writer, output_write, output);
    assert_int_equal(writer_header(&writer, &err), 0);
    for (size_t i = 0; i < archive_count(archive); i++) {
        size_t size;
        const char *line = archive_line(archive, i, &size);
        assert_int_equal(writer_line(&writer, line, size, &err), 0);
    }
    assert_int_equal(writer_end(&writer, &err), 0);
    writer_free(&writer);
    assert_int_equal(output_commit(output, &err), 0);
}

static int merge_simply(char *const *paths, size_t n, const char *prefer, const char *output,
                        struct archive_tally *tally, struct err *err)
{
    struct archive *archive;
    int result = archive_new(&archive, err);
    for (size_t i = 0; i < n && result == 0; i++)
        result = archive_add(archive, paths[i], err);
    if (result == 0)
        result = archive_seal(archive, prefer, err);
    *tally = archive_tally(archive);
    if (result == 0)
        write_simply(archive, output);
    archive_free(archive);
    return result;
}

static char *slurp(const char *path, size_t *size)
{
    FILE *file = fopen(path, "rb");
    struct buffer bytes = {0};
    assert_non_null(file);
    for (;;) {
        char *to = buffer_reserve(&bytes, 4096);
        assert_non_null(to);
        size_t n = fread(to, 1, 4096, file);
        if (n == 0)
            break;
        bytes.size += n;
        bytes.bytes[bytes.size] = '\0';
    }
    fclose(file);
    *size = bytes.size;
    return bytes.bytes;
}

static void assert_same_files(const char *a, const char *b)
{
    size_t a_size, b_size;
    char *a_bytes = slurp(a, &a_size), *b_bytes = slurp(b, &b_size);
    assert_int_equal(a_size, b_size);
    assert_memory_equal(a_bytes, b_bytes, a_size);
    free(a_bytes);
    free(b_bytes);
}

static void the_merge_is_that_of_an_archive_in_memory(void **state)
{
    (void)state;
    struct files files;
    char simple[PATH_SIZE], out[PATH_SIZE];
    uint64_t n_runs = 0, n_streams = 0, n_restarts = 0, n_errors = 0;
    files_make(&files);
    for (uint64_t round = 1; round <= N_ROUNDS; round++) {
        uint64_t seed = round;
        files_fill(&files, &seed, 5 + random_below(&seed, 300), round % 3 == 0 ? 50 : 0);
        const char *prefer = round % 6 == 0 ? files.names[random_below(&seed, N_FILES)] : NULL;
        file_at(&files, "simple.csv", simple);
        file_at(&files, "out.csv", out);
        /* Some of the files are archives already. */
        for (int f = 0; f < N_FILES; f++) {
            struct archive_tally ignored;
            struct err err;
            if (random_below(&seed, 2))
                merge_simply(&files.names[f], 1, NULL, files.names[f], &ignored, &err);
        }
        struct archive_tally expected;
        struct merge_tally tally;
        struct err expected_err = {0}, err = {0};
        int expected_result =
            merge_simply(files.names, N_FILES, prefer, simple, &expected, &expected_err);
        struct merge_settings settings = small_settings(&seed, out);
        settings.prefer = prefer;
        settings.folder = files.folder.path;
        int result = merge(files.names, N_FILES, &settings, &tally, &err);
        assert_int_equal(result, expected_result);
        n_runs += tally.n_runs;
        n_streams += tally.n_streams;
        n_restarts += tally.n_starts - 1;
        if (result < 0) {
            assert_string_equal(err.text, expected_err.text);
            n_errors++;
            continue;
        }
        assert_same_files(out, simple);
        assert_int_equal(tally.n_read, expected.n_read);
        assert_int_equal(tally.n_duplicates, expected.n_duplicates);
        assert_int_equal(tally.n_conflicts, expected.n_conflicts);
    }
    /* All that can happen did. */
    assert_true(n_runs > 100);
    assert_true(n_streams > 20);
    assert_true(n_restarts > 5);
    assert_true(n_errors > 5 && n_errors < N_ROUNDS / 2);
    folder_remove(&files.folder);
}

/* Any tree of merges, each file any number of times, plain or gzip; where samples of runs that were
 * retracted are left out at the end, it does not show who left them out before. */
static void grouping_order_and_repetition_never_show(void **state)
{
    (void)state;
    struct files files;
    struct merge_tally tally;
    struct err err;
    char all[PATH_SIZE];
    uint64_t n_retracted = 0;
    files_make(&files);
    for (uint64_t round = 1; round <= N_ROUNDS / 2; round++) {
        uint64_t seed = round;
        bool is_without = round % 2 == 0;
        files_fill(&files, &seed, 200, 0);
        struct merge_settings settings = small_settings(&seed, file_at(&files, "all.csv", all));
        settings.without_retracted = is_without;
        assert_int_equal(merge(files.names, N_FILES, &settings, &tally, &err), 0);
        n_retracted += tally.n_retracted;
        /* Two of what there is become one, at random, until one is left. */
        char paths[N_FILES * 2][PATH_SIZE];
        char *left[N_FILES * 2];
        size_t n = N_FILES, n_made = 0;
        for (size_t i = 0; i < n; i++)
            left[i] = files.names[i];
        while (n > 1) {
            size_t i = random_below(&seed, (uint32_t)n);
            char *a = left[i];
            left[i] = left[--n];
            size_t j = random_below(&seed, (uint32_t)n);
            char name[32];
            snprintf(name, sizeof name, "m%zu.csv%s", n_made, random_below(&seed, 2) ? ".gz" : "");
            file_at(&files, name, paths[n_made]);
            char *operands[] = {a, left[j], a};
            settings = small_settings(&seed, paths[n_made]);
            settings.without_retracted = is_without && random_below(&seed, 2);
            assert_int_equal(merge(operands, 2 + random_below(&seed, 2), &settings, &tally, &err), 0);
            left[j] = paths[n_made++];
        }
        char again[PATH_SIZE];
        char *operands[] = {left[0], files.names[random_below(&seed, N_FILES)], all};
        settings = small_settings(&seed, file_at(&files, "again.csv", again));
        settings.without_retracted = is_without;
        assert_int_equal(merge(operands, 1 + random_below(&seed, 3), &settings, &tally, &err), 0);
        assert_same_files(again, all);
    }
    assert_true(n_retracted > 100);
    folder_remove(&files.folder);
}

/* Whoever was preferred once is preferred again, by itself or as the archive that it went into. */
static void a_conflict_that_was_settled_stays_so(void **state)
{
    (void)state;
    struct files files;
    struct merge_tally tally;
    struct err err;
    uint64_t n_conflicts = 0;
    files_make(&files);
    for (uint64_t round = 1; round <= N_ROUNDS / 2; round++) {
        uint64_t seed = round;
        char sides[2][PATH_SIZE], settled[PATH_SIZE], again[PATH_SIZE];
        /* Each side agrees with itself. */
        for (uint32_t side = 0; side < 2; side++) {
            struct buffer text = {0};
            buffer_add_text(&text, HEADER);
            for (uint64_t i = 0; i < 200; i++)
                if (random_below(&seed, 4) > 0)
                    put_record(i, side * (random_below(&seed, 5) == 0), &text);
            file_at(&files, side ? "b.csv" : "a.csv", sides[side]);
            folder_write(&files.folder, side ? "b.csv" : "a.csv", text.bytes, text.size);
            buffer_free(&text);
        }
        file_at(&files, "settled.csv.gz", settled);
        file_at(&files, "again.csv.gz", again);
        char *chosen = sides[random_below(&seed, 2)];
        char *forms[][3] = {{sides[0], sides[1], sides[0]}, {sides[1], sides[0], sides[1]},
                            {settled, sides[1], sides[0]}, {settled, chosen, settled}};
        const char *prefer[] = {chosen, chosen, settled, NULL};
        for (size_t i = 0; i < 4; i++) {
            struct merge_settings settings = small_settings(&seed, i == 0 ? settled : again);
            settings.prefer = prefer[i];
            assert_int_equal(merge(forms[i], 3, &settings, &tally, &err), 0);
            if (i == 0)
                n_conflicts += tally.n_conflicts;
            else
                assert_same_files(again, settled);
        }
    }
    assert_true(n_conflicts > 100);
    folder_remove(&files.folder);
}

/* ---- errors ---- */

#define ROW(rep, value) "1,sample,r,m,2024,bus,1,t,v,1,,,,rate," rep "," value ",B/s,,,ok,\n"

static void the_first_bad_file_in_the_order_given_is_named(void **state)
{
    (void)state;
    struct files files;
    struct merge_tally tally;
    struct err err;
    files_make(&files);
    for (uint64_t seed = 1; seed < 40; seed++) {
        for (int f = 0; f < N_FILES; f++) {
            struct buffer text = {0};
            buffer_add_text(&text, HEADER);
            for (int i = 0; i < 400; i++)
                put_record((uint64_t)i, 0, &text);
            /* files 2, 3 and 5 are bad, in different places */
            if (f == 2 || f == 3 || f == 5)
                buffer_add_text(&text, ROW("1", "x"));
            for (int i = 0; f == 2 && i < 400; i++)
                put_record((uint64_t)i, 0, &text);
            folder_write(&files.folder, files.names[f] + strlen(files.folder.path) + 1, text.bytes,
                         text.size);
            buffer_free(&text);
        }
        uint64_t random = seed;
        char out[PATH_SIZE], expected[PATH_SIZE + 100];
        struct merge_settings settings = small_settings(&random, file_at(&files, "out.csv", out));
        assert_int_equal(merge(files.names, N_FILES, &settings, &tally, &err), ERR_DATA);
        assert_string_equal(strrchr(err.text, ':'), ": 'x' is no number");
        snprintf(expected, sizeof expected, "%s:", files.names[2]);
        assert_memory_equal(err.text, expected, strlen(expected));
        char *reversed[] = {files.names[5], files.names[3], files.names[2], files.names[0]};
        assert_int_equal(merge(reversed, 4, &settings, &tally, &err), ERR_DATA);
        snprintf(expected, sizeof expected, "%s:", files.names[5]);
        assert_memory_equal(err.text, expected, strlen(expected));
        assert_int_equal(access(out, F_OK), -1);
        assert_int_equal(folder_count(&files.folder), N_FILES);
    }
    folder_remove(&files.folder);
}

static void a_temporary_file_that_cannot_be_made_is_an_error(void **state)
{
    (void)state;
    struct files files;
    struct merge_tally tally;
    struct err err;
    uint64_t seed = 1;
    char out[PATH_SIZE];
    files_make(&files);
    files_fill(&files, &seed, 300, 0);
    struct merge_settings settings = small_settings(&seed, file_at(&files, "out.csv", out));
    settings.folder = "/nowhere";
    settings.max_streams = 0;
    assert_int_equal(merge(files.names, N_FILES, &settings, &tally, &err), ERR_SYSTEM);
    assert_non_null(strstr(err.text, "/nowhere: cannot make a temporary file"));
    assert_int_equal(access(out, F_OK), -1);
    folder_remove(&files.folder);
}

static void the_limits_stay_within_the_memory(void **state)
{
    (void)state;
    for (uint64_t memory = MERGE_MEMORY_MIN; memory <= UINT64_C(1) << 34; memory *= 2) {
        for (unsigned n_threads = 1; n_threads <= 256; n_threads *= 4) {
            struct merge_settings s = {0};
            merge_limit(&s, memory, n_threads);
            assert_true(s.n_threads >= 1 && s.n_threads <= n_threads);
            assert_true(s.fan_in >= 2 && s.n_ahead >= 1);
            assert_true(s.chunk_bytes >= 4 * 1024 * 1024);
            assert_true(s.n_threads * s.chunk_bytes + s.fan_in * s.buffer_bytes +
                            s.max_streams * 2 * 1024 * 1024 + s.n_ahead * 4 * 1024 * 1024 <=
                        memory + 4 * 1024 * 1024);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_merge_is_that_of_an_archive_in_memory),
        cmocka_unit_test(grouping_order_and_repetition_never_show),
        cmocka_unit_test(a_conflict_that_was_settled_stays_so),
        cmocka_unit_test(the_first_bad_file_in_the_order_given_is_named),
        cmocka_unit_test(a_temporary_file_that_cannot_be_made_is_an_error),
        cmocka_unit_test(the_limits_stay_within_the_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
