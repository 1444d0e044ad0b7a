#include "report/page.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/builds.h"
#include "report/changepoint.h"
#include "report/compare.h"
#include "report/noise.h"
#include "report/order.h"
#include "report/scale.h"

/* Machines of many years side by side: what is the same work on all of them, as it is and per clock
 * cycle; and where a machine's own series of runs changed. */

static int out_of_memory(struct err *err)
{
    return err_set(err, ERR_SYSTEM, "out of memory");
}

/* ---- rows: cells that are equal in all but machine and variant, best variant of each machine ---- */

static bool is_better(const struct cell *a, const struct cell *b, enum better better)
{
    return better == BETTER_LOWER ? a->summary.median < b->summary.median
                                  : a->summary.median > b->summary.median;
}

/* best[m]: the best cell of machine m among cells [n] of the same work, or NULL. Returns how many
 * machines have one. */
static size_t best_find(const struct cell *cells, size_t n, enum better better,
                        const struct cell **best, size_t n_machines)
{
    size_t count = 0;
    for (size_t m = 0; m < n_machines; m++)
        best[m] = NULL;
    for (size_t i = 0; i < n; i++) {
        const struct cell **here = &best[cells[i].machine];
        if (cells[i].summary.n == 0 || cell_is_emulated(&cells[i]))
            continue;
        count += !*here;
        if (!*here || is_better(&cells[i], *here, better))
            *here = &cells[i];
    }
    return count;
}

/* Hz; 0 when the machine does not say. Measured, if it is. */
static double clock_of(const struct machine *machine, bool *is_measured)
{
    static const char *const facts[] = {"cpu.clock.measured", "cpu.clock"};
    for (size_t i = 0; i < 2; i++) {
        const struct record *fact = machine_fact(machine, facts[i], "", NULL);
        if (!fact)
            fact = machine_fact(machine, facts[i], "before", NULL);
        *is_measured = i == 0;
        if (fact && fact->status == STATUS_OK && RECORD_HAS(fact, value) && fact->value > 0)
            return fact->value;
    }
    return 0;
}

static void per_clock_add(const struct cell *cell, double clock_hz, struct buffer *out)
{
    char text[SCALE_TEXT_SIZE];
    size_t size = strlen(cell->unit);
    bool is_rate = size > 2 && strcmp(cell->unit + size - 2, "/s") == 0;
    if (clock_hz <= 0 || (!is_rate && strcmp(cell->unit, "s") != 0))
        return;
    double value = cell->summary.median;
    scale_number(is_rate ? value / clock_hz : value * clock_hz, SCALE_DIGITS, text);
    if (is_rate)
        buffer_add_format(out, "%s %.*s/cycle", text, (int)(size - 2), cell->unit);
    else
        buffer_add_format(out, "%s cycles", text);
}

static void cell_set(const struct page *page, struct value *item, const struct cell *cell,
                     const struct cell *first, struct buffer *text)
{
    char shown[SCALE_TEXT_SIZE];
    bool is_measured;
    value_flag(item, "has_value", cell != NULL);
    if (!cell)
        return;
    buffer_clear(text);
    page_samples_href(page, cell, text);
    value_text(item, "href", buffer_text(text));
    scale_format(cell->summary.median, cell->unit, SCALE_DIGITS, shown);
    value_text(item, "text", shown);
    value_format(item, "value", "%.17g", cell->summary.median);
    buffer_clear(text);
    if (cell != first && first->summary.median > 0 && strcmp(cell->unit, first->unit) == 0 &&
        strcmp(cell->unit, "1") != 0) {
        scale_number(cell->summary.median / first->summary.median, SCALE_DIGITS, shown);
        buffer_add_format(text, "× %s", shown);
    }
    value_text(item, "times", buffer_text(text));
    buffer_clear(text);
    per_clock_add(cell,
                  clock_of(&page->site->selection.machines.machines[cell->machine], &is_measured),
                  text);
    value_text(item, "per_clock", buffer_text(text));
}

static void row_set(const struct page *page, struct value *rows, const struct cell *const *best,
                    const bool *is_column, struct buffer *text)
{
    const struct machines *machines = &page->site->selection.machines;
    const struct cell *first = NULL;
    for (size_t m = 0; m < machines->n && !first; m++)
        first = best[m];
    struct value *row = value_append(rows);
    const struct metric *metric = metric_find(first->key->metric);
    value_text(row, "test", first->key->test);
    value_text(row, "metric", first->key->metric);
    value_text(row, "better", better_text(metric->better));
    buffer_clear(text);
    if (RECORD_HAS(first->key, x))
        field_text(&(struct field){FIELD_X, NULL}, &page->site->selection, first, NULL, text);
    for (const char *p = first->key->params; *p; p++) {
        if (p == first->key->params)
            buffer_add_text(text, text->size > 0 ? ", " : "");
        if (*p == ';')
            buffer_add_text(text, ", ");
        else
            buffer_add_char(text, *p == '=' ? ' ' : *p);
    }
    buffer_add_format(text, "%sthreads %" PRIu64, text->size > 0 ? ", " : "", first->key->threads);
    value_text(row, "where", buffer_text(text));
    struct value *cells = value_list(row, "cells");
    for (size_t m = 0; m < machines->n; m++)
        if (is_column[m])
            cell_set(page, value_append(cells), best[m], first, text);
}

