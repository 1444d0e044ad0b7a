/* The legend of a chart: what its entries say and where they stand. */
#ifndef REPORT_CHART_CHART_LEGEND_H
#define REPORT_CHART_CHART_LEGEND_H

#include "report/chart/chart.h"

struct chart_legend {
    size_t rows;
    double column_width, height; /* px */
    bool is_beside;              /* the plot, else below it */
};

/* Sets the entries of the layout but for their places, and how they stand: beside the plot where they
 * are few and short, else below it in as many columns as fit. layout->width is set. */
int chart_legend_init(struct chart_layout *layout, struct arena *arena, struct chart_legend *legend,
                      struct err *err);
/* Down the columns, in the order given. */
void chart_legend_place(struct chart_layout *layout, const struct chart_legend *legend, double left,
                        double top);

#endif
