#include "report/statistics/correct.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>

struct ranked_p {
    double p;
    size_t index;
};

static int compare_p(const void *a, const void *b)
{
    const struct ranked_p *x = a, *y = b;
    if (x->p < y->p || x->p > y->p)
        return x->p < y->p ? -1 : 1;
    return (x->index > y->index) - (x->index < y->index);
}

static void holm(const struct ranked_p *sorted, size_t n, double *out)
{
    double least = 0;
    for (size_t i = 0; i < n; i++) {
        least = fmax(least, fmin(1, sorted[i].p * (double)(n - i)));
        out[sorted[i].index] = least;
    }
}

static void benjamini_hochberg(const struct ranked_p *sorted, size_t n, double *out)
{
    double most = 1;
    for (size_t i = n; i-- > 0;) {
        most = fmin(most, sorted[i].p * (double)n / (double)(i + 1));
        out[sorted[i].index] = most;
    }
}

int correct_p(enum correction correction, const double *p, size_t n, double *out, struct err *err)
{
    if (n == 0)
        return 0;
    struct ranked_p *sorted = n > SIZE_MAX / sizeof *sorted ? NULL : malloc(n * sizeof *sorted);
    if (!sorted)
        return err_set(err, ERR_SYSTEM, "out of memory");
    for (size_t i = 0; i < n; i++)
        sorted[i] = (struct ranked_p){p[i], i};
    qsort(sorted, n, sizeof *sorted, compare_p);
    if (correction == CORRECT_HOLM)
        holm(sorted, n, out);
    else if (correction == CORRECT_BH)
        benjamini_hochberg(sorted, n, out);
    else
        for (size_t i = 0; i < n; i++)
            out[sorted[i].index] = sorted[i].p;
    free(sorted);
    return 0;
}

const char *correction_text(enum correction correction)
{
    static const char *const texts[CORRECTION_COUNT] = {"Benjamini-Hochberg", "Holm", "none"};
    return texts[correction];
}
