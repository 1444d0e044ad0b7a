#include "report/chart/chart_paint.h"

#include <cairo-ft.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "report/chart/chart_style.h"

enum { TITLE_SIZE = 16, TEXT_SIZE = 12, FLAG_SIZE = 11 };
enum { INK = 0x1f2328, SOFT_INK = 0x59636e, GRID = 0xe4e7eb, FRAME = 0x9aa4af, FLAG = 0x59636e };
enum { MARGIN = 20 };

static void set_colour(cairo_t *cr, unsigned colour)
{
    cairo_set_source_rgb(cr, (colour >> 16 & 255) / 255.0, (colour >> 8 & 255) / 255.0,
                         (colour & 255) / 255.0);
}

/* Hundredths of a px: what comes after them depends on the machine's arithmetic. */
static double rounded(double at)
{
    return round(at * 100) / 100;
}

static void line(cairo_t *cr, double x0, double y0, double x1, double y1)
{
    cairo_move_to(cr, rounded(x0), rounded(y0));
    cairo_line_to(cr, rounded(x1), rounded(y1));
}

/* ---- text ---- */

static void set_font(cairo_t *cr, double size, cairo_font_weight_t weight)
{
    cairo_select_font_face(cr, CHART_FONT, CAIRO_FONT_SLANT_NORMAL, weight);
    cairo_set_font_size(cr, size);
}

/* align: 0 left, 0.5 centre, 1 right of x. y is the middle of the capitals. */
static void text(cairo_t *cr, const char *string, double size, double x, double y, double align)
{
    cairo_text_extents_t extents;
    set_font(cr, size, CAIRO_FONT_WEIGHT_NORMAL);
    cairo_text_extents(cr, string, &extents);
    /* Capitals of DejaVu Sans are 0.73 of its size high. */
    cairo_move_to(cr, rounded(x - align * extents.x_advance), rounded(y + 0.365 * size));
    cairo_show_text(cr, string);
}

static const char *font_family(cairo_t *cr)
{
    static char family[128];
    const char *found = "unknown";
    cairo_scaled_font_t *font = cairo_get_scaled_font(cr);
    if (cairo_scaled_font_get_type(font) == CAIRO_FONT_TYPE_FT) {
        FT_Face face = cairo_ft_scaled_font_lock_face(font);
        if (face) {
            snprintf(family, sizeof family, "%s", face->family_name ? face->family_name : "");
            found = family;
            cairo_ft_scaled_font_unlock_face(font);
        }
    }
    return found;
}

/* ---- axes ---- */

static void ticks_paint(cairo_t *cr, const struct chart_layout *layout, bool is_x)
{
    const struct chart_box *plot = &layout->plot;
    bool is_bars = layout->chart->kind == CHART_BARS;
    bool is_across = is_x != is_bars; /* along the horizontal axis */
    const struct chart_tick *ticks = is_x ? layout->x_ticks : layout->y_ticks;
    size_t n = is_x ? layout->n_x_ticks : layout->n_y_ticks;
    double right = plot->left + plot->width, bottom = plot->top + plot->height;
    for (size_t i = 0; i < n; i++) {
        double at = is_x ? chart_place_x(layout, ticks[i].at) : chart_place_y(layout, ticks[i].at);
        bool has_label = ticks[i].label[0] != '\0';
        bool is_category = is_bars && is_x;
        if (has_label && !is_category) {
            set_colour(cr, GRID);
            if (is_across)
                line(cr, at, plot->top, at, bottom);
            else
                line(cr, plot->left, at, right, at);
            cairo_stroke(cr);
        }
        if (!is_category) {
            double length = has_label ? 5 : 3;
            set_colour(cr, FRAME);
            if (is_across)
                line(cr, at, bottom, at, bottom + length);
            else
                line(cr, plot->left - length, at, plot->left, at);
            cairo_stroke(cr);
        }
        set_colour(cr, INK);
        if (has_label && is_across)
            text(cr, ticks[i].label, TEXT_SIZE, at, bottom + 16, 0.5);
        else if (has_label)
            text(cr, ticks[i].label, TEXT_SIZE, plot->left - 9, at, 1);
    }
}

