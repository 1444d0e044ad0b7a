#include "report/noise.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/order.h"
#include "report/statistics.h"

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

/* |ratio - 1| of the halves of one run, whose records are [n]; negative when there is none. */
static double halves_differ(const struct cell *cell, const struct record *const *records, size_t n,
                            double *scratch)
{
    double medians[2];
    for (int half = 0; half < 2; half++) {
        size_t n_values = 0;
        for (size_t i = 0; i < n; i++)
            if (records[i]->status == STATUS_OK && records[i]->rep > 0 &&
                strcmp(records[i]->unit, cell->unit) == 0 && noise_half(records[i]->rep) == half)
                scratch[n_values++] = records[i]->value;
        if (n_values == 0)
            return -1;
        statistics_sort(scratch, n_values);
        if (!(scratch[0] > 0))
            return -1;
        medians[half] = statistics_median(scratch, n_values);
    }
    double difference = fmax(medians[0], medians[1]) / fmin(medians[0], medians[1]) - 1;
    return isfinite(difference) ? difference : -1;
}

struct pair {
    const struct cell *cell;
    double difference;
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

static size_t pairs_collect(const struct selection *selection, const bool *is_aa,
                            struct pair *pairs, double *scratch)
{
    const struct machines *machines = &selection->machines;
    size_t n = 0;
    for (size_t c = 0; c < selection->n_cells; c++) {
        const struct cell *cell = &selection->cells[c];
        for (size_t i = 0, end; i < cell->n_records; i = end) {
            const struct record *const *records =
                (const struct record *const *)cell->records + i;
            for (end = i + 1; end < cell->n_records &&
                              strcmp(cell->records[end]->run, records[0]->run) == 0;)
                end++;
            if (!is_aa[machines_run(machines, records[0]) - machines->runs])
                continue;
            double difference = halves_differ(cell, records, end - i, scratch);
            if (difference >= 0)
                pairs[n++] = (struct pair){cell, difference};
        }
    }
    return n;
}

int noises_make(struct selection *selection, struct noises *noises, struct err *err)
{
    size_t n_samples = selection->machines.n_samples;
    *noises = (struct noises){.is_aa = runs_with_fact(selection, "run.aa")};
    struct pair *pairs = arena_take(&selection->arena, n_samples, sizeof *pairs);
    double *scratch = arena_take(&selection->arena, n_samples, sizeof *scratch);
    if (!noises->is_aa || !pairs || !scratch)
        return out_of_memory(err);
    size_t n = pairs_collect(selection, noises->is_aa, pairs, scratch);
    if (n > 1)
        qsort(pairs, n, sizeof *pairs, compare_pairs);
    noises->list = arena_take(&selection->arena, n, sizeof *noises->list);
    if (!noises->list)
        return out_of_memory(err);
    for (size_t i = 0, end; i < n; i = end) {
        for (end = i; end < n && compare_groups(pairs[i].cell, pairs[end].cell) == 0; end++)
            scratch[end - i] = pairs[end].difference;
        size_t count = end - i, rank = (size_t)ceil(0.95 * (double)count);
        noises->list[noises->n++] = (struct noise){.machine = pairs[i].cell->machine,
                                                   .kernel = pairs[i].cell->key->kernel,
                                                   .metric = pairs[i].cell->key->metric,
                                                   .n = count,
                                                   .median = statistics_median(scratch, count),
                                                   .floor = scratch[rank - 1]};
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