static void columns_set(const struct page *page, struct value *item, const bool *is_column,
                        struct buffer *text)
{
    const struct site *site = page->site;
    struct value *columns = value_list(item, "columns");
    for (size_t m = 0; m < site->selection.machines.n; m++) {
        const struct machine *machine = &site->selection.machines.machines[m];
        bool is_measured = false;
        if (!is_column[m])
            continue;
        struct value *column = value_append(columns);
        double clock_hz = clock_of(machine, &is_measured);
        value_text(column, "name", machine->name);
        value_format(column, "href", "machines/%s.html", site->machine_slugs[m]);
        value_format(column, "year", "%.4s", machine->first_time);
        buffer_clear(text);
        if (clock_hz > 0) {
            char shown[SCALE_TEXT_SIZE];
            scale_format(clock_hz, "Hz", SCALE_DIGITS, shown);
            buffer_add_format(text, "%s%s", shown, is_measured ? " measured" : " announced");
        }
        value_text(column, "clock", buffer_text(text));
    }
}

static int kernel_set(struct page *page, struct value *list, const struct site_kernel *kernel,
                      struct buffer *text, struct err *err)
{
    size_t n_machines = page->site->selection.machines.n;
    struct arena *arena = &page->tree.arena;
    const struct cell **best = arena_take(arena, n_machines, sizeof *best);
    bool *is_column = arena_take(arena, n_machines, sizeof *is_column);
    struct value *item = NULL, *rows = NULL;
    if (!best || !is_column)
        return out_of_memory(err);
    memset(is_column, 0, n_machines * sizeof *is_column);
    /* Twice: which machines are columns, then the rows. */
    for (int pass = 0; pass < 2; pass++)
        for (size_t i = 0, end; i < kernel->n_cells; i = end) {
            const struct metric *metric = metric_find(kernel->cells[i].key->metric);
            for (end = i + 1;
                 end < kernel->n_cells && is_same_work(kernel->cells[i].key, kernel->cells[end].key);)
                end++;
            if (!metric || metric->better == BETTER_NONE ||
                best_find(kernel->cells + i, end - i, metric->better, best, n_machines) < 2)
                continue;
            for (size_t m = 0; m < n_machines && pass == 0; m++)
                is_column[m] = is_column[m] || best[m];
            if (pass == 0)
                continue;
            if (!item) {
                item = value_append(list);
                value_text(item, "kernel", kernel->name);
                value_format(item, "href", "kernels/%s.html", kernel->slug);
                columns_set(page, item, is_column, text);
                rows = value_list(item, "rows");
            }
            row_set(page, rows, best, is_column, text);
        }
    return 0;
}

/* ---- series of runs ---- */

struct run_value {
    const struct cell *cell;
    const char *run, *time;
    double median;
};

static int compare_times(const void *a, const void *b)
{
    const struct run_value *x = a, *y = b;
    int order = strcmp(x->time, y->time);
    return order ? order : strcmp(x->run, y->run);
}

/* The cells of the same work on any configuration of one machine. Another kernel or compiler is what may
 * change a series, it does not end it. */
struct series {
    const struct cell **cells; /* [n] */
    size_t n, n_runs, n_records;
};

/* The series that the cell is the first of; none where it is not the first. Cells of the same work are
 * neighbours. */
static void series_collect(const struct selection *selection, size_t c, struct series *series)
{
    const struct machine *machines = selection->machines.machines;
    const struct cell *first = &selection->cells[c];
    size_t end = c + 1;
    series->n = series->n_runs = series->n_records = 0;
    if (machines[first->machine].n_configurations > 1) {
        while (c > 0 && is_same_work(first->key, selection->cells[c - 1].key))
            c--;
        while (end < selection->n_cells && is_same_work(first->key, selection->cells[end].key))
            end++;
    }
    for (; c < end; c++) {
        const struct cell *cell = &selection->cells[c];
        if (machines[cell->machine].first != machines[first->machine].first ||
            strcmp(cell->key->variant, first->key->variant) != 0 ||
            strcmp(cell->unit, first->unit) != 0)
            continue;
        if (cell < first)
            return;
        series->cells[series->n++] = cell;
        series->n_runs += cell->n_runs;
        series->n_records += cell->n_records;
    }
}

