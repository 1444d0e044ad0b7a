#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "report/statistics/change.h"
#include "report/statistics/correct.h"
#include "report/statistics/ranktest.h"
#include "report/statistics/resample.h"
#include "tests/unit/random.h"

static void assert_near(double found, double expected, double tolerance)
{
    if (!(fabs(found - expected) <= tolerance))
        fail_msg("%.17g is not %.17g", found, expected);
}

static double p_of(const double *a, size_t n, const double *b, size_t m)
{
    struct err err;
    double p = -1;
    assert_int_equal(ranktest(a, n, b, m, &p, &err), 0);
    return p;
}

static void ranks_apart_have_the_p_of_the_tables(void **state)
{
    (void)state;
    const double a[] = {1, 2, 3, 4}, b[] = {5, 6, 7, 8};
    assert_near(p_of(a, 4, b, 4), 2.0 / 70, 1e-15);
    assert_near(ranktest_least(4, 4), 2.0 / 70, 1e-15);
    assert_near(p_of(a, 3, b, 3), 2.0 / 20, 1e-15);
    assert_near(p_of(a, 1, b, 4), 2.0 / 5, 1e-15);
    /* Of 5 and 5 the sums 15 to 17 and their mirrors: 1 + 1 + 2 of 252, twice (Lehmann, table B). */
    const double c[] = {1, 2, 3, 4, 7}, d[] = {5, 6, 8, 9, 10};
    assert_near(p_of(c, 5, d, 5), 8.0 / 252, 1e-15);
    assert_near(p_of(d, 5, c, 5), 8.0 / 252, 1e-15);
}

/* Every choice of n of the values, by brute force. */
static double p_by_permutation(const double *all, size_t n_all, size_t n)
{
    double ranks[16], observed = 0, mean = (double)n * (double)(n_all + 1) / 2;
    size_t far = 0, count = 0;
    for (size_t i = 0; i < n_all; i++) {
        ranks[i] = 0.5;
        for (size_t k = 0; k < n_all; k++)
            ranks[i] += all[k] < all[i] ? 1 : all[k] > all[i] ? 0 : 0.5;
        observed += i < n ? ranks[i] : 0;
    }
    for (unsigned choice = 0; choice < 1u << n_all; choice++) {
        if ((size_t)__builtin_popcount(choice) != n)
            continue;
        double sum = 0;
        for (size_t i = 0; i < n_all; i++)
            sum += choice >> i & 1 ? ranks[i] : 0;
        count++;
        far += fabs(sum - mean) >= fabs(observed - mean) - 1e-9;
    }
    return (double)far / (double)count;
}

static void the_exact_p_counts_all_permutations_with_ties(void **state)
{
    (void)state;
    uint64_t seed = 11;
    for (int round = 0; round < 200; round++) {
        double all[12];
        size_t n = 2 + random_below(&seed, 4), m = 2 + random_below(&seed, 4);
        for (size_t i = 0; i < n + m; i++)
            all[i] = random_below(&seed, 5); /* many ties */
        assert_near(p_of(all, n, all + n, m), p_by_permutation(all, n + m, n), 1e-12);
    }
}

static void equal_values_have_p_1_and_never_nan(void **state)
{
    (void)state;
    double a[100], b[100];
    for (size_t i = 0; i < 100; i++)
        a[i] = b[i] = 3;
    assert_near(p_of(a, 5, b, 5), 1, 0);
    assert_near(p_of(a, 100, b, 100), 1, 0);
    assert_near(p_of(a, 1, b, 1), 1, 0);
}

static void the_approximation_joins_the_exact_p(void **state)
{
    (void)state;
    double a[60], b[60], p;
    uint64_t seed = 5;
    for (size_t i = 0; i < 60; i++) {
        a[i] = random_below(&seed, 1000);
        b[i] = random_below(&seed, 1000) + 120;
    }
    double exact = p_of(a, 24, b, 24);
    assert_true(exact > 1e-4 && exact < 0.5);
    p = p_of(a, 60, b, 60); /* beyond what is counted */
    assert_true(p > 1e-6 && p < 0.5);
    assert_true(p_of(a, 60, a, 60) > 0.99);
}

