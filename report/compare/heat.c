#include "report/compare/heat.h"

#include <fnmatch.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/compare/builds.h"
#include "report/grid.h"
#include "report/order.h"
#include "schema/unit.h"

static int out_of_memory(struct err *err)
{
    return err_set(err, ERR_SYSTEM, "out of memory");
}

/* ---- builds ---- */

static bool is_usable(const struct cell *cell, size_t machine)
{
    if (cell->machine != machine || cell->summary.n == 0 || !(cell->summary.median > 0))
        return false;
    const struct metric *metric = metric_find(cell->key->metric);
    return metric && metric->better != BETTER_NONE && !cell_is_emulated(cell);
}

static int compare_names(const void *a, const void *b)
{
    return natural_compare(*(const char *const *)a, *(const char *const *)b);
}

static size_t variant_index(const struct heat *heat, const char *name)
{
    size_t v = 0;
    while (v < heat->n && strcmp(heat->variants[v], name) != 0)
        v++;
    return v;
}

/* In order, the base before the others. */
static int variants_list(const struct selection *selection, size_t machine, const char *base,
                         struct arena *arena, struct heat *heat, struct err *err)
{
    size_t capacity = 0;
    for (size_t i = 0; i < selection->n_cells; i++) {
        const struct cell *cell = &selection->cells[i];
        if (!is_usable(cell, machine) || variant_index(heat, cell->key->variant) < heat->n)
            continue;
        if (heat->n == capacity) {
            capacity = capacity ? 2 * capacity : 8;
            const char **larger = arena_take(arena, capacity, sizeof *larger);
            if (!larger)
                return out_of_memory(err);
            if (heat->n > 0)
                memcpy(larger, heat->variants, heat->n * sizeof *larger);
            heat->variants = larger;
        }
        heat->variants[heat->n++] = cell->key->variant;
    }
    if (heat->n < 2)
        return 0;
    qsort(heat->variants, heat->n, sizeof *heat->variants, compare_names);
    size_t first = 0;
    while (base && first < heat->n && fnmatch(base, heat->variants[first], 0) != 0)
        first++;
    if (first < heat->n) {
        const char *name = heat->variants[first];
        memmove(heat->variants + 1, heat->variants, first * sizeof *heat->variants);
        heat->variants[0] = name;
    }
    return 0;
}

/* ---- rows ---- */

static bool is_one_row(const struct record *a, const struct record *b)
{
    return strcmp(a->kernel, b->kernel) == 0 && a->revision == b->revision &&
           strcmp(a->test, b->test) == 0;
}

static bool is_speed(const char *unit)
{
    size_t size = strlen(unit);
    return strcmp(unit, "s") == 0 || (size > 2 && strcmp(unit + size - 2, "/s") == 0);
}

/* The row of a cell: that of its test, or NULL where that is of another metric. */
static int row_find(struct heat *heat, const struct cell *cell, struct arena *arena,
                    struct heat_row **out, struct err *err)
{
    *out = NULL;
    for (size_t r = heat->n_rows; r-- > 0;)
        if (is_one_row(heat->rows[r].first->key, cell->key)) {
            if (strcmp(heat->rows[r].first->key->metric, cell->key->metric) == 0)
                *out = &heat->rows[r];
            return 0;
        }
    struct heat_row *row = &heat->rows[heat->n_rows];
    *row = (struct heat_row){.first = cell,
                             .cells = arena_take(arena, heat->n, sizeof *row->cells)};
    if (!row->cells)
        return out_of_memory(err);
    memset(row->cells, 0, heat->n * sizeof *row->cells);
    heat->n_rows++;
    *out = row;
    return 0;
}

static void ratio_add(const struct selection *selection, struct heat_cell *to, const struct cell *base,
                      const struct cell *cell)
{
    double ratio = cell->summary.median / base->summary.median;
    bool is_lower = metric_find(cell->key->metric)->better == BETTER_LOWER;
    if (!isfinite(ratio) || !(ratio > 0) || strcmp(cell->unit, base->unit) != 0)
        return;
    if (!to->first) {
        const char *code = cell_code(selection, cell), *other = cell_code(selection, base);
        to->first = cell;
        to->is_same_code = cell != base && code && other && strcmp(code, other) == 0;
    }
    to->log_sum += is_lower ? -log(ratio) : log(ratio);
    to->n++;
}

