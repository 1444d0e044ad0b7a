#include "report/chart/chart.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/chart/chart_axis.h"
#include "report/chart/chart_legend.h"
#include "report/chart/chart_note.h"
#include "report/chart/chart_points.h"
#include "report/chart/label.h"
#include "report/scale.h"

enum {
    BARS_HEIGHT_MAX = 15000, /* px; an image of cairo ends at 32767, with two pixels for each */
    MARGIN = 20,
    PLOT_HEIGHT = 390,
    NARROW_HEIGHT = 250, /* of the plot of a page less than NARROW_WIDTH wide */
    NARROW_WIDTH = 600,
    TITLE_SIZE = 16, /* px, as in the backends */
    TEXT_SIZE = 12,
    FLAG_SIZE = 11,
    FLAG_ROW = 15,
    FLAG_ROWS = 4,
    CATEGORY_ROW = 15,
};

static const double BAR_SHARE = 0.76;      /* of the width of a category */
/* Of the width of the page, for names of categories. */
static const double CATEGORY_SHARE = 0.34, CATEGORY_SHARE_NARROW = 0.5;

static int out_of_memory(struct err *err)
{
    return err_set(err, ERR_SYSTEM, "out of memory");
}

static double share(double value, double min, double max, enum chart_scale scale)
{
    if (scale == CHART_LOG)
        return (log10(value) - log10(min)) / (log10(max) - log10(min));
    return (value - min) / (max - min);
}

double chart_place_x(const struct chart_layout *layout, double x)
{
    bool is_bars = layout->chart->kind == CHART_BARS;
    double at = share(x, layout->x_min, layout->x_max,
                      is_bars ? CHART_LINEAR : layout->chart->x.scale);
    return is_bars ? layout->plot.top + at * layout->plot.height
                   : layout->plot.left + at * layout->plot.width;
}

double chart_place_y(const struct chart_layout *layout, double y)
{
    double at = share(y, layout->y_min, layout->y_max, layout->chart->y.scale);
    return layout->chart->kind == CHART_BARS ? layout->plot.left + at * layout->plot.width
                                             : layout->plot.top + (1 - at) * layout->plot.height;
}

void chart_bar_span(const struct chart *chart, size_t series, double category, double *from,
                    double *to)
{
    double width = BAR_SHARE / (double)chart->n_series;
    *from = category - BAR_SHARE / 2 + width * (double)series;
    *to = *from + width;
}

/* The range that an axis must show, from that of the data. Values are amounts, which are seen
 * against nothing; places on the x axis need not be, where nothing is far away. */
static void range_extend(const struct chart *chart, bool is_y, double *min, double *max)
{
    if ((is_y ? &chart->y : &chart->x)->scale == CHART_LOG) {
        if (is_y && chart->kind == CHART_BARS) /* else the smallest bar has no length */
            *min /= 2;
        return;
    }
    if (is_y && chart->y.is_of_changes)
        return;
    double near = fmin(fabs(*min), fabs(*max)), far = fmax(fabs(*min), fabs(*max));
    if (is_y || near <= 0.3 * far) {
        *min = fmin(*min, 0);
        *max = fmax(*max, 0);
    }
}

/* Marks that lie close enough to the data are worth a wider axis. */
static void range_include_marks(const struct chart *chart, double *min, double *max)
{
    double low = *min, high = *max, room = (high - low) / 4;
    bool is_log = chart->x.scale == CHART_LOG;
    for (size_t i = 0; i < chart->n_marks; i++) {
        double x = chart->marks[i].x;
        if (is_log ? x >= low / 2 && x <= high * 2 : x >= low - room && x <= high + room) {
            *min = fmin(*min, x);
            *max = fmax(*max, x);
        }
    }
}

static bool are_apart(const struct chart_layout *layout, const struct axis_ticks *ticks,
                      bool is_horizontal)
{
    double before = -HUGE_VAL;
    const struct chart *chart = layout->chart;
    enum chart_scale scale = is_horizontal && chart->kind == CHART_LINES ? chart->x.scale
                                                                         : chart->y.scale;
    for (size_t i = 0; i < ticks->n_ticks; i++) {
        if (!ticks->ticks[i].label[0])
            continue;
        double at = share(ticks->ticks[i].at, ticks->min, ticks->max, scale) *
                    (is_horizontal ? layout->plot.width : layout->plot.height);
        double half = is_horizontal ? label_width(ticks->ticks[i].label, TEXT_SIZE) / 2 + 6
                                    : TEXT_SIZE;
        if (at - half < before)
            return false;
        before = at + half;
    }
    return true;
}

/* As many labels as stand apart. */
static int divide(const struct chart_layout *layout, const struct axis *axis, size_t labels,
                  bool is_horizontal, struct arena *arena, struct axis_ticks *out, struct err *err)
{
    do
        TRY(axis_divide(axis, labels, arena, out, err));
    while (labels-- > 2 && !are_apart(layout, out, is_horizontal));
    return 0;
}