static void holm_and_bh_are_as_published(void **state)
{
    (void)state;
    struct err err;
    /* Benjamini and Hochberg's own example has 15; four show the same steps. */
    const double p[] = {0.01, 0.04, 0.03, 0.005};
    double out[4];
    assert_int_equal(correct_p(CORRECT_HOLM, p, 4, out, &err), 0);
    assert_near(out[3], 0.02, 1e-15);
    assert_near(out[0], 0.03, 1e-15);
    assert_near(out[2], 0.06, 1e-15);
    assert_near(out[1], 0.06, 1e-15); /* never below the one before it */
    assert_int_equal(correct_p(CORRECT_BH, p, 4, out, &err), 0);
    assert_near(out[3], 0.02, 1e-15);
    assert_near(out[0], 0.02, 1e-15);
    assert_near(out[2], 0.04, 1e-15);
    assert_near(out[1], 0.04, 1e-15);
    assert_int_equal(correct_p(CORRECT_NONE, p, 4, out, &err), 0);
    assert_near(out[1], 0.04, 0);
    const double one[] = {0.9};
    assert_int_equal(correct_p(CORRECT_HOLM, one, 1, out, &err), 0);
    assert_near(out[0], 0.9, 0);
}

static void draws_depend_on_their_seeds_alone(void **state)
{
    (void)state;
    struct err err;
    const double values[] = {3, 1, 2, 10, 11, 12};
    const size_t starts[] = {0, 3, 6};
    const struct resample_side side = {values, starts, 2};
    double a[200], b[200], c[200];
    assert_int_equal(resample_medians(&side, 1, 7, a, 200, &err), 0);
    assert_int_equal(resample_medians(&side, 1, 7, b, 200, &err), 0);
    assert_int_equal(resample_medians(&side, 2, 7, c, 200, &err), 0);
    assert_memory_equal(a, b, sizeof a);
    assert_memory_not_equal(a, c, sizeof a);
}

/* Of two runs, one fast and one slow, half of the draws hold one of them alone: a pooled bootstrap
 * of six values would do that in 1 of 32. */
static void runs_are_drawn_whole(void **state)
{
    (void)state;
    struct err err;
    const double values[] = {1, 1, 1, 10, 10, 10};
    const size_t starts[] = {0, 3, 6};
    const struct resample_side side = {values, starts, 2};
    double medians[4000];
    size_t n_one_run = 0;
    assert_int_equal(resample_medians(&side, 1, 7, medians, 4000, &err), 0);
    for (size_t i = 0; i < 4000; i++)
        n_one_run += medians[i] < 1.5 || medians[i] > 9.5;
    assert_true(n_one_run > 1880 && n_one_run < 2120);
}

/* ---- verdicts ---- */

/* One run of values on each side. */
static struct change change_of(const double *base, size_t n, const double *new, size_t m,
                               enum better better, double minimum)
{
    struct err err;
    double draws[400];
    const size_t starts[SIDES][2] = {{0, n}, {0, m}};
    const struct resample_side sides[SIDES] = {{base, starts[0], n > 0}, {new, starts[1], m > 0}};
    struct change change;
    assert_int_equal(change_measure(sides, 1, draws, 400, &change, &err), 0);
    change.minimum = change.same_within = minimum;
    change_judge(&change, better, 0.05);
    return change;
}

static void assert_words(const struct change *change, const char *verdict, const char *why)
{
    struct buffer text = {0};
    change_reason_text(change, &text);
    assert_string_equal(verdict_text(change->verdict), verdict);
    assert_string_equal(buffer_text(&text), why);
    buffer_free(&text);
}

static const double low_values[] = {100, 101, 99, 100.5, 99.5, 100.2};
static const double high_values[] = {110, 111, 109, 110.5, 109.5, 110.2};

static void the_direction_is_the_metrics(void **state)
{
    (void)state;
    struct change change = change_of(low_values, 6, high_values, 6, BETTER_HIGHER, 0.01);
    assert_words(&change, "better", "");
    assert_near(change.ratio, 110.1 / 100.1, 1e-12);
    assert_true(change.low > 1.08 && change.low < change.ratio);
    assert_true(change.high < 1.12 && change.high > change.ratio);
    change = change_of(low_values, 6, high_values, 6, BETTER_LOWER, 0.01);
    assert_words(&change, "worse", "");
    change = change_of(high_values, 6, low_values, 6, BETTER_LOWER, 0.01);
    assert_words(&change, "better", "");
}

