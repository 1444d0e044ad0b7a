#include "normalize/import/importing.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "normalize/import/figures.h"
#include "schema/params.h"
#include "schema/sha256.h"
#include "schema/text.h"

enum { ID_DIGITS = 16 };

struct import_id {
    char hash[ID_DIGITS + 1];
};

struct import_run {
    const char *id;
    const char *time, *machine; /* NULL: not said so far */
    struct record *rows;        /* [n_rows], all texts in the import's memory */
    size_t n_rows, capacity;
};

static void run_free(struct import *import)
{
    if (import->run)
        free(import->run->rows);
    free(import->run);
    import->run = NULL;
}

void import_close(struct import *import)
{
    run_free(import);
    free(import->ids);
    arena_free(&import->arena);
}

int import_run_begin(struct import *import, const char *bytes, size_t size, struct err *err)
{
    char hash[SHA256_HEX_SIZE];
    struct sha256 state;
    sha256_init(&state);
    sha256_add(&state, bytes, size);
    sha256_finish(&state, hash);
    run_free(import);
    size_t n_equal = 1;
    for (size_t i = 0; i < import->n_ids; i++)
        n_equal += strncmp(import->ids[i].hash, hash, ID_DIGITS) == 0;
    if ((import->n_ids & (import->n_ids + 1)) == 0) { /* 0, 1, 3, 7 ...: room for twice as many */
        struct import_id *ids = realloc(import->ids, (2 * import->n_ids + 2) * sizeof *ids);
        if (!ids)
            return err_set(err, ERR_SYSTEM, "out of memory");
        import->ids = ids;
    }
    snprintf(import->ids[import->n_ids++].hash, ID_DIGITS + 1, "%.*s", ID_DIGITS, hash);
    import->run = calloc(1, sizeof *import->run);
    if (!import->run)
        return err_set(err, ERR_SYSTEM, "out of memory");
    import->run->id = n_equal == 1
                          ? import_text(import, "%s-%.*s", import->importer->name, ID_DIGITS, hash)
                          : import_text(import, "%s-%.*s-%zu", import->importer->name, ID_DIGITS,
                                        hash, n_equal);
    return 0;
}

int import_run_begin_lines(struct import *import, size_t first, size_t end, struct err *err)
{
    struct buffer text = {0};
    for (size_t i = first; i < end && i < import->n_lines; i++) {
        buffer_add_text(&text, import->lines[i]);
        buffer_add_char(&text, '\n');
    }
    int result = text.failed ? err_set(err, ERR_SYSTEM, "out of memory")
                             : import_run_begin(import, buffer_text(&text), text.size, err);
    buffer_free(&text);
    return result;
}

static bool parse_ctime(const char *text, int date[3])
{
    static const char months[] = "JanFebMarAprMayJunJulAugSepOctNovDec";
    char month[4];
    int day, year, end = 0;
    text += strspn(text, " ");
    if (sscanf(text, "%*3[A-Za-z] %3[A-Za-z] %2d %*2d:%*2d:%*2d %4d%n", month, &day, &year, &end) != 3 ||
        end == 0) /* date prints the zone in front of the year */
        return false;
    const char *found = strstr(months, month);
    if (strlen(month) != 3 || !found || (found - months) % 3 != 0)
        return false;
    date[0] = year;
    date[1] = (int)(found - months) / 3 + 1;
    date[2] = day;
    return true;
}

static bool parse_iso(const char *text, int date[3])
{
    char gap;
    int second;
    return sscanf(text, "%4d-%2d-%2d%c%*2d:%*2d:%2d", &date[0], &date[1], &date[2], &gap, &second) == 5 &&
           (gap == ' ' || gap == 'T');
}

/* With a numeric zone at its end: "2023-01-31T12:00:00+02:00". */
static bool parse_zoned(const char *text, time_t *out)
{
    struct tm tm = {0};
    int hours, minutes, end = 0;
    char sign;
    if (sscanf(text, "%4d-%2d-%2dT%2d:%2d:%2d%c%2d:%2d%n", &tm.tm_year, &tm.tm_mon, &tm.tm_mday,
               &tm.tm_hour, &tm.tm_min, &tm.tm_sec, &sign, &hours, &minutes, &end) != 9 ||
        (sign != '+' && sign != '-') || text[end] != '\0')
        return false;
    tm.tm_year -= 1900;
    tm.tm_mon -= 1;
    time_t utc = timegm(&tm);
    time_t offset = (time_t)hours * 3600 + (time_t)minutes * 60;
    *out = sign == '+' ? utc - offset : utc + offset;
    return true;
}

