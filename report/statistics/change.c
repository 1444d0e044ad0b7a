#include "report/statistics/change.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/statistics/ranktest.h"
#include "report/scale.h"
#include "report/statistics/statistics.h"

static size_t count_values(const struct resample_side *side)
{
    return side->n_runs > 0 ? side->starts[side->n_runs] : 0;
}

static int compare_doubles(double a, double b)
{
    return (a > b) - (a < b);
}

static double median_of(const double *values, size_t n, double *scratch)
{
    memcpy(scratch, values, n * sizeof *values);
    statistics_sort(scratch, n);
    return statistics_median(scratch, n);
}

/* True when a value is 0 or below. */
static bool side_describe(const struct resample_side *side, enum side s, struct change *change,
                          double *scratch)
{
    bool has_no_ratio = false;
    change->n[s] = count_values(side);
    change->n_runs[s] = side->n_runs;
    if (change->n[s] == 0)
        return true;
    change->median[s] = median_of(side->values, change->n[s], scratch);
    for (size_t i = 0; i < change->n[s]; i++) {
        has_no_ratio = has_no_ratio || !(side->values[i] > 0);
        change->has_spread[s] =
            change->has_spread[s] || compare_doubles(side->values[i], side->values[0]) != 0;
    }
    return has_no_ratio;
}

/* The values that are tested: medians of runs, or all. */
static const double *units_of(const struct resample_side *side, const struct change *change,
                              double *scratch, double *medians)
{
    if (!change->is_by_runs)
        return side->values;
    for (size_t r = 0; r < side->n_runs; r++)
        medians[r] = median_of(side->values + side->starts[r],
                             side->starts[r + 1] - side->starts[r], scratch);
    return medians;
}

static int draws_make(const struct resample_side sides[static SIDES], uint64_t seed,
                      double *draws, double *medians, size_t n, struct err *err)
{
    for (int s = 0; s < SIDES; s++) {
        TRY(resample_medians(&sides[s], (uint64_t)s + 1, seed, medians, n, err));
        for (size_t i = 0; i < n; i++)
            draws[i] = s == SIDE_BASE ? -log(medians[i]) : draws[i] + log(medians[i]);
    }
    return 0;
}

static int measure(const struct resample_side sides[static SIDES], uint64_t seed, double *draws,
                   size_t n_draws, struct change *change, double *scratch, struct err *err)
{
    const size_t n = change->n[SIDE_BASE] + change->n[SIDE_NEW];
    double *medians = scratch + n, *tested[SIDES] = {medians + n_draws, medians + n_draws + n};
    bool lacks_ratio = false;
    for (int s = 0; s < SIDES; s++)
        lacks_ratio = side_describe(&sides[s], (enum side)s, change, scratch) || lacks_ratio;
    change->is_by_runs = change->n_runs[SIDE_BASE] > 1 && change->n_runs[SIDE_NEW] > 1;
    for (int s = 0; s < SIDES; s++)
        change->n_units[s] = change->is_by_runs ? change->n_runs[s] : change->n[s];
    if (change->n[SIDE_BASE] == 0 || change->n[SIDE_NEW] == 0)
        return 0;
    const double *values[SIDES];
    for (int s = 0; s < SIDES; s++)
        values[s] = units_of(&sides[s], change, scratch, tested[s]);
    TRY(ranktest(values[SIDE_BASE], change->n_units[SIDE_BASE], values[SIDE_NEW],
                 change->n_units[SIDE_NEW], &change->p, err));
    change->has_p = true;
    change->p_corrected = change->p;
    change->p_least = ranktest_least(change->n_units[SIDE_BASE], change->n_units[SIDE_NEW]);
    if (lacks_ratio)
        return 0;
    change->has_ratio = true;
    change->ratio = change->median[SIDE_NEW] / change->median[SIDE_BASE];
    if (change->n[SIDE_BASE] < 2 || change->n[SIDE_NEW] < 2)
        return 0;
    TRY(draws_make(sides, seed, draws, medians, n_draws, err));
    memcpy(medians, draws, n_draws * sizeof *draws);
    resample_interval(medians, n_draws, &change->low, &change->high);
    change->low = exp(change->low);
    change->high = exp(change->high);
    change->has_interval = isfinite(change->low) && isfinite(change->high);
    change->has_ratio = isfinite(change->ratio) && change->ratio > 0;
    return 0;
}

int change_measure(const struct resample_side sides[static SIDES], uint64_t seed, double *draws,
                   size_t n_draws, struct change *change, struct err *err)
{
    *change = (struct change){.n = {count_values(&sides[SIDE_BASE]), count_values(&sides[SIDE_NEW])}};
    size_t n = change->n[SIDE_BASE] + change->n[SIDE_NEW];
    if (n > SIZE_MAX / 8 / sizeof(double) || n_draws > SIZE_MAX / 4 / sizeof(double))
        return err_set(err, ERR_SYSTEM, "out of memory");
    double *scratch = malloc((3 * n + n_draws + 1) * sizeof *scratch);
    if (!scratch)
        return err_set(err, ERR_SYSTEM, "out of memory");
    int result = measure(sides, seed, draws, n_draws, change, scratch, err);
    free(scratch);
    return result;
}

bool change_is_testable(const struct change *change, double alpha)
{
    return change->has_p && !change->is_same_code && change->p_least <= alpha;
}

static bool excludes_1(const struct change *change)
{
    return change->low > 1 || change->high < 1;
}

static bool is_large(const struct change *change)
{
    return fabs(log(change->ratio)) >= log1p(change->minimum);
}

