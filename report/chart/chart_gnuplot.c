#include "report/chart/chart.h"

#include <math.h>
#include <string.h>

#include "report/chart/chart_style.h"
#include "schema/buffer.h"
#include "schema/number.h"
#include "schema/output.h"

/* Texts go into the script in single quotes, where gnuplot expands nothing, and enhanced text is
 * off; data and options are numbers of ours. So no label can become a command. */

static const int filled[N_SHAPES] = {7, 5, 9, 13, 11, 15}; /* pointtypes of enum chart_shape */
static const int hollow[N_SHAPES] = {6, 4, 8, 12, 10, 14};

#define BAR_STYLE " fillcolor rgb '#%06x' fillstyle solid border lc rgb '#%06x'"

static void add_number(struct buffer *out, double value)
{
    char text[NUMBER_TEXT_SIZE] = "NaN";
    if (isfinite(value))
        number_format(text, value);
    buffer_add_text(out, text);
}

/* A string expression of single-quoted pieces and, for single quotes themselves, constants of
 * ours: gnuplot 5.4 does not know a doubled quote at the start of a string or after another one. A
 * tick's label is also a format for its position, where a percent sign stands for itself only
 * doubled. */
static void add_string(struct buffer *out, const char *text, bool is_format)
{
    bool is_first = true;
    while (*text || is_first) {
        bool is_quotes = *text == '\'';
        size_t size = is_quotes ? strspn(text, "'") : strcspn(text, "'");
        const char mark = is_quotes ? '"' : '\'';
        buffer_add_text(out, is_first ? "" : " . ");
        buffer_add_char(out, mark);
        for (size_t i = 0; i < size; i++) {
            buffer_add_char(out, text[i]);
            if (is_format && text[i] == '%')
                buffer_add_char(out, '%');
        }
        buffer_add_char(out, mark);
        text += size;
        is_first = false;
    }
}

static void add_line_style(struct buffer *out, const struct chart_style *style, double width)
{
    buffer_add_format(out, " lc rgb '#%06x' lw ", style->colour);
    add_number(out, width);
    for (size_t i = 0; i < style->n_dashes; i++) {
        buffer_add_text(out, i == 0 ? " dt (" : ",");
        add_number(out, style->dashes[i]);
    }
    buffer_add_text(out, style->n_dashes > 0 ? ")" : "");
}

static void add_screen(struct buffer *out, const struct chart_layout *layout, double x, double y)
{
    buffer_add_text(out, "screen ");
    add_number(out, round(x / layout->width * 1e5) / 1e5);
    buffer_add_text(out, ", screen ");
    add_number(out, round((1 - y / layout->height) * 1e5) / 1e5);
}

static void add_label(struct buffer *out, const struct chart_layout *layout, const char *text,
                      double x, double y, const char *options)
{
    if (!text[0])
        return;
    buffer_add_text(out, "set label ");
    add_string(out, text, false);
    buffer_add_text(out, " at ");
    add_screen(out, layout, x, y);
    buffer_add_format(out, " left noenhanced%s\n", options);
}

static void add_ticks(struct buffer *out, const char *axis, const struct chart_tick *ticks,
                      size_t n)
{
    buffer_add_format(out, "set %stics nomirror out scale 0.6,0.35 textcolor rgb '#1f2328' %s(",
                      axis, axis[0] == 'x' ? "offset 0,0.3 " : "");
    for (size_t i = 0; i < n; i++) {
        buffer_add_text(out, i > 0 ? ", \\\n    " : "");
        add_string(out, ticks[i].label, true);
        buffer_add_char(out, ' ');
        add_number(out, ticks[i].at);
        buffer_add_text(out, ticks[i].label[0] ? "" : " 1");
    }
    buffer_add_text(out, ")\n");
}

/* A little wider than it is, lest gnuplot's rounding lose a tick at the end of a log axis. */
static void add_range(struct buffer *out, const char *axis, double from, double to)
{
    from -= 1e-10 * fabs(from);
    to += 1e-10 * fabs(to);
    buffer_add_format(out, "set %srange [", axis);
    add_number(out, from);
    buffer_add_char(out, ':');
    add_number(out, to);
    buffer_add_text(out, "]\n");
}

static void add_margin(struct buffer *out, const char *side, double share)
{
    buffer_add_format(out, "set %smargin at screen ", side);
    add_number(out, round(share * 1e5) / 1e5);
    buffer_add_char(out, '\n');
}

