#include "report/compare/compare.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "report/compare/compare_entries.h"
#include "report/compare/compare_notes.h"

const double compare_default_threshold = 0.01;
/* Where nothing changed it bounds the chance of any false alarm as Holm's does, and where much changed
 * it finds what few repetitions can show. */
const enum correction compare_default_correction = CORRECT_BH;

/* However noisy a machine is: values farther apart are not called the same. */
static const double same_within_most = 0.1;

struct work {
    struct comparison *comparison;
    struct compare_entries entries;
    double *draws, *sums, *rest_sums; /* [CHANGE_DRAWS] */
    double sum_costs, rest_costs, sum_logs, rest_logs;
    size_t n_without_interval, n_rest_without_interval;
    struct buffer text;
};

static int out_of_memory(struct err *err)
{
    return err_set(err, ERR_SYSTEM, "out of memory");
}

static char *keep(struct work *work)
{
    struct buffer *text = &work->text;
    char *copy = text->failed
                     ? NULL
                     : arena_copy(&work->comparison->arena, buffer_text(text), text->size);
    buffer_clear(text);
    return copy;
}

/* ---- what was not compared ---- */

static int leave_out(struct work *work, const struct cell *cell, struct err *err)
{
    struct comparison *comparison = work->comparison;
    const char *reason = keep(work);
    if (!reason)
        return out_of_memory(err);
    for (size_t i = 0; i < comparison->n_left_out; i++) {
        struct left_out *known = &comparison->left_out[i];
        if (strcmp(known->kernel, cell->key->kernel) == 0 && strcmp(known->reason, reason) == 0) {
            known->n++;
            return 0;
        }
    }
    comparison->left_out[comparison->n_left_out++] =
        (struct left_out){cell->key->kernel, reason, 1, cell};
    return 0;
}

static int leave_out_emulated(struct work *work, const struct cell *cell, struct err *err)
{
    buffer_add_text(&work->text, "emulated, and --emulated is not given");
    return leave_out(work, cell, err);
}

/* ---- pairs ---- */

/* FNV-1a, so that no cell's seed depends on the other cells. */
static uint64_t key_hash(const struct record *key)
{
    const char *const texts[] = {key->kernel, key->test, key->params, key->metric, key->x_unit};
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
        for (const char *p = texts[i];; p++) {
            hash = (hash ^ (unsigned char)*p) * UINT64_C(0x100000001b3);
            if (*p == '\0')
                break;
        }
    uint64_t bits;
    memcpy(&bits, &key->x, sizeof bits);
    return (hash ^ bits ^ key->threads << 32) * UINT64_C(0x100000001b3) | 1;
}

/* Of the cell's configuration; where it was not measured there, the largest of the machine's others. */
static double noise_of(const struct compare_side *side, const struct cell *cell)
{
    const struct machines *machines = &side->selection->machines;
    const struct record *key = cell->key;
    size_t first = machines->machines[cell->machine].first;
    const struct noise *noise = noises_find(&side->noises, cell->machine, key->kernel, key->metric);
    double largest = noise ? noise->floor : 0;
    bool has_others = !noise && machines->machines[first].n_configurations > 1;
    for (size_t m = first; m < machines->n && has_others; m++) {
        const struct noise *other = machines->machines[m].first != first
                                        ? NULL
                                        : noises_find(&side->noises, m, key->kernel, key->metric);
        largest = other ? fmax(largest, other->floor) : largest;
    }
    return largest;
}

static double minimum_of(const struct comparison *comparison, const struct compared *compared)
{
    if (comparison->options.threshold >= 0)
        return comparison->options.threshold;
    double minimum = compare_default_threshold;
    /* Of halves the noise is what is to be seen. */
    for (int s = 0; s < SIDES && !(comparison->by & BY_HALF); s++)
        minimum = fmax(minimum, noise_of(&comparison->sides[s], compared->cells[s]));
    return minimum;
}

