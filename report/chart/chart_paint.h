/* Paints a layout with cairo, onto whatever surface. Report's own; others use chart.h. */
#ifndef REPORT_CHART_CHART_PAINT_H
#define REPORT_CHART_CHART_PAINT_H

#include <cairo.h>

#include "report/chart/chart.h"

/* One unit of the context is one px of the layout. Errors stay in the context: check
 * cairo_status(). Returns the family of the font that the letters are of, static. */
const char *chart_paint(cairo_t *cr, const struct chart_layout *layout);

#endif