static void add_frame(struct buffer *out, const struct chart_layout *layout, const char *name)
{
    const struct chart_box *plot = &layout->plot;
    const struct chart *chart = layout->chart;
    bool is_bars = chart->kind == CHART_BARS;
    double width = layout->width, height = layout->height;
    buffer_add_format(out,
                      "# gnuplot -d %s.gp reads %s.dat and makes %s-gnuplot.svg.\n"
                      "set encoding utf8\n"
                      "set terminal svg size %d,%d fixed font 'DejaVu Sans,12' noenhanced "
                      "background rgb 'white'\n"
                      "set output '%s-gnuplot.svg'\n"
                      "set style fill solid noborder\n"
                      "set border %d lc rgb '#9aa4af'\n"
                      "set xlabel offset 0,0.5\n"
                      "set %s reverse Left left top vertical maxrows %zu samplen 2.4 spacing 1.06 "
                      "noenhanced noautotitle at ",
                      name, name, name, layout->width, layout->height, name, is_bars ? 2 : 3, "key",
                      layout->n_entry_rows);
    add_screen(out, layout, layout->entries[0].x, layout->entries[0].y - 10);
    buffer_add_char(out, '\n');
    add_margin(out, "l", plot->left / width);
    add_margin(out, "r", (plot->left + plot->width) / width);
    add_margin(out, "t", 1 - plot->top / height);
    add_margin(out, "b", 1 - (plot->top + plot->height) / height);
    add_label(out, layout, layout->title, 20, 28, " font ',16' textcolor rgb '#1f2328'");
    add_label(out, layout, is_bars ? layout->x_title : layout->y_title, 20,
              20 + (layout->title[0] ? 26 : 0) + 12, " textcolor rgb '#59636e'");
    buffer_add_text(out, "set xlabel ");
    add_string(out, is_bars ? layout->y_title : layout->x_title, false);
    buffer_add_text(out, " noenhanced textcolor rgb '#59636e'\n");
}

static void add_axes(struct buffer *out, const struct chart_layout *layout)
{
    const struct chart *chart = layout->chart;
    if (chart->kind == CHART_BARS) {
        buffer_add_text(out, chart->y.scale == CHART_LOG ? "set logscale x\n" : "");
        add_range(out, "x", layout->y_min, layout->y_max);
        add_range(out, "y", layout->x_max, layout->x_min);
        add_ticks(out, "x", layout->y_ticks, layout->n_y_ticks);
        add_ticks(out, "y", layout->x_ticks, layout->n_x_ticks);
        buffer_add_text(out, "set ytics scale 0\nset grid xtics lt 1 lc rgb '#e4e7eb'\n");
        return;
    }
    buffer_add_text(out, chart->x.scale == CHART_LOG ? "set logscale x\n" : "");
    buffer_add_text(out, chart->y.scale == CHART_LOG ? "set logscale y\n" : "");
    add_range(out, "x", layout->x_min, layout->x_max);
    add_range(out, "y", layout->y_min, layout->y_max);
    add_ticks(out, "x", layout->x_ticks, layout->n_x_ticks);
    add_ticks(out, "y", layout->y_ticks, layout->n_y_ticks);
    buffer_add_text(out, "set grid xtics ytics lt 1 lc rgb '#e4e7eb'\n");
    for (size_t i = 0; i < layout->n_flags; i++) {
        const struct chart_flag *flag = &layout->flags[i];
        double top = flag->label[0] ? flag->label_y + 8 : layout->plot.top;
        buffer_add_text(out, "set arrow from first ");
        add_number(out, flag->x);
        buffer_add_text(out, ", graph 0 to first ");
        add_number(out, flag->x);
        buffer_add_text(out, ", screen ");
        add_number(out, round((1 - top / layout->height) * 1e5) / 1e5);
        buffer_add_text(out, " nohead back lc rgb '#59636e' dt (4,3)\n");
        add_label(out, layout, flag->label, flag->label_left, flag->label_y,
                  " font ',11' textcolor rgb '#59636e'");
    }
}

/* ---- data: blocks, with two blank lines between them; a blank line is a gap ---- */

struct blocks {
    struct buffer data;
    struct buffer plot; /* the elements of the plot command that draw them */
    size_t n;
    const char *name;
};

static void block_begin(struct blocks *blocks, const struct chart_layout *layout, size_t series,
                        const char *columns)
{
    /* The label is not a comment of the data: what ends a line for gnuplot is not ours to say. */
    buffer_add_format(&blocks->data, "%s# series %zu of %zu: %s\n", blocks->n > 0 ? "\n\n" : "",
                      series + 1, layout->chart->n_series, columns);
    buffer_add_format(&blocks->plot, "%s'%s.dat' index %zu", blocks->n > 0 ? ", \\\n    " : "",
                      blocks->name, blocks->n);
    blocks->n++;
}

static void add_row(struct buffer *out, const double *values, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        buffer_add_text(out, i > 0 ? " " : "");
        add_number(out, values[i]);
    }
    buffer_add_char(out, '\n');
}

