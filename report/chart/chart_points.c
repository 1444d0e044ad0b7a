#include "report/chart/chart_points.h"

#include <math.h>
#include <stdint.h>

#include "report/chart/chart_style.h"

/* Beyond these, differences and scaled values overflow. */
static const double LARGEST = 1e280, SMALLEST = 1e-280;

enum {
    POINTS_BUDGET = 40000, /* of a whole chart: an SVG of less than a megabyte */
    MARKERS_PER_LINE = 100,
    MARKERS_BUDGET = 3000,
};

static bool is_finite(double value)
{
    return fabs(value) <= LARGEST;
}

static bool fits(const struct chart_axis *axis, double value)
{
    return is_finite(value) && (axis->scale == CHART_LINEAR || value >= SMALLEST);
}

static bool has_category(const struct chart *chart, double x)
{
    return x >= 0 && x < (double)chart->n_categories && x == floor(x);
}

bool chart_is_drawable(const struct chart *chart, const struct chart_point *point)
{
    return fits(&chart->y, point->y) && (chart->kind == CHART_BARS
                                             ? has_category(chart, point->x)
                                             : fits(&chart->x, point->x));
}

static bool has_interval(const struct chart_point *point)
{
    return !isnan(point->low) && !isnan(point->high);
}

static void widen(double value, double *min, double *max)
{
    *min = fmin(*min, value);
    *max = fmax(*max, value);
}

void chart_extent_measure(const struct chart *chart, struct chart_extent *extent)
{
    *extent = (struct chart_extent){.x_min = HUGE_VAL, .x_max = -HUGE_VAL, .y_min = HUGE_VAL,
                                    .y_max = -HUGE_VAL, .has_only_powers_of_two = true};
    for (size_t i = 0; i < chart->n_series; i++)
        for (size_t j = 0; j < chart->series[i].n_points; j++) {
            const struct chart_point *point = &chart->series[i].points[j];
            extent->n_points++;
            if (!chart_is_drawable(chart, point)) {
                if (!is_finite(point->x) || !is_finite(point->y))
                    extent->n_not_finite++;
                else if (chart->kind == CHART_BARS && !has_category(chart, point->x))
                    extent->n_no_category++;
                else
                    extent->n_not_positive++;
                continue;
            }
            extent->n_drawable++;
            widen(point->x, &extent->x_min, &extent->x_max);
            widen(point->y, &extent->y_min, &extent->y_max);
            if (has_interval(point) && fits(&chart->y, point->low))
                widen(point->low, &extent->y_min, &extent->y_max);
            if (has_interval(point) && fits(&chart->y, point->high))
                widen(point->high, &extent->y_min, &extent->y_max);
            int exponent;
            if (frexp(point->x, &exponent) != 0.5)
                extent->has_only_powers_of_two = false;
        }
}

/* The point as it is drawn: the interval ends at the plot's edges. */
static struct chart_point point_cut(const struct chart_layout *layout,
                                    const struct chart_point *point, bool with_interval,
                                    struct chart_selection *selection)
{
    struct chart_point out = *point;
    if (!with_interval || !has_interval(point)) {
        out.low = out.high = NAN;
        return out;
    }
    out.low = fmax(fmin(point->low, point->high), layout->y_min);
    out.high = fmin(fmax(point->low, point->high), layout->y_max);
    selection->n_intervals++;
    selection->n_cut += fmin(point->low, point->high) < layout->y_min ||
                        fmax(point->low, point->high) > layout->y_max;
    return out;
}

/* All drawable points, a gap for each run of others between them. */
static void line_copy(const struct chart_layout *layout, const struct chart_series *series,
                      bool with_intervals, struct chart_point *out, size_t *n_out,
                      struct chart_selection *selection)
{
    bool has_gap = false;
    size_t n = 0;
    for (size_t i = 0; i < series->n_points; i++) {
        if (!chart_is_drawable(layout->chart, &series->points[i])) {
            has_gap = n > 0;
            continue;
        }
        if (has_gap)
            out[n++] = (struct chart_point){.x = NAN, .y = NAN, .low = NAN, .high = NAN};
        has_gap = false;
        out[n++] = point_cut(layout, &series->points[i], with_intervals, selection);
    }
    *n_out = n;
}

