/* From records to what pages and tables show: the machines, and the cells.
 *
 * A cell holds the samples that measure the same thing in the same place: all of kernel, revision,
 * test, threads, x, x_unit, params and metric are equal (contract, section 1), and so are machine and
 * variant, and the run when asked for. What is none of these and varies inside a cell (runs, times)
 * is a warning, not a secret.
 *
 * Runs with a fact `retracted` give no cells; machines.runs lists them. Everything borrows the
 * archive. */
#ifndef REPORT_SELECT_H
#define REPORT_SELECT_H

#include <stdbool.h>
#include <stddef.h>

#include "report/machine.h"
#include "report/statistics/statistics.h"
#include "schema/archive.h"
#include "schema/arena.h"
#include "schema/err.h"

struct cell {
    const struct record *key; /* one of its records: kernel ... metric of all of them */
    const char *unit;         /* of a cell of failures alone that of its neighbours; else "" */
    size_t machine;           /* index */
    const char *run;          /* "" unless grouped by run */
    const char *region;       /* the param of this name; else of an x in B the smallest cache of the
                                 machine that holds it (l1, l2, l3), or ram; NULL: not known */
    const struct record **records; /* [n_records] all of them, warm-ups and failures too */
    size_t n_records;
    double *values; /* [summary.n] of the ok repetitions, ascending, base unit */
    struct summary summary;
    size_t n_warmups;
    size_t n_failed;            /* repetitions that are not ok */
    enum record_status failure; /* of the first of them */
    const char *reason;
    size_t n_runs;
    size_t number; /* from 1, among the cells of its kernel and machine: the anchor of its samples */
};

struct selection {
    struct arena arena;
    struct machines machines;
    struct cell *cells; /* [n_cells] by kernel, revision, metric, test, params, x_unit, x, threads,
                           machine, variant, run; numbers in names by value, metrics as
                           compare_metrics */
    size_t n_cells;
    struct warnings warnings;
};

/* True when two samples measure the same thing, wherever and in whichever build. */
bool is_same_work(const struct record *a, const struct record *b);

/* The archive is sealed. On an error too selection_free is due. */
int selection_make(struct selection *selection, const struct archive *archive, bool by_run,
                   struct err *err);
void selection_free(struct selection *selection);

#endif
