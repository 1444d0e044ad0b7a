/* MP-Whetstone. MP-WHETS.txt has a row for each number of threads; the program that takes the number of
 * threads prints a row for each thread and their sum, which is the same figure. Both end with whether all
 * threads came to the same results. The order of the columns is that of the sources' printing: the three
 * floating-point loops, cos, exp, fixed point, if, assignments. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "normalize/import/longbottom.h"

enum { N_FIGURES = 9 };

static bool is_rows_title(const char *line)
{
    return import_begins(line, "MP-Whetstone Benchmark");
}

static bool is_threads_title(const char *line)
{
    return import_begins(line, "Multithreading ") && strstr(line, "Precision Whetstones");
}

/* What a section says of the program's check. */
struct check {
    const char *wrong;  /* its line, or NULL */
    bool is_good;       /* for any number of threads */
    bool is_good_alone; /* for one */
};

static struct check check_read(const struct import *import, const struct section *section)
{
    struct check check = {0};
    for (size_t i = section->title + 1; i < section->end && !check.wrong; i++) {
        const char *line = import->lines[i];
        if (strstr(line, "Numeric results incorrect") || strstr(line, "Wrong sumcheck") ||
            strstr(line, "Wrong Result Was"))
            check.wrong = line + strspn(line, " ");
        check.is_good = check.is_good || strstr(line, "consistent numeric results") ||
                        strstr(line, "threads were same as above");
        check.is_good_alone =
            check.is_good_alone || strstr(line, "Results Of Calculations Thread 1");
    }
    return check;
}

/* Why the figures are none: NULL when the check is told to have gone well. */
static const char *bad_check(const struct check *check, unsigned long threads,
                             enum record_status *status)
{
    *status = check->wrong ? STATUS_WRONG : STATUS_FAILED;
    if (check->wrong)
        return check->wrong;
    return check->is_good || (threads == 1 && check->is_good_alone)
               ? NULL
               : "the log ends before the program's check";
}

struct table {
    const struct section *section;
    const char *heading;   /* of N_FIGURES columns; NULL above it */
    unsigned long threads; /* of the title's lines; 0: they stand in front of each row */
    const char *bad;       /* why there are no figures, or NULL */
    enum record_status status; /* where bad is not NULL */
};

static struct record sample_of(struct import *import, const struct table *table, size_t column,
                               unsigned long threads)
{
    static const char *const tests[N_FIGURES] = {"mwips", "n1", "n2", "n6", "n5", "n8", "n4", "n3", "n7"};
    const char *metric = column >= 1 && column <= 3 ? "flops" : "rate";
    struct record sample = import_sample(import, "whetstone", tests[column], metric);
    sample.variant = table->section->variant;
    RECORD_SET(&sample, threads, threads);
    return sample;
}

static const char *type_of(const struct table *table, const struct import *import)
{
    return strstr(import->lines[table->section->title], "Single Precision") ? "float" : NULL;
}

static void add_figure(struct import *import, const struct table *table, const struct record *sample,
                       const char *figure, double factor, const char *unit)
{
    if (table->bad)
        import_add_status(import, sample, table->status, table->bad);
    else
        import_add_text(import, sample, figure, factor, unit);
}

/* "4T", or with `threads` the number of a thread or "Total". False for another line. */
static bool row_head(const struct table *table, const char *line, unsigned long *number, bool *is_total)
{
    char *end;
    line += strspn(line, " ");
    *is_total = table->threads == 0 || import_begins(line, "Total ");
    if (*is_total && table->threads > 0) {
        *number = table->threads;
        return true;
    }
    *number = strtoul(line, &end, 10);
    return end > line && *number > 0 && *number < 100000 && (table->threads == 0 ? *end == 'T' : *end == ' ');
}

/* What is right of the row's head, in columns of the heading. */
static bool row_cells(struct import *import, const struct table *table, const char *line,
                      const char *cells[static N_FIGURES])
{
    size_t head = strspn(line, " ");
    head += strcspn(line + head, " ");
    const char *row = import_text(import, "%*s%s", (int)head, "", line + head);
    return longbottom_cells(import, table->heading, row, cells, N_FIGURES);
}

