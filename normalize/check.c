#include "normalize/check.h"

#include <inttypes.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "normalize/conflicts.h"
#include "normalize/intake.h"
#include "normalize/memory.h"
#include "normalize/merging.h"
#include "normalize/problems.h"
#include "normalize/sorter.h"
#include "schema/pool.h"
#include "schema/quote.h"

const struct option_spec check_options[] = {
    {"max", 'm', "N", "print at most N problems; all are counted"},
    {"format", 0, "text|json", "json: an object on a line of standard output for each problem, each "
                               "file, and all"},
    {"memory", 0, "SIZE", "memory to use, such as 512M or 2G; 1G when not given"},
    {"tmp", 0, "DIR", "folder for temporary files; TMPDIR, or /tmp, when not given"},
    {"threads", 0, "N", "threads to use; as many as there are processors when not given"},
    {"quiet", 'q', NULL, "say nothing of files without a problem"},
    {0},
};

/* One file, checked by one thread. */
struct file_check {
    const struct merge_settings *limits;
    struct input_file *file;
    struct problems problems;
    struct conflicts conflicts;
    struct sorter *sorter;
    enum {
        IN_ORDER, /* so far: rows are compared with the one before, and nothing is kept for long */
        SORTED,   /* every row is in the sorter */
        UNSORTED  /* the rows are read once more when the end is known, and sorted then */
    } state;
    struct buffer row;
    struct job job;
    int result; /* negative when it was not the file's fault */
    struct err err;
};

/* As many rows are kept in the sorter as well, so that a file that is not in order, which shows early,
 * is read once. */
enum { KEPT_ROWS = 4096 };

static const struct row *pack(struct file_check *check, const struct canonical *canonical,
                              uint64_t line)
{
    buffer_clear(&check->row);
    struct row *row = (struct row *)(void *)buffer_reserve(&check->row, row_stride(canonical->size));
    if (row)
        row_pack(row, canonical, 0, line);
    return row;
}

static int look_at_row(struct file_check *check, const struct canonical *canonical, uint64_t line)
{
    const struct input_file *file = check->file;
    struct err *err = &check->err;
    bool is_kept = file->n_records <= KEPT_ROWS || !file->is_rereadable;
    if (check->state == SORTED || (check->state == IN_ORDER && is_kept))
        TRY(sorter_add(check->sorter, 0, canonical, 0, line, err));
    if (check->state != IN_ORDER)
        return 0;
    const struct row *row = pack(check, canonical, line);
    if (!row)
        return err_set(err, ERR_SYSTEM, "out of memory");
    int taken = conflicts_add(&check->conflicts, row, err);
    if (taken == 0) {
        check->state = is_kept ? SORTED : UNSORTED;
        conflicts_clear(&check->conflicts);
    }
    return taken < 0 ? taken : 0;
}

/* All rows; a bad one is told and passed. */
static int check_rows(struct file_check *check, struct reader *reader)
{
    struct input_file *file = check->file;
    struct canonical canonical;
    int result;
    while ((result = input_file_next(file, reader, &canonical)) > 0) {
        if (result == READER_BAD_ROW)
            TRY(problems_add(&check->problems, file->err.text, &check->err));
        else
            TRY(look_at_row(check, &canonical, reader_line(reader)));
    }
    if (result == ERR_DATA)
        TRY(problems_add(&check->problems, file->err.text, &check->err));
    return 0;
}

/* The good rows once more, into the sorter. */
static int sort_again(struct file_check *check)
{
    struct reader *reader;
    struct canonical canonical;
    struct err *err = &check->err;
    TRY(reader_open(&reader, check->file->path, err));
    int result;
    while ((result = reader_next_line(reader, &canonical, err)) > 0) {
        int added = result == READER_RECORD
                        ? sorter_add(check->sorter, 0, &canonical, 0, reader_line(reader), err)
                        : 0;
        if (added < 0) {
            result = added;
            break;
        }
    }
    reader_close(reader);
    return result == ERR_DATA ? 0 : result; /* it was told before */
}