static void axes_paint(cairo_t *cr, const struct chart_layout *layout)
{
    const struct chart_box *plot = &layout->plot;
    bool is_bars = layout->chart->kind == CHART_BARS;
    double bottom = plot->top + plot->height;
    cairo_set_line_width(cr, 1);
    ticks_paint(cr, layout, true);
    ticks_paint(cr, layout, false);
    set_colour(cr, FRAME);
    line(cr, plot->left, plot->top, plot->left, bottom);
    if (!is_bars)
        line(cr, plot->left, bottom, plot->left + plot->width, bottom);
    cairo_stroke(cr);
    const char *across = is_bars ? layout->y_title : layout->x_title;
    const char *down = is_bars ? layout->x_title : layout->y_title;
    set_colour(cr, SOFT_INK);
    text(cr, across, TEXT_SIZE, plot->left + plot->width / 2, bottom + 37, 0.5);
    text(cr, down, TEXT_SIZE, MARGIN, MARGIN + (layout->title[0] ? 26 : 0) + 12, 0);
}

static void flags_paint(cairo_t *cr, const struct chart_layout *layout)
{
    static const double dashes[] = {4, 3};
    const struct chart_box *plot = &layout->plot;
    cairo_save(cr);
    set_colour(cr, FLAG);
    cairo_set_line_width(cr, 1);
    cairo_set_dash(cr, dashes, 2, 0);
    for (size_t i = 0; i < layout->n_flags; i++) {
        const struct chart_flag *flag = &layout->flags[i];
        double x = chart_place_x(layout, flag->x);
        double top = flag->label[0] ? flag->label_y + 8 : plot->top;
        line(cr, x, top, x, plot->top + plot->height);
        cairo_stroke(cr);
    }
    /* Lines of the rows above must not strike through a label. */
    for (size_t i = 0; i < layout->n_flags; i++) {
        const struct chart_flag *flag = &layout->flags[i];
        if (!flag->label[0])
            continue;
        cairo_text_extents_t extents;
        set_font(cr, FLAG_SIZE, CAIRO_FONT_WEIGHT_NORMAL);
        cairo_text_extents(cr, flag->label, &extents);
        cairo_set_source_rgb(cr, 1, 1, 1);
        cairo_rectangle(cr, rounded(flag->label_left - 2), rounded(flag->label_y - 7),
                        rounded(extents.x_advance + 4), 14);
        cairo_fill(cr);
        set_colour(cr, FLAG);
        text(cr, flag->label, FLAG_SIZE, flag->label_left, flag->label_y, 0);
    }
    cairo_restore(cr);
}

/* ---- series ---- */

static void polygon(cairo_t *cr, double x, double y, double radius, int corners, double turn)
{
    for (int i = 0; i < corners; i++) {
        double angle = turn + 2 * 3.14159265358979323846 * i / corners;
        cairo_line_to(cr, rounded(x + radius * sin(angle)), rounded(y - radius * cos(angle)));
    }
    cairo_close_path(cr);
}

static void marker(cairo_t *cr, const struct chart_style *style, double x, double y, bool is_hollow)
{
    /* Radii that give about the same area. */
    static const struct {
        double radius, turn;
        int corners;
    } polygons[N_SHAPES] = {
        [SHAPE_SQUARE] = {4.8, 0.78539816339744831, 4},
        [SHAPE_UP] = {5, 0, 3},
        [SHAPE_DIAMOND] = {5, 0, 4},
        [SHAPE_DOWN] = {5, 3.14159265358979323846, 3},
        [SHAPE_PENTAGON] = {4.4, 0, 5},
    };
    cairo_new_path(cr);
    if (style->shape == SHAPE_CIRCLE) {
        cairo_arc(cr, rounded(x), rounded(y), 3.6, 0, 2 * 3.14159265358979323846);
        cairo_close_path(cr);
    } else {
        polygon(cr, x, y, polygons[style->shape].radius, polygons[style->shape].corners,
                polygons[style->shape].turn);
    }
    if (is_hollow)
        cairo_set_source_rgb(cr, 1, 1, 1);
    else
        set_colour(cr, style->colour);
    cairo_fill_preserve(cr);
    set_colour(cr, style->colour);
    cairo_stroke(cr);
}

