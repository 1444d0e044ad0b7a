/* Which graphs a set of cells makes: lines over x where something was swept, else bars. */
#ifndef REPORT_CHART_GRAPH_H
#define REPORT_CHART_GRAPH_H

#include <stddef.h>

#include "report/chart/chart.h"
#include "report/select.h"
#include "schema/arena.h"
#include "schema/err.h"

struct graph {
    struct chart chart;
    const struct cell *first; /* kernel, revision, metric, unit, x_unit of all; test unless
                                 several stand together */
    const char *title;        /* without the machine */
    const char *alt;          /* what is to be seen, in words */
};

/* cells: [n] of one kernel. machine: NULL for a graph of several machines, whose names are then in
 * the legend and whose memory is marked where the kernel's display says so. A group with less than two
 * values makes no graph. *graphs: [*n_graphs] in the arena. */
int graphs_make(const struct selection *selection, const struct cell *const *cells, size_t n,
                const struct machine *machine, struct arena *arena, struct graph **graphs,
                size_t *n_graphs, struct err *err);

#endif