static bool is_left_out_of_means(const char *list, const struct record *key)
{
    for (const char *p = list ? list : ""; *p; p += strcspn(p, ","), p += *p == ',') {
        size_t size = strcspn(p, ","), kernel = strlen(key->kernel);
        if (strncmp(p, key->kernel, kernel) != 0 || size < kernel)
            continue;
        if (size == kernel || (p[kernel] == '.' && size == kernel + 1 + strlen(key->test) &&
                               memcmp(p + kernel + 1, key->test, strlen(key->test)) == 0))
            return true;
    }
    return false;
}

/* Variants on one machine, neither in an emulator. Of another configuration, such as one with less memory,
 * the code may be the same and the difference is none of chance. */
static bool has_same_code(const struct work *work, const struct compare_entry *pair[static SIDES])
{
    const struct compare_entry *base = pair[SIDE_BASE], *new = pair[SIDE_NEW];
    return work->comparison->by & BY_VARIANT &&
           compare_entries_share_configuration(&work->entries, base, new) && base->code &&
           new->code && strcmp(base->code, new->code) == 0 && !base->is_emulated &&
           !new->is_emulated;
}

static void same_code_add(struct comparison *comparison, const struct change *change)
{
    comparison->n_same_code++;
    if (change->has_ratio)
        comparison->same_code_most = fmax(
            comparison->same_code_most, fmax(change->ratio, 1 / change->ratio) - 1);
}

static void means_add(struct work *work, const struct compared *compared)
{
    struct comparison *comparison = work->comparison;
    const struct change *change = &compared->change;
    if (!change->has_ratio)
        return;
    double sign = compared->better == BETTER_LOWER ? 1 : -1;
    bool is_in_rest =
        !is_left_out_of_means(comparison->options.leave_out, compared->cells[SIDE_BASE]->key);
    double log_cost = sign * log(change->ratio);
    comparison->all.n++;
    work->sum_logs += log_cost;
    work->sum_costs += exp(log_cost);
    work->n_without_interval += !change->has_interval;
    for (size_t i = 0; i < CHANGE_DRAWS && change->has_interval; i++)
        work->sums[i] += sign * work->draws[i];
    if (!is_in_rest)
        return;
    comparison->rest.n++;
    work->rest_logs += log_cost;
    work->rest_costs += exp(log_cost);
    work->n_rest_without_interval += !change->has_interval;
    for (size_t i = 0; i < CHANGE_DRAWS && change->has_interval; i++)
        work->rest_sums[i] += sign * work->draws[i];
}

static void means_finish(struct compare_means *means, double logs, double costs, double *sums,
                         size_t n_without_interval)
{
    if (means->n == 0)
        return;
    double n = (double)means->n;
    means->geometric = exp(logs / n);
    means->arithmetic = costs / n;
    if (n_without_interval > 0)
        return;
    for (size_t i = 0; i < CHANGE_DRAWS; i++)
        sums[i] /= n;
    resample_interval(sums, CHANGE_DRAWS, &means->low, &means->high);
    means->low = exp(means->low);
    means->high = exp(means->high);
    means->has_interval = true;
}

