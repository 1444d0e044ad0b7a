/* What the parts of making graphs share. Functions that return text return NULL when memory is out. */
#ifndef REPORT_CHART_GRAPH_WORK_H
#define REPORT_CHART_GRAPH_WORK_H

#include "report/chart/graph.h"
#include "report/grid.h"
#include "schema/buffer.h"

struct graph_work {
    const struct selection *selection;
    const struct machine *machine; /* NULL: of several */
    struct arena *arena;
    struct graph *graphs;
    size_t n_graphs;
    struct buffer text; /* under construction */
};

int graph_out_of_memory(struct err *err);
/* Orders two cells by several fields. */
int graph_compare_by(const struct fields *fields, const struct cell *a, const struct cell *b);

/* graph_words.c. Moves the text to the arena. */
char *graph_keep(struct graph_work *work);
/* Appends the value of a field to the text, behind a comma where there is one already: "threads 2". */
void graph_label_add(struct graph_work *work, const struct field *field, const struct cell *cell);
/* As little as tells the line of this cell from those of the others [n]: legends are narrow. */
const char *graph_series_label(struct graph_work *work, const struct fields *fields,
                               const struct cell *const *cells, size_t n, const struct cell *cell);
/* The titles of the graph and of its chart. split: what is the same in the graph alone. */
int graph_title_set(struct graph_work *work, const struct cell *const *cells, size_t n,
                    const struct fields *split, bool with_test, struct graph *graph,
                    struct err *err);
int graph_alt_set(struct graph_work *work, const struct cell *const *cells, size_t n,
                  struct graph *graph, struct err *err);

/* graph_marks.c. Marks the facts that the kernel's display names, of the machines of the graph, where
 * they lie within what was measured. */
int graph_marks_set(struct graph_work *work, const struct cell *const *cells, size_t n,
                    struct chart *chart, struct err *err);

#endif
