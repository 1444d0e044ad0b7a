#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "report/change.h"
#include "tests/unit/random.h"

/* Whole reports on simulated data: how often they cry wolf, and how often they miss one. */

enum noise { NORMAL, LOGNORMAL, BIMODAL, QUANTISED, NOISES };
enum { CELLS = 20, RUNS = 10, REPETITIONS_MAX = 10, DRAWS = 100 };

static double uniform(uint64_t *seed)
{
    return ((double)(random_next(seed) >> 11) + 0.5) / 9007199254740992.0;
}

static double gauss(uint64_t *seed) /* Box and Muller, Ann. Math. Stat. 29 (1958) 610 */
{
    double radius = sqrt(-2 * log(uniform(seed)));
    return radius * cos(6.28318530717958647692 * uniform(seed));
}

/* One value around 100 with noise of about 2 %, of which `drift` is its run's share (already
 * drawn). */
static double sample(enum noise noise, double drift, double size, uint64_t *seed)
{
    double share = size * gauss(seed);
    if (noise == LOGNORMAL)
        return 100 * exp(drift + 1.5 * fabs(share) * (uniform(seed) < 0.1 ? 5 : 1));
    if (noise == BIMODAL)
        return 100 * (1 + drift) * (uniform(seed) < 0.5 ? 0.98 : 1.02) * (1 + share / 10);
    if (noise == QUANTISED)
        return round(100 * (1 + drift + share));
    return 100 * (1 + drift + share);
}

/* Judges one report in which the first cell is slower by `factor`. Returns how many cells got a
 * verdict; *is_found: the first one did, and the right one. */
static size_t report_judge(enum noise noise, size_t n_runs, size_t n_repetitions, double factor,
                           uint64_t *seed, bool *is_found)
{
    struct err err;
    struct change changes[CELLS];
    double p[CELLS], values[SIDES][RUNS * REPETITIONS_MAX], draws[DRAWS];
    size_t starts[RUNS + 1];
    double drifts[SIDES][RUNS];
    for (size_t r = 0; r <= n_runs; r++)
        starts[r] = r * n_repetitions;
    /* A run is slow or fast as a whole, in all its cells. */
    for (int s = 0; s < SIDES; s++)
        for (size_t r = 0; r < n_runs; r++)
            drifts[s][r] = n_runs > 1 ? 0.01 * gauss(seed) : 0;
    double size = n_runs > 1 ? sqrt(0.02 * 0.02 - 0.01 * 0.01) : 0.02;
    size_t n_tested = 0;
    for (size_t c = 0; c < CELLS; c++) {
        for (int s = 0; s < SIDES; s++)
            for (size_t r = 0; r < n_runs; r++)
                for (size_t i = starts[r]; i < starts[r + 1]; i++)
                    values[s][i] = sample(noise, drifts[s][r], size, seed) *
                                   (s == SIDE_NEW && c == 0 ? factor : 1);
        const struct resample_side sides[SIDES] = {{values[0], starts, n_runs},
                                                   {values[1], starts, n_runs}};
        assert_int_equal(change_measure(sides, c + 1, draws, DRAWS, &changes[c], &err), 0);
        changes[c].minimum = changes[c].same_within = 0.01;
        assert_true(changes[c].has_p);
        p[n_tested++] = changes[c].p;
    }
    assert_int_equal(correct_p(CORRECT_HOLM, p, n_tested, p, &err), 0);
    size_t n_verdicts = 0;
    for (size_t c = 0; c < CELLS; c++) {
        changes[c].p_corrected = p[c];
        change_judge(&changes[c], BETTER_LOWER, 0.05);
        n_verdicts += changes[c].verdict == VERDICT_BETTER || changes[c].verdict == VERDICT_WORSE;
    }
    *is_found = changes[0].verdict == VERDICT_WORSE;
    return n_verdicts;
}

/* Nothing changed, 20 cells, 1,000 reports of each kind: a report with any better or worse in it is
 * a false alarm. */
static void false_alarms_are_at_most_5_percent_of_reports(void **state)
{
    (void)state;
    static const char *const names[NOISES] = {"normal", "lognormal", "bimodal", "quantised"};
    static const size_t runs[] = {RUNS, 1}, repetitions[] = {5, 10};
    for (size_t k = 0; k < 2; k++)
        for (int noise = 0; noise < NOISES; noise++) {
            uint64_t seed = 1000 + (uint64_t)noise;
            size_t n_alarms = 0;
            bool is_found;
            for (int report = 0; report < 1000; report++)
                n_alarms += report_judge((enum noise)noise, runs[k], repetitions[k], 1, &seed,
                                         &is_found) > 0;
            print_message("# %s noise, %zu %s a side: %zu false alarms in 1000 reports\n",
                          names[noise], runs[k], runs[k] == 1 ? "run" : "runs", n_alarms);
            assert_true(n_alarms <= 50);
        }
}

/* One cell of 20 is slower by 3 %, noise 2 %: 1 % between runs, the rest among the ten repetitions of
 * a run. */
static void a_change_of_3_percent_is_found(void **state)
{
    (void)state;
    uint64_t seed = 77;
    size_t n_found = 0;
    for (int report = 0; report < 500; report++) {
        bool is_found;
        report_judge(NORMAL, RUNS, 10, 1.03, &seed, &is_found);
        n_found += is_found;
    }
    print_message("# 3 %% slower, 2 %% noise, 10 runs a side: found in %zu of 500 reports\n",
                  n_found);
    assert_true(n_found >= 450);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(false_alarms_are_at_most_5_percent_of_reports),
        cmocka_unit_test(a_change_of_3_percent_is_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