static void whisker(cairo_t *cr, const struct chart_layout *layout, double at,
                    const struct chart_point *point, double cap)
{
    bool is_bars = layout->chart->kind == CHART_BARS;
    double low = chart_place_y(layout, point->low), high = chart_place_y(layout, point->high);
    const double ends[2] = {low, high};
    /* An end at the edge of the plot is a cut and has no cap. */
    const bool has_cap[2] = {point->low > layout->y_min, point->high < layout->y_max};
    if (is_bars)
        line(cr, low, at, high, at);
    else
        line(cr, at, low, at, high);
    for (int i = 0; i < 2; i++) {
        if (!has_cap[i])
            continue;
        if (is_bars)
            line(cr, ends[i], at - cap, ends[i], at + cap);
        else
            line(cr, at - cap, ends[i], at + cap, ends[i]);
    }
    cairo_stroke(cr);
}

static void line_paint(cairo_t *cr, const struct chart_layout *layout, size_t series)
{
    const struct chart_line *drawn = &layout->lines[series];
    struct chart_style style = chart_style_of(series);
    bool is_pen_down = false;
    set_colour(cr, style.colour);
    cairo_set_line_width(cr, drawn->has_markers ? 1.8 : 1.3);
    cairo_set_dash(cr, style.dashes, (int)style.n_dashes, 0);
    for (size_t i = 0; i < drawn->n_points; i++) {
        const struct chart_point *point = &drawn->points[i];
        if (isnan(point->y)) {
            is_pen_down = false;
            continue;
        }
        double x = rounded(chart_place_x(layout, point->x));
        double y = rounded(chart_place_y(layout, point->y));
        if (is_pen_down)
            cairo_line_to(cr, x, y);
        else
            cairo_move_to(cr, x, y);
        is_pen_down = true;
    }
    cairo_stroke(cr);
    cairo_set_dash(cr, NULL, 0, 0);
    cairo_set_line_width(cr, 1.2);
    for (size_t i = 0; i < drawn->n_points; i++)
        if (!isnan(drawn->points[i].low))
            whisker(cr, layout, chart_place_x(layout, drawn->points[i].x), &drawn->points[i], 4);
    cairo_set_line_width(cr, 1.4);
    for (size_t i = 0; drawn->has_markers && i < drawn->n_points; i++)
        if (!isnan(drawn->points[i].y))
            marker(cr, &style, chart_place_x(layout, drawn->points[i].x),
                   chart_place_y(layout, drawn->points[i].y), drawn->points[i].n == 1);
}

static void bar(cairo_t *cr, const struct chart_style *style, double x, double y, double width,
                double height)
{
    double edge = fmin(1, height / 4);
    set_colour(cr, style->colour);
    cairo_rectangle(cr, rounded(x), rounded(y), rounded(width), rounded(height));
    cairo_fill(cr);
    if (style->fill == style->colour || width <= 2 * edge)
        return;
    set_colour(cr, style->fill);
    cairo_rectangle(cr, rounded(x + edge), rounded(y + edge), rounded(width - 2 * edge),
                    rounded(height - 2 * edge));
    cairo_fill(cr);
}