/* Of the points that share a column of the plot the first, the lowest, the highest and the last, so
 * that the line covers the same pixels: M4 of Jugel, Jerzak, Hackenbroich and Markl, PVLDB 7 (2014)
 * 797. */
static size_t line_thin(const struct chart_layout *layout, const struct chart_series *series,
                        double columns, struct chart_point *out)
{
    size_t n = 0;
    size_t kept[4] = {0}; /* first, lowest, highest, last */
    double column = -1;
    for (size_t i = 0; i <= series->n_points; i++) {
        const struct chart_point *point = i < series->n_points ? &series->points[i] : NULL;
        if (point && !chart_is_drawable(layout->chart, point))
            continue;
        double share = point ? (chart_place_x(layout, point->x) - layout->plot.left) /
                                   layout->plot.width
                             : -1;
        double here = point ? fmin(floor(share * columns), columns - 1) : -1;
        if (point && here == column) {
            if (point->y < series->points[kept[1]].y)
                kept[1] = i;
            if (point->y > series->points[kept[2]].y)
                kept[2] = i;
            kept[3] = i;
            continue;
        }
        if (column >= 0) {
            size_t low = kept[1] < kept[2] ? kept[1] : kept[2];
            size_t high = kept[1] < kept[2] ? kept[2] : kept[1];
            const size_t order[4] = {kept[0], low, high, kept[3]};
            for (size_t k = 0; k < 4; k++)
                if (k == 0 || order[k] > order[k - 1]) {
                    out[n] = series->points[order[k]];
                    out[n].low = out[n].high = NAN;
                    n++;
                }
        }
        column = here;
        kept[0] = kept[1] = kept[2] = kept[3] = i;
    }
    return n;
}

static size_t count_drawable(const struct chart *chart, const struct chart_series *series,
                             size_t *n_intervals)
{
    size_t n = 0;
    *n_intervals = 0;
    for (size_t i = 0; i < series->n_points; i++)
        if (chart_is_drawable(chart, &series->points[i])) {
            n++;
            *n_intervals += has_interval(&series->points[i]);
        }
    return n;
}

int chart_points_select(struct chart_layout *layout, struct arena *arena,
                        struct chart_selection *selection, struct err *err)
{
    const struct chart *chart = layout->chart;
    *selection = (struct chart_selection){0};
    if (chart->n_series > SIZE_MAX / sizeof *layout->lines)
        return err_set(err, ERR_SYSTEM, "out of memory");
    struct chart_line *lines = arena_alloc(arena, chart->n_series * sizeof *lines);
    if (!lines)
        return err_set(err, ERR_SYSTEM, "out of memory");
    double budget = POINTS_BUDGET / 4.0 / (double)chart->n_series;
    double columns = fmax(4, fmin(layout->plot.width, budget));
    size_t n_markers = 0;
    for (size_t i = 0; i < chart->n_series; i++) {
        const struct chart_series *series = &chart->series[i];
        size_t n_intervals;
        size_t n = count_drawable(chart, series, &n_intervals);
        bool is_bars = chart->kind == CHART_BARS;
        bool is_thinned = !is_bars && (double)n > 4 * columns;
        bool is_dense = !is_bars && n > MARKERS_PER_LINE;
        if (series->n_points > SIZE_MAX / 2 / sizeof(struct chart_point))
            return err_set(err, ERR_SYSTEM, "out of memory");
        size_t room = is_thinned ? n : 2 * n; /* a gap between any two */
        struct chart_point *points = arena_alloc(arena, room * sizeof *points + 1);
        if (!points)
            return err_set(err, ERR_SYSTEM, "out of memory");
        lines[i] = (struct chart_line){.points = points};
        if (is_thinned)
            lines[i].n_points = line_thin(layout, series, columns, points);
        else
            line_copy(layout, series, !is_dense, points, &lines[i].n_points, selection);
        bool has_room = i < CHART_STYLES && n_markers + n <= MARKERS_BUDGET;
        lines[i].has_markers = !is_dense && (n < 3 || has_room);
        selection->n_thinned += is_thinned;
        selection->n_without_intervals += is_dense && n_intervals > 0;
        if (!lines[i].has_markers)
            continue;
        n_markers += n;
        for (size_t j = 0; j < lines[i].n_points; j++)
            selection->n_single += !isnan(points[j].y) && points[j].n == 1;
    }
    layout->lines = lines;
    return 0;
}
