/* Do two groups of values differ? The rank sum test of Wilcoxon, Mann and Whitney, two-sided. */
#ifndef REPORT_STATISTICS_RANKTEST_H
#define REPORT_STATISTICS_RANKTEST_H

#include <stddef.h>

#include "schema/err.h"

/* *p: the probability, when both groups are drawn alike, of a rank sum as far from its mean as this
 * one or farther. Equal values get the mean of their ranks. Exact, ties included, while that is
 * quick (some 25 values a side); beyond it the normal approximation with the corrections for ties
 * and continuity. 1 when all values are equal.
 * a: [n], b: [m], finite; n, m >= 1
 * Mann and Whitney, Ann. Math. Stat. 18 (1947) 50; Lehmann, Nonparametrics (1975), section 1.4 on
 * ties and the approximation. */
int ranktest(const double *a, size_t n, const double *b, size_t m, double *p, struct err *err);

/* The smallest p that n and m values without ties can give: 2 of all choices of n among n + m. */
double ranktest_least(size_t n, size_t m);

#endif
