#include "report/compare/compare_notes.h"

#include <math.h>
#include <string.h>

#include "report/compare/compare_machines.h"
#include "report/scale.h"
#include "report/statistics/ranktest.h"

static int note(struct comparison *comparison, struct buffer *text, struct err *err)
{
    if (text->failed)
        return err_set(err, ERR_SYSTEM, "out of memory");
    TRY(warnings_add(&comparison->notes, &comparison->arena, buffer_text(text), err));
    buffer_clear(text);
    return 0;
}

/* ---- of cells ---- */

/* How many a side can give such a p. */
static size_t enough_for(double p)
{
    size_t n = 2;
    while (ranktest_least(n, n) > p)
        n++;
    return n;
}

/* Cells whose p cannot reach alpha, whatever the values are, even alone. */
static int few_note(struct comparison *comparison, struct buffer *text, struct err *err)
{
    const double alpha = comparison->options.alpha;
    size_t n = 0;
    for (size_t i = 0; i < comparison->n; i++)
        n += comparison->cells[i].change.reason == REASON_FEW;
    if (n == 0 || !(alpha > 1e-9))
        return 0;
    buffer_add_format(text,
                      "%zu of %zu cells have too few runs or repetitions for a test: %zu a side would do",
                      n, comparison->n, enough_for(alpha));
    return note(comparison, text, err);
}

/* Cells whose p, corrected, cannot reach alpha whatever the values are; by Benjamini and Hochberg not
 * unless many change at once. */
static int power_note(struct comparison *comparison, struct buffer *text, struct err *err)
{
    const double alpha = comparison->options.alpha;
    bool is_corrected = comparison->options.correction != CORRECT_NONE;
    double factor = is_corrected ? (double)comparison->n_tested : 1;
    double greatest = 0;
    size_t n = 0;
    for (size_t i = 0; i < comparison->n; i++) {
        const struct change *change = &comparison->cells[i].change;
        if (!change->has_p || change->p_least * factor <= alpha)
            continue;
        greatest = fmax(greatest, change->p_least);
        n++;
    }
    if (n == 0 || !(alpha > 1e-9))
        return 0;
    size_t enough = enough_for(alpha / factor);
    buffer_add_format(text, "%zu of %zu cells have too few runs or repetitions to show ", n,
                      comparison->n);
    if (comparison->options.correction == CORRECT_BH)
        buffer_add_format(text,
                          "a change unless %.0f of the %zu tested change at once: %zu a side would "
                          "do for one alone",
                          ceil(greatest * factor / alpha), comparison->n_tested, enough);
    else
        buffer_add_format(text, "any change among so many cells: %zu a side would do", enough);
    return note(comparison, text, err);
}

static int cells_notes(struct comparison *comparison, struct buffer *text, struct err *err)
{
    if (comparison->n_by_repetitions > 0) {
        buffer_add_format(text,
                          "%zu of %zu cells have one run on a side: repetitions are compared, and "
                          "drift between runs is not covered",
                          comparison->n_by_repetitions, comparison->n);
        TRY(note(comparison, text, err));
    }
    TRY(few_note(comparison, text, err));
    TRY(power_note(comparison, text, err));
    if (comparison->n_same_code > 0) {
        char most[SCALE_TEXT_SIZE];
        scale_number(comparison->same_code_most * 100, 2, most);
        buffer_add_format(text,
                          "%zu of %zu cells run the same machine code on both sides: what they differ "
                          "by, %s %% at most, is noise",
                          comparison->n_same_code, comparison->n, most);
        TRY(note(comparison, text, err));
    }
    return 0;
}

/* ---- of runs ---- */

static int runs_notes(struct comparison *comparison, struct buffer *text, struct err *err)
{
    const struct compare_side *sides = comparison->sides;
    for (int s = 0; s < SIDES; s++) {
        const struct machines *machines = &sides[s].selection->machines;
        for (size_t r = 0; r < machines->n_runs; r++) {
            if (!machines->runs[r].retracted ||
                (s == SIDE_NEW && sides[SIDE_BASE].selection == sides[SIDE_NEW].selection))
                continue;
            buffer_add_format(text, "run %s of %s is withdrawn and not used: %s",
                              machines->runs[r].id, machines->runs[r].label,
                              machines->runs[r].retracted);
            TRY(note(comparison, text, err));
        }
    }
    if (sides[SIDE_BASE].selection == sides[SIDE_NEW].selection)
        return 0;
    for (size_t a = 0; a < sides[SIDE_BASE].selection->machines.n_runs; a++)
        for (size_t b = 0; b < sides[SIDE_NEW].selection->machines.n_runs; b++) {
            const struct run *run = &sides[SIDE_BASE].selection->machines.runs[a];
            if (strcmp(run->id, sides[SIDE_NEW].selection->machines.runs[b].id) != 0 ||
                strcmp(run->label, sides[SIDE_NEW].selection->machines.runs[b].label) != 0)
                continue;
            buffer_add_format(text, "run %s of %s is on both sides", run->id, run->label);
            TRY(note(comparison, text, err));
        }
    return 0;
}

int compare_notes_make(struct comparison *comparison, const struct compare_entries *entries,
                       struct err *err)
{
    struct buffer text = {0};
    int result = cells_notes(comparison, &text, err);
    if (result >= 0)
        result = compare_machines_note(comparison, entries, err);
    if (result >= 0)
        result = runs_notes(comparison, &text, err);
    buffer_free(&text);
    return result;
}
