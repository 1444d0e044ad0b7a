#include "report/page/page.h"

#include <string.h>

#include "report/compare/builds.h"
#include "report/compare/compare.h"
#include "report/configuration.h"
#include "report/order.h"
#include "report/scale.h"

/* What the index says first: which machine is best at what, what changed since the run before, how
 * noisy the machines are. */

enum { CHANGES_SHOWN = 8 };

static int out_of_memory(struct err *err)
{
    return err_set(err, ERR_SYSTEM, "out of memory");
}

/* ---- best ---- */

/* The number of the machine, whatever its configuration was. */
static size_t whole_of(const struct machines *machines, const struct cell *cell)
{
    return machines->machines[cell->machine].first;
}

/* The best of cells [n] of the same work, when two machines at least did it; else NULL. *is_shared: another
 * machine is as good. */
static const struct cell *best_of(const struct machines *machines, const struct cell *cells, size_t n,
                                  enum better better, bool *is_shared)
{
    const struct cell *best = NULL;
    bool has_two = false;
    *is_shared = false;
    for (size_t i = 0; i < n; i++) {
        double here = cells[i].summary.median;
        if (cells[i].summary.n == 0 || cell_is_emulated(&cells[i]))
            continue;
        bool is_other = best && whole_of(machines, best) != whole_of(machines, &cells[i]);
        int order = best ? compare_numbers(here, best->summary.median) : 0;
        has_two = has_two || is_other;
        if (order == 0)
            *is_shared = *is_shared || is_other;
        if (best && (order == 0 || (order < 0) != (better == BETTER_LOWER)))
            continue;
        best = &cells[i];
        *is_shared = false;
    }
    return has_two ? best : NULL;
}

/* What one machine did of a metric of a kernel. */
struct score {
    size_t wins;
    bool has_value;   /* of anything */
    bool is_compared; /* did something that another machine did too */
};

/* Marks the machines of cells [n] of the same work. */
static void scores_mark(const struct machines *machines, struct score *scores,
                        const struct cell *cells, size_t n, bool is_compared)
{
    for (size_t i = 0; i < n; i++) {
        struct score *score = &scores[whole_of(machines, &cells[i])];
        if (cells[i].summary.n == 0)
            continue;
        score->has_value = true;
        score->is_compared = score->is_compared || is_compared;
    }
}

static void best_set(struct site *site, struct value *list, const struct site_kernel *kernel,
                     const char *metric, const struct score *scores, size_t n)
{
    size_t best = 0, n_compared = 0, n_machines = 0;
    for (size_t m = 0; m < site->selection.machines.n; m++) {
        if (scores[m].wins > scores[best].wins)
            best = m;
        n_compared += scores[m].is_compared;
        n_machines += scores[m].has_value;
    }
    if (scores[best].wins == 0)
        return; /* they are equal */
    struct value *item = value_append(list);
    value_text(item, "kernel", kernel->name);
    value_format(item, "kernel_href", "kernels/%s.html", kernel->slug);
    value_text(item, "metric", metric);
    value_text(item, "machine", site->selection.machines.machines[best].whole);
    value_format(item, "machine_href", "machines/%s.html", site->machine_slugs[best]);
    value_format(item, "wins", "%zu", scores[best].wins);
    value_format(item, "compared", "%zu", n_compared);
    value_format(item, "machines", "%zu", n_machines);
    value_format(item, "of", "%zu", n);
}

static int bests_set(struct page *page, struct err *err)
{
    struct site *site = page->site;
    struct value *list = value_list(page->map, "bests");
    const struct machines *machines = &site->selection.machines;
    struct score *scores = arena_take(&page->tree.arena, machines->n, sizeof *scores);
    if (!scores)
        return out_of_memory(err);
    for (size_t k = 0; k < site->n_kernels; k++) {
        const struct site_kernel *kernel = &site->kernels[k];
        if (display_find(kernel->name)->is_control)
            continue;
        for (size_t i = 0, end, last; i < kernel->n_cells; i = last) {
            const struct metric *metric = metric_find(kernel->cells[i].key->metric);
            size_t n = 0;
            memset(scores, 0, machines->n * sizeof *scores);
            /* Cells of one metric are neighbours, and in them those of the same work. */
            for (last = i; last < kernel->n_cells &&
                           kernel->cells[last].key->revision == kernel->cells[i].key->revision &&
                           strcmp(kernel->cells[last].key->metric,
                                  kernel->cells[i].key->metric) == 0;
                 last = end) {
                for (end = last + 1; end < kernel->n_cells &&
                                     is_same_work(kernel->cells[last].key, kernel->cells[end].key);)
                    end++;
                bool is_shared = false;
                const struct cell *best =
                    metric && metric->better != BETTER_NONE
                        ? best_of(machines, kernel->cells + last, end - last, metric->better, &is_shared)
                        : NULL;
                scores_mark(machines, scores, kernel->cells + last, end - last, best != NULL);
                n += best != NULL;
                if (best && !is_shared)
                    scores[whole_of(machines, best)].wins++;
            }
            if (n > 0)
                best_set(site, list, kernel, kernel->cells[i].key->metric, scores, n);
        }
    }
    value_flag(page->map, "has_bests", list->first != NULL);
    return 0;
}