void import_run_epoch(struct import *import, double seconds)
{
    struct tm tm;
    time_t when = (time_t)seconds;
    char text[64];
    if (seconds >= 1 && seconds < 253402300800.0 && gmtime_r(&when, &tm) &&
        strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &tm) > 0)
        import->run->time = import_text(import, "%s", text);
}

bool import_run_time(struct import *import, const char *text, const char *source)
{
    int date[3];
    time_t utc;
    if (text_is_time(text)) {
        import->run->time = import_text(import, "%s", text);
        return true;
    }
    if (parse_zoned(text, &utc)) {
        import_run_epoch(import, (double)utc);
        return import->run->time != NULL;
    }
    if (!parse_iso(text, date) && !parse_ctime(text, date))
        return false;
    const char *day = import_text(import, "%04d-%02d-%02d", date[0], date[1], date[2]);
    if (!text_is_time(day))
        return false;
    import->run->time = day;
    import_fact(import, "run.start", text,
                import_text(import, "%s; the zone of the time is not said", source));
    return true;
}

void import_run_machine(struct import *import, const char *label)
{
    const char *clean = import_redact(import, label);
    if (*clean)
        import->run->machine = clean;
}

static struct record *add_row(struct import *import)
{
    struct import_run *run = import->run;
    if (run->n_rows == run->capacity) {
        size_t capacity = run->capacity ? run->capacity * 2 : 64;
        struct record *rows = capacity > SIZE_MAX / 2 / sizeof *rows
                                  ? NULL
                                  : realloc(run->rows, capacity * sizeof *rows);
        if (!rows) {
            import->failed = true;
            return NULL;
        }
        run->rows = rows;
        run->capacity = capacity;
    }
    return &run->rows[run->n_rows++];
}

static bool has_fact(const struct import *import, const char *name)
{
    for (size_t i = 0; i < import->run->n_rows; i++)
        if (import->run->rows[i].kind == KIND_FACT && strcmp(import->run->rows[i].metric, name) == 0)
            return true;
    return false;
}

static struct record *add_fact(struct import *import, const char *name, const char *source)
{
    struct record *fact = has_fact(import, name) ? NULL : add_row(import);
    if (!fact)
        return NULL;
    *fact = record_new(KIND_FACT);
    fact->metric = name;
    fact->params = import_params(import, "source", source, NULL);
    return fact;
}

void import_fact(struct import *import, const char *name, const char *text, const char *source)
{
    const char *clean = import_redact(import, text);
    struct record *fact = *clean ? add_fact(import, name, source) : NULL;
    if (fact)
        fact->text = clean;
}

void import_fact_number(struct import *import, const char *name, double value, const char *unit,
                        const char *source)
{
    struct record *fact = isfinite(value) ? add_fact(import, name, source) : NULL;
    if (fact) {
        RECORD_SET(fact, value, value);
        fact->unit = unit;
    }
}

void import_fact_unknown(struct import *import, const char *name, const char *why)
{
    struct record *fact = add_fact(import, name, NULL);
    if (fact) {
        fact->status = STATUS_UNKNOWN;
        fact->text = why;
    }
}

struct record import_sample(const struct import *import, const char *kernel, const char *test,
                            const char *metric)
{
    struct record sample = record_new(KIND_SAMPLE);
    RECORD_SET(&sample, revision, 1);
    RECORD_SET(&sample, threads, 1);
    sample.kernel = kernel;
    sample.test = test;
    sample.metric = metric;
    sample.variant = import->importer->name;
    return sample;
}

void import_add_status(struct import *import, const struct record *sample,
                       enum record_status status, const char *why)
{
    struct record *row = add_row(import);
    if (!row)
        return;
    *row = *sample;
    row->present &= ~COLUMN_BIT(value);
    row->unit = "";
    row->status = status;
    row->text = import_redact(import, why);
}

void import_add(struct import *import, const struct record *sample, double value, double factor,
                const char *unit)
{
    const char *why = figure_refusal(value, unit);
    if (why) {
        import_add_status(import, sample, STATUS_FAILED, import_text(import, "%g: %s", value, why));
        return;
    }
    double scaled = import_scale(value, factor);
    why = figure_refusal(scaled, unit);
    if (why) {
        import_add_status(import, sample, STATUS_FAILED, import_text(import, "%g: %s", scaled, why));
        return;
    }
    struct record *row = add_row(import);
    if (row) {
        *row = *sample;
        RECORD_SET(row, value, scaled);
        row->unit = unit;
    }
}

void import_add_text(struct import *import, const struct record *sample, const char *figure,
                     double factor, const char *unit)
{
    double value;
    enum record_status status;
    const char *why = figure_read(figure, &value, &status);
    if (why)
        import_add_status(import, sample, status,
                          *figure ? import_text(import, "'%.60s': %s", figure, why) : why);
    else
        import_add(import, sample, value, factor, unit);
}