static void special_cases_are_said_in_words(void **state)
{
    (void)state;
    const double sevens[] = {7, 7, 7, 7, 7, 7}, eights[] = {8, 8, 8, 8, 8, 8}, zeros[6] = {0};
    const double near[] = {100.1, 100.9, 99.2, 100.4, 99.6, 100.3};
    struct change change = change_of(sevens, 6, sevens, 6, BETTER_LOWER, 0.01);
    assert_words(&change, "same", "no spread: all values are equal");
    change = change_of(sevens, 6, eights, 6, BETTER_LOWER, 0.01);
    assert_words(&change, "worse", "no spread on either side");
    change = change_of(zeros, 6, zeros, 6, BETTER_LOWER, 0.01);
    assert_words(&change, "same", "no spread: all values are equal");
    change = change_of(zeros, 6, eights, 6, BETTER_LOWER, 0.01);
    assert_words(&change, "cannot tell", "values of 0 or below have no ratio");
    assert_false(change.has_ratio);
    change = change_of(low_values, 1, high_values, 6, BETTER_LOWER, 0.01);
    assert_words(&change, "cannot tell", "one sample on the base side");
    assert_true(change.has_ratio);
    assert_false(change.has_interval);
    change = change_of(low_values, 1, high_values, 1, BETTER_LOWER, 0.01);
    assert_words(&change, "cannot tell", "one sample on both sides");
    change = change_of(low_values, 0, high_values, 6, BETTER_LOWER, 0.01);
    assert_words(&change, "cannot tell", "no value on the base side");
    change = change_of(low_values, 3, high_values, 3, BETTER_LOWER, 0.01);
    assert_words(&change, "cannot tell", "3 and 3 repetitions cannot give a p below 0.1");
    /* One side with three: its p is 2/56, which is enough for one cell and not for three. */
    change = change_of(low_values, 5, high_values, 3, BETTER_LOWER, 0.01);
    assert_words(&change, "worse", "");
    change.p_corrected = 3 * change.p;
    change_judge(&change, BETTER_LOWER, 0.05);
    assert_words(&change, "cannot tell",
                 "p corrected is 0.11; 5 and 3 repetitions cannot give a p below 0.036 before it");
    assert_false(change_is_testable(&change, 0.03));
    change_judge(&change, BETTER_LOWER, 0.03);
    assert_words(&change, "cannot tell", "5 and 3 repetitions cannot give a p below 0.036");
    change = change_of(low_values, 6, near, 6, BETTER_LOWER, 0.05);
    assert_words(&change, "same", "within 5 %");
    change = change_of(low_values, 5, near, 5, BETTER_LOWER, 0.05);
    assert_words(&change, "cannot tell",
                 "5 and 5 repetitions, 6 a side are the least to call them the same");
    change = change_of(low_values, 6, near, 6, BETTER_LOWER, 0.001);
    assert_words(&change, "cannot tell",
                 "the interval reaches beyond 0.1 %");
    change = change_of(low_values, 6, high_values, 6, BETTER_LOWER, 0.2);
    assert_words(&change, "same", "a difference that is below the minimum effect of 20 %");
    change = change_of(low_values, 6, high_values, 6, BETTER_LOWER, 0.102);
    assert_words(&change, "cannot tell",
                 "a difference that is, or may be, below the minimum effect of 10.2 %");
    change = change_of((double[]){1e308, 1e308, 1.1e308, 1e308}, 4,
                       (double[]){1e-320, 1e-320, 2e-320, 1e-320}, 4, BETTER_LOWER, 0.01);
    assert_int_equal(change.verdict, VERDICT_CANNOT_TELL);
}

/* Two runs of very unequal speed a side: ten repetitions each would be enough for a test of
 * repetitions, and would find a difference that is one of runs. */
static void runs_and_not_repetitions_are_independent(void **state)
{
    (void)state;
    struct err err;
    double values[SIDES][20], draws[400];
    const size_t starts[] = {0, 10, 20};
    uint64_t seed = 3;
    for (size_t i = 0; i < 20; i++) {
        values[0][i] = (i < 10 ? 100 : 104) + random_below(&seed, 100) * 1e-2;
        values[1][i] = (i < 10 ? 106 : 108) + random_below(&seed, 100) * 1e-2;
    }
    const struct resample_side sides[SIDES] = {{values[0], starts, 2}, {values[1], starts, 2}};
    struct change change;
    assert_int_equal(change_measure(sides, 1, draws, 400, &change, &err), 0);
    change.minimum = change.same_within = 0.01;
    change_judge(&change, BETTER_HIGHER, 0.05);
    assert_true(change.is_by_runs);
    assert_words(&change, "cannot tell", "2 and 2 runs cannot give a p below 0.33");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ranks_apart_have_the_p_of_the_tables),
        cmocka_unit_test(the_exact_p_counts_all_permutations_with_ties),
        cmocka_unit_test(equal_values_have_p_1_and_never_nan),
        cmocka_unit_test(the_approximation_joins_the_exact_p),
        cmocka_unit_test(holm_and_bh_are_as_published),
        cmocka_unit_test(draws_depend_on_their_seeds_alone),
        cmocka_unit_test(runs_are_drawn_whole),
        cmocka_unit_test(the_direction_is_the_metrics),
        cmocka_unit_test(special_cases_are_said_in_words),
        cmocka_unit_test(runs_and_not_repetitions_are_independent),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
