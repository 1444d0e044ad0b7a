/* Where a series of runs of one machine changed: values before and after a run that do not come from
 * one distribution. */
#ifndef REPORT_STATISTICS_CHANGEPOINT_H
#define REPORT_STATISTICS_CHANGEPOINT_H

#include <stddef.h>

#include "schema/err.h"

enum { CHANGEPOINT_SEGMENT = 4 }; /* runs on each side at least: below, the rank test finds nothing */

struct changepoint {
    size_t at;    /* the first value behind the change */
    double ratio; /* of the medians after to before, up to the neighbouring changes */
    double p;     /* corrected for the places and windows that were looked at */
};

/* Divides the series at the largest step that the rank test confirms, then each part: binary
 * segmentation, Scott and Knott, Biometrics 30 (1974) 507. A change counts with p (Bonferroni over
 * places and windows) at most alpha and a ratio beyond the minimum effect (a share).
 * values: [n] in the order of time, above 0. points: [n / CHANGEPOINT_SEGMENT], ascending. */
int changepoints_find(const double *values, size_t n, double alpha, double minimum,
                      struct changepoint *points, size_t *n_points, struct err *err);

#endif
