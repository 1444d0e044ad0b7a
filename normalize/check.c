#include "normalize/check.h"

#include <inttypes.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "schema/arena.h"
#include "schema/buffer.h"
#include "schema/canonical.h"
#include "schema/progress.h"
#include "schema/reader.h"

const struct option_spec check_options[] = {
    {"max", 'm', "N", "print at most N problems; all are counted"},
    {"quiet", 'q', NULL, "say nothing of files without a problem"},
    {0},
};

/* A good row of the file at hand. */
struct seen {
    struct canonical row; /* its line is in the arena */
    uint64_t line;
    uint64_t other_line; /* an earlier row of the same record with another content, or 0 */
};

struct check {
    unsigned long max;
    bool is_quiet;
    struct progress progress;
    uint64_t n_problems;   /* all files */
    uint64_t n_bad_files;
    uint64_t n_records;    /* all files */
    bool has_system_error; /* a file could not be read */
    /* of the file at hand */
    struct arena arena;
    struct seen *seen; /* [n_seen] */
    size_t n_seen;
    size_t capacity;
    struct buffer scratch;
};

static void tell(struct check *check, const char *text)
{
    if (check->n_problems++ >= check->max)
        return;
    progress_end(&check->progress);
    fprintf(stderr, "%s\n", text);
}

static int remember(struct check *check, const struct record *record, uint64_t line,
                    struct err *err)
{
    if (check->n_seen == check->capacity) {
        size_t capacity = check->capacity ? check->capacity * 2 : 1024;
        struct seen *seen = capacity > SIZE_MAX / 2 / sizeof *seen
                                ? NULL
                                : realloc(check->seen, capacity * sizeof *seen);
        if (!seen)
            return err_set(err, ERR_SYSTEM, "out of memory");
        check->seen = seen;
        check->capacity = capacity;
    }
    buffer_clear(&check->scratch);
    record_encode(record, &check->scratch);
    const char *copy = arena_copy(&check->arena, buffer_text(&check->scratch), check->scratch.size);
    struct seen seen = {.line = line};
    if (check->scratch.failed || !copy || !canonical_split(&seen.row, copy, check->scratch.size))
        return err_set(err, ERR_SYSTEM, "out of memory");
    check->seen[check->n_seen++] = seen;
    return 0;
}

static int compare_rows(const void *a, const void *b)
{
    const struct seen *x = a, *y = b;
    int order = canonical_compare(&x->row, &y->row);
    return order ? order : (x->line > y->line) - (x->line < y->line);
}

static int compare_lines(const void *a, const void *b)
{
    const struct seen *x = a, *y = b;
    return (x->line > y->line) - (x->line < y->line);
}

/* Marks the rows that contradict an earlier one. Returns how many rows stand there twice. */
static uint64_t mark_conflicts(struct check *check)
{
    uint64_t n_duplicates = 0;
    struct seen *seen = check->seen;
    size_t n = check->n_seen;
    if (n > 0)
        qsort(seen, n, sizeof *seen, compare_rows);
    for (size_t first = 0, end; first < n; first = end) {
        const struct seen *earliest = &seen[first];
        for (end = first + 1;
             end < n && canonical_is_same_record(&seen[first].row, &seen[end].row); end++)
            earliest = seen[end].line < earliest->line ? &seen[end] : earliest;
        for (size_t i = first; i < end; i++) {
            if (i > first && canonical_compare(&seen[i - 1].row, &seen[i].row) == 0)
                n_duplicates++;
            else if (canonical_compare(&earliest->row, &seen[i].row) != 0)
                seen[i].other_line = earliest->line;
        }
    }
    return n_duplicates;
}

static void tell_conflicts(struct check *check, const char *path)
{
    if (check->n_seen > 0)
        qsort(check->seen, check->n_seen, sizeof *check->seen, compare_lines);
    for (size_t i = 0; i < check->n_seen; i++) {
        const struct seen *seen = &check->seen[i];
        if (seen->other_line == 0)
            continue;
        buffer_clear(&check->scratch);
        buffer_add_format(&check->scratch,
                          "%s:%" PRIu64 ": conflict with line %" PRIu64
                          ": the same record with another content",
                          path, seen->line, seen->other_line);
        tell(check, buffer_text(&check->scratch));
    }
}

static void tell_good(const struct check *check, const char *path, bool is_complete,
                      uint64_t n_duplicates)
{
    if (check->is_quiet)
        return;
    printf("%s: %zu record%s", path, check->n_seen, check->n_seen == 1 ? "" : "s");
    if (n_duplicates > 0)
        printf(", %" PRIu64 " of them twice", n_duplicates);
    puts(is_complete ? ", complete" : ", no end row: may be incomplete");
}

/* All rows; a bad one is told and passed. Negative when nothing more can be read. */
static int check_rows(struct check *check, struct reader *reader, const char *path, struct err *err)
{
    struct record record;
    int result;
    while ((result = reader_next(reader, &record, err)) > 0) {
        if (result == READER_BAD_ROW)
            tell(check, err->text);
        else
            TRY(remember(check, &record, reader_line(reader), err));
        progress_step(&check->progress, ++check->n_records, path);
    }
    return result;
}

static void check_file(struct check *check, const char *path)
{
    struct err err = {0};
    struct reader *reader = NULL;
    uint64_t n_before = check->n_problems;
    check->n_seen = 0;
    int result = reader_open(&reader, path, &err);
    if (result == 0)
        result = check_rows(check, reader, path, &err);
    progress_end(&check->progress);
    if (result == ERR_DATA) {
        tell(check, err.text);
    } else if (result < 0) {
        fprintf(stderr, "normalize: %s\n", err.text);
        check->has_system_error = true;
    }
    uint64_t n_duplicates = mark_conflicts(check);
    tell_conflicts(check, path);
    if (check->n_problems > n_before)
        check->n_bad_files++;
    else if (result == 0)
        tell_good(check, path, reader_is_complete(reader), n_duplicates);
    reader_close(reader);
    arena_free(&check->arena);
}

int check_run(const struct arguments *arguments, struct err *err)
{
    struct check check = {.max = ULONG_MAX, .is_quiet = argument_given(arguments, "quiet")};
    TRY(argument_count(arguments, "max", 0, ULONG_MAX, &check.max, err));
    progress_start(&check.progress, 0);
    for (size_t i = 0; i < arguments->n_operands; i++)
        check_file(&check, arguments->operands[i]);
    if (check.n_problems > 0) {
        fprintf(stderr, "normalize: %" PRIu64 " problem%s in %" PRIu64 " of %zu files",
                check.n_problems, check.n_problems == 1 ? "" : "s", check.n_bad_files,
                arguments->n_operands);
        if (check.n_problems > check.max)
            fprintf(stderr, ", the first %lu shown", check.max);
        fputc('\n', stderr);
    }
    free(check.seen);
    buffer_free(&check.scratch);
    err->text[0] = '\0'; /* everything was said */
    return check.has_system_error ? ERR_SYSTEM : check.n_problems > 0 ? ERR_DATA : 0;
}
