#include "report/statistics/changepoint.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "report/statistics/ranktest.h"
#include "report/statistics/statistics.h"

struct search {
    const double *values;
    double alpha, minimum;
    double *scratch;
    struct changepoint *points;
    size_t n_points;
};

static double median(const struct search *search, size_t from, size_t end)
{
    memcpy(search->scratch, search->values + from, (end - from) * sizeof *search->scratch);
    statistics_sort(search->scratch, end - from);
    return statistics_median(search->scratch, end - from);
}

/* Log of the ratio of the values just after a place to those just before. */
static double step_at(const struct search *search, size_t at)
{
    double step = 0;
    for (size_t i = 0; i < CHANGEPOINT_SEGMENT; i++)
        step += log(search->values[at + i]) - log(search->values[at - 1 - i]);
    return step / CHANGEPOINT_SEGMENT;
}

/* The least p of all that is on either side within from..end, and of windows of a half, a quarter
 * ... of it: a step and the step back would hide each other. */
static int place_test(const struct search *search, size_t from, size_t at, size_t end, double *least,
                      struct err *err)
{
    *least = 1;
    for (size_t window = end - from; window >= CHANGEPOINT_SEGMENT; window /= 2) {
        size_t before = at - from < window ? at - from : window;
        size_t after = end - at < window ? end - at : window;
        double p;
        TRY(ranktest(search->values + at - before, before, search->values + at, after, &p, err));
        *least = fmin(*least, p);
    }
    return 0;
}

/* The changes of values from..end, in order. */
static int part_search(struct search *search, size_t from, size_t end, struct err *err)
{
    if (end - from < 2 * CHANGEPOINT_SEGMENT)
        return 0;
    size_t n_tests = 0, n_places = end - from + 1 - 2 * CHANGEPOINT_SEGMENT;
    for (size_t window = end - from; window >= CHANGEPOINT_SEGMENT; window /= 2)
        n_tests += n_places;
    /* The test says whether there is a change, the step beside a place where it is: the rank test is
     * clearest where most values are. */
    size_t best = 0;
    double best_step = 0, best_p = 1;
    for (size_t at = from + CHANGEPOINT_SEGMENT; at + CHANGEPOINT_SEGMENT <= end; at++) {
        double p, step = fabs(step_at(search, at));
        /* A smaller step need not be tested, which takes most of the time. */
        if (!(step > best_step) || step < log1p(search->minimum))
            continue;
        TRY(place_test(search, from, at, end, &p, err));
        p *= (double)n_tests;
        if (p <= search->alpha) {
            best = at;
            best_step = step;
            best_p = p;
        }
    }
    if (best == 0)
        return 0;
    TRY(part_search(search, from, best, err));
    search->points[search->n_points++] = (struct changepoint){best, 1, best_p};
    return part_search(search, best, end, err);
}

int changepoints_find(const double *values, size_t n, double alpha, double minimum,
                      struct changepoint *points, size_t *n_points, struct err *err)
{
    struct search search = {
        .values = values, .alpha = alpha, .minimum = minimum, .points = points};
    search.scratch = n > SIZE_MAX / sizeof(double) ? NULL : malloc(n * sizeof(double) + 1);
    if (!search.scratch)
        return err_set(err, ERR_SYSTEM, "out of memory");
    int result = part_search(&search, 0, n, err);
    /* With all changes known, each is measured up to its neighbours. */
    for (size_t i = 0; i < search.n_points && result >= 0; i++) {
        size_t from = i > 0 ? points[i - 1].at : 0;
        size_t end = i + 1 < search.n_points ? points[i + 1].at : n;
        points[i].ratio =
            median(&search, points[i].at, end) / median(&search, from, points[i].at);
    }
    free(search.scratch);
    *n_points = search.n_points;
    return result;
}
