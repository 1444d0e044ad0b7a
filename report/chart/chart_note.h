/* What a reader must know that the drawing does not show. Report's own. */
#ifndef REPORT_CHART_CHART_NOTE_H
#define REPORT_CHART_CHART_NOTE_H

#include "report/chart/chart.h"
#include "report/chart/chart_points.h"

/* Sentences: what was dropped, thinned, cut and why, and what the intervals are; "" for nothing.
 * n_unlabelled: marks without a label. Memory of the arena, NULL when it is out. */
const char *chart_note_write(const struct chart *chart, const struct chart_extent *extent,
                             const struct chart_selection *selection, size_t n_unlabelled,
                             struct arena *arena);

#endif