static int find_conflicts(struct file_check *check)
{
    struct err *err = &check->err;
    struct feed **feeds;
    size_t n;
    struct merger merger = {0};
    sorter_finish_chunk(check->sorter, 0);
    TRY(sorter_feeds(check->sorter, &feeds, &n, err));
    int result = merger_init(&merger, feeds, n, err);
    const struct row *row;
    while (result >= 0 && (row = merger_row(&merger))) {
        result = conflicts_add(&check->conflicts, row, err);
        if (result >= 0)
            result = merger_next(&merger, err);
    }
    merger_free(&merger);
    return result < 0 ? result : 0;
}

static int tell_conflicts(struct file_check *check)
{
    struct err *err = &check->err;
    TRY(conflicts_end(&check->conflicts, err));
    for (size_t i = 0; i < conflicts_count(&check->conflicts); i++) {
        struct conflict conflict = conflicts_at(&check->conflicts, i);
        struct err text;
        err_set(&text, ERR_DATA,
                "%s:%" PRIu64 ": conflict with line %" PRIu64
                ": the same record with another content",
                check->file->path, conflict.line, conflict.other_line);
        TRY(problems_add(&check->problems, text.text, err));
    }
    return 0;
}

static int new_sorter(struct file_check *check)
{
    const struct sorter_limits limits = {
        .chunk_bytes = check->limits->chunk_bytes,
        .buffer_bytes = check->limits->buffer_bytes,
        .fan_in = check->limits->fan_in,
        .n_chunks = 1,
        .folder = check->limits->folder,
    };
    sorter_free(check->sorter);
    check->sorter = NULL;
    return sorter_new(&check->sorter, &limits, &check->err);
}

static int check_opened(struct file_check *check, struct reader *reader)
{
    TRY(new_sorter(check));
    TRY(check_rows(check, reader));
    if (check->file->result < 0 && check->file->result != ERR_DATA)
        return 0;
    if (check->state == UNSORTED) {
        TRY(new_sorter(check));
        TRY(sort_again(check));
    }
    if (check->state != IN_ORDER)
        TRY(find_conflicts(check));
    return tell_conflicts(check);
}

static void check_file(void *context)
{
    struct file_check *check = context;
    struct reader *reader;
    int opened = input_file_open(check->file, &reader);
    if (opened == ERR_DATA)
        check->result = problems_add(&check->problems, check->file->err.text, &check->err);
    if (opened < 0)
        return;
    check->result = check_opened(check, reader);
    reader_close(reader);
    sorter_free(check->sorter);
    check->sorter = NULL;
    buffer_free(&check->row);
}

/* ---- what is printed, in the order of the files ---- */

struct report {
    bool is_json, is_quiet;
    uint64_t max;
    uint64_t n_problems, n_bad_files, n_files;
    bool has_system_error; /* a file could not be read */
};

static void print_file_json(const struct file_check *check)
{
    const struct input_file *file = check->file;
    struct buffer line = {0};
    buffer_add_text(&line, "{\"file\":");
    quote_json(&line, file->path);
    buffer_add_format(&line, ",\"problems\":%" PRIu64 ",\"records\":%" PRIu64 ",\"duplicates\":%" PRIu64
                             ",\"complete\":%s",
                      check->problems.n, file->n_records, check->conflicts.n_duplicates,
                      file->has_end_row ? "true" : "false");
    if (file->result < 0 && file->result != ERR_DATA) {
        buffer_add_text(&line, ",\"error\":");
        quote_json(&line, file->err.text);
    }
    printf("%s}\n", buffer_text(&line));
    buffer_free(&line);
}

static void print_file_text(const struct file_check *check)
{
    const struct input_file *file = check->file;
    uint64_t n = file->n_records, n_duplicates = check->conflicts.n_duplicates;
    printf("%s: %" PRIu64 " record%s", file->path, n, n == 1 ? "" : "s");
    if (n_duplicates > 0)
        printf(", %" PRIu64 " of them twice", n_duplicates);
    puts(file->has_end_row ? ", complete" : ", no end row: may be incomplete");
}

