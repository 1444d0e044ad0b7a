/* Where a cell of a table gets its samples and facts from: the conditions of the table, and of the
 * section, row and columns that it stands in. */
#ifndef REPORT_LAYOUT_LAYOUT_SOURCES_H
#define REPORT_LAYOUT_LAYOUT_SOURCES_H

#include "report/layout/layout_grid.h"

enum { SOURCES_MAX = 16 };

/* Everything that has conditions for one cell: the table, the section, the row, the columns. */
struct source {
    const struct condition *where;
    const struct item *item;          /* NULL: of table and section */
    const struct named_text *without; /* of others' conditions */
};

struct sources {
    struct source list[SOURCES_MAX];
    size_t n;
    size_t n_of_row; /* the first of them, which the cells of the row fulfil */
    bool has_without;
    bool is_base; /* the base of what is wanted, by `over` */
};

void sources_make(const struct layout_grid *grid, size_t r, size_t c, bool is_base,
                  struct sources *sources);

/* The cells of the selection that fulfil everything, as quantities in *list: [*n]. at: NULL, or a cell
 * whose x they share. */
int sources_samples(const struct layout_grid *grid, size_t r, const struct sources *sources,
                    const struct cell *at, struct quantity **list, size_t *n, struct err *err);

/* Of one machine the fact of its last run, of several sources the first that knows it; of several
 * machines nothing but what they agree in. */
struct quantity sources_fact(const struct layout_grid *grid, const struct sources *sources,
                             const char *name);

#endif
