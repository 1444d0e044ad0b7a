/* Statistics of one cell. No assumption about the distribution is made: samples of times have long
 * tails and steps, so everything rests on order statistics. */
#ifndef REPORT_STATISTICS_STATISTICS_H
#define REPORT_STATISTICS_STATISTICS_H

#include <stdbool.h>
#include <stddef.h>

/* Sorts ascending. values: [n], finite. */
void statistics_sort(double *values, size_t n);

/* The middle value, or the mean of the two middle ones.
 * sorted: [n] ascending, n >= 1 */
double statistics_median(const double *sorted, size_t n);

/* The order statistics that bound the median with at least this confidence: x(low) and x(high),
 * counted from 0, the narrowest symmetric pair. *coverage (when not NULL) is the confidence that
 * pair really has, from the binomial distribution with p = 1/2.
 * False when n is too small for any pair: below 6 at 0.95.
 * David & Nagaraja, Order Statistics, 3rd ed. (2003), section 7.1. */
bool statistics_median_interval(size_t n, double confidence, size_t *low, size_t *high,
                                double *coverage);

/* exp of the mean logarithm, so that long series neither overflow nor underflow. NAN when n is 0 or
 * a value is not above 0. */
double statistics_geometric_mean(const double *values, size_t n);

/* What a table or a graph shows of a cell. */
struct summary {
    size_t n; /* samples; when 0 the rest means nothing */
    double median;
    double low, high; /* the 95 % confidence interval of the median when has_interval, else the
                         range: smallest and largest value */
    bool has_interval;
};

/* sorted: [n] ascending */
struct summary statistics_summary(const double *sorted, size_t n);

#endif