static int print_file(struct report *report, struct file_check *check, struct err *err)
{
    const struct input_file *file = check->file;
    bool is_unread = file->result < 0 && file->result != ERR_DATA;
    uint64_t left = report->max - (report->n_problems < report->max ? report->n_problems : report->max);
    TRY(problems_print(&check->problems, left, report->is_json ? stdout : stderr, err));
    report->n_problems += check->problems.n;
    report->n_bad_files += check->problems.n > 0;
    report->has_system_error |= is_unread;
    if (is_unread)
        fprintf(stderr, "normalize: %s\n", file->err.text);
    if (report->is_json)
        print_file_json(check);
    else if (check->problems.n == 0 && !is_unread && !report->is_quiet)
        print_file_text(check);
    return 0;
}

static void print_all(const struct report *report)
{
    if (report->is_json) {
        printf("{\"files\":%" PRIu64 ",\"bad_files\":%" PRIu64 ",\"problems\":%" PRIu64 "}\n",
               report->n_files, report->n_bad_files, report->n_problems);
        return;
    }
    if (report->n_problems == 0)
        return;
    fprintf(stderr, "normalize: %" PRIu64 " problem%s in %" PRIu64 " of %" PRIu64 " files",
            report->n_problems, report->n_problems == 1 ? "" : "s", report->n_bad_files,
            report->n_files);
    if (report->n_problems > report->max)
        fprintf(stderr, ", the first %" PRIu64 " shown", report->max);
    fputc('\n', stderr);
}

static void free_check(struct file_check *check)
{
    sorter_free(check->sorter);
    problems_free(&check->problems);
    conflicts_free(&check->conflicts);
    buffer_free(&check->row);
}

/* checks: [n] begun one behind the other, n_threads at a time, so that the memory is enough for them */
static int check_all(struct report *report, struct file_check *checks, size_t n,
                     const struct merge_settings *limits, struct err *err)
{
    struct pool *pool;
    TRY(pool_new(&pool, limits->n_threads, err));
    int result = 0;
    size_t begun = 0;
    for (size_t i = 0; i < n; i++) {
        while (begun < n && begun < i + limits->n_threads && result == 0)
            pool_submit(pool, &checks[begun++].job);
        if (i >= begun)
            break;
        pool_wait(pool, &checks[i].job);
        intake_hide(checks[i].file->intake);
        if (result == 0 && checks[i].result < 0) {
            result = checks[i].result;
            *err = checks[i].err;
        }
        if (result == 0)
            result = print_file(report, &checks[i], err);
        free_check(&checks[i]);
    }
    pool_free(pool);
    return result;
}

static int check_files(struct report *report, struct intake *intake,
                       const struct merge_settings *limits, struct err *err)
{
    struct file_check *checks = calloc(intake->n_files, sizeof *checks);
    if (!checks)
        return err_set(err, ERR_SYSTEM, "out of memory");
    for (size_t i = 0; i < intake->n_files; i++) {
        checks[i] = (struct file_check){
            .limits = limits,
            .file = &intake->files[i],
            .problems = {.path = intake->files[i].path,
                         .folder = limits->folder,
                         .is_json = report->is_json,
                         .max = report->max},
            .job = {.run = check_file, .context = &checks[i]},
        };
    }
    int result = check_all(report, checks, intake->n_files, limits, err);
    free(checks);
    return result;
}

int check_run(const struct arguments *arguments, struct err *err)
{
    unsigned long max = ULONG_MAX;
    int format = 0;
    struct merge_settings limits = {.folder = argument_value(arguments, "tmp")};
    struct intake intake;
    TRY(argument_count(arguments, "max", 0, ULONG_MAX, &max, err));
    TRY(argument_word(arguments, "format", "text|json", &format, err));
    TRY(memory_limits(arguments, &limits, err));
    struct report report = {.is_json = format == 1,
                            .is_quiet = argument_given(arguments, "quiet"),
                            .max = max,
                            .n_files = arguments->n_operands};
    int result = intake_init(&intake, arguments->operands, arguments->n_operands, BAD_ROWS_RETURN,
                             limits.folder, err);
    if (result == 0) {
        intake_restart(&intake);
        result = check_files(&report, &intake, &limits, err);
    }
    intake_free(&intake);
    TRY(memory_hint(arguments, result, err));
    print_all(&report);
    err->text[0] = '\0'; /* everything was said */
    return report.has_system_error ? ERR_SYSTEM : report.n_problems > 0 ? ERR_DATA : 0;
}
