/* How much better or worse each build of collect is than one of them, on one machine: a row for each
 * test, a column for each build. */
#ifndef REPORT_COMPARE_HEAT_H
#define REPORT_COMPARE_HEAT_H

#include <stdbool.h>
#include <stddef.h>

#include "report/select.h"
#include "schema/arena.h"
#include "schema/err.h"

struct heat_cell {
    const struct cell *first; /* of the build, in this row; NULL: nothing in common with the base */
    double log_sum;           /* of the ratios */
    size_t n;                 /* cells that both this build and the base have */
    double times;             /* geometric mean of the ratios: above 1 is better than the base */
    bool is_same_code;        /* the machine code of the base */
};

struct heat_row {
    const struct cell *first; /* kernel, revision, metric, test */
    bool is_in_mean;          /* a time or rate of which all builds have all cells; of no control */
    struct heat_cell *cells;  /* [heat.n] */
};

struct heat {
    const char **variants; /* [n] that have something in common with the base; it is the first */
    size_t n;
    struct heat_row *rows; /* [n_rows] of each test the first metric that builds can be compared by */
    size_t n_rows;
    double *means; /* [n] geometric means over the rows that are in them */
    size_t n_in_mean;
};

/* base: a pattern of fnmatch(3), of the builds that match it the first in order is the base; NULL, or
 * where none does: of all. Builds in an emulator are left out. heat->n is below 2 where there is nothing
 * to compare. Memory from the arena. */
int heat_make(const struct selection *selection, size_t machine, const char *base, struct arena *arena,
              struct heat *heat, struct err *err);

#endif
