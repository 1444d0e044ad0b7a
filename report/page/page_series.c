#include "report/page/page.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/statistics/changepoint.h"
#include "report/compare/compare.h"
#include "report/scale.h"

/* Where a machine's own series of runs changed: a table, and a graph of each series that did. */

enum { SERIES_DRAWN = 24 };

static int out_of_memory(struct err *err)
{
    return err_set(err, ERR_SYSTEM, "out of memory");
}

struct run_value {
    const struct cell *cell;
    const char *run, *time;
    double median, low, high; /* of its samples, least to greatest */
    size_t n;
};

/* The cells of the same work on any configuration of one machine. Another kernel or compiler is what may
 * change a series, it does not end it. */
struct series {
    const struct cell **cells; /* [n] */
    size_t n, n_runs, n_records;
};

struct series_work {
    struct page *page;
    struct value *changes, *figures; /* lists of the page */
    size_t n_changed, n_drawn;       /* series */
    double alpha;
    struct buffer *text;
};

static int compare_times(const void *a, const void *b)
{
    const struct run_value *x = a, *y = b;
    int order = strcmp(x->time, y->time);
    return order ? order : strcmp(x->run, y->run);
}

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

/* Appends the values of the runs of a cell. Returns how many there are then. */
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
        runs[n++] = (struct run_value){.cell = cell,
                                       .run = first->run,
                                       .time = first->time,
                                       .median = statistics_median(scratch, n_values),
                                       .low = scratch[0],
                                       .high = scratch[n_values - 1],
                                       .n = n_values};
    }
    return n;
}

/* ---- the table ---- */

static const char *verdict_of(const struct cell *cell, double ratio)
{
    const struct metric *metric = metric_find(cell->key->metric);
    if (!metric || metric->better == BETTER_NONE)
        return "";
    return (ratio > 1) == (metric->better == BETTER_HIGHER) ? "better" : "worse";
}

static void changepoint_set(const struct page *page, struct value *list, const struct run_value *run,
                            const struct changepoint *point, struct buffer *text)
{
    const struct cell *cell = run->cell;
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
    value_text(item, "verdict", verdict_of(cell, point->ratio));
}

/* ---- the graph ---- */

/* "bus_speed read_all, 64 KiB, threads 1, along the runs of M" */
static const char *title_of(const struct page *page, const struct cell *cell, struct arena *arena,
                            struct buffer *text)
{
    buffer_clear(text);
    buffer_add_format(text, "%s %s, ", cell->key->kernel, cell->key->test);
    page_where_text(page, cell, text);
    buffer_add_format(text, ", along the runs of %s",
                      page->site->selection.machines.machines[cell->machine].whole);
    return text->failed ? NULL : arena_copy(arena, buffer_text(text), text->size);
}

static const char *mark_label(const struct run_value *run, const struct changepoint *point,
                              struct arena *arena, struct buffer *text)
{
    char shown[SCALE_TEXT_SIZE];
    scale_percent(point->ratio - 1, shown);
    buffer_clear(text);
    buffer_add_format(text, "%.10s: %s", run->time, shown); /* the day */
    return text->failed ? NULL : arena_copy(arena, buffer_text(text), text->size);
}

