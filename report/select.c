#include "report/select.h"

#include <stdlib.h>
#include <string.h>

#include "report/order.h"
#include "report/region.h"
#include "schema/buffer.h"
#include "schema/params.h"

struct sample {
    const struct record *record;
    size_t machine;
    size_t index; /* in the archive */
};

struct build {
    struct selection *selection;
    struct sample *samples; /* [selection->machines.n_samples] that count */
    bool by_run;
};

static int out_of_memory(struct err *err)
{
    return err_set(err, ERR_SYSTEM, "out of memory");
}

static int warn(struct selection *selection, struct buffer *text, struct err *err)
{
    if (text->failed)
        return out_of_memory(err);
    TRY(warnings_add(&selection->warnings, &selection->arena, buffer_text(text), err));
    buffer_clear(text);
    return 0;
}

static int compare_cells(const struct sample *a, const struct sample *b)
{
    const struct record *x = a->record, *y = b->record;
    int order;
    if ((order = natural_compare(x->kernel, y->kernel)) != 0 ||
        (order = compare_counts(x->revision, y->revision)) != 0 ||
        (order = compare_metrics(x->metric, y->metric)) != 0 ||
        (order = natural_compare(x->test, y->test)) != 0 ||
        (order = natural_compare(x->params, y->params)) != 0 ||
        (order = strcmp(x->x_unit, y->x_unit)) != 0 || (order = compare_numbers(x->x, y->x)) != 0 ||
        (order = compare_counts(x->threads, y->threads)) != 0 ||
        (order = compare_counts(a->machine, b->machine)) != 0)
        return order;
    return natural_compare(x->variant, y->variant);
}

static int compare_samples(const void *a, const void *b)
{
    const struct sample *x = a, *y = b;
    int order = compare_cells(x, y);
    if (order == 0)
        order = strcmp(x->record->run, y->record->run);
    if (order == 0)
        order = compare_counts(x->record->rep, y->record->rep);
    return order ? order : compare_counts(x->index, y->index);
}

/* collect gives a warm-up the parameter warmup_of, the repetition it ran before, and an attempt that was made
 * once more lost_at, when, so that several have identities of their own. They belong to that repetition's
 * cell all the same. */
static const struct record *without_warmup(const struct record *record, struct arena *arena,
                                           struct buffer *text)
{
    if (record->rep != 0 || !strstr(record->params, "warmup_of="))
        return record;
    struct buffer others = {0};
    buffer_clear(text);
    params_without(record->params, "lost_at", &others);
    params_without(buffer_text(&others), "warmup_of", text);
    text->failed |= others.failed;
    buffer_free(&others);
    struct record *copy = arena_take(arena, 1, sizeof *copy);
    const char *params = text->failed ? NULL : arena_copy(arena, buffer_text(text), text->size);
    if (!copy || !params)
        return NULL;
    *copy = *record;
    copy->params = params;
    return copy;
}

static int samples_collect(struct build *build, const struct archive *archive, struct buffer *text,
                           struct err *err)
{
    struct selection *selection = build->selection;
    size_t n = 0;
    build->samples =
        arena_take(&selection->arena, selection->machines.n_samples, sizeof *build->samples);
    if (!build->samples)
        return out_of_memory(err);
    for (size_t i = 0; i < archive_count(archive); i++) {
        const struct record *record = archive_record(archive, i);
        const struct run *run =
            record->kind == KIND_SAMPLE ? machines_run(&selection->machines, record) : NULL;
        if (!run || run->retracted)
            continue;
        record = without_warmup(record, &selection->arena, text);
        if (!record)
            return out_of_memory(err);
        build->samples[n++] = (struct sample){record, run->machine, i};
    }
    buffer_clear(text);
    if (n > 1)
        qsort(build->samples, n, sizeof *build->samples, compare_samples);
    return 0;
}

