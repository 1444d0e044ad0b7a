/* Which points of a chart are drawn. */
#ifndef REPORT_CHART_CHART_POINTS_H
#define REPORT_CHART_CHART_POINTS_H

#include "report/chart/chart.h"

struct chart_extent {
    double x_min, x_max, y_min, y_max; /* intervals included; meaningless when n_drawable is 0 */
    size_t n_points, n_drawable;
    size_t n_not_finite;   /* or beyond 1e280 */
    size_t n_not_positive; /* on a log axis */
    size_t n_no_category;  /* CHART_BARS: x is not the index of one */
    bool has_only_powers_of_two; /* x */
};

void chart_extent_measure(const struct chart *chart, struct chart_extent *extent);

struct chart_selection {
    size_t n_thinned;      /* lines of which only some points are drawn */
    size_t n_without_intervals; /* lines too dense for their intervals */
    size_t n_cut;          /* intervals that leave the plot */
    size_t n_single;       /* points with a marker that stand for one sample */
    size_t n_intervals;    /* drawn */
};

/* Fills layout->lines; plot and ranges are set. */
int chart_points_select(struct chart_layout *layout, struct arena *arena,
                        struct chart_selection *selection, struct err *err);

#endif