/* Cells [n] of the same work. */
static int work_add(const struct selection *selection, size_t machine, struct heat *heat,
                    const struct cell *cells, size_t n, struct arena *arena, struct err *err)
{
    const struct cell *base = NULL;
    size_t n_builds = 0;
    for (size_t i = 0; i < n; i++) {
        n_builds += is_usable(&cells[i], machine);
        if (is_usable(&cells[i], machine) && strcmp(cells[i].key->variant, heat->variants[0]) == 0)
            base = &cells[i];
    }
    if (!base || n_builds < 2)
        return 0;
    struct heat_row *row;
    TRY(row_find(heat, base, arena, &row, err));
    for (size_t i = 0; row && i < n; i++)
        if (is_usable(&cells[i], machine))
            ratio_add(selection, &row->cells[variant_index(heat, cells[i].key->variant)], base,
                      &cells[i]);
    return 0;
}

static int rows_make(const struct selection *selection, size_t machine, struct heat *heat,
                     struct arena *arena, struct err *err)
{
    size_t n_rows = 0;
    const struct cell *last = NULL;
    for (size_t i = 0; i < selection->n_cells; i++) {
        const struct cell *cell = &selection->cells[i];
        if (!is_usable(cell, machine))
            continue;
        n_rows += !last || !is_one_row(last->key, cell->key) ||
                  strcmp(last->key->metric, cell->key->metric) != 0;
        last = cell;
    }
    heat->rows = arena_take(arena, n_rows, sizeof *heat->rows);
    if (!heat->rows)
        return out_of_memory(err);
    for (size_t i = 0, end; i < selection->n_cells; i = end) {
        for (end = i + 1; end < selection->n_cells &&
                          is_same_work(selection->cells[i].key, selection->cells[end].key);)
            end++;
        TRY(work_add(selection, machine, heat, &selection->cells[i], end - i, arena, err));
    }
    for (size_t r = 0; r < heat->n_rows; r++)
        for (size_t v = 0; v < heat->n; v++) {
            struct heat_cell *cell = &heat->rows[r].cells[v];
            cell->times = cell->n > 0 ? exp(cell->log_sum / (double)cell->n) : 0;
        }
    return 0;
}

/* Takes the builds out that have nothing in common with the base. */
static void columns_choose(struct heat *heat)
{
    size_t kept = 0;
    for (size_t v = 0; v < heat->n; v++) {
        bool has_value = false;
        for (size_t r = 0; r < heat->n_rows && !has_value; r++)
            has_value = heat->rows[r].cells[v].n > 0;
        if (!has_value)
            continue;
        for (size_t r = 0; r < heat->n_rows; r++)
            heat->rows[r].cells[kept] = heat->rows[r].cells[v];
        heat->variants[kept++] = heat->variants[v];
    }
    heat->n = kept;
}

static int means_make(struct heat *heat, struct arena *arena, struct err *err)
{
    heat->means = arena_take(arena, heat->n, sizeof *heat->means);
    if (!heat->means)
        return out_of_memory(err);
    for (size_t v = 0; v < heat->n; v++)
        heat->means[v] = 0;
    for (size_t r = 0; r < heat->n_rows; r++) {
        struct heat_row *row = &heat->rows[r];
        row->is_in_mean =
            is_speed(row->first->unit) && !display_find(row->first->key->kernel)->is_control;
        for (size_t v = 0; v < heat->n && row->is_in_mean; v++)
            row->is_in_mean = row->cells[v].n == row->cells[0].n;
        for (size_t v = 0; v < heat->n && row->is_in_mean; v++)
            heat->means[v] += log(row->cells[v].times);
        heat->n_in_mean += row->is_in_mean;
    }
    for (size_t v = 0; v < heat->n; v++)
        heat->means[v] = heat->n_in_mean > 0 ? exp(heat->means[v] / (double)heat->n_in_mean) : 0;
    return 0;
}

int heat_make(const struct selection *selection, size_t machine, const char *base, struct arena *arena,
              struct heat *heat, struct err *err)
{
    *heat = (struct heat){0};
    TRY(variants_list(selection, machine, base, arena, heat, err));
    if (heat->n < 2)
        return 0;
    TRY(rows_make(selection, machine, heat, arena, err));
    columns_choose(heat);
    return means_make(heat, arena, err);
}