/* ---- changed ---- */

struct last_runs {
    const char *id[2], *time[2]; /* the last one and the one before; NULL: there is none */
};

static void run_add(struct last_runs *runs, const char *id, const char *time)
{
    for (int i = 0; i < 2; i++) {
        if (runs->id[i] && strcmp(runs->id[i], id) == 0)
            return;
        int order = runs->id[i] ? strcmp(time, runs->time[i]) : 1;
        if (order > 0 || (order == 0 && strcmp(id, runs->id[i]) > 0)) {
            if (i == 0) {
                runs->id[1] = runs->id[0];
                runs->time[1] = runs->time[0];
            }
            runs->id[i] = id;
            runs->time[i] = time;
            return;
        }
    }
}

/* "what=NAME" as a pattern that matches nothing else. */
static const char *pattern_of(const char *what, const char *name, struct arena *arena)
{
    struct buffer text = {0};
    buffer_add_format(&text, "%s=", what);
    for (; *name; name++) {
        if (strchr("*?[\\", *name))
            buffer_add_char(&text, '\\');
        buffer_add_char(&text, *name);
    }
    const char *copy = text.failed ? NULL : arena_copy(arena, buffer_text(&text), text.size);
    buffer_free(&text);
    return copy;
}

static void changed_cells_set(const struct page *page, struct value *item,
                              const struct comparison *comparison, struct buffer *text)
{
    struct value *list = value_list(item, "cells");
    size_t n = 0;
    for (size_t i = 0; i < comparison->n; i++) {
        const struct compared *compared = &comparison->cells[i];
        const struct cell *cell = compared->cells[SIDE_NEW];
        char shown[SCALE_TEXT_SIZE];
        if (compared->change.verdict < VERDICT_BETTER || ++n > CHANGES_SHOWN)
            continue;
        struct value *one = value_append(list);
        buffer_clear(text);
        page_samples_href(page, cell, text);
        value_text(one, "href", buffer_text(text));
        buffer_clear(text);
        buffer_add_format(text, "%s %s %s", cell->key->kernel, cell->key->test, cell->key->metric);
        if (RECORD_HAS(cell->key, x)) {
            buffer_add_text(text, " at ");
            field_text(&(struct field){FIELD_X, NULL}, &page->site->selection, cell, NULL, text);
        }
        value_text(one, "what", buffer_text(text));
        scale_percent(compared->change.ratio - 1, shown);
        value_text(one, "change", shown);
        value_text(one, "verdict", verdict_text(compared->change.verdict));
    }
    value_format(item, "n_more", "%zu", n > CHANGES_SHOWN ? n - CHANGES_SHOWN : 0);
    value_flag(item, "has_more", n > CHANGES_SHOWN);
}

/* What else changed: the facts in which the two configurations differ, nothing where they are one. */
static int changed_facts_add(const struct page *page, const struct comparison *comparison,
                             struct buffer *text, struct err *err)
{
    enum { SHOWN = 6 };
    const struct machine *machines = page->site->selection.machines.machines;
    size_t base = comparison->cells[0].cells[SIDE_BASE]->machine, n;
    size_t new = comparison->cells[0].cells[SIDE_NEW]->machine;
    struct difference *list;
    buffer_clear(text);
    if (base == new)
        return 0;
    TRY(configuration_differences(&machines[base], &machines[new], &page->site->arena, &list, &n,
                                  err));
    differences_text(list, n, SHOWN, text);
    return 0;
}

/* "12 results: 1 better, 11 the same" */
static void counts_set(struct value *item, const struct comparison *comparison, struct buffer *text)
{
    static const struct {
        enum verdict verdict;
        const char *words;
    } counts[] = {{VERDICT_BETTER, "better"},
                  {VERDICT_WORSE, "worse"},
                  {VERDICT_SAME, "the same"},
                  {VERDICT_CANNOT_TELL, "cannot be told"}};
    bool is_first = true;
    buffer_clear(text);
    buffer_add_format(text, "%zu %s: ", comparison->n, comparison->n == 1 ? "result" : "results");
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++) {
        if (comparison->n_verdicts[counts[i].verdict] == 0)
            continue;
        buffer_add_format(text, "%s%zu %s", is_first ? "" : ", ",
                          comparison->n_verdicts[counts[i].verdict], counts[i].words);
        is_first = false;
    }
    value_text(item, "counts", buffer_text(text));
}

