#include "report/statistics/ranktest.h"

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* Steps of the exact count, a few milliseconds of them. */
static const double exact_steps = 4e6;

struct ranked {
    double value;
    bool is_first; /* of the group that is counted */
    size_t rank;   /* doubled, so that the mean of two neighbours is whole */
};

static int compare_ranked(const void *a, const void *b)
{
    double x = ((const struct ranked *)a)->value, y = ((const struct ranked *)b)->value;
    return (x > y) - (x < y);
}

/* Returns the sum of t^3 - t over the groups of t equal values. */
static double ranks_set(struct ranked *values, size_t n)
{
    double ties = 0;
    qsort(values, n, sizeof *values, compare_ranked);
    for (size_t i = 0, end; i < n; i = end) {
        for (end = i + 1; end < n && compare_ranked(&values[i], &values[end]) == 0;)
            end++;
        double t = (double)(end - i);
        ties += t * t * t - t;
        for (size_t k = i; k < end; k++)
            values[k].rank = i + end + 1; /* ranks i + 1 to end, their mean doubled */
    }
    return ties;
}

/* counts[k * (top + 1) + s]: choices of k of the ranks seen so far that sum to s. Of the smaller
 * group, of which the larger one's sum is the complement. */
static double exact_p(const struct ranked *values, size_t n_all, size_t n, size_t sum, double *counts,
                      size_t top)
{
    size_t width = top + 1, seen = 0;
    counts[0] = 1;
    for (size_t i = 0; i < n_all; i++) {
        size_t rank = values[i].rank;
        seen += rank;
        size_t most = seen < top ? seen : top;
        for (size_t k = i + 1 < n ? i + 1 : n; k >= 1; k--) {
            double *into = counts + k * width;
            const double *from = counts + (k - 1) * width;
            for (size_t s = rank; s <= most; s++)
                into[s] += from[s - rank];
        }
    }
    /* The mean of the doubled sum is n (n_all + 1). */
    double mean = (double)n * (double)(n_all + 1), distance = fabs((double)sum - mean);
    double all = 0, far = 0;
    for (size_t s = 0; s <= top; s++) {
        double here = counts[n * width + s];
        all += here;
        if (fabs((double)s - mean) >= distance)
            far += here;
    }
    return far / all;
}

/* Lehmann, equation (1.34) for the variance with ties. */
static double normal_p(size_t n_all, size_t n, size_t sum, double ties)
{
    double N = (double)n_all, first = (double)n, second = N - first;
    double variance = first * second * (N + 1) / 12 - first * second * ties / (12 * N * (N - 1));
    double distance = fabs((double)sum - first * (N + 1)) / 2 - 0.5;
    return distance > 0 ? erfc(distance / sqrt(2 * variance)) : 1;
}

static int ranked_p(struct ranked *values, size_t n_all, size_t n, double *p, struct err *err)
{
    double ties = ranks_set(values, n_all);
    size_t sum = 0, top = 0;
    for (size_t i = 0; i < n_all; i++)
        sum += values[i].is_first ? values[i].rank : 0;
    for (size_t i = n_all - n; i < n_all; i++)
        top += values[i].rank;
    if (values[0].rank == n_all + 1) { /* all are equal */
        *p = 1;
        return 0;
    }
    if ((double)n_all * (double)n * (double)top > exact_steps) {
        *p = normal_p(n_all, n, sum, ties);
        return 0;
    }
    double *counts = calloc((n + 1) * (top + 1), sizeof *counts);
    if (!counts)
        return err_set(err, ERR_SYSTEM, "out of memory");
    *p = exact_p(values, n_all, n, sum, counts, top);
    free(counts);
    return 0;
}

int ranktest(const double *a, size_t n, const double *b, size_t m, double *p, struct err *err)
{
    if (n > SIZE_MAX / 4 / sizeof(struct ranked) || m > SIZE_MAX / 4 / sizeof(struct ranked))
        return err_set(err, ERR_SYSTEM, "out of memory");
    struct ranked *values = malloc((n + m) * sizeof *values);
    if (!values)
        return err_set(err, ERR_SYSTEM, "out of memory");
    for (size_t i = 0; i < n; i++)
        values[i] = (struct ranked){.value = a[i], .is_first = n <= m};
    for (size_t i = 0; i < m; i++)
        values[n + i] = (struct ranked){.value = b[i], .is_first = n > m};
    int result = ranked_p(values, n + m, n <= m ? n : m, p, err);
    free(values);
    return result;
}

double ranktest_least(size_t n, size_t m)
{
    double choices = 1;
    for (size_t i = 1; i <= n; i++)
        choices *= (double)(m + i) / (double)i;
    return fmin(1, 2 / choices);
}
