#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "report/statistics/change.h"
#include "tests/unit/random.h"

/* Whole reports on simulated data: how often they cry wolf, and how often they miss one. */

enum noise { NORMAL, LOGNORMAL, BIMODAL, QUANTISED, NOISES };
enum { CELLS = 20, CELLS_MAX = 149, RUNS = 10, REPETITIONS_MAX = 10, DRAWS = 100 };

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

/* What one side of a report has, and what changed: the first cells are slower by a factor. */
struct plan {
    enum noise noise;
    enum correction correction;
    size_t n_cells, n_changed;
    double factor;
    size_t n_runs, n_repetitions[SIDES];
};

struct judged {
    size_t n_found; /* changed cells that are called worse */
    size_t n_false; /* other verdicts than cannot tell or same */
};

static struct judged report_judge(const struct plan *plan, uint64_t *seed)
{
    struct err err;
    struct change changes[CELLS_MAX];
    double p[CELLS_MAX], values[SIDES][RUNS * REPETITIONS_MAX], draws[DRAWS];
    size_t starts[SIDES][RUNS + 1], n_runs = plan->n_runs;
    double drifts[SIDES][RUNS];
    /* A run is slow or fast as a whole, in all its cells. */
    for (int s = 0; s < SIDES; s++)
        for (size_t r = 0; r <= n_runs; r++) {
            starts[s][r] = r * plan->n_repetitions[s];
            if (r < n_runs)
                drifts[s][r] = n_runs > 1 ? 0.01 * gauss(seed) : 0;
        }
    double size = n_runs > 1 ? sqrt(0.02 * 0.02 - 0.01 * 0.01) : 0.02;
    size_t n_tested = 0;
    for (size_t c = 0; c < plan->n_cells; c++) {
        for (int s = 0; s < SIDES; s++)
            for (size_t r = 0; r < n_runs; r++)
                for (size_t i = starts[s][r]; i < starts[s][r + 1]; i++)
                    values[s][i] = sample(plan->noise, drifts[s][r], size, seed) *
                                   (s == SIDE_NEW && c < plan->n_changed ? plan->factor : 1);
        const struct resample_side sides[SIDES] = {{values[0], starts[0], n_runs},
                                                   {values[1], starts[1], n_runs}};
        assert_int_equal(change_measure(sides, c + 1, draws, DRAWS, &changes[c], &err), 0);
        changes[c].minimum = changes[c].same_within = 0.01;
        assert_true(change_is_testable(&changes[c], 0.05));
        p[n_tested++] = changes[c].p;
    }
    assert_int_equal(correct_p(plan->correction, p, n_tested, p, &err), 0);
    struct judged judged = {0};
    for (size_t c = 0; c < plan->n_cells; c++) {
        changes[c].p_corrected = p[c];
        change_judge(&changes[c], BETTER_LOWER, 0.05);
        bool is_worse = changes[c].verdict == VERDICT_WORSE;
        bool is_found = c < plan->n_changed && is_worse;
        judged.n_found += is_found;
        judged.n_false += !is_found && (is_worse || changes[c].verdict == VERDICT_BETTER);
    }
    return judged;
}

static const enum correction corrections[] = {CORRECT_BH, CORRECT_HOLM};

/* Nothing changed, 20 cells, 1,000 reports of each kind: a report with any better or worse in it is
 * a false alarm. */
static void false_alarms_are_at_most_5_percent_of_reports(void **state)
{
    (void)state;
    static const char *const names[NOISES] = {"normal", "lognormal", "bimodal", "quantised"};
    static const size_t runs[] = {RUNS, 1}, repetitions[] = {5, 10};
    for (size_t k = 0; k < 4; k++)
        for (int noise = 0; noise < NOISES; noise++) {
            size_t n = repetitions[k % 2];
            const struct plan plan = {.noise = (enum noise)noise,
                                      .correction = corrections[k / 2],
                                      .n_cells = CELLS,
                                      .n_runs = runs[k % 2],
                                      .n_repetitions = {n, n}};
            uint64_t seed = 1000 + (uint64_t)noise;
            size_t n_alarms = 0;
            for (int report = 0; report < 1000; report++)
                n_alarms += report_judge(&plan, &seed).n_false > 0;
            print_message("# %s, %s noise, %zu %s a side: %zu false alarms in 1000 reports\n",
                          correction_text(plan.correction), names[noise], plan.n_runs,
                          plan.n_runs == 1 ? "run" : "runs", n_alarms);
            assert_true(n_alarms <= 50);
        }
}

/* One cell of 20 is slower by 3 %, noise 2 %: 1 % between runs, the rest among the ten repetitions of
 * a run. */
static void a_change_of_3_percent_is_found(void **state)
{
    (void)state;
    for (size_t k = 0; k < 2; k++) {
        const struct plan plan = {.correction = corrections[k],
                                  .n_cells = CELLS,
                                  .n_changed = 1,
                                  .factor = 1.03,
                                  .n_runs = RUNS,
                                  .n_repetitions = {10, 10}};
        uint64_t seed = 77;
        size_t n_found = 0;
        for (int report = 0; report < 500; report++)
            n_found += report_judge(&plan, &seed).n_found;
        print_message("# %s, 3 %% slower, 2 %% noise, 10 runs a side: found in %zu of 500 reports\n",
                      correction_text(plan.correction), n_found);
        assert_true(n_found >= 450);
    }
}

/* Two machines by one quick run each: five repetitions, or three on one side, and 149 cells of which two
 * thirds differ by a factor of 2. By Benjamini and Hochberg all of these are told, and of all that are
 * told 5 % at most are false; Holm tells none. With three repetitions p is 2/56 at least, and what is
 * told of 149 needs 107 that are. */
static void many_changes_are_told_with_five_repetitions(void **state)
{
    (void)state;
    static const size_t n_new[] = {5, 3}, n_changed[] = {100, 120};
    for (size_t k = 0; k < 4; k++) {
        const struct plan plan = {.correction = corrections[k / 2],
                                  .n_cells = CELLS_MAX,
                                  .n_changed = n_changed[k % 2],
                                  .factor = 2,
                                  .n_runs = 1,
                                  .n_repetitions = {5, n_new[k % 2]}};
        uint64_t seed = 5;
        size_t n_found = 0, n_false = 0;
        for (int report = 0; report < 200; report++) {
            struct judged judged = report_judge(&plan, &seed);
            n_found += judged.n_found;
            n_false += judged.n_false;
        }
        print_message("# %s, %zu of 149 twice as slow, 5 and %zu repetitions: %zu told of %zu, %zu "
                      "more that are false\n",
                      correction_text(plan.correction), plan.n_changed, plan.n_repetitions[SIDE_NEW],
                      n_found, 200 * plan.n_changed, n_false);
        assert_int_equal(n_found, plan.correction == CORRECT_BH ? 200 * plan.n_changed : 0);
        assert_true(n_false * 20 <= n_found + n_false);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(false_alarms_are_at_most_5_percent_of_reports),
        cmocka_unit_test(a_change_of_3_percent_is_found),
        cmocka_unit_test(many_changes_are_told_with_five_repetitions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