static int pair_add(struct work *work, const struct compare_entry *pair[static SIDES],
                    struct err *err)
{
    struct comparison *comparison = work->comparison;
    struct buffer *text = &work->text;
    const struct cell *cell = pair[SIDE_BASE]->cell;
    const struct metric *metric = metric_find(cell->key->metric);
    if (!metric || metric->better == BETTER_NONE) {
        buffer_add_format(text, "of the metric %s neither more nor less is better",
                          cell->key->metric);
        return leave_out(work, cell, err);
    }
    for (int s = 0; s < SIDES; s++)
        if (pair[s]->is_emulated && !comparison->options.with_emulated)
            return leave_out_emulated(work, cell, err);
    size_t n[SIDES];
    for (int s = 0; s < SIDES; s++)
        n[s] = pair[s]->starts[pair[s]->n_runs];
    if (n[SIDE_BASE] == 0 && n[SIDE_NEW] == 0) {
        const struct compare_entry *entry = pair[SIDE_BASE];
        bool has_failed = entry->n_failed + pair[SIDE_NEW]->n_failed > 0;
        if (has_failed && entry->n_failed == 0)
            entry = pair[SIDE_NEW];
        buffer_add_format(text, "%s%s%s",
                          has_failed ? record_status_text(entry->failure) : "warm-ups",
                          has_failed && entry->failure_text[0] ? ", " : "",
                          has_failed ? entry->failure_text : " alone");
        buffer_add_text(text, has_failed ? " (no value on either side)" : "");
        return leave_out(work, cell, err);
    }
    if (n[SIDE_BASE] > 0 && n[SIDE_NEW] > 0 &&
        strcmp(pair[SIDE_BASE]->cell->unit, pair[SIDE_NEW]->cell->unit) != 0) {
        buffer_add_format(text, "in %s on the base side, in %s on the new one",
                          pair[SIDE_BASE]->cell->unit, pair[SIDE_NEW]->cell->unit);
        return leave_out(work, cell, err);
    }
    struct compared *compared = &comparison->cells[comparison->n++];
    *compared = (struct compared){.better = metric->better};
    struct resample_side sides[SIDES];
    for (int s = 0; s < SIDES; s++) {
        compared->cells[s] = pair[s]->cell;
        compared->n_failed[s] = pair[s]->n_failed;
        compared->failure[s] = pair[s]->failure;
        compared->failure_text[s] = pair[s]->failure_text;
        sides[s] = (struct resample_side){pair[s]->values, pair[s]->starts, pair[s]->n_runs};
    }
    TRY(change_measure(sides, key_hash(cell->key), work->draws, CHANGE_DRAWS, &compared->change,
                       err));
    compared->change.minimum = compared->change.same_within = minimum_of(comparison, compared);
    if (comparison->options.threshold < 0)
        compared->change.same_within = fmin(compared->change.minimum, same_within_most);
    compared->change.is_same_code = has_same_code(work, pair);
    if (compared->change.is_same_code)
        same_code_add(comparison, &compared->change);
    compared->change.has_p = change_is_testable(&compared->change, comparison->options.alpha);
    comparison->n_tested += compared->change.has_p;
    comparison->n_by_repetitions +=
        n[SIDE_BASE] > 0 && n[SIDE_NEW] > 0 && !compared->change.is_by_runs;
    means_add(work, compared);
    return 0;
}

static int pairs_make(struct work *work, struct err *err)
{
    struct comparison *comparison = work->comparison;
    comparison->cells =
        arena_take(&comparison->arena, work->entries.n, sizeof *comparison->cells);
    comparison->left_out =
        arena_take(&comparison->arena, work->entries.n, sizeof *comparison->left_out);
    if (!comparison->cells || !comparison->left_out)
        return out_of_memory(err);
    for (size_t i = 0; i < work->entries.n;) {
        struct compare_entry *first = &work->entries.list[i], *second = first + 1;
        if (i + 1 < work->entries.n && first->side != second->side &&
            compare_entries_order(&work->entries, first, second) == 0) {
            const struct compare_entry *pair[SIDES] = {first, second};
            TRY(pair_add(work, pair, err));
            i += 2;
        } else if (first->is_emulated && !comparison->options.with_emulated) {
            TRY(leave_out_emulated(work, first->cell, err));
            i++;
        } else {
            compare_entries_alone(&work->entries, i, &work->text);
            TRY(leave_out(work, first->cell, err));
            i++;
        }
    }
    means_finish(&comparison->all, work->sum_logs, work->sum_costs, work->sums,
                 work->n_without_interval);
    means_finish(&comparison->rest, work->rest_logs, work->rest_costs, work->rest_sums,
                 work->n_rest_without_interval);
    return 0;
}

static int verdicts_make(struct work *work, struct err *err)
{
    struct comparison *comparison = work->comparison;
    double *p = arena_take(&comparison->arena, comparison->n, sizeof *p);
    if (!p)
        return out_of_memory(err);
    size_t n = 0;
    for (size_t i = 0; i < comparison->n; i++)
        if (comparison->cells[i].change.has_p)
            p[n++] = comparison->cells[i].change.p;
    TRY(correct_p(comparison->options.correction, p, n, p, err));
    n = 0;
    for (size_t i = 0; i < comparison->n; i++) {
        struct compared *compared = &comparison->cells[i];
        if (compared->change.has_p)
            compared->change.p_corrected = p[n++];
        change_judge(&compared->change, compared->better, comparison->options.alpha);
        comparison->n_verdicts[compared->change.verdict]++;
    }
    return 0;
}

