#include "report/compare/noise.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/compare/builds.h"
#include "report/order.h"
#include "report/statistics/statistics.h"

static int out_of_memory(struct err *err)
{
    return err_set(err, ERR_SYSTEM, "out of memory");
}

int noise_half(uint64_t rep)
{
    return rep % 4 > 1;
}

static bool has_ending(const char *text, const char *ending)
{
    size_t size = strlen(text), end = strlen(ending);
    return size >= end && strcmp(text + size - end, ending) == 0;
}

bool *runs_with_fact(struct selection *selection, const char *ending)
{
    const struct machines *machines = &selection->machines;
    bool *has_fact = arena_take(&selection->arena, machines->n_runs, sizeof *has_fact);
    if (!has_fact)
        return NULL;
    memset(has_fact, 0, machines->n_runs * sizeof *has_fact);
    for (size_t m = 0; m < machines->n; m++)
        for (size_t f = 0; f < machines->machines[m].n_facts; f++) {
            const struct record *fact = machines->machines[m].facts[f];
            if (fact->status == STATUS_OK && has_ending(fact->metric, ending) &&
                strcmp(fact->text, "no") != 0)
                has_fact[machines_run(machines, fact) - machines->runs] = true;
        }
    return has_fact;
}

/* The median of the values of one run, whose records are [n], in one half or, with -1, in both; negative
 * where there is none above 0. */
static double median_of(const struct cell *cell, const struct record *const *records, size_t n, int half,
                        double *scratch)
{
    size_t n_values = 0;
    for (size_t i = 0; i < n; i++)
        if (records[i]->status == STATUS_OK && records[i]->rep > 0 &&
            strcmp(records[i]->unit, cell->unit) == 0 &&
            (half < 0 || noise_half(records[i]->rep) == half))
            scratch[n_values++] = records[i]->value;
    if (n_values == 0)
        return -1;
    statistics_sort(scratch, n_values);
    return scratch[0] > 0 ? statistics_median(scratch, n_values) : -1;
}

/* |ratio - 1| of two medians; negative when there is none. */
static double differ(double a, double b)
{
    double difference = a > 0 && b > 0 ? fmax(a, b) / fmin(a, b) - 1 : -1;
    return isfinite(difference) ? difference : -1;
}

struct pair {
    const struct cell *cell;
    double difference;
    bool is_same_code;
};

static int compare_groups(const struct cell *a, const struct cell *b)
{
    int order = natural_compare(a->key->kernel, b->key->kernel);
    if (order == 0)
        order = compare_metrics(a->key->metric, b->key->metric);
    return order ? order : compare_counts(a->machine, b->machine);
}

static int compare_pairs(const void *a, const void *b)
{
    const struct pair *x = a, *y = b;
    int order = compare_groups(x->cell, y->cell);
    return order ? order : compare_numbers(x->difference, y->difference);
}

/* The records of one run in a cell, from *i on; *i behind them. */
static const struct record *const *run_next(const struct cell *cell, size_t *i, size_t *n)
{
    const struct record *const *records = (const struct record *const *)cell->records + *i;
    for (*n = 1; *i + *n < cell->n_records && strcmp(records[*n]->run, records[0]->run) == 0;)
        ++*n;
    *i += *n;
    return records;
}

struct collecting {
    const struct selection *selection;
    struct pair *pairs; /* [n] */
    size_t n;
    double *scratch;
};

static void pair_add(struct collecting *to, const struct cell *cell, double difference,
                     bool is_same_code)
{
    if (difference >= 0)
        to->pairs[to->n++] = (struct pair){cell, difference, is_same_code};
}

static void halves_collect(struct collecting *to, const struct cell *cell, const bool *is_aa)
{
    const struct machines *machines = &to->selection->machines;
    for (size_t i = 0, n; i < cell->n_records;) {
        const struct record *const *records = run_next(cell, &i, &n);
        if (is_aa[machines_run(machines, records[0]) - machines->runs])
            pair_add(to, cell,
                     differ(median_of(cell, records, n, 0, to->scratch),
                            median_of(cell, records, n, 1, to->scratch)),
                     false);
    }
}

