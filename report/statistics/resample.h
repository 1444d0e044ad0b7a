/* How far a median may be off, by drawing the experiment again from itself: runs with replacement,
 * then repetitions within each run drawn, since values of one run stand or fall together. A
 * repetition is a process of its own, so these are all the levels there are.
 * Kalibera and Jones, Rigorous benchmarking in reasonable time, ISMM 2013, section 6. */
#ifndef REPORT_STATISTICS_RESAMPLE_H
#define REPORT_STATISTICS_RESAMPLE_H

#include <stddef.h>
#include <stdint.h>

#include "schema/err.h"

/* The values of one side, those of each run together. Borrowed. */
struct resample_side {
    const double *values; /* [starts[n_runs]] */
    const size_t *starts; /* [n_runs + 1]: where the values of each run begin; ascending */
    size_t n_runs;        /* >= 1, each with a value */
};

/* medians[i]: of all values of draw i. Draws of runs come from run_seed alone, so that cells of
 * the same runs draw the same ones; draws of repetitions from both seeds. Nothing else enters: the
 * same arguments give the same medians. */
int resample_medians(const struct resample_side *side, uint64_t run_seed, uint64_t cell_seed,
                     double *medians, size_t n, struct err *err);

/* The bounds that hold the middle 95 % of values, which are sorted here. n >= 1 */
void resample_interval(double *values, size_t n, double *low, double *high);

#endif