void import_add_timed(struct import *import, const struct record *sample, const char *figure,
                      double factor, const char *unit, const char *seconds)
{
    struct record timed = *sample;
    enum record_status status = STATUS_FAILED;
    double elapsed;
    const char *why = figure_read(seconds, &elapsed, &status);
    why = why ? why : figure_refusal(elapsed, "s");
    why = why || elapsed < 1e9 ? why : "longer than anybody waits";
    if (why) {
        import_add_status(import, sample, status, import_text(import, "'%.60s' seconds: %s", seconds, why));
        return;
    }
    RECORD_SET(&timed, elapsed_ns, (uint64_t)import_scale(elapsed, 1e9));
    import_add_text(import, &timed, figure, factor, unit);
}

static int compare_samples(const struct record *a, const struct record *b)
{
    const char *const left[] = {a->kernel, a->test, a->variant, a->params, a->metric};
    const char *const right[] = {b->kernel, b->test, b->variant, b->params, b->metric};
    for (size_t i = 0; i < sizeof left / sizeof left[0]; i++) {
        int order = strcmp(left[i], right[i]);
        if (order)
            return order;
    }
    if (a->threads != b->threads)
        return a->threads < b->threads ? -1 : 1;
    double x = RECORD_HAS(a, x) ? a->x : -1, y = RECORD_HAS(b, x) ? b->x : -1;
    return (x > y) - (x < y);
}

static int compare_pointers(const void *a, const void *b)
{
    const struct record *const *left = a, *const *right = b;
    int order = compare_samples(*left, *right);
    return order ? order : (*left > *right) - (*left < *right);
}

/* Repetitions are numbered in the order of the file. */
static void number_samples(struct import *import)
{
    struct import_run *run = import->run;
    struct record **samples = calloc(run->n_rows + 1, sizeof *samples);
    size_t n = 0;
    if (!samples) {
        import->failed = true;
        return;
    }
    for (size_t i = 0; i < run->n_rows; i++)
        if (run->rows[i].kind == KIND_SAMPLE && !RECORD_HAS(&run->rows[i], rep))
            samples[n++] = &run->rows[i];
    qsort(samples, n, sizeof *samples, compare_pointers);
    for (size_t i = 0; i < n; i++) {
        bool is_next = i > 0 && compare_samples(samples[i - 1], samples[i]) == 0;
        RECORD_SET(samples[i], rep, is_next ? samples[i - 1]->rep + 1 : 1);
    }
    free(samples);
}

static int write_rows(struct import *import, size_t line, struct err *err)
{
    struct import_run *run = import->run;
    for (size_t i = 0; i < run->n_rows; i++) {
        struct record *row = &run->rows[i];
        row->run = run->id;
        row->machine = run->machine;
        row->time = run->time;
        if (RECORD_HAS(row, x) && !isfinite(row->x))
            return import_error(import, line, err, "a size that is not finite");
        int result = writer_record(import->writer, row, err);
        if (result == ERR_DATA)
            return err_wrap(err, "%s:%zu", import->path, line + 1);
        TRY(result);
        import->tally.n_not_ok += row->kind == KIND_SAMPLE && row->status != STATUS_OK;
    }
    import->tally.n_records += run->n_rows;
    import->tally.n_runs++;
    return 0;
}

int import_run_end(struct import *import, size_t line, struct err *err)
{
    static const char *const wanted[] = {"cpu.model", "memory.total", "system.os", "build.compiler"};
    struct import_run *run = import->run;
    size_t n_samples = 0;
    for (size_t i = 0; i < run->n_rows; i++)
        n_samples += run->rows[i].kind == KIND_SAMPLE;
    if (n_samples == 0 && !import->failed)
        return import_error(import, line, err, "no results of %s", import->importer->name);
    for (size_t i = 0; i < sizeof wanted / sizeof wanted[0]; i++)
        import_fact_unknown(import, wanted[i], "the file does not say");
    if (import->machine)
        run->machine = import_redact(import, import->machine);
    if (!run->machine || !run->machine[0])
        return import_error(import, line, err,
                            "the file does not say on which machine: --machine=LABEL does");
    if (!run->time)
        run->time = import->time;
    if (!run->time)
        return import_error(import, line, err,
                            "the file does not say when it was measured: --time=TIME does");
    number_samples(import);
    if (import->failed)
        return err_set(err, ERR_SYSTEM, "out of memory");
    int result = write_rows(import, line, err);
    run_free(import);
    return result;
}
