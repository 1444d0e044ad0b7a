#include "report/chart/graph_work.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/grid.h"

/* More lines than this in one graph and it is split by settings, then by threads: the eye tells
 * about that many colours and markers apart. */
enum { SERIES_WANTED = 16 };

static const double log_span = 100; /* values that span more than this are drawn on a log axis */

int graph_out_of_memory(struct err *err)
{
    return err_set(err, ERR_SYSTEM, "out of memory");
}

int graph_compare_by(const struct fields *fields, const struct cell *a, const struct cell *b)
{
    for (size_t i = 0; i < fields->n; i++) {
        int order = field_compare(&fields->list[i], a, b);
        if (order != 0)
            return order;
    }
    return 0;
}

static int compare_cells(const void *a, const void *b, void *context)
{
    const struct cell *x = *(const struct cell *const *)a;
    const struct cell *y = *(const struct cell *const *)b;
    int order = graph_compare_by(context, x, y);
    return order ? order : (x > y) - (x < y);
}

/* Fields by which the lines of a graph are told apart, the telling ones first. */
static int series_fields(const struct graph_work *work, const struct cell *const *cells, size_t n,
                         bool with_test, struct fields *fields, struct err *err)
{
    struct fields settings = {0};
    TRY(fields_parse("params", NULL, work->selection, cells, n, work->arena, &settings, err));
    fields->n = 0;
    if (!work->machine)
        fields->list[fields->n++] = (struct field){FIELD_MACHINE, NULL};
    if (with_test)
        fields->list[fields->n++] = (struct field){FIELD_TEST, NULL};
    for (size_t i = 0; i < settings.n && fields->n < FIELDS_MAX - 3; i++)
        fields->list[fields->n++] = settings.list[i];
    fields->list[fields->n++] = (struct field){FIELD_THREADS, NULL};
    fields->list[fields->n++] = (struct field){FIELD_VARIANT, NULL};
    fields->list[fields->n++] = (struct field){FIELD_RUN, NULL};
    return 0;
}

static struct chart_point point_of(const struct cell *cell, double x)
{
    const struct summary *summary = &cell->summary;
    bool has_spread = summary->n > 1;
    return (struct chart_point){.x = x,
                                .y = summary->median,
                                .low = has_spread ? summary->low : NAN,
                                .high = has_spread ? summary->high : NAN,
                                .n = summary->n};
}

static void spread_add(const struct cell *const *cells, size_t n, struct chart *chart)
{
    bool has_interval = false, has_range = false;
    for (size_t i = 0; i < n; i++) {
        const struct summary *summary = &cells[i]->summary;
        has_interval = has_interval || summary->has_interval;
        has_range = has_range || (!summary->has_interval && summary->n > 1);
    }
    chart->interval_note =
        has_interval && has_range
            ? "95 % confidence interval of the median; below 6 samples the range"
        : has_interval ? "95 % confidence interval of the median"
        : has_range    ? "the range of the samples, too few for an interval"
                       : NULL;
}

/* ---- axes ---- */

static bool wants_log(double least, double most, double span)
{
    return least > 0 && most / least >= span;
}

static void axes_set(const struct cell *const *cells, size_t n, struct chart *chart)
{
    const struct record *key = cells[0]->key;
    const struct display *display = display_find(key->kernel);
    double x_least = INFINITY, x_most = -INFINITY, y_least = INFINITY, y_most = -INFINITY;
    for (size_t i = 0; i < n; i++) {
        x_least = fmin(x_least, cells[i]->key->x);
        x_most = fmax(x_most, cells[i]->key->x);
        y_least = fmin(y_least, cells[i]->summary.median);
        y_most = fmax(y_most, cells[i]->summary.median);
    }
    bool is_lines = chart->kind == CHART_LINES;
    bool is_time = strcmp(key->x_unit, "s") == 0;
    chart->x = (struct chart_axis){
        .title = is_time ? "time" : is_lines ? display->x_title : "",
        .unit = is_lines ? key->x_unit : "",
        .display = is_lines && strcmp(key->x_unit, "B") == 0 ? display->x_unit : NULL,
        /* Sizes double from one to the next; equal steps on paper show that. */
        .scale = is_lines && !is_time && wants_log(x_least, x_most, 4) ? CHART_LOG : CHART_LINEAR};
    chart->y = (struct chart_axis){
        .title = key->metric,
        .unit = cells[0]->unit,
        .display = display_unit(display, cells[0]->unit),
        .scale = is_lines && y_least > 0 && (display->log_y || wants_log(y_least, y_most, log_span))
                     ? CHART_LOG
                     : CHART_LINEAR};
}