static void add_points(struct blocks *blocks, const struct chart_layout *layout, size_t series)
{
    const struct chart_line *drawn = &layout->lines[series];
    struct chart_style style = chart_style_of(series);
    bool is_bars = layout->chart->kind == CHART_BARS;
    block_begin(blocks, layout, series,
                is_bars ? "category, value, low, high, n, base, from, to"
                        : "x, y, low, high, n, marker");
    for (size_t i = 0; i < drawn->n_points; i++) {
        const struct chart_point *p = &drawn->points[i];
        double from = 0, to = 0, base = fmax(layout->y_min, fmin(0, layout->y_max));
        if (isnan(p->y)) {
            buffer_add_char(&blocks->data, '\n');
            continue;
        }
        if (is_bars)
            chart_bar_span(layout->chart, series, p->x, &from, &to);
        int shape = p->n == 1 ? hollow[style.shape] : filled[style.shape];
        const double bar[] = {p->x, p->y, p->low, p->high, (double)p->n, base, from, to};
        const double point[] = {p->x, p->y, p->low, p->high, (double)p->n, shape};
        if (is_bars)
            add_row(&blocks->data, bar, sizeof bar / sizeof bar[0]);
        else
            add_row(&blocks->data, point, sizeof point / sizeof point[0]);
    }
    if (is_bars)
        buffer_add_format(&blocks->plot, " using 2:1:6:2:7:8 with boxxyerror" BAR_STYLE, style.fill,
                          style.colour);
    else if (drawn->has_markers)
        buffer_add_text(&blocks->plot, " using 1:2:6 with linespoints pt variable ps 0.85");
    else
        buffer_add_text(&blocks->plot, " using 1:2 with lines");
    if (!is_bars)
        add_line_style(&blocks->plot, &style, drawn->has_markers ? 1.8 : 1.3);
}

static void add_intervals(struct blocks *blocks, const struct chart_layout *layout, size_t series)
{
    const struct chart_line *drawn = &layout->lines[series];
    struct chart_style style = chart_style_of(series);
    bool is_bars = layout->chart->kind == CHART_BARS;
    bool has_begun = false;
    for (size_t i = 0; i < drawn->n_points; i++) {
        const struct chart_point *p = &drawn->points[i];
        if (isnan(p->low))
            continue;
        if (!has_begun)
            block_begin(blocks, layout, series, "place, value, low, high");
        has_begun = true;
        double from = p->x, to = p->x;
        if (is_bars)
            chart_bar_span(layout->chart, series, p->x, &from, &to);
        const double row[] = {from + (to - from) / 2, p->y, p->low, p->high};
        add_row(&blocks->data, row, sizeof row / sizeof row[0]);
    }
    /* Not errorbars: in SVG they paint a white dot under each point. */
    if (has_begun)
        buffer_add_format(&blocks->plot,
                          " using %s with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#%06x'",
                          is_bars ? "3:1:($4-$3):(0)" : "1:3:(0):($4-$3)",
                          is_bars ? 0 : style.colour);
}

static void add_key(struct buffer *out, const struct chart_layout *layout)
{
    for (size_t i = 0; i < layout->n_entries; i++) {
        const struct chart_entry *entry = &layout->entries[i];
        struct chart_style style = chart_style_of(entry->series);
        if (layout->chart->kind == CHART_BARS) {
            buffer_add_format(out, ", \\\n    keyentry with boxes" BAR_STYLE, style.fill, style.colour);
        } else {
            buffer_add_format(out, ", \\\n    keyentry with linespoints pt %d ps 0.85",
                              filled[style.shape]);
            add_line_style(out, &style, 1.8);
        }
        buffer_add_text(out, " title ");
        add_string(out, entry->label[0] ? entry->label : " ", false); /* '' would drop the entry */
    }
    buffer_add_char(out, '\n');
}

static int file_write(const char *folder, const char *name, const char *ending,
                      const struct buffer *bytes, struct err *err)
{
    struct buffer path = {0};
    buffer_add_format(&path, "%s/%s.%s", folder, name, ending);
    struct output *out = NULL;
    int result = path.failed || bytes->failed ? err_set(err, ERR_SYSTEM, "out of memory")
                                              : output_open(&out, buffer_text(&path), err);
    buffer_free(&path);
    TRY(result);
    result = output_write(out, buffer_text(bytes), bytes->size, err);
    if (result < 0) {
        output_discard(out);
        return result;
    }
    return output_commit(out, err);
}

int chart_write_gnuplot(const struct chart_layout *layout, const char *folder, const char *name,
                        struct err *err)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyz"
                                  "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-";
    if (name[0] == '\0' || name[0] == '-' || name[0] == '.' || name[strspn(name, letters)] != '\0')
        return err_set(err, ERR_USAGE,
                       "'%s' is no name for a figure: letters, digits and _, with . and - inside",
                       name);
    struct blocks blocks = {.name = name};
    for (size_t i = layout->chart->n_series; i-- > 0;) { /* the first one on top */
        if (layout->lines[i].n_points == 0)
            continue;
        /* A bar would cover its interval; a marker may. */
        bool is_bars = layout->chart->kind == CHART_BARS;
        if (!is_bars)
            add_intervals(&blocks, layout, i);
        add_points(&blocks, layout, i);
        if (is_bars)
            add_intervals(&blocks, layout, i);
    }
    struct buffer script = {0};
    add_frame(&script, layout, name);
    add_axes(&script, layout);
    buffer_add_text(&script, "plot ");
    buffer_add(&script, buffer_text(&blocks.plot), blocks.plot.size);
    add_key(&script, layout);
    script.failed |= blocks.plot.failed;
    int result = file_write(folder, name, "dat", &blocks.data, err);
    if (result >= 0)
        result = file_write(folder, name, "gp", &script, err);
    buffer_free(&script);
    buffer_free(&blocks.plot);
    buffer_free(&blocks.data);
    return result;
}
