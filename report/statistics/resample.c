#include "report/statistics/resample.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "report/statistics/statistics.h"

/* SplitMix64: Steele, Lea and Flood, OOPSLA 2014, figure 17. */
static uint64_t next(uint64_t *state)
{
    uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

/* 0 <= result < n, n < 2^32: the high half of a product, Lemire, ACM TOMACS 29 (2019) 3, without
 * the rejection: the bias is below n / 2^32. */
static size_t below(uint64_t *state, size_t n)
{
    return (size_t)((next(state) >> 32) * (uint64_t)n >> 32);
}

struct place {
    double value;
    size_t index;
};

static int compare_places(const void *a, const void *b)
{
    const struct place *x = a, *y = b;
    return (x->value > y->value) - (x->value < y->value);
}

/* Values in ascending order, the place of each in it, and how often each was drawn. */
struct draw {
    struct place *sorted;
    size_t *place_of;
    unsigned *counts;
    size_t n;
};

static double draw_median(const struct draw *draw, size_t n_drawn)
{
    size_t seen = 0, upper = n_drawn / 2;
    size_t lower = n_drawn % 2 == 1 ? upper : upper - 1;
    double low = 0;
    bool has_low = false;
    for (size_t i = 0; i < draw->n; i++) {
        seen += draw->counts[i];
        if (!has_low && seen > lower) {
            low = draw->sorted[i].value;
            has_low = true;
        }
        if (seen > upper)
            return low / 2 + draw->sorted[i].value / 2;
    }
    return low;
}

static double draw_once(const struct resample_side *side, struct draw *draw, uint64_t *runs,
                        uint64_t *repetitions)
{
    size_t n_drawn = 0;
    memset(draw->counts, 0, draw->n * sizeof *draw->counts);
    for (size_t r = 0; r < side->n_runs; r++) {
        size_t run = below(runs, side->n_runs);
        size_t start = side->starts[run], n = side->starts[run + 1] - start;
        for (size_t i = 0; i < n; i++)
            draw->counts[draw->place_of[start + below(repetitions, n)]]++;
        n_drawn += n;
    }
    return draw_median(draw, n_drawn);
}

int resample_medians(const struct resample_side *side, uint64_t run_seed, uint64_t cell_seed,
                     double *medians, size_t n, struct err *err)
{
    size_t n_values = side->starts[side->n_runs];
    bool fits = n_values <= UINT32_MAX && n_values <= SIZE_MAX / sizeof(struct place);
    struct draw draw = {.n = n_values};
    draw.sorted = fits ? malloc(n_values * sizeof *draw.sorted) : NULL;
    draw.place_of = fits ? malloc(n_values * sizeof *draw.place_of) : NULL;
    draw.counts = fits ? malloc(n_values * sizeof *draw.counts) : NULL;
    bool is_ready = draw.sorted && draw.place_of && draw.counts;
    if (is_ready) {
        for (size_t i = 0; i < n_values; i++)
            draw.sorted[i] = (struct place){side->values[i], i};
        qsort(draw.sorted, n_values, sizeof *draw.sorted, compare_places);
        for (size_t i = 0; i < n_values; i++)
            draw.place_of[draw.sorted[i].index] = i;
        uint64_t runs = run_seed, repetitions = run_seed ^ cell_seed;
        for (size_t i = 0; i < n; i++)
            medians[i] = draw_once(side, &draw, &runs, &repetitions);
    }
    free(draw.sorted);
    free(draw.place_of);
    free(draw.counts);
    return is_ready ? 0 : err_set(err, ERR_SYSTEM, "out of memory");
}

void resample_interval(double *values, size_t n, double *low, double *high)
{
    size_t cut = n / 40; /* 2.5 % at each end */
    statistics_sort(values, n);
    *low = values[cut];
    *high = values[n - 1 - cut];
}