/* The index behind the last sample of the cell that begins at i. */
static size_t cell_end(const struct build *build, size_t i)
{
    const struct sample *first = &build->samples[i];
    size_t end = i + 1;
    while (end < build->selection->machines.n_samples &&
           compare_cells(first, &build->samples[end]) == 0 &&
           (!build->by_run ||
            strcmp(first->record->run, build->samples[end].record->run) == 0))
        end++;
    return end;
}

/* Fills the cell from all its samples [n]. Returns how many values are left out because they are in
 * another unit than the first. */
static int cell_fill(struct build *build, struct cell *cell, const struct sample *samples, size_t n,
                     struct err *err)
{
    struct arena *arena = &build->selection->arena;
    *cell = (struct cell){.key = samples[0].record,
                          .unit = "",
                          .machine = samples[0].machine,
                          .run = build->by_run ? samples[0].record->run : "",
                          .reason = ""};
    cell->records = arena_take(arena, n, sizeof *cell->records);
    cell->values = arena_take(arena, n, sizeof *cell->values);
    if (!cell->records || !cell->values)
        return out_of_memory(err);
    size_t n_values = 0;
    int n_left_out = 0;
    for (size_t i = 0; i < n; i++) {
        const struct record *record = samples[i].record;
        cell->records[cell->n_records++] = record;
        cell->n_runs += i == 0 || strcmp(record->run, samples[i - 1].record->run) != 0;
        if (record->status != STATUS_OK) {
            if (cell->n_failed++ == 0) {
                cell->failure = record->status;
                cell->reason = record->text;
            }
        } else if (record->rep == 0) {
            cell->n_warmups++;
        } else {
            if (cell->unit[0] == '\0')
                cell->unit = record->unit;
            if (strcmp(cell->unit, record->unit) == 0)
                cell->values[n_values++] = record->value;
            else
                n_left_out++;
        }
    }
    statistics_sort(cell->values, n_values);
    cell->summary = statistics_summary(cell->values, n_values);
    return n_left_out;
}

static int cells_make(struct build *build, struct buffer *text, struct err *err)
{
    struct selection *selection = build->selection;
    size_t n = selection->machines.n_samples, n_cells = 0;
    for (size_t i = 0; i < n; i = cell_end(build, i))
        n_cells++;
    selection->cells = arena_take(&selection->arena, n_cells, sizeof *selection->cells);
    if (!selection->cells)
        return out_of_memory(err);
    for (size_t i = 0, end; i < n; i = end) {
        end = cell_end(build, i);
        struct cell *cell = &selection->cells[selection->n_cells++];
        int n_left_out = cell_fill(build, cell, build->samples + i, end - i, err);
        if (n_left_out == 0)
            continue;
        TRY(n_left_out);
        buffer_add_format(text, "%s, %s %s %s: %d values are not in %s as the others and are left out",
                          selection->machines.machines[cell->machine].name, cell->key->kernel,
                          cell->key->test, cell->key->metric, n_left_out, cell->unit);
        TRY(warn(selection, text, err));
    }
    return 0;
}

/* One pass of units_fill: a cell without a unit takes that of the last one with values that had the
 * same kernel and metric, and test too when asked for. */
static void units_carry(struct selection *selection, bool backwards, bool by_test)
{
    const struct cell *last = NULL;
    for (size_t i = 0; i < selection->n_cells; i++) {
        struct cell *cell = &selection->cells[backwards ? selection->n_cells - 1 - i : i];
        if (last && (strcmp(last->key->kernel, cell->key->kernel) != 0 ||
                     strcmp(last->key->metric, cell->key->metric) != 0 ||
                     (by_test && strcmp(last->key->test, cell->key->test) != 0)))
            last = NULL;
        if (cell->summary.n > 0)
            last = cell;
        else if (cell->unit[0] == '\0' && last)
            cell->unit = last->unit;
    }
}

/* A failure has no unit of its own; its place in a table is beside the same test's values, else
 * beside those of the same metric. Such cells are neighbours. */
static void units_fill(struct selection *selection)
{
    for (int pass = 0; pass < 4; pass++)
        units_carry(selection, pass % 2 == 1, pass < 2);
}