/* ---- kinds ---- */

/* cells [n] are sorted by `fields`, then x. */
static int lines_set(struct graph_work *work, const struct cell *const *cells, size_t n,
                     const struct fields *fields, struct chart *chart, struct err *err)
{
    struct chart_series *series = arena_take(work->arena, n, sizeof *series);
    struct chart_point *points = arena_take(work->arena, n, sizeof *points);
    if (!series || !points)
        return graph_out_of_memory(err);
    chart->kind = CHART_LINES;
    chart->series = series;
    for (size_t i = 0; i < n; i++) {
        points[i] = point_of(cells[i], cells[i]->key->x);
        if (i == 0 || graph_compare_by(fields, cells[i - 1], cells[i]) != 0) {
            const char *label = graph_series_label(work, fields, cells, n, cells[i]);
            if (!label)
                return graph_out_of_memory(err);
            series[chart->n_series++] = (struct chart_series){label, points + i, 0};
        }
        series[chart->n_series - 1].n_points++;
    }
    return 0;
}

/* The category of a cell: heads [n] are one cell of each, in order. */
static size_t category_index(const struct cell *const *heads, size_t n, const struct fields *groups,
                             const struct cell *cell)
{
    size_t low = 0, high = n;
    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;
        if (graph_compare_by(groups, heads[middle], cell) <= 0)
            low = middle;
        else
            high = middle;
    }
    return low;
}

/* Categories are tests and settings, series are machines and builds. cells [n] are reordered. */
static int bars_set(struct graph_work *work, const struct cell **cells, size_t n,
                    const struct fields *fields, struct chart *chart, struct err *err)
{
    struct fields groups = {.list = {{FIELD_TEST, NULL}}, .n = 1}, sides = {0};
    for (size_t i = 0; i < fields->n; i++) {
        enum field_type type = fields->list[i].type;
        if (type == FIELD_PARAM || type == FIELD_THREADS)
            groups.list[groups.n++] = fields->list[i];
        else if (type != FIELD_TEST)
            sides.list[sides.n++] = fields->list[i];
    }
    const char **categories = arena_take(work->arena, n, sizeof *categories);
    const struct cell **heads = arena_take(work->arena, n, sizeof *heads);
    struct chart_series *series = arena_take(work->arena, n, sizeof *series);
    struct chart_point *points = arena_take(work->arena, n, sizeof *points);
    if (!categories || !heads || !series || !points)
        return graph_out_of_memory(err);
    chart->kind = CHART_BARS;
    chart->categories = categories;
    chart->series = series;
    qsort_r(cells, n, sizeof *cells, compare_cells, &groups);
    for (size_t i = 0; i < n; i++) {
        if (i == 0 || graph_compare_by(&groups, cells[i - 1], cells[i]) != 0) {
            for (size_t f = 0; f < groups.n; f++)
                if (f == 0 || (!field_is_absent(&groups.list[f], cells[i]) &&
                               field_varies(&groups.list[f], (const struct cell *const *)cells, n)))
                    graph_label_add(work, &groups.list[f], cells[i]);
            heads[chart->n_categories] = cells[i];
            if (!(categories[chart->n_categories++] = graph_keep(work)))
                return graph_out_of_memory(err);
        }
    }
    qsort_r(cells, n, sizeof *cells, compare_cells, &sides);
    for (size_t i = 0; i < n; i++) {
        size_t place = category_index(heads, chart->n_categories, &groups, cells[i]);
        points[i] = point_of(cells[i], (double)place);
        if (i == 0 || graph_compare_by(&sides, cells[i - 1], cells[i]) != 0) {
            const char *label = graph_series_label(work, &sides, (const struct cell *const *)cells, n,
                                             cells[i]);
            if (!label)
                return graph_out_of_memory(err);
            series[chart->n_series++] = (struct chart_series){label, points + i, 0};
        }
        series[chart->n_series - 1].n_points++;
    }
    return 0;
}

/* One graph of cells [n], all with values, reordered here. */
static int graph_add(struct graph_work *work, const struct cell **cells, size_t n,
                     const struct fields *split, bool with_test, struct err *err)
{
    struct graph *graph = &work->graphs[work->n_graphs];
    struct fields fields = {0};
    if (n < 2)
        return 0; /* one value is told by its table */
    *graph = (struct graph){.first = cells[0]};
    bool is_swept = RECORD_HAS(cells[0]->key, x);
    TRY(series_fields(work, cells, n, with_test, &fields, err));
    if (is_swept) {
        struct fields order = fields;
        order.list[order.n++] = (struct field){FIELD_X, NULL};
        qsort_r(cells, n, sizeof *cells, compare_cells, &order);
        TRY(lines_set(work, cells, n, &fields, &graph->chart, err));
        TRY(graph_marks_set(work, cells, n, &graph->chart, err));
    } else {
        TRY(bars_set(work, cells, n, &fields, &graph->chart, err));
    }
    axes_set(cells, n, &graph->chart);
    spread_add(cells, n, &graph->chart);
    TRY(graph_title_set(work, cells, n, split, with_test, graph, err));
    TRY(graph_alt_set(work, cells, n, graph, err));
    work->n_graphs++;
    return 0;
}

