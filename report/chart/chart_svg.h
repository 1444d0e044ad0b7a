/* What an SVG made by cairo needs to be part of a page. Report's own. */
#ifndef REPORT_CHART_CHART_SVG_H
#define REPORT_CHART_CHART_SVG_H

#include <stddef.h>

#include "schema/buffer.h"

/* Appends the SVG with its ids renamed, in the order in which they appear, to a prefix made from
 * the content and a number: cairo's depend on what the process drew before, and repeat from file to
 * file, so that two SVGs in one page would mix their letters. `title` (clean UTF-8) becomes its
 * <title>. */
void chart_svg_rename(const char *svg, size_t size, const char *title, struct buffer *out);

#endif