static void add_row(struct import *import, const struct table *table, const char *line,
                    const char *const cells[static N_FIGURES])
{
    unsigned long number;
    bool is_total;
    row_head(table, line, &number, &is_total);
    unsigned long threads = table->threads > 0 ? table->threads : number;
    for (size_t c = 0; c < N_FIGURES; c++) {
        struct record sample = sample_of(import, table, c, threads);
        sample.params =
            import_params(import, "thread", is_total ? NULL : import_text(import, "%lu", number), "type",
                          type_of(table, import), NULL);
        add_figure(import, table, &sample, cells[c], 1e6, c >= 1 && c <= 3 ? "flop/s" : "op/s");
    }
}

/* "Overall Seconds   4.98 1T,   5.02 2T,": of all tests, for each number of threads. */
static void add_seconds(struct import *import, const struct table *table, const char *line)
{
    enum { WORDS_MAX = 2 + 2 * 64 };
    const char *words[WORDS_MAX];
    size_t n = import_words(import, line, words, WORDS_MAX);
    for (size_t i = 2; i + 1 < n && i + 1 < WORDS_MAX; i += 2) {
        unsigned long threads = strtoul(words[i + 1], NULL, 10);
        if (threads == 0 || threads > 99999)
            continue;
        struct record sample = sample_of(import, table, 0, threads);
        sample.metric = "elapsed";
        add_figure(import, table, &sample, words[i], 1, "s");
    }
}

/* "MWIPS    1081 Based on time for last thread to finish": all threads' work over the longest time. */
static void add_last(struct import *import, const struct table *table, const char *line)
{
    const char *words[2];
    struct record sample = sample_of(import, table, 0, table->threads);
    sample.params = import_params(import, "time", "last_thread", "type", type_of(table, import), NULL);
    import_words(import, line, words, 2);
    add_figure(import, table, &sample, words[1], 1e6, "op/s");
}

static int read_section(struct import *import, const struct section *section, size_t *n_results,
                        struct err *err)
{
    struct table table = {.section = section};
    const struct check check = check_read(import, section);
    for (size_t i = section->title + 1; i < section->end; i++) {
        const char *line = import->lines[i], *cells[N_FIGURES];
        unsigned long number;
        bool is_total;
        int end = 0;
        if (sscanf(line, " Using %6lu threads -%n", &number, &end) == 1 && end > 0) {
            if (number == 0 || number > 99999)
                return import_error(import, i, err, "no number of threads");
            table.threads = number;
        } else if (table.heading && import_begins(line, "Overall Seconds")) {
            add_seconds(import, &table, line);
        } else if (table.threads > 0 && strstr(line, "Based on time for last thread to finish")) {
            add_last(import, &table, line);
        } else if (import_begins(line, "MWIPS MFLOPS MFLOPS MFLOPS") && strstr(line, "Cos") &&
                   i + 1 < section->end && strstr(import->lines[i + 1], "MOPS")) {
            table.heading = line;
            table.bad = bad_check(&check, table.threads, &table.status);
            import_use(import, i + 1, i + 2);
        } else if (table.heading && row_head(&table, line, &number, &is_total) &&
                   row_cells(import, &table, line, cells)) {
            add_row(import, &table, line, cells);
            ++*n_results;
        } else if (!import_begins(line, "Using 1, 2, 4 and 8 Threads")) {
            continue;
        }
        import_use(import, i, i + 1);
    }
    return 0;
}

static const struct longbottom rows = {"Benchmark", is_rows_title, false, "whetstone", "mwips", "rate",
                                       read_section};
static const struct longbottom threads = {"Whetstones", is_threads_title, false, "whetstone", "mwips",
                                          "rate", read_section};

static bool mp_whets_recognises(const struct import *import)
{
    return longbottom_has(&rows, import) || longbottom_has(&threads, import);
}

static int mp_whets_read(struct import *import, struct err *err)
{
    return longbottom_read(longbottom_has(&rows, import) ? &rows : &threads, import, err);
}

const struct importer importer_mp_whets = {"mp_whets", "MP-WHETS.txt of Longbottom's MP-Whetstone",
                                           mp_whets_recognises, mp_whets_read};
