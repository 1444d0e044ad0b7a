#include "report/chart/chart.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "schema/buffer.h"
#include "schema/number.h"
#include "schema/output.h"
#include "schema/quote.h"
#include "schema/text.h"

static void add_cell(struct buffer *out, double value)
{
    char text[NUMBER_TEXT_SIZE] = "";
    if (isfinite(value))
        number_format(text, value);
    buffer_add_text(out, text);
    buffer_add_char(out, ',');
}

/* A text that a spreadsheet would take for a formula gets an apostrophe in front. */
static void add_text(struct buffer *out, const char *text)
{
    struct buffer label = {0};
    if (text[0] && strchr("=+-@\t\r", text[0]))
        buffer_add_char(&label, '\'');
    buffer_add_text(&label, text);
    quote_csv(out, buffer_text(&label));
    out->failed = out->failed || label.failed;
    buffer_free(&label);
    buffer_add_char(out, ',');
}

/* All points as they came, those that cannot be drawn too; what is not finite is an empty cell. */
static void data_format(const struct chart *chart, struct buffer *out)
{
    bool is_bars = chart->kind == CHART_BARS;
    buffer_add_text(out, "series,x,x_unit,y,y_unit,low,high,n\n");
    for (size_t i = 0; i < chart->n_series; i++)
        for (size_t j = 0; j < chart->series[i].n_points; j++) {
            const struct chart_point *point = &chart->series[i].points[j];
            add_text(out, chart->series[i].label);
            if (is_bars && point->x >= 0 && point->x < (double)chart->n_categories &&
                point->x == floor(point->x))
                add_text(out, chart->categories[(size_t)point->x]);
            else
                add_cell(out, point->x);
            add_text(out, is_bars ? "" : chart->x.unit);
            add_cell(out, point->y);
            add_text(out, chart->y.unit);
            add_cell(out, point->low);
            add_cell(out, point->high);
            buffer_add_format(out, "%llu\n", (unsigned long long)point->n);
        }
}

static int data_write(const struct chart *chart, const char *path, struct err *err)
{
    struct buffer csv = {0};
    struct output *out = NULL;
    data_format(chart, &csv);
    int result = csv.failed ? err_set(err, ERR_SYSTEM, "out of memory")
                            : output_open(&out, path, err);
    if (result >= 0)
        result = output_write(out, buffer_text(&csv), csv.size, err);
    buffer_free(&csv);
    if (result >= 0)
        return output_commit(out, err);
    output_discard(out);
    return result;
}

static int forms_write(const struct chart_layout *layout, const char *folder, const char *name,
                       struct figure *figure, struct err *err)
{
    static const struct {
        const char *ending;
        enum chart_format format;
    } drawings[] = {{"svg", CHART_SVG}, {"png", CHART_PNG}};
    TRY(chart_write_gnuplot(layout, folder, name, err)); /* first: it looks at the name */
    struct buffer path = {0};
    int result = 0;
    for (size_t i = 0; i < sizeof drawings / sizeof drawings[0] && result >= 0; i++) {
        buffer_clear(&path);
        buffer_add_format(&path, "%s/%s.%s", folder, name, drawings[i].ending);
        result = path.failed ? err_set(err, ERR_SYSTEM, "out of memory")
                             : chart_draw_cairo(layout, drawings[i].format, buffer_text(&path),
                                                &figure->font, err);
    }
    if (result >= 0) {
        buffer_clear(&path);
        buffer_add_format(&path, "%s/%s.csv", folder, name);
        result = path.failed ? err_set(err, ERR_SYSTEM, "out of memory")
                             : data_write(layout->chart, buffer_text(&path), err);
    }
    buffer_free(&path);
    TRY(result);
    result = chart_run_gnuplot(folder, name, err);
    figure->has_gnuplot = result > 0;
    return result < 0 ? result : 0;
}

/* For narrow pages, which say the title themselves. */
static int narrow_write(const struct chart *chart, const char *folder, const char *name,
                        struct err *err)
{
    struct chart narrow = *chart;
    struct arena arena = {0};
    struct chart_layout layout;
    struct buffer path = {0};
    narrow.width = CHART_NARROW_WIDTH;
    narrow.title = NULL;
    buffer_add_format(&path, "%s/%s-narrow.svg", folder, name);
    int result = path.failed ? err_set(err, ERR_SYSTEM, "out of memory")
                             : chart_layout(&narrow, &arena, &layout, err);
    if (result >= 0)
        result = chart_draw_cairo(&layout, CHART_SVG, buffer_text(&path), NULL, err);
    buffer_free(&path);
    arena_free(&arena);
    return result;
}

int figure_write(const struct chart *chart, const char *folder, const char *name,
                 struct figure *figure, struct err *err)
{
    struct arena arena = {0};
    struct chart_layout layout;
    *figure = (struct figure){0};
    int result = chart_layout(chart, &arena, &layout, err);
    if (result >= 0)
        result = forms_write(&layout, folder, name, figure, err);
    if (result >= 0)
        result = narrow_write(chart, folder, name, err);
    if (result >= 0) {
        snprintf(figure->note, sizeof figure->note, "%s", layout.note);
        figure->note[text_utf8_prefix(figure->note, strlen(figure->note))] = '\0';
        figure->width = layout.width;
        figure->height = layout.height;
    }
    arena_free(&arena);
    return result < 0 ? err_wrap(err, "%s", name) : 0;
}