/* The runs one after the other, a mark where they changed. */
static int series_draw(struct series_work *work, const struct run_value *runs, size_t n,
                       const struct changepoint *changes, size_t n_changes, struct err *err)
{
    const struct cell *cell = runs[0].cell;
    struct page *page = work->page;
    struct buffer *text = work->text;
    struct arena *arena = &page->tree.arena;
    struct chart_point *points = arena_take(arena, n, sizeof *points);
    struct chart_mark *marks = arena_take(arena, n_changes, sizeof *marks);
    const char *title = title_of(page, cell, arena, text);
    if (!points || !marks || !title)
        return out_of_memory(err);
    for (size_t i = 0; i < n; i++)
        points[i] = (struct chart_point){.x = (double)(i + 1),
                                         .y = runs[i].median,
                                         .low = runs[i].n > 1 ? runs[i].low : NAN,
                                         .high = runs[i].n > 1 ? runs[i].high : NAN,
                                         .n = runs[i].n};
    for (size_t i = 0; i < n_changes; i++) {
        /* Between the last run before and the first behind. */
        marks[i] = (struct chart_mark){(double)changes[i].at + 0.5,
                                       mark_label(&runs[changes[i].at], &changes[i], arena, text)};
        if (!marks[i].label)
            return out_of_memory(err);
    }
    const struct chart_series line = {
        page->site->selection.machines.machines[cell->machine].whole, points, n};
    struct graph graph = {
        .first = cell,
        .title = title,
        .chart = {.kind = CHART_LINES,
                  .title = title,
                  .interval_note = "the least and the greatest sample of a run",
                  .x = {.title = "run, in the order of time", .unit = "1"},
                  .y = {.title = cell->key->metric,
                        .unit = cell->unit,
                        .display = display_unit(display_find(cell->key->kernel), cell->unit),
                        .is_of_changes = true},
                  .series = &line,
                  .n_series = 1,
                  .marks = marks,
                  .n_marks = n_changes}};
    buffer_clear(text);
    buffer_add_format(text, "Line graph of the %s of %s: %zu runs. Changed", cell->key->metric, title, n);
    for (size_t i = 0; i < n_changes; i++)
        buffer_add_format(text, "%s at run %zu, %s", i > 0 ? ";" : "", changes[i].at + 1,
                          marks[i].label);
    buffer_add_char(text, '.');
    graph.alt = buffer_text(text);
    return page_figure(page, work->figures, &graph, "series.runs", ++work->n_drawn, err);
}

/* ---- all series ---- */

static int series_add(struct series_work *work, const struct series *series, struct err *err)
{
    struct arena *arena = &work->page->tree.arena;
    struct run_value *runs = arena_take(arena, series->n_runs, sizeof *runs);
    double *values = arena_take(arena, series->n_runs + series->n_records, sizeof *values);
    struct changepoint *points = arena_take(arena, series->n_runs, sizeof *points);
    size_t n_points, n = 0;
    if (!runs || !values || !points)
        return out_of_memory(err);
    for (size_t i = 0; i < series->n; i++)
        n = runs_add(series->cells[i], runs, n, values);
    qsort(runs, n, sizeof *runs, compare_times);
    for (size_t i = 0; i < n; i++)
        values[i] = runs[i].median;
    TRY(changepoints_find(values, n, work->alpha, compare_default_threshold, points, &n_points,
                          err));
    for (size_t i = 0; i < n_points; i++)
        changepoint_set(work->page, work->changes, &runs[points[i].at], &points[i], work->text);
    work->n_changed += n_points > 0;
    if (n_points == 0 || work->n_drawn == SERIES_DRAWN)
        return 0;
    return series_draw(work, runs, n, points, n_points, err);
}

int page_series(struct page *page, struct buffer *text, struct err *err)
{
    const struct selection *selection = &page->site->selection;
    struct value *map = page->map;
    struct series_work work = {.page = page,
                               .changes = value_list(map, "changepoints"),
                               .figures = value_list(map, "figures"),
                               .text = text};
    struct series series = {.cells = arena_take(&page->tree.arena, selection->machines.n,
                                                sizeof *series.cells)};
    size_t n_series = 0;
    if (!series.cells)
        return out_of_memory(err);
    for (size_t c = 0; c < selection->n_cells; c++) {
        series_collect(selection, c, &series);
        n_series += series.n_runs >= 2 * CHANGEPOINT_SEGMENT;
    }
    /* Of all series together at most one in twenty such pages has a false alarm. */
    work.alpha = 0.05 / (double)n_series;
    for (size_t c = 0; c < selection->n_cells; c++) {
        series_collect(selection, c, &series);
        if (series.n_runs >= 2 * CHANGEPOINT_SEGMENT)
            TRY(series_add(&work, &series, err));
    }
    value_format(map, "n_series", "%zu series", n_series);
    page->site->n_series = n_series;
    page->site->n_series_changed = work.n_changed;
    value_flag(map, "has_series", n_series > 0);
    value_flag(map, "has_changepoints", work.changes->first != NULL);
    value_flag(map, "has_undrawn", work.n_drawn < work.n_changed);
    value_format(map, "n_drawn", "%zu", work.n_drawn);
    value_format(map, "n_changed", "%zu", work.n_changed);
    value_list(map, "flats");
    value_flag(map, "has_flats", false);
    value_flag(map, "lacks_gnuplot", page->site->lacks_gnuplot);
    return 0;
}
