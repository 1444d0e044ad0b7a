/* A chart as data, before anyone draws it: the same model goes to cairo and to gnuplot.
 *
 * All texts are UTF-8 and untrusted; a backend shows them as text. Numbers are in base units; an
 * axis says how to show them. Everything is borrowed until the drawing call returns. */
#ifndef REPORT_CHART_CHART_H
#define REPORT_CHART_CHART_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "schema/arena.h"
#include "schema/err.h"

enum chart_kind { CHART_LINES, CHART_BARS };
enum chart_scale { CHART_LINEAR, CHART_LOG };

struct chart_axis {
    const char *title;   /* "array size" */
    const char *unit;    /* base unit of the data, "B" */
    const char *display; /* a spelling of schema/unit.h to show it in, "MB/s", "KiB"; NULL: chosen
                            so that the largest value has 1 to 3 digits before the point */
    enum chart_scale scale;
    bool is_of_changes; /* y: what counts is how values differ, so that zero need not be seen */
};

struct chart_point {
    double x; /* CHART_BARS: index of the category */
    double y;
    double low, high; /* interval around y; NAN: none */
    uint64_t n;       /* samples behind it */
};

struct chart_series {
    const char *label;
    const struct chart_point *points; /* [n_points], x ascending */
    size_t n_points;
};

struct chart_mark { /* a value on the x axis worth a line, such as the size of the RAM */
    double x;
    const char *label;
};

struct chart {
    enum chart_kind kind;
    const char *title;
    const char *interval_note; /* what low and high are, for the caption; NULL: there are none */
    struct chart_axis x, y;
    const struct chart_series *series; /* [n_series]: colour and marker follow the index */
    size_t n_series;
    const char *const *categories; /* [n_categories], CHART_BARS */
    size_t n_categories;
    const struct chart_mark *marks; /* [n_marks] */
    size_t n_marks;
    const char *mark_note; /* why marks are missing; NULL: none is */
    int width; /* px of the page, 200 or more; 0: CHART_WIDTH */
};

enum {
    CHART_WIDTH = 900,
    CHART_NARROW_WIDTH = 360, /* for a telephone, or a column of a journal */
};

/* Ticks, ranges, texts and places, computed once for all backends, without asking a font. Positions
 * of data are in base units, places on the page in CSS px from the top left. A bar chart lies on
 * its side: its categories (x) go down the page, its values (y) to the right. */
struct chart_tick {
    double at;
    const char *label; /* "" for a minor tick */
};

struct chart_box {
    double left, top, width, height;
};

/* What is drawn of one series. A point whose y is NAN is a gap in the line. */
struct chart_line {
    const struct chart_point *points; /* low and high cut to the plot, or both NAN */
    size_t n_points;
    bool has_markers;
};

struct chart_entry { /* of the legend */
    size_t series;   /* whose style it shows */
    const char *label;
    double x, y; /* left end and middle of the line of text */
};

struct chart_flag { /* a mark that is drawn */
    double x;
    const char *label; /* "": no room */
    double label_left, label_y;
};

struct chart_layout {
    const struct chart *chart;
    int width, height; /* px of the page */
    struct chart_box plot;
    double x_min, x_max, y_min, y_max; /* of the plot area; on a log axis > 0 */
    struct chart_tick *x_ticks, *y_ticks; /* CHART_BARS: x_ticks are the categories */
    size_t n_x_ticks, n_y_ticks;
    const char *title; /* "" when there is none */
    const char *x_title, *y_title; /* with the display unit: "array size, KiB" */
    double x_factor, y_factor;     /* shown = base * factor */
    const char *x_unit, *y_unit;   /* the display unit; "" where each tick label has its own */
    struct chart_line *lines;      /* [chart->n_series] */
    struct chart_entry *entries;
    size_t n_entries, n_entry_rows; /* in columns of that many */
    struct chart_flag *flags;
    size_t n_flags;
    size_t n_dropped; /* points that cannot be drawn: not finite, or <= 0 on a log axis */
    const char *note; /* what was dropped, thinned or cut and why, and what the intervals are; "" */
};

/* Fills *layout from the chart; memory from the arena. A chart without a drawable point gives
 * ERR_DATA. */
int chart_layout(const struct chart *chart, struct arena *arena, struct chart_layout *layout,
                 struct err *err);

/* True when the point goes on the page with these axes. */
bool chart_is_drawable(const struct chart *chart, const struct chart_point *point);

/* px from the top left of the page. */
double chart_place_x(const struct chart_layout *layout, double x); /* CHART_BARS: down */
double chart_place_y(const struct chart_layout *layout, double y); /* CHART_BARS: to the right */

/* CHART_BARS: where on the x axis the bar of a series in a category begins and ends. */
void chart_bar_span(const struct chart *chart, size_t series, double category, double *from,
                    double *to);

enum chart_format { CHART_SVG, CHART_PNG, CHART_PDF };

/* report/chart/chart_cairo.c. Writes the file through schema/output. *font (when not NULL) names the font
 * that the letters are of, borrowed, static: CHART_FONT, or another where that is missing. */
#define CHART_FONT "DejaVu Sans"
int chart_draw_cairo(const struct chart_layout *layout, enum chart_format format, const char *path,
                     const char **font, struct err *err);

/* report/chart/chart_gnuplot.c. Writes folder/name.gp and folder/name.dat: a fixed script and the data it
 * reads, by relative names. */
int chart_write_gnuplot(const struct chart_layout *layout, const char *folder, const char *name,
                        struct err *err);
/* Runs `gnuplot -d name.gp` in the folder (no shell, LC_ALL=C, a time limit), which makes
 * folder/name-gnuplot.svg. 1 when it was made, 0 when there is no gnuplot; an error when it ran and
 * failed or wrote no whole file. */
int chart_run_gnuplot(const char *folder, const char *name, struct err *err);

/* report/chart/figure.c. All forms of one chart: name.svg, name.png (cairo), name-narrow.svg (the same, of
 * CHART_NARROW_WIDTH and without its title), name.csv (the data: series, x, x_unit, y, y_unit, low,
 * high, n), name.gp, name.dat and, with gnuplot, name-gnuplot.svg. */
struct figure {
    bool has_gnuplot;
    const char *font;   /* as chart_draw_cairo says */
    char note[1024];    /* the layout's note */
    int width, height;  /* px of the SVG */
};
int figure_write(const struct chart *chart, const char *folder, const char *name,
                 struct figure *figure, struct err *err);

#endif
