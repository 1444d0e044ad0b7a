/* Texts on a chart: made harmless, measured and cut without asking a font, so that a layout is the
 * same on every machine. All return memory of the arena, NULL when it is out. */
#ifndef REPORT_CHART_LABEL_H
#define REPORT_CHART_LABEL_H

#include "schema/arena.h"

/* One line of well-formed UTF-8: blanks, tabs and line ends become one blank each; other control
 * characters, marks that reorder text, what XML cannot hold and bytes that are not UTF-8 become
 * U+FFFD. */
const char *label_clean(const char *text, struct arena *arena);

/* Width of a clean text in DejaVu Sans, px; above U+024F an upper bound. */
double label_width(const char *text, double size_px);

/* label_clean, and cut with an ellipsis to what fits in `width` px. */
const char *label_fit(const char *text, double size_px, double width, struct arena *arena);
/* The same, but the middle is cut out: what tells names apart that begin alike stands at their end. */
const char *label_fit_ends(const char *text, double size_px, double width, struct arena *arena);

#endif
