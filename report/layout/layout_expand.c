#include "report/layout/layout_grid.h"

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
        if (count == 0 || !item_is_like(&item, false, cells[i]))
            cells[count++] = cells[i];
    }
    return count;
}

/* Orders by the fields of `over`. */
static int compare_over(const struct entry *entry, const struct cell *a, const struct cell *b)
{
    for (size_t i = 0; i < entry->over.n; i++) {
        int order = field_compare(&entry->over.list[i], a, b);
        if (order != 0)
            return order;
    }
    return 0;
}

/* The base of `like` among cells [n], those that the entry has items for: the first of those that agree
 * with it in what `each` names before it; one that the table wants as base comes before others. */
static const struct cell *base_of(const struct layout_grid *grid, const struct entry *entry,
                                  const struct cell *like, const struct cell *const *cells, size_t n)
{
    const struct cell *base = NULL;
    bool is_wanted = false;
    for (size_t i = 0; i < n; i++) {
        size_t f = 0;
        while (f < entry->each.n && !fields_have(&entry->over, &entry->each.list[f]) &&
               field_compare(&entry->each.list[f], like, cells[i]) == 0)
            f++;
        if (f < entry->each.n && !fields_have(&entry->over, &entry->each.list[f]))
            continue;
        bool is_wanted_here = all_hold(grid, grid->table->base, cells[i]);
        if (!base || (is_wanted_here && !is_wanted) ||
            (is_wanted_here == is_wanted && compare_over(entry, cells[i], base) < 0)) {
            base = cells[i];
            is_wanted = is_wanted_here;
        }
    }
    return base;
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
    for (size_t i = 0; i < n_like; i++) {
        struct item item = {.entry = entry, .section = section, .like = room[i]};
        if (entry->over.n > 0)
            item.base = base_of(grid, entry, room[i], room, n_like);
        if (!item.base || compare_over(entry, item.base, item.like) != 0)
            list[(*n)++] = item;
    }
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

/* Those of cells [n] that the conditions of an item let pass, so that each place looks at few. */
static int cells_pass(const struct layout_grid *grid, const struct item *row, bool is_base,
                      const struct cell *const *cells, size_t n, const struct cell ***out,
                      size_t *n_out, struct err *err)
{
    *n_out = 0;
    if (row->entry->type != ENTRY_PLAIN || row->entry->formula || (is_base && !row->base))
        return 0;
    for (int pass = 0; pass < 2; pass++) {
        size_t count = 0;
        for (size_t i = 0; i < n; i++) {
            if (!all_hold(grid, row->entry->where, cells[i]) || !item_is_like(row, is_base, cells[i]) ||
                (row->section && !all_hold(grid, row->section->where, cells[i])))
                continue;
            if (pass == 1)
                (*out)[count] = cells[i];
            count++;
        }
        *n_out = count;
        if (pass == 0 && !(*out = arena_take(grid->arena, count, sizeof **out)))
            return out_of_memory(err);
    }
    return 0;
}

static int item_cells(const struct layout_grid *grid, struct item *row,
                      const struct cell *const *cells, size_t n, struct err *err)
{
    TRY(cells_pass(grid, row, false, cells, n, &row->cells, &row->n_cells, err));
    return cells_pass(grid, row, true, cells, n, &row->base_cells, &row->n_base_cells, err);
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
