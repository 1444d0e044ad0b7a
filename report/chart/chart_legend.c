#include "report/chart/chart_legend.h"

#include <math.h>
#include <stdio.h>

#include "report/chart/chart_style.h"
#include "report/chart/label.h"
#include "report/scale.h"

enum {
    MARGIN = 20, /* px, as in the backends */
    TEXT_SIZE = 12,
    ROW = 19,
    SAMPLE = 36, /* line and marker before the text */
    GAP = 16,    /* between two columns */
    BESIDE_MAX = 12,
    TWO_COLUMNS_WIDTH = 600, /* of a page from which on a long list has two columns at least */
};

static const double BESIDE_SHARE = 0.28; /* of the page, for a legend beside the plot */

/* Series from CHART_STYLES on share the last entry. */
static const char *entry_text(const struct chart *chart, size_t i, char *more, size_t size)
{
    if (i < CHART_STYLES)
        return chart->series[i].label;
    char number[SCALE_TEXT_SIZE];
    scale_number((double)(chart->n_series - CHART_STYLES), 17, number);
    snprintf(more, size, "%.32s more, in grey", number);
    return more;
}

int chart_legend_init(struct chart_layout *layout, struct arena *arena, struct chart_legend *legend,
                      struct err *err)
{
    const struct chart *chart = layout->chart;
    size_t n = chart->n_series > CHART_STYLES ? CHART_STYLES + 1 : chart->n_series;
    double page = layout->width - 2 * MARGIN, width = 0;
    bool has_columns = n > BESIDE_MAX && layout->width >= TWO_COLUMNS_WIDTH;
    double room = (has_columns ? (page - GAP) / 2 : page) - SAMPLE;
    struct chart_entry *entries = arena_alloc(arena, n * sizeof *entries);
    if (!entries)
        return err_set(err, ERR_SYSTEM, "out of memory");
    for (size_t i = 0; i < n; i++) {
        char more[64];
        const char *text = entry_text(chart, i, more, sizeof more);
        entries[i] = (struct chart_entry){.series = i};
        entries[i].label = label_fit_ends(text, TEXT_SIZE, room, arena);
        if (!entries[i].label)
            return err_set(err, ERR_SYSTEM, "out of memory");
        width = fmax(width, label_width(entries[i].label, TEXT_SIZE));
    }
    layout->entries = entries;
    layout->n_entries = n;
    width += SAMPLE;
    *legend = (struct chart_legend){.rows = n, .column_width = width};
    legend->is_beside = n <= BESIDE_MAX && width <= BESIDE_SHARE * layout->width;
    if (!legend->is_beside) {
        legend->column_width = width + GAP;
        size_t columns = (size_t)fmax(1, floor((page + GAP) / legend->column_width));
        legend->rows = (n + columns - 1) / columns;
    }
    layout->n_entry_rows = legend->rows;
    legend->height = (double)legend->rows * ROW;
    return 0;
}

void chart_legend_place(struct chart_layout *layout, const struct chart_legend *legend, double left,
                        double top)
{
    for (size_t i = 0; i < layout->n_entries; i++) {
        layout->entries[i].x = left + (double)(i / legend->rows) * legend->column_width;
        layout->entries[i].y = top + ((double)(i % legend->rows) + 0.5) * ROW;
    }
}