/* By how much labels below the plot reach beyond the page, px. */
static double labels_overhang(const struct chart_layout *layout, const struct axis_ticks *ticks)
{
    double most = 0;
    for (size_t i = 0; i < ticks->n_ticks; i++) {
        double at = share(ticks->ticks[i].at, ticks->min, ticks->max, layout->chart->x.scale);
        double end = layout->plot.left + at * layout->plot.width +
                     label_width(ticks->ticks[i].label, TEXT_SIZE) / 2;
        most = fmax(most, end - layout->width);
    }
    return most;
}

static double labels_width(const struct axis_ticks *ticks)
{
    double width = 0;
    for (size_t i = 0; i < ticks->n_ticks; i++)
        width = fmax(width, label_width(ticks->ticks[i].label, TEXT_SIZE));
    return width;
}

/* One label for each category, or for every 2nd, 3rd ... when they lie too close. */
static int categories_label(struct chart_layout *layout, struct arena *arena, double *width,
                            struct err *err)
{
    const struct chart *chart = layout->chart;
    size_t n = chart->n_categories;
    size_t stride = (size_t)ceil(CATEGORY_ROW * (double)n / layout->plot.height);
    double room = layout->width * (layout->width < NARROW_WIDTH ? CATEGORY_SHARE_NARROW : CATEGORY_SHARE);
    *width = 0;
    if (n > SIZE_MAX / sizeof *layout->x_ticks)
        return out_of_memory(err);
    layout->x_ticks = arena_alloc(arena, n * sizeof *layout->x_ticks);
    if (!layout->x_ticks)
        return out_of_memory(err);
    for (size_t i = 0; i < n; i++) {
        const char *label =
            i % stride == 0 ? label_fit_ends(chart->categories[i], TEXT_SIZE, room, arena)
                            : "";
        if (!label)
            return out_of_memory(err);
        layout->x_ticks[i] = (struct chart_tick){(double)i, label};
        *width = fmax(*width, label_width(label, TEXT_SIZE));
    }
    layout->n_x_ticks = n;
    layout->x_min = -0.5;
    layout->x_max = (double)n - 0.5;
    return 0;
}

static double bars_height(const struct chart *chart)
{
    double bars = (double)chart->n_series * (double)chart->n_categories;
    double bar = bars <= 40 ? 16 : bars <= 100 ? 12 : bars <= 240 ? 8 : 5;
    double category = fmax(CATEGORY_ROW, (double)chart->n_series * bar / BAR_SHARE);
    return fmin(category * (double)chart->n_categories, BARS_HEIGHT_MAX);
}

/* ---- the marks ---- */

static int flag_compare(const void *a, const void *b)
{
    const struct chart_flag *left = a, *right = b;
    if (left->x != right->x)
        return left->x < right->x ? -1 : 1;
    return strcmp(left->label, right->label);
}

/* Which marks lie on the axis, each once; their labels in rows so that none covers another.
 * *n_unlabelled counts those for which there is no row. Places are relative to the first row. */
static int flags_place(struct chart_layout *layout, struct arena *arena, size_t *n_rows,
                       size_t *n_unlabelled, struct err *err)
{
    const struct chart *chart = layout->chart;
    double ends[FLAG_ROWS];
    *n_rows = *n_unlabelled = 0;
    if (chart->kind == CHART_BARS || chart->n_marks == 0)
        return 0;
    if (chart->n_marks > SIZE_MAX / sizeof *layout->flags)
        return out_of_memory(err);
    layout->flags = arena_alloc(arena, chart->n_marks * sizeof *layout->flags);
    if (!layout->flags)
        return out_of_memory(err);
    size_t n = 0;
    for (size_t i = 0; i < chart->n_marks; i++) {
        double x = chart->marks[i].x;
        if (!(x >= layout->x_min && x <= layout->x_max))
            continue;
        const char *label = label_fit(chart->marks[i].label, FLAG_SIZE, 180, arena);
        if (!label)
            return out_of_memory(err);
        layout->flags[n++] = (struct chart_flag){.x = x, .label = label};
    }
    qsort(layout->flags, n, sizeof *layout->flags, flag_compare);
    size_t kept = 0;
    for (size_t i = 0; i < n; i++)
        if (i == 0 || flag_compare(&layout->flags[i], &layout->flags[kept - 1]) != 0)
            layout->flags[kept++] = layout->flags[i];
    layout->n_flags = kept;
    for (size_t i = 0; i < kept; i++) {
        struct chart_flag *flag = &layout->flags[i];
        /* To the right of its line and above all labels that the line would strike through. */
        double width = label_width(flag->label, FLAG_SIZE);
        double x = chart_place_x(layout, flag->x);
        double left = fmin(x, layout->width - MARGIN - width);
        size_t row = *n_rows;
        while (row > 0 && ends[row - 1] + 6 < left)
            row--;
        if (row == FLAG_ROWS) {
            flag->label = "";
            ++*n_unlabelled;
            continue;
        }
        *n_rows = row == *n_rows ? row + 1 : *n_rows;
        ends[row] = left + width;
        flag->label_left = left;
        flag->label_y = ((double)row + 0.5) * FLAG_ROW;
    }
    return 0;
}

/* ---- all together ---- */