static void bars_paint(cairo_t *cr, const struct chart_layout *layout, size_t series)
{
    const struct chart_line *drawn = &layout->lines[series];
    struct chart_style style = chart_style_of(series);
    double base = fmax(layout->y_min, fmin(0, layout->y_max));
    double zero = chart_place_y(layout, base);
    for (size_t i = 0; i < drawn->n_points; i++) {
        const struct chart_point *point = &drawn->points[i];
        if (isnan(point->y))
            continue;
        double from, to;
        chart_bar_span(layout->chart, series, point->x, &from, &to);
        from = chart_place_x(layout, from);
        to = chart_place_x(layout, to);
        double gap = to - from > 6 ? 1 : 0; /* a line of white between two bars */
        double end = chart_place_y(layout, point->y);
        bar(cr, &style, fmin(zero, end), from + gap / 2, fabs(end - zero), to - from - gap);
        if (isnan(point->low))
            continue;
        /* White beside the black, so that it shows on any bar. */
        double middle = (from + to) / 2, cap = fmin(4, (to - from) / 3);
        cairo_set_source_rgb(cr, 1, 1, 1);
        cairo_set_line_width(cr, 3);
        whisker(cr, layout, middle, point, cap + 0.8);
        set_colour(cr, INK);
        cairo_set_line_width(cr, 1.2);
        whisker(cr, layout, middle, point, cap);
    }
}

static void legend_paint(cairo_t *cr, const struct chart_layout *layout)
{
    bool is_bars = layout->chart->kind == CHART_BARS;
    for (size_t i = 0; i < layout->n_entries; i++) {
        const struct chart_entry *entry = &layout->entries[i];
        struct chart_style style = chart_style_of(entry->series);
        set_colour(cr, style.colour);
        if (is_bars) {
            bar(cr, &style, entry->x + 10, entry->y - 6, 18, 12);
        } else {
            cairo_set_line_width(cr, 1.8);
            cairo_set_dash(cr, style.dashes, (int)style.n_dashes, 0);
            line(cr, entry->x, entry->y, entry->x + 28, entry->y);
            cairo_stroke(cr);
            cairo_set_dash(cr, NULL, 0, 0);
            cairo_set_line_width(cr, 1.4);
            marker(cr, &style, entry->x + 14, entry->y, false);
        }
        set_colour(cr, INK);
        text(cr, entry->label, TEXT_SIZE, entry->x + 36, entry->y, 0);
    }
}

const char *chart_paint(cairo_t *cr, const struct chart_layout *layout)
{
    cairo_font_options_t *options = cairo_font_options_create();
    cairo_font_options_set_hint_style(options, CAIRO_HINT_STYLE_NONE);
    cairo_font_options_set_hint_metrics(options, CAIRO_HINT_METRICS_OFF);
    cairo_font_options_set_antialias(options, CAIRO_ANTIALIAS_GRAY);
    cairo_font_options_set_subpixel_order(options, CAIRO_SUBPIXEL_ORDER_DEFAULT);
    cairo_set_font_options(cr, options);
    cairo_font_options_destroy(options);
    cairo_set_antialias(cr, CAIRO_ANTIALIAS_GRAY);
    cairo_set_line_cap(cr, CAIRO_LINE_CAP_BUTT);
    cairo_set_line_join(cr, CAIRO_LINE_JOIN_ROUND);

    cairo_set_source_rgb(cr, 1, 1, 1);
    cairo_rectangle(cr, 0, 0, layout->width, layout->height);
    cairo_fill(cr);
    set_colour(cr, INK);
    set_font(cr, TITLE_SIZE, CAIRO_FONT_WEIGHT_BOLD);
    cairo_move_to(cr, MARGIN, MARGIN + 14);
    cairo_show_text(cr, layout->title);

    axes_paint(cr, layout);
    flags_paint(cr, layout);
    /* The grey ones first and the first one last: that is what a reader looks for. */
    for (size_t i = layout->chart->n_series; i-- > 0;) {
        if (layout->chart->kind == CHART_BARS)
            bars_paint(cr, layout, i);
        else
            line_paint(cr, layout, i);
    }
    legend_paint(cr, layout);
    set_font(cr, TEXT_SIZE, CAIRO_FONT_WEIGHT_NORMAL);
    return font_family(cr);
}