/* m: the first configuration of the machine. */
static int change_set(struct page *page, struct value *list, size_t m, const struct last_runs *runs,
                      const struct noises *noises, struct buffer *text, struct err *err)
{
    struct site *site = page->site;
    struct arena *arena = &page->tree.arena;
    struct compare_side sides[SIDES] = {{.selection = &site->selection, .noises = *noises},
                                        {.selection = &site->selection, .noises = *noises}};
    const struct compare_options options = {.by = "run",
                                            .alpha = 0.05,
                                            .correction = compare_default_correction,
                                            .threshold = -1};
    struct comparison comparison = {0};
    for (int s = 0; s < SIDES; s++) {
        sides[s].patterns[0] = pattern_of("run", runs->id[SIDE_NEW - s], arena);
        sides[s].patterns[1] =
            pattern_of("machine", site->selection.machines.machines[m].whole, arena);
        sides[s].n_patterns = 2;
        if (!sides[s].patterns[0] || !sides[s].patterns[1])
            return out_of_memory(err);
    }
    int result = comparison_make(&comparison, sides, &options, err);
    if (result >= 0 && comparison.n > 0) {
        struct value *item = value_append(list);
        size_t now = comparison.cells[0].cells[SIDE_NEW]->machine;
        value_text(item, "machine", site->selection.machines.machines[m].whole);
        value_format(item, "href", "machines/%s.html", site->machine_slugs[now]);
        result = changed_facts_add(page, &comparison, text, err);
        value_text(item, "configuration", buffer_text(text));
        value_text(item, "base", runs->time[1]);
        value_text(item, "new", runs->time[0]);
        counts_set(item, &comparison, text);
        changed_cells_set(page, item, &comparison, text);
    }
    comparison_free(&comparison);
    return result;
}

static int changes_set(struct page *page, const struct noises *noises, struct buffer *text,
                       struct err *err)
{
    const struct selection *selection = &page->site->selection;
    struct value *list = value_list(page->map, "changes");
    struct last_runs *runs =
        arena_take(&page->tree.arena, selection->machines.n, sizeof *runs);
    if (!runs)
        return out_of_memory(err);
    memset(runs, 0, selection->machines.n * sizeof *runs);
    for (size_t c = 0; c < selection->n_cells; c++) {
        const struct cell *cell = &selection->cells[c];
        for (size_t i = 0; i < cell->n_records; i++)
            if (i == 0 || strcmp(cell->records[i]->run, cell->records[i - 1]->run) != 0)
                run_add(&runs[selection->machines.machines[cell->machine].first],
                        cell->records[i]->run, cell->records[i]->time);
    }
    for (size_t m = 0; m < selection->machines.n; m++)
        if (runs[m].id[1])
            TRY(change_set(page, list, m, &runs[m], noises, text, err));
    const struct site *site = page->site;
    value_flag(page->map, "has_changes", list->first != NULL);
    value_flag(page->map, "has_changed", list->first != NULL || site->n_series > 0);
    value_flag(page->map, "has_series", site->n_series > 0);
    value_format(page->map, "n_series", "%zu series", site->n_series);
    value_format(page->map, "n_changed", "%zu", site->n_series_changed);
    return 0;
}

/* ---- noise ---- */

static void noises_set(struct page *page, const struct noises *noises)
{
    struct site *site = page->site;
    char shown[SCALE_TEXT_SIZE];
    struct value *list = value_list(page->map, "noises");
    for (size_t i = 0; i < noises->n; i++) {
        const struct noise *noise = &noises->list[i];
        struct value *item = value_append(list);
        value_text(item, "machine", site->selection.machines.machines[noise->machine].name);
        value_text(item, "kernel", noise->kernel);
        value_text(item, "metric", noise->metric);
        value_format(item, "n", "%zu", noise->n);
        value_format(item, "n_same_code", "%zu", noise->n_same_code);
        scale_number(noise->median * 100, 2, shown);
        value_format(item, "median", "%s %%", shown);
        scale_number(noise->floor * 100, 2, shown);
        value_format(item, "floor", "%s %%", shown);
    }
    value_flag(page->map, "has_noises", noises->n > 0);
}

int page_summary(struct page *page, struct buffer *text, struct err *err)
{
    struct noises noises;
    TRY(noises_make(&page->site->selection, &noises, err));
    noises_set(page, &noises);
    TRY(bests_set(page, err));
    return changes_set(page, &noises, text, err);
}