/* Appends the medians of the runs of a cell. Returns how many there are then. */
static size_t runs_add(const struct cell *cell, struct run_value *runs, size_t n, double *scratch)
{
    for (size_t i = 0, end; i < cell->n_records; i = end) {
        const struct record *first = cell->records[i];
        size_t n_values = 0;
        for (end = i; end < cell->n_records && strcmp(cell->records[end]->run, first->run) == 0;
             end++)
            if (cell->records[end]->status == STATUS_OK && cell->records[end]->rep > 0 &&
                strcmp(cell->records[end]->unit, cell->unit) == 0 && cell->records[end]->value > 0)
                scratch[n_values++] = cell->records[end]->value;
        if (n_values == 0)
            continue;
        statistics_sort(scratch, n_values);
        runs[n++] = (struct run_value){cell, first->run, first->time,
                                       statistics_median(scratch, n_values)};
    }
    return n;
}

static void changepoint_set(struct page *page, struct value *list, const struct run_value *run,
                            const struct changepoint *point, struct buffer *text)
{
    const struct cell *cell = run->cell;
    const struct metric *metric = metric_find(cell->key->metric);
    bool is_up = point->ratio > 1;
    char shown[SCALE_TEXT_SIZE];
    struct value *item = value_append(list);
    value_text(item, "machine", page->site->selection.machines.machines[cell->machine].name);
    buffer_clear(text);
    page_samples_href(page, cell, text);
    value_text(item, "href", buffer_text(text));
    value_format(item, "what", "%s %s %s", cell->key->kernel, cell->key->test, cell->key->metric);
    buffer_clear(text);
    if (RECORD_HAS(cell->key, x))
        field_text(&(struct field){FIELD_X, NULL}, &page->site->selection, cell, NULL, text);
    value_text(item, "x", buffer_text(text));
    value_text(item, "run", run->run);
    value_text(item, "time", run->time);
    scale_percent(point->ratio - 1, shown);
    value_text(item, "change", shown);
    value_text(item, "verdict",
               !metric || metric->better == BETTER_NONE            ? ""
               : is_up == (metric->better == BETTER_HIGHER) ? "better"
                                                            : "worse");
}

static int series_set(struct page *page, struct buffer *text, struct err *err)
{
    const struct selection *selection = &page->site->selection;
    struct arena *arena = &page->tree.arena;
    struct value *list = value_list(page->map, "changepoints");
    struct series series = {.cells = arena_take(arena, selection->machines.n, sizeof *series.cells)};
    size_t n_series = 0;
    if (!series.cells)
        return out_of_memory(err);
    for (size_t c = 0; c < selection->n_cells; c++) {
        series_collect(selection, c, &series);
        n_series += series.n_runs >= 2 * CHANGEPOINT_SEGMENT;
    }
    for (size_t c = 0; c < selection->n_cells; c++) {
        series_collect(selection, c, &series);
        if (series.n_runs < 2 * CHANGEPOINT_SEGMENT)
            continue;
        struct run_value *runs = arena_take(arena, series.n_runs, sizeof *runs);
        double *values = arena_take(arena, series.n_runs + series.n_records, sizeof *values);
        struct changepoint *points = arena_take(arena, series.n_runs, sizeof *points);
        size_t n_points, n = 0;
        if (!runs || !values || !points)
            return out_of_memory(err);
        for (size_t i = 0; i < series.n; i++)
            n = runs_add(series.cells[i], runs, n, values);
        qsort(runs, n, sizeof *runs, compare_times);
        for (size_t i = 0; i < n; i++)
            values[i] = runs[i].median;
        /* Of all series together at most one in twenty such pages has a false alarm. */
        TRY(changepoints_find(values, n, 0.05 / (double)n_series, compare_default_threshold, points,
                              &n_points, err));
        for (size_t i = 0; i < n_points; i++)
            changepoint_set(page, list, &runs[points[i].at], &points[i], text);
    }
    value_count(page->map, "n_series", n_series, "series");
    value_flag(page->map, "has_series", n_series > 0);
    value_flag(page->map, "has_changepoints", list->first != NULL);
    return 0;
}

int page_generations(struct site *site, struct err *err)
{
    struct page page;
    struct buffer text = {0};
    page_begin(&page, site, "", "Hardware generations");
    struct value *list = value_list(page.map, "generations");
    int result = 0;
    for (size_t k = 0; k < site->n_kernels && result >= 0; k++)
        result = kernel_set(&page, list, &site->kernels[k], &text, err);
    if (result >= 0)
        result = series_set(&page, &text, err);
    if (result >= 0 && text.failed)
        result = out_of_memory(err);
    buffer_free(&text);
    if (result < 0) {
        page_free(&page);
        return result;
    }
    return page_end(&page, "generations", "generations.html", err);
}
