/* What changed between the two sides of one cell, and whether that can be told.
 *
 * A run is the unit of independence: where both sides have two runs or more, each run counts once,
 * by its median. With one run on a side there is nothing to learn about runs, and repetitions, each
 * a process of its own, are what is compared; drift between runs is then not covered.
 *
 * A change is called one when the rank test, corrected for the number of cells, the size of the
 * ratio and its interval all say so. Two sides are called the same when the interval of their ratio
 * lies within the minimum effect (and 10 %, unless the user said more). Everything else cannot be told. */
#ifndef REPORT_STATISTICS_CHANGE_H
#define REPORT_STATISTICS_CHANGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "report/statistics/correct.h"
#include "report/statistics/resample.h"
#include "schema/buffer.h"
#include "schema/err.h"
#include "schema/unit.h"

enum side { SIDE_BASE, SIDE_NEW, SIDES };

enum {
    CHANGE_DRAWS = 2000,   /* for an interval: 50 of them beyond each bound */
    CHANGE_UNITS_SAME = 6, /* a side, below which an interval is too short: see statistics.h */
};

enum verdict { VERDICT_CANNOT_TELL, VERDICT_SAME, VERDICT_BETTER, VERDICT_WORSE, VERDICTS };

enum change_reason {
    REASON_NONE,
    REASON_MISSING,       /* no value on a side */
    REASON_ONE_SAMPLE,    /* on a side */
    REASON_FEW,           /* units: no p of the test is alpha or less */
    REASON_FEW_FOR_SAME,  /* nothing found, but too few units to call it the same */
    REASON_NO_RATIO,      /* a value of 0 or below */
    REASON_ALL_EQUAL,     /* one value throughout, on both sides */
    REASON_NO_SPREAD,     /* one value throughout on each side, another one */
    REASON_SAME_CODE,     /* what differs is noise */
    REASON_P,             /* p, corrected, is above alpha */
    REASON_WIDE,          /* the interval reaches beyond what is the same */
    REASON_BELOW_MINIMUM, /* a difference, smaller than the minimum effect or perhaps so */
};

struct change {
    size_t n[SIDES], n_runs[SIDES];
    double median[SIDES];      /* of all values of a side; where n > 0 */
    bool has_spread[SIDES];
    bool is_same_code;         /* both sides run the same machine code on one machine: set by who knows */
    bool is_by_runs;           /* units are runs, else repetitions */
    size_t n_units[SIDES];
    bool has_ratio, has_interval, has_p;
    double ratio, low, high;   /* new / base, and its 95 % interval */
    double p, p_corrected;
    double p_least;            /* that so many units can give */
    double minimum;            /* effect, as a share: 0.01 */
    double same_within;        /* what may be called the same, a share: minimum, or less */
    enum verdict verdict;
    enum change_reason reason;
};

/* Medians, ratio, interval and p; no verdict yet. A side without a value has starts[n_runs] == 0.
 * draws: [n_draws] filled with the logarithms of the ratios drawn, when the change has an interval;
 * n_draws >= 40. */
int change_measure(const struct resample_side sides[static SIDES], uint64_t seed, double *draws,
                   size_t n_draws, struct change *change, struct err *err);

/* True when the test can find something: p can be alpha or less. What cannot be found needs no part in
 * the correction: Tarone, Biometrics 46 (1990) 515. */
bool change_is_testable(const struct change *change, double alpha);

/* With p_corrected, minimum and same_within set: the verdict and its reason. better: BETTER_HIGHER or
 * BETTER_LOWER. */
void change_judge(struct change *change, enum better better, double alpha);

/* "better", ... */
const char *verdict_text(enum verdict verdict);
/* Appends why, in words; nothing where the verdict says all. */
void change_reason_text(const struct change *change, struct buffer *out);

#endif