static size_t count_series(const struct fields *fields, const struct cell *const *cells, size_t n)
{
    size_t count = 0;
    for (size_t i = 0; i < n; i++)
        count += i == 0 || graph_compare_by(fields, cells[i - 1], cells[i]) != 0;
    return count;
}

/* Splits a group with too many lines by its settings, one after the other, then by threads. */
static int group_add(struct graph_work *work, const struct cell **cells, size_t n,
                     const struct fields *split, bool with_test, struct err *err)
{
    struct fields fields = {0};
    TRY(series_fields(work, (const struct cell *const *)cells, n, with_test, &fields, err));
    qsort_r(cells, n, sizeof *cells, compare_cells, &fields);
    const struct field *by = NULL;
    if (RECORD_HAS(cells[0]->key, x) && split->n < FIELDS_MAX &&
        count_series(&fields, (const struct cell *const *)cells, n) > SERIES_WANTED)
        for (size_t i = 0; i < fields.n && !by; i++)
            if ((fields.list[i].type == FIELD_PARAM || fields.list[i].type == FIELD_THREADS) &&
                field_varies(&fields.list[i], (const struct cell *const *)cells, n))
                by = &fields.list[i];
    if (!by)
        return graph_add(work, cells, n, split, with_test, err);
    struct fields order = {.list = {*by}, .n = 1}, deeper = *split;
    deeper.list[deeper.n++] = *by;
    qsort_r(cells, n, sizeof *cells, compare_cells, &order);
    for (size_t i = 0, end; i < n; i = end) {
        const struct cell *first = cells[i];
        for (end = i + 1; end < n && field_compare(by, first, cells[end]) == 0;)
            end++;
        TRY(group_add(work, cells + i, end - i, &deeper, with_test, err));
    }
    return 0;
}

int graphs_make(const struct selection *selection, const struct cell *const *cells, size_t n,
                const struct machine *machine, struct arena *arena, struct graph **graphs,
                size_t *n_graphs, struct err *err)
{
    struct graph_work work = {.selection = selection, .machine = machine, .arena = arena};
    const struct cell **drawn = arena_take(arena, n, sizeof *drawn);
    work.graphs = arena_take(arena, n, sizeof *work.graphs);
    if (!drawn || !work.graphs)
        return graph_out_of_memory(err);
    size_t n_drawn = 0;
    for (size_t i = 0; i < n; i++)
        if (cells[i]->summary.n > 0)
            drawn[n_drawn++] = cells[i];
    struct fields group = {.list = {{FIELD_REVISION, NULL},
                                    {FIELD_METRIC, NULL},
                                    {FIELD_UNIT, NULL},
                                    {FIELD_X_UNIT, NULL},
                                    {FIELD_TEST, NULL}},
                           .n = 5};
    int result = 0;
    bool is_one_machine =
        !field_varies(&(struct field){FIELD_MACHINE, NULL}, (const struct cell *const *)drawn, n_drawn);
    qsort_r(drawn, n_drawn, sizeof *drawn, compare_cells, &group);
    for (size_t i = 0, end; i < 2 * n_drawn && result >= 0; i = end) {
        /* Twice over all groups: first those where something was swept, then the others. */
        size_t turn = i / n_drawn * n_drawn;
        const struct cell *first = drawn[i - turn];
        /* One machine alone: its tests are what there is to compare. */
        bool with_test = !RECORD_HAS(first->key, x) || is_one_machine ||
                         display_find(first->key->kernel)->tests_together;
        struct fields same = group;
        same.n -= with_test;
        for (end = i + 1;
             end - turn < n_drawn && graph_compare_by(&same, first, drawn[end - turn]) == 0;)
            end++;
        if (RECORD_HAS(first->key, x) == (turn == 0))
            result = group_add(&work, drawn + i - turn, end - i, &(struct fields){0}, with_test,
                               err);
    }
    buffer_free(&work.text);
    *graphs = work.graphs;
    *n_graphs = work.n_graphs;
    return result;
}
