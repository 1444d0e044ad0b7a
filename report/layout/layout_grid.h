/* A table that is being made from its description: layout_expand.c writes rows and columns out,
 * layout_sources.c finds what a cell is made from, layout_quantity.c computes what it holds, layout_format.c makes texts of numbers, and
 * layout_eval.c arranges all of it. */
#ifndef REPORT_LAYOUT_LAYOUT_GRID_H
#define REPORT_LAYOUT_LAYOUT_GRID_H

#include <stdbool.h>
#include <stddef.h>

#include "report/layout/layout.h"

/* A row, or one place in a block of columns. */
struct item {
    const struct entry *entry;
    const struct entry *section;  /* of a row, NULL: none */
    const struct cell *like;      /* an entry with `each`: the fields of it are this cell's */
    const struct cell *base;      /* an entry with `over`: the base has these fields of this cell's */
    const struct cell **cells;    /* [n_cells] of a row: that its conditions and the table's let pass;
                                     of a column that lifts others' conditions: that its own do */
    size_t n_cells;
    const struct cell **base_cells; /* [n_base_cells] the same of its base */
    size_t n_base_cells;
};

struct items {
    struct item *list; /* [n] */
    size_t n;
};

struct layout_grid {
    const struct layout_table *table;
    const struct selection *selection;
    struct arena *arena;
    struct items rows;
    struct items *blocks; /* [table->n_blocks] */
    size_t n_columns;     /* the product of theirs; the last block runs fastest */
    const struct quantity **known; /* [rows.n * n_columns] what was computed, NULL: not yet */
};

/* Writes out the rows and columns of grid->table; the rest of the grid is set, but for `known`. */
int grid_write_out(struct layout_grid *grid, struct err *err);

/* The width of a step of block b: how many columns the blocks behind it have together. */
size_t grid_step(const struct layout_grid *grid, size_t b);
/* The place in block b that column c is of. */
const struct item *grid_item(const struct layout_grid *grid, size_t b, size_t c);

/* True when the fields that the item was made for are those of the cell; is_base: those of its base. */
bool item_is_like(const struct item *item, bool is_base, const struct cell *cell);

/* What row r (no gap or section) and column c hold. */
int grid_quantity(const struct layout_grid *grid, size_t r, size_t c, struct quantity *out,
                  struct err *err);

/* The formats that apply to a cell, those that come first count most: of a formula that made it the
 * row's, then the column's; then the row's, the column's, the table's. */
enum { FORMATS_MAX = 24 };

struct formats {
    const struct format *list[FORMATS_MAX];
    size_t n;
};

void formats_of(const struct layout_grid *grid, size_t r, size_t c, struct formats *formats);
/* Appends the number as the formats say. */
void number_text(const struct quantity *q, const struct formats *formats, struct buffer *out);

/* What is printed for a text of records. */
const char *layout_say(const struct layout_table *table, const char *text);

#endif