/* Widths of what stands to the left and to the right of the plot fix it; the ticks of the
 * horizontal axis come last, since their room is what is left. */
static int axes_place(struct chart_layout *layout, const struct chart_extent *extent,
                      const struct chart_legend *legend, struct arena *arena, struct err *err)
{
    const struct chart *chart = layout->chart;
    bool is_bars = chart->kind == CHART_BARS;
    double min = extent->y_min, max = extent->y_max;
    range_extend(chart, true, &min, &max);
    struct axis x = {0}, y;
    struct axis_ticks ticks = {0};
    TRY(axis_init(&y, &chart->y, min, max, false, err));

    double width;
    layout->plot.height = is_bars                        ? bars_height(chart)
                          : layout->width < NARROW_WIDTH ? NARROW_HEIGHT
                                                         : PLOT_HEIGHT;
    if (is_bars) {
        TRY(categories_label(layout, arena, &width, err));
    } else {
        TRY(divide(layout, &y, 10, false, arena, &ticks, err));
        width = labels_width(&ticks);
    }
    double right = legend->is_beside ? legend->column_width + 24 : 24;
    layout->plot.left = ceil(MARGIN + width + 10);
    layout->plot.width = floor(layout->width - MARGIN - right - layout->plot.left);
    if (is_bars) {
        TRY(divide(layout, &y, 10, true, arena, &ticks, err));
    }
    layout->y_ticks = ticks.ticks;
    layout->n_y_ticks = ticks.n_ticks;
    layout->y_min = ticks.min;
    layout->y_max = ticks.max;

    if (!is_bars) {
        min = extent->x_min;
        max = extent->x_max;
        range_include_marks(chart, &min, &max);
        range_extend(chart, false, &min, &max);
        TRY(axis_init(&x, &chart->x, min, max, extent->has_only_powers_of_two, err));
        TRY(divide(layout, &x, 10, true, arena, &ticks, err));
        double overhang = labels_overhang(layout, &ticks);
        if (overhang > 0) {
            layout->plot.width -= ceil(overhang);
            TRY(divide(layout, &x, 10, true, arena, &ticks, err));
        }
        layout->x_ticks = ticks.ticks;
        layout->n_x_ticks = ticks.n_ticks;
        layout->x_min = ticks.min;
        layout->x_max = ticks.max;
        layout->x_title = axis_title(&x, arena);
        layout->x_unit = arena_copy(arena, x.scale.unit, strlen(x.scale.unit));
        layout->x_factor = 1 / x.scale.per;
    } else {
        layout->x_title = label_clean(chart->x.title ? chart->x.title : "", arena);
        layout->x_unit = "";
        layout->x_factor = 1;
    }
    layout->y_title = axis_title(&y, arena);
    layout->y_unit = arena_copy(arena, y.scale.unit, strlen(y.scale.unit));
    layout->y_factor = 1 / y.scale.per;
    return layout->x_title && layout->x_unit && layout->y_title && layout->y_unit
               ? 0
               : out_of_memory(err);
}

int chart_layout(const struct chart *chart, struct arena *arena, struct chart_layout *layout,
                 struct err *err)
{
    struct chart_extent extent;
    chart_extent_measure(chart, &extent);
    if (extent.n_drawable == 0)
        return err_set(err, ERR_DATA, "no point can be drawn");
    *layout = (struct chart_layout){.chart = chart,
                                    .width = chart->width > 0 ? chart->width : CHART_WIDTH};
    layout->n_dropped = extent.n_points - extent.n_drawable;
    layout->title = label_fit(chart->title ? chart->title : "", TITLE_SIZE,
                              (layout->width - 2 * MARGIN) / 1.16, arena); /* bold is wider */
    if (!layout->title)
        return out_of_memory(err);

    struct chart_legend legend = {0};
    TRY(chart_legend_init(layout, arena, &legend, err));
    TRY(axes_place(layout, &extent, &legend, arena, err));
    size_t n_rows, n_unlabelled;
    TRY(flags_place(layout, arena, &n_rows, &n_unlabelled, err));

    bool has_heading = chart->kind == CHART_LINES || layout->x_title[0];
    double top = MARGIN + (layout->title[0] ? 26 : 0) + (has_heading ? 26 : 0);
    for (size_t i = 0; i < layout->n_flags; i++)
        layout->flags[i].label_y += top;
    layout->plot.top = top + (double)n_rows * FLAG_ROW + 4;
    double bottom = layout->plot.top + layout->plot.height + 50;
    if (legend.is_beside) {
        chart_legend_place(layout, &legend, layout->plot.left + layout->plot.width + 24,
                     layout->plot.top);
        bottom = fmax(bottom, layout->plot.top + legend.height);
    } else {
        bottom += 10;
        chart_legend_place(layout, &legend, MARGIN, bottom);
        bottom += legend.height;
    }
    layout->height = (int)ceil(bottom + 12);

    struct chart_selection selection;
    TRY(chart_points_select(layout, arena, &selection, err));
    layout->note = chart_note_write(chart, &extent, &selection, n_unlabelled, arena);
    return layout->note ? 0 : out_of_memory(err);
}
