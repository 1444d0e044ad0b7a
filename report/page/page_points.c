#include "report/page/page.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "report/scale.h"

/* The points of a graph once more, for the pointer and for those who do not see it. */

enum {
    POINTS_MAX = 1500, /* that answer to the pointer: more lie on top of one another */
    ROWS_MAX = 400,    /* of the table below a graph; all are in its CSV */
};

/* As the axis shows it, with its unit. */
static void value_add(double value, const char *unit, double factor, const char *display,
                      struct buffer *out)
{
    char text[SCALE_TEXT_SIZE];
    if (display[0] == '\0') {
        scale_format(value, unit, SCALE_DIGITS, text);
        buffer_add_text(out, text);
        return;
    }
    scale_number(value * factor, SCALE_DIGITS, text);
    buffer_add_format(out, "%s %s", text, display);
}

static void place_add(const struct chart_layout *layout, const struct chart_point *point,
                      struct buffer *out)
{
    const struct chart *chart = layout->chart;
    if (chart->kind == CHART_BARS)
        buffer_add_text(out, chart->categories[(size_t)point->x]);
    else
        value_add(point->x, chart->x.unit, layout->x_factor, layout->x_unit, out);
}

static void y_add(const struct chart_layout *layout, double y, struct buffer *out)
{
    value_add(y, layout->chart->y.unit, layout->y_factor, layout->y_unit, out);
}

static void interval_add(const struct chart_layout *layout, const struct chart_point *point,
                         struct buffer *out)
{
    if (isnan(point->low) || isnan(point->high))
        return;
    y_add(layout, point->low, out);
    buffer_add_text(out, " to ");
    y_add(layout, point->high, out);
}

static void row_set(struct value *row, const struct chart_layout *layout, const char *label,
                    const struct chart_point *point, struct buffer *text)
{
    value_text(row, "series", label);
    buffer_clear(text);
    place_add(layout, point, text);
    value_text(row, "x", buffer_text(text));
    buffer_clear(text);
    y_add(layout, point->y, text);
    value_text(row, "y", buffer_text(text));
    buffer_clear(text);
    interval_add(layout, point, text);
    value_text(row, "interval", buffer_text(text));
    value_format(row, "n", "%" PRIu64, point->n);
}

static void point_set(struct value *item, const struct chart_layout *layout, size_t series,
                      const struct chart_point *point, struct buffer *text)
{
    const struct chart *chart = layout->chart;
    double x = chart_place_x(layout, point->x), y = chart_place_y(layout, point->y);
    if (chart->kind == CHART_BARS) {
        double from, to;
        chart_bar_span(chart, series, point->x, &from, &to);
        x = chart_place_y(layout, point->y);
        y = chart_place_x(layout, (from + to) / 2);
    }
    value_format(item, "cx", "%.1f", x);
    value_format(item, "cy", "%.1f", y);
    buffer_clear(text);
    buffer_add_format(text, "%s, ", chart->series[series].label);
    place_add(layout, point, text);
    buffer_add_text(text, ": ");
    y_add(layout, point->y, text);
    buffer_add_format(text, ", n %" PRIu64, point->n);
    if (!isnan(point->low) && !isnan(point->high)) {
        buffer_add_text(text, ", ");
        interval_add(layout, point, text);
    }
    value_text(item, "hint", buffer_text(text));
}

int page_points(struct value *item, const struct chart *chart, struct err *err)
{
    struct arena arena = {0};
    struct chart_layout layout;
    struct buffer text = {0};
    struct value *points = value_list(item, "points"), *rows = value_list(item, "rows");
    size_t n_points = 0, n_rows = 0, n = 0;
    int result = chart_layout(chart, &arena, &layout, err);
    bool is_bars = chart->kind == CHART_BARS;
    value_text(item, "place", is_bars ? "test" : chart->x.title[0] ? chart->x.title : "x");
    for (size_t s = 0; s < chart->n_series && result >= 0; s++)
        for (size_t i = 0; i < chart->series[s].n_points; i++) {
            const struct chart_point *point = &chart->series[s].points[i];
            n++;
            if (n_rows < ROWS_MAX && isfinite(point->y) && isfinite(point->x)) {
                row_set(value_append(rows), &layout, chart->series[s].label, point, &text);
                n_rows++;
            }
            if (n_points < POINTS_MAX && chart_is_drawable(chart, point)) {
                point_set(value_append(points), &layout, s, point, &text);
                n_points++;
            }
        }
    value_flag(item, "has_more", n > n_rows);
    value_format(item, "n_rows", "%zu", n_rows);
    value_format(item, "n_points", "%zu", n);
    bool has_failed = text.failed;
    buffer_free(&text);
    arena_free(&arena);
    return result < 0 ? result : has_failed ? err_set(err, ERR_SYSTEM, "out of memory") : 0;
}