/* In the runs that both cells have. */
static void same_code_collect(struct collecting *to, const struct cell *a, const struct cell *b)
{
    /* The runs of a cell are in order. */
    for (size_t i = 0, k = 0; i < a->n_records && k < b->n_records;) {
        size_t n, m;
        int order = strcmp(a->records[i]->run, b->records[k]->run);
        const struct record *const *records = order <= 0 ? run_next(a, &i, &n) : NULL;
        const struct record *const *others = order >= 0 ? run_next(b, &k, &m) : NULL;
        if (order == 0)
            pair_add(to, a,
                     differ(median_of(a, records, n, -1, to->scratch),
                            median_of(b, others, m, -1, to->scratch)),
                     true);
    }
}

/* Each cell with the next one that has the same code, so that of many no pair follows from others. */
static void pairs_collect(struct collecting *to, const bool *is_aa)
{
    const struct selection *selection = to->selection;
    for (size_t c = 0; c < selection->n_cells; c++) {
        const struct cell *cell = &selection->cells[c];
        /* What an emulator adds is no noise of the machine. */
        if (cell_is_emulated(cell))
            continue;
        halves_collect(to, cell, is_aa);
        const char *code = NULL, *other = NULL;
        /* Cells of the same work on one machine are neighbours, one for each variant. */
        for (size_t k = c + 1; k < selection->n_cells; k++) {
            if (selection->cells[k].machine != cell->machine ||
                !is_same_work(selection->cells[k].key, cell->key))
                break;
            code = code ? code : cell_code(selection, cell);
            other = code ? cell_code(selection, &selection->cells[k]) : NULL;
            if (!other || strcmp(code, other) != 0)
                continue;
            same_code_collect(to, cell, &selection->cells[k]);
            break;
        }
    }
}

int noises_make(struct selection *selection, struct noises *noises, struct err *err)
{
    size_t n_samples = selection->machines.n_samples;
    *noises = (struct noises){.is_aa = runs_with_fact(selection, "run.aa")};
    /* A run of a cell makes one pair of halves and one with a neighbour at most. */
    struct pair *pairs = arena_take(&selection->arena, 2 * n_samples, sizeof *pairs);
    double *scratch = arena_take(&selection->arena, n_samples, sizeof *scratch);
    double *differences = arena_take(&selection->arena, 2 * n_samples, sizeof *differences);
    if (!noises->is_aa || !pairs || !scratch || !differences)
        return out_of_memory(err);
    struct collecting collecting = {selection, pairs, 0, scratch};
    pairs_collect(&collecting, noises->is_aa);
    size_t n = collecting.n;
    if (n > 1)
        qsort(pairs, n, sizeof *pairs, compare_pairs);
    noises->list = arena_take(&selection->arena, n, sizeof *noises->list);
    if (!noises->list)
        return out_of_memory(err);
    for (size_t i = 0, end; i < n; i = end) {
        size_t n_same_code = 0;
        for (end = i; end < n && compare_groups(pairs[i].cell, pairs[end].cell) == 0; end++) {
            differences[end - i] = pairs[end].difference;
            n_same_code += pairs[end].is_same_code;
        }
        size_t count = end - i, rank = (size_t)ceil(0.95 * (double)count);
        noises->list[noises->n++] = (struct noise){.machine = pairs[i].cell->machine,
                                                   .kernel = pairs[i].cell->key->kernel,
                                                   .metric = pairs[i].cell->key->metric,
                                                   .n = count,
                                                   .n_same_code = n_same_code,
                                                   .median = statistics_median(differences, count),
                                                   .floor = differences[rank - 1]};
    }
    return 0;
}

const struct noise *noises_find(const struct noises *noises, size_t machine, const char *kernel,
                                const char *metric)
{
    for (size_t i = 0; i < noises->n; i++) {
        const struct noise *noise = &noises->list[i];
        if (noise->machine == machine && strcmp(noise->kernel, kernel) == 0 &&
            strcmp(noise->metric, metric) == 0)
            return noise;
    }
    return NULL;
}
