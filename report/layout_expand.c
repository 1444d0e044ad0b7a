#include "report/layout_grid.h"

#include <stdlib.h>
#include <string.h>

static int out_of_memory(struct err *err)
{
    return err_set(err, ERR_SYSTEM, "out of memory");
}

static const char *label_of(const struct layout_grid *grid, const struct cell *cell)
{
    return grid->selection->machines.machines[cell->machine].label;
}

static bool all_hold(const struct layout_grid *grid, const struct condition *where,
                     const struct cell *cell)
{
    for (const struct condition *c = where; c; c = c->next)
        if (!condition_holds(c, cell, label_of(grid, cell)))
            return false;
    return true;
}

static int compare_by(const void *a, const void *b, void *context)
{
    const struct fields *fields = context;
    const struct cell *x = *(const struct cell *const *)a, *y = *(const struct cell *const *)b;
    for (size_t i = 0; i < fields->n; i++) {
        int order = field_compare(&fields->list[i], x, y);
        if (order != 0)
            return order;
    }
    return (x > y) - (x < y);
}

/* The first cell for each value of the fields of `each`, in order; cells [n] are reordered. */
static size_t distinct(const struct cell **cells, size_t n, const struct entry *entry)
{
    struct fields fields = entry->each;
    size_t count = 0;
    if (n > 1)
        qsort_r(cells, n, sizeof *cells, compare_by, &fields);
    for (size_t i = 0; i < n; i++) {
        struct item item = {.entry = entry, .like = count > 0 ? cells[count - 1] : NULL};
        if (count == 0 || !item_is_like(&item, cells[i]))
            cells[count++] = cells[i];
    }
    return count;
}

/* Appends the items of one entry to list [*n]; base [n_base] are the cells of the table, room is for as
 * many. */
static void entry_expand(const struct layout_grid *grid, const struct entry *entry,
                         const struct entry *section, const struct cell *const *base, size_t n_base,
                         const struct cell **room, struct item *list, size_t *n)
{
    size_t n_like = 0;
    if (entry->each.n == 0) {
        list[(*n)++] = (struct item){.entry = entry, .section = section};
        return;
    }
    for (size_t i = 0; i < n_base; i++)
        if (all_hold(grid, entry->where, base[i]) &&
            (!section || all_hold(grid, section->where, base[i])))
            room[n_like++] = base[i];
    n_like = distinct(room, n_like, entry);
    for (size_t i = 0; i < n_like; i++)
        list[(*n)++] = (struct item){.entry = entry, .section = section, .like = room[i]};
}

static int block_expand(const struct layout_grid *grid, const struct block *block,
                        const struct cell *const *base, size_t n_base, struct items *items,
                        struct err *err)
{
    size_t capacity = 0;
    const struct entry *section = NULL;
    const struct cell **room = arena_take(grid->arena, n_base, sizeof *room);
    for (const struct entry *entry = block->first; entry; entry = entry->next)
        capacity += entry->each.n > 0 ? n_base : 1;
    *items = (struct items){.list = arena_take(grid->arena, capacity, sizeof *items->list)};
    if (!room || !items->list)
        return out_of_memory(err);
    for (const struct entry *entry = block->first; entry; entry = entry->next) {
        if (entry->type == ENTRY_SECTION)
            section = entry;
        entry_expand(grid, entry, entry->type == ENTRY_PLAIN ? section : NULL, base, n_base, room,
                     items->list, &items->n);
    }
    return 0;
}

/* The cells of base that the conditions of an item let pass, so that each place looks at few. */
static int item_cells(const struct layout_grid *grid, struct item *row,
                      const struct cell *const *base, size_t n_base, struct err *err)
{
    row->n_cells = 0;
    if (row->entry->type != ENTRY_PLAIN || row->entry->formula)
        return 0;
    for (int pass = 0; pass < 2; pass++) {
        size_t n = 0;
        for (size_t i = 0; i < n_base; i++) {
            if (!all_hold(grid, row->entry->where, base[i]) || !item_is_like(row, base[i]) ||
                (row->section && !all_hold(grid, row->section->where, base[i])))
                continue;
            if (pass == 1)
                row->cells[n] = base[i];
            n++;
        }
        row->n_cells = n;
        if (pass == 0 && !(row->cells = arena_take(grid->arena, n, sizeof *row->cells)))
            return out_of_memory(err);
    }
    return 0;
}

int grid_write_out(struct layout_grid *grid, struct err *err)
{
    const struct layout_table *table = grid->table;
    const struct selection *selection = grid->selection;
    const struct cell **base = arena_take(grid->arena, selection->n_cells, sizeof *base);
    grid->blocks = arena_take(grid->arena, table->n_blocks, sizeof *grid->blocks);
    if (!base || !grid->blocks)
        return out_of_memory(err);
    const struct cell **all = arena_take(grid->arena, selection->n_cells, sizeof *all);
    if (!all)
        return out_of_memory(err);
    for (size_t i = 0; i < selection->n_cells; i++)
        all[i] = &selection->cells[i];
    size_t n_base = 0, b = 0;
    for (size_t i = 0; i < selection->n_cells; i++)
        if (all_hold(grid, table->where, &selection->cells[i]))
            base[n_base++] = &selection->cells[i];
    grid->n_columns = 1;
    for (const struct block *block = table->columns; block; block = block->next, b++) {
        TRY(block_expand(grid, block, base, n_base, &grid->blocks[b], err));
        for (size_t i = 0; i < grid->blocks[b].n; i++)
            if (grid->blocks[b].list[i].entry->without)
                TRY(item_cells(grid, &grid->blocks[b].list[i], all, selection->n_cells, err));
        if (grid->blocks[b].n > 0 && grid->n_columns > SIZE_MAX / grid->blocks[b].n)
            return out_of_memory(err);
        grid->n_columns *= grid->blocks[b].n;
    }
    TRY(block_expand(grid, &table->rows, base, n_base, &grid->rows, err));
    for (size_t r = 0; r < grid->rows.n; r++)
        TRY(item_cells(grid, &grid->rows.list[r], base, n_base, err));
    return 0;
}