static int cells_number(struct selection *selection, struct err *err)
{
    size_t n_machines = selection->machines.n;
    size_t *numbers = arena_take(&selection->arena, n_machines, sizeof *numbers);
    if (!numbers)
        return out_of_memory(err);
    for (size_t i = 0; i < selection->n_cells; i++) {
        struct cell *cell = &selection->cells[i];
        if (i == 0 || strcmp(cell->key->kernel, cell[-1].key->kernel) != 0)
            memset(numbers, 0, n_machines * sizeof *numbers);
        cell->number = ++numbers[cell->machine];
    }
    return 0;
}

/* The cells of one machine and kernel that hold samples of several runs. */
struct pool {
    size_t n_cells, n_runs;
    const char *first, *last;
};

static void pool_add(struct pool *pool, const struct cell *cell)
{
    if (cell->n_runs < 2)
        return;
    pool->n_cells++;
    if (cell->n_runs > pool->n_runs)
        pool->n_runs = cell->n_runs;
    for (size_t i = 0; i < cell->n_records; i++)
        time_widen(&pool->first, &pool->last, cell->records[i]->time);
}

static int pools_warn(struct selection *selection, struct buffer *text, struct err *err)
{
    size_t n_machines = selection->machines.n;
    struct pool *pools = arena_take(&selection->arena, n_machines, sizeof *pools);
    if (!pools)
        return out_of_memory(err);
    for (size_t i = 0, end = 0; i < selection->n_cells; i = end) {
        const char *kernel = selection->cells[i].key->kernel;
        for (size_t m = 0; m < n_machines; m++)
            pools[m] = (struct pool){.first = "", .last = ""};
        for (; end < selection->n_cells &&
               strcmp(selection->cells[end].key->kernel, kernel) == 0; end++)
            pool_add(&pools[selection->cells[end].machine], &selection->cells[end]);
        for (size_t m = 0; m < n_machines; m++) {
            const struct pool *pool = &pools[m];
            if (pool->n_cells == 0)
                continue;
            buffer_add_format(text, "%s, %s: the samples of up to %zu runs are taken together in %zu "
                                    "%s, measured from %s to %s",
                              selection->machines.machines[m].name, kernel, pool->n_runs,
                              pool->n_cells, pool->n_cells == 1 ? "cell" : "cells", pool->first,
                              pool->last);
            TRY(warn(selection, text, err));
        }
    }
    return 0;
}

static int select_all(struct build *build, const struct archive *archive, struct buffer *text,
                      struct err *err)
{
    struct selection *selection = build->selection;
    TRY(machines_make(&selection->machines, archive, &selection->arena, &selection->warnings, err));
    TRY(samples_collect(build, archive, text, err));
    TRY(cells_make(build, text, err));
    units_fill(selection);
    TRY(regions_set(selection, err));
    TRY(cells_number(selection, err));
    if (build->by_run)
        return 0;
    TRY(pools_warn(selection, text, err));
    return machines_warn(&selection->machines, &selection->arena, &selection->warnings, err);
}

bool is_same_work(const struct record *a, const struct record *b)
{
    return strcmp(a->kernel, b->kernel) == 0 && a->revision == b->revision &&
           strcmp(a->metric, b->metric) == 0 && strcmp(a->test, b->test) == 0 &&
           strcmp(a->params, b->params) == 0 && strcmp(a->x_unit, b->x_unit) == 0 &&
           RECORD_HAS(a, x) == RECORD_HAS(b, x) && compare_numbers(a->x, b->x) == 0 &&
           a->threads == b->threads;
}

int selection_make(struct selection *selection, const struct archive *archive, bool by_run,
                   struct err *err)
{
    *selection = (struct selection){0};
    struct build build = {.selection = selection, .by_run = by_run};
    struct buffer text = {0};
    int result = select_all(&build, archive, &text, err);
    buffer_free(&text);
    return result;
}

void selection_free(struct selection *selection)
{
    arena_free(&selection->arena);
    *selection = (struct selection){0};
}