/* ---- all of it ---- */

static int key_set(struct work *work, struct err *err)
{
    struct comparison *comparison = work->comparison;
    unsigned by = comparison->by;
    struct buffer *text = &work->text;
    buffer_add_text(text, "cells with equal kernel, revision, test, threads, x, x_unit, params, "
                          "metric");
    buffer_add_text(text, by & BY_MACHINE ? "" : ", machine");
    buffer_add_text(text, by & BY_VARIANT ? "" : ", variant");
    buffer_add_text(text, by & BY_HALF ? "; the halves of each run differ" : "; ");
    if (!(by & BY_HALF))
        buffer_add_format(text, "%s%sruns differ", by & BY_MACHINE ? "machine, " : "",
                          by & BY_VARIANT ? "variant, " : "");
    comparison->key = keep(work);
    return comparison->key ? 0 : out_of_memory(err);
}

static int make(struct work *work, struct err *err)
{
    struct comparison *comparison = work->comparison;
    struct arena *arena = &comparison->arena;
    for (int s = 0; s < SIDES; s++) {
        struct compare_side *side = &comparison->sides[s];
        if (s == SIDE_NEW && side->selection == comparison->sides[SIDE_BASE].selection)
            side->noises = comparison->sides[SIDE_BASE].noises;
        else if (!side->noises.is_aa)
            TRY(noises_make(side->selection, &side->noises, err));
        work->entries.is_emulated[s] = runs_with_fact(side->selection, ".emulated");
        if (!work->entries.is_emulated[s])
            return out_of_memory(err);
    }
    TRY(sides_choose(comparison->sides, comparison->options.by, arena, &comparison->by, err));
    work->draws = arena_take(arena, CHANGE_DRAWS, sizeof *work->draws);
    work->sums = arena_take(arena, CHANGE_DRAWS, sizeof *work->sums);
    work->rest_sums = arena_take(arena, CHANGE_DRAWS, sizeof *work->rest_sums);
    if (!work->draws || !work->sums || !work->rest_sums)
        return out_of_memory(err);
    for (size_t i = 0; i < CHANGE_DRAWS; i++)
        work->sums[i] = work->rest_sums[i] = 0;
    TRY(compare_entries_make(&work->entries, arena, err));
    TRY(pairs_make(work, err));
    TRY(verdicts_make(work, err));
    TRY(key_set(work, err));
    return compare_notes_make(comparison, &work->entries, err);
}

int comparison_make(struct comparison *comparison, const struct compare_side sides[static SIDES],
                    const struct compare_options *options, struct err *err)
{
    *comparison = (struct comparison){.options = *options};
    memcpy(comparison->sides, sides, sizeof comparison->sides);
    struct work work = {.comparison = comparison, .entries.comparison = comparison};
    int result = make(&work, err);
    buffer_free(&work.text);
    return result;
}

void comparison_free(struct comparison *comparison)
{
    arena_free(&comparison->arena);
    *comparison = (struct comparison){0};
}

void compared_reason_text(const struct compared *compared, struct buffer *out)
{
    const struct change *change = &compared->change;
    size_t start = out->size;
    for (int s = 0; s < SIDES && change->reason == REASON_MISSING; s++) {
        if (change->n[s] > 0)
            continue;
        const char *side = s == SIDE_BASE ? "base" : "new";
        if (compared->n_failed[s] == 0)
            buffer_add_format(out, "warm-ups alone on the %s side", side);
        else
            buffer_add_format(out, "%s on the %s side%s%s", record_status_text(compared->failure[s]),
                              side, compared->failure_text[s][0] ? ": " : "",
                              compared->failure_text[s]);
    }
    if (change->reason != REASON_MISSING)
        change_reason_text(change, out);
    for (int s = 0; s < SIDES; s++)
        if (change->n[s] > 0 && compared->n_failed[s] > 0)
            buffer_add_format(out, "%s%zu %s on the %s side", out->size > start ? "; " : "",
                              compared->n_failed[s], record_status_text(compared->failure[s]),
                              s == SIDE_BASE ? "base" : "new");
}
