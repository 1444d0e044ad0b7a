#include "report/statistics/statistics.h"

#include <math.h>
#include <stdlib.h>

static int compare_doubles(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

void statistics_sort(double *values, size_t n)
{
    if (n > 1)
        qsort(values, n, sizeof *values, compare_doubles);
}

double statistics_median(const double *sorted, size_t n)
{
    double upper = sorted[n / 2];
    if (n % 2 == 1)
        return upper;
    /* Halved first: the sum of two large values would overflow. */
    return sorted[n / 2 - 1] / 2 + upper / 2;
}

/* log of the binomial probability of k in n with p = 1/2. lgamma_r because lgamma writes a global. */
static double log_binomial_half(size_t n, size_t k)
{
    int sign;
    double ln = lgamma_r((double)n + 1, &sign);
    double lk = lgamma_r((double)k + 1, &sign);
    double lrest = lgamma_r((double)(n - k) + 1, &sign);
    return ln - lk - lrest - (double)n * 0.69314718055994530942; /* ln 2 */
}

bool statistics_median_interval(size_t n, double confidence, size_t *low, size_t *high,
                                double *coverage)
{
    /* The median lies below x(k) (from 0) when at most k of n values fall below it: probability
     * B(k), the binomial distribution function. Both tails together may hold 1 - confidence. */
    double limit = (1 - confidence) / 2;
    double below = 0;
    size_t k = 0;
    for (; k < n / 2; k++) {
        double next = below + exp(log_binomial_half(n, k));
        if (next > limit)
            break;
        below = next;
    }
    if (k == 0)
        return false;
    *low = k - 1;
    *high = n - k;
    if (coverage)
        *coverage = 1 - 2 * below;
    return true;
}

double statistics_geometric_mean(const double *values, size_t n)
{
    if (n == 0)
        return NAN;
    double sum = 0;
    for (size_t i = 0; i < n; i++) {
        if (!(values[i] > 0))
            return NAN;
        sum += log(values[i]);
    }
    return exp(sum / (double)n);
}

struct summary statistics_summary(const double *sorted, size_t n)
{
    struct summary summary = {.n = n};
    if (n == 0)
        return summary;
    size_t low, high;
    summary.median = statistics_median(sorted, n);
    summary.has_interval = statistics_median_interval(n, 0.95, &low, &high, NULL);
    summary.low = summary.has_interval ? sorted[low] : sorted[0];
    summary.high = summary.has_interval ? sorted[high] : sorted[n - 1];
    return summary;
}