static bool is_within(const struct change *change)
{
    return change->has_interval && change->low >= 1 / (1 + change->same_within) &&
           change->high <= 1 + change->same_within;
}

static bool has_units(const struct change *change, size_t least)
{
    return change->n_units[SIDE_BASE] >= least && change->n_units[SIDE_NEW] >= least;
}

static enum verdict same_or_not(struct change *change, enum change_reason reason)
{
    change->reason = reason;
    if (!is_within(change))
        return VERDICT_CANNOT_TELL;
    if (!has_units(change, CHANGE_UNITS_SAME)) {
        change->reason = REASON_FEW_FOR_SAME;
        return VERDICT_CANNOT_TELL;
    }
    return VERDICT_SAME;
}

static enum verdict verdict_of(struct change *change, enum better better, double alpha)
{
    bool has_spread = change->has_spread[SIDE_BASE] || change->has_spread[SIDE_NEW];
    change->reason = REASON_MISSING;
    if (change->n[SIDE_BASE] == 0 || change->n[SIDE_NEW] == 0)
        return VERDICT_CANNOT_TELL;
    change->reason = REASON_SAME_CODE;
    if (change->is_same_code)
        return VERDICT_SAME;
    change->reason = REASON_ONE_SAMPLE;
    if (change->n[SIDE_BASE] == 1 || change->n[SIDE_NEW] == 1)
        return VERDICT_CANNOT_TELL;
    change->reason = REASON_ALL_EQUAL;
    if (!has_spread && compare_doubles(change->median[SIDE_BASE], change->median[SIDE_NEW]) == 0)
        return VERDICT_SAME;
    change->reason = REASON_NO_RATIO;
    if (!change->has_ratio || !change->has_interval)
        return VERDICT_CANNOT_TELL;
    change->reason = REASON_FEW;
    if (!change_is_testable(change, alpha))
        return VERDICT_CANNOT_TELL;
    if (!excludes_1(change))
        return same_or_not(change, REASON_WIDE);
    if (!is_large(change))
        return same_or_not(change, change->p_corrected <= alpha ? REASON_BELOW_MINIMUM : REASON_WIDE);
    change->reason = REASON_P;
    if (change->p_corrected > alpha)
        return VERDICT_CANNOT_TELL;
    change->reason = has_spread ? REASON_NONE : REASON_NO_SPREAD;
    return (change->ratio > 1) == (better == BETTER_HIGHER) ? VERDICT_BETTER : VERDICT_WORSE;
}

void change_judge(struct change *change, enum better better, double alpha)
{
    change->verdict = verdict_of(change, better, alpha);
    if (change->verdict == VERDICT_SAME && change->reason == REASON_WIDE)
        change->reason = REASON_NONE;
}

const char *verdict_text(enum verdict verdict)
{
    static const char *const texts[VERDICTS] = {"cannot tell", "same", "better", "worse"};
    return texts[verdict];
}

static void side_name(const struct change *change, size_t n, struct buffer *out)
{
    bool is_base = change->n[SIDE_BASE] == n, is_new = change->n[SIDE_NEW] == n;
    buffer_add_text(out, is_base && is_new ? "both sides" : is_base ? "the base side" : "the new side");
}

void change_reason_text(const struct change *change, struct buffer *out)
{
    const char *unit = change->is_by_runs ? "runs" : "repetitions";
    size_t base = change->n_units[SIDE_BASE], new = change->n_units[SIDE_NEW];
    char minimum[SCALE_TEXT_SIZE], within[SCALE_TEXT_SIZE], p[SCALE_TEXT_SIZE];
    char least[SCALE_TEXT_SIZE];
    scale_number(change->minimum * 100, 3, minimum);
    scale_number(change->same_within * 100, 3, within);
    scale_number(change->p_corrected, 2, p);
    scale_number(change->p_least, 2, least);
    switch (change->reason) {
    case REASON_NONE:
        if (change->verdict == VERDICT_SAME)
            buffer_add_format(out, "within %s %%", within);
        return;
    case REASON_MISSING:
        buffer_add_text(out, "no value on ");
        side_name(change, 0, out);
        return;
    case REASON_ONE_SAMPLE:
        buffer_add_text(out, "one sample on ");
        side_name(change, 1, out);
        return;
    case REASON_FEW:
        buffer_add_format(out, "%zu and %zu %s cannot give a p below %s", base, new, unit, least);
        return;
    case REASON_FEW_FOR_SAME:
        buffer_add_format(out, "%zu and %zu %s, %d a side are the least to call them the same", base,
                          new, unit, CHANGE_UNITS_SAME);
        return;
    case REASON_SAME_CODE:
        buffer_add_text(out, "same machine code, the ratio is noise");
        return;
    case REASON_P:
        buffer_add_format(out, "p corrected is %s", p);
        if (change->p <= change->p_least * (1 + 1e-9))
            buffer_add_format(out, "; %zu and %zu %s cannot give a p below %s before it", base, new,
                              unit, least);
        return;
    case REASON_NO_RATIO:
        buffer_add_text(out, "values of 0 or below have no ratio");
        return;
    case REASON_ALL_EQUAL:
        buffer_add_text(out, "no spread: all values are equal");
        return;
    case REASON_NO_SPREAD:
        buffer_add_text(out, "no spread on either side");
        return;
    case REASON_WIDE:
        buffer_add_format(out, "the interval reaches beyond %s %%", within);
        return;
    case REASON_BELOW_MINIMUM:
        buffer_add_format(out, "a difference that is%s below the minimum effect of %s %%",
                          change->verdict == VERDICT_SAME ? "" : ", or may be,", minimum);
        return;
    }
}
