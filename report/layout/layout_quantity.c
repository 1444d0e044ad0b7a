#include "report/layout/layout_grid.h"

#include <string.h>

#include "report/layout/layout_sources.h"
#include "schema/buffer.h"
#include "schema/number.h"
#include "schema/params.h"

static int out_of_memory(struct err *err)
{
    return err_set(err, ERR_SYSTEM, "out of memory");
}

/* ---- one result of many ---- */

/* One of many without being told how: they must be one. */
static int pick_only(const struct layout_grid *grid, const struct quantity *list, size_t n,
                     struct quantity *out, struct err *err)
{
    if (n <= 1) {
        *out = n == 1 ? list[0] : (struct quantity){.type = QUANTITY_NONE};
        return 0;
    }
    struct buffer text = {0};
    buffer_add_format(&text, "%zu results", n);
    const char *copy = arena_copy(grid->arena, buffer_text(&text), text.size);
    buffer_free(&text);
    if (!copy)
        return out_of_memory(err);
    *out = (struct quantity){
        .type = QUANTITY_TEXT, .is_status = true, .text = copy, .cell = list[0].cell};
    return 0;
}

/* With `pick`: of those without a value the first, where none has one. */
static struct quantity pick_by(enum reducer pick, const struct quantity *list, size_t n)
{
    struct quantity picked = quantities_reduce(pick, list, n);
    if (picked.type == QUANTITY_NONE)
        for (size_t i = 0; i < n; i++)
            if (list[i].type == QUANTITY_TEXT)
                return list[i];
    return picked;
}

/* The first sample whose iterations or, with SHOW_ELAPSED, elapsed time is known; NULL: none. */
static const struct record *sample_with(const struct cell *cell, enum show show)
{
    for (size_t i = 0; i < cell->n_records; i++) {
        const struct record *record = cell->records[i];
        if (record->status == STATUS_OK && record->rep > 0 &&
            (show == SHOW_ELAPSED ? RECORD_HAS(record, elapsed_ns) : RECORD_HAS(record, iterations)))
            return record;
    }
    return NULL;
}

/* What else than its value is shown of the cell that was found. */
static int show_of(const struct layout_grid *grid, const struct entry *entry, struct quantity *q,
                   struct err *err)
{
    const struct cell *cell = q->cell;
    if (entry->show == SHOW_VALUE || !cell)
        return 0;
    if (entry->show == SHOW_FIELD) {
        struct buffer text = {0};
        if (entry->shown.type == FIELD_PARAM) /* as it is recorded: `unit` says how to show it */
            params_get(cell->key->params, entry->shown.key, &text);
        else
            field_text(&entry->shown, grid->selection, cell, NULL, &text);
        const struct unit_spelling *unit =
            entry->format.unit ? unit_find_spelling(entry->format.unit) : NULL;
        double number;
        if (unit && number_parse(buffer_text(&text), text.size, &number)) {
            *q = (struct quantity){.type = QUANTITY_NUMBER,
                                   .number = number,
                                   .weight = 1,
                                   .unit = unit->base,
                                   .cell = cell};
            buffer_free(&text);
            return 0;
        }
        *q = (struct quantity){.type = QUANTITY_TEXT,
                               .text = text.failed ? NULL
                                                   : arena_copy(grid->arena, buffer_text(&text), text.size),
                               .cell = cell};
        buffer_free(&text);
        return q->text ? 0 : out_of_memory(err);
    }
    *q = (struct quantity){.type = QUANTITY_NUMBER, .weight = 1, .unit = "1", .cell = cell};
    const struct record *sample = sample_with(cell, entry->show);
    switch (entry->show) {
    case SHOW_X:
        q->type = RECORD_HAS(cell->key, x) ? QUANTITY_NUMBER : QUANTITY_NONE;
        q->number = cell->key->x;
        q->unit = cell->key->x_unit;
        break;
    case SHOW_ITERATIONS:
        q->number = sample ? (double)sample->iterations : 0;
        break;
    case SHOW_ELAPSED:
        q->type = sample ? QUANTITY_NUMBER : QUANTITY_NONE;
        q->number = sample ? (double)sample->elapsed_ns * 1e-9 : 0;
        q->unit = "s";
        break;
    default:
        q->number = (double)cell->summary.n;
    }
    return 0;
}

/* ---- one cell ---- */

/* The entry that says something of `what` a plain cell is: the innermost column's before the row's. */
static const struct entry *entry_with(const struct layout_grid *grid, size_t r, size_t c,
                                      bool (*has)(const struct entry *))
{
    for (size_t b = grid->table->n_blocks; b-- > 0;) {
        const struct entry *entry = grid_item(grid, b, c)->entry;
        if (has(entry))
            return entry;
    }
    return has(grid->rows.list[r].entry) ? grid->rows.list[r].entry : NULL;
}

static bool has_fact(const struct entry *entry)
{
    return entry->fact != NULL;
}

static bool has_pick(const struct entry *entry)
{
    return entry->pick != REDUCE_NONE;
}

static bool has_show(const struct entry *entry)
{
    return entry->show != SHOW_VALUE;
}

static size_t place_of(const struct items *items, const struct entry *entry)
{
    size_t i = 0;
    while (i < items->n && items->list[i].entry != entry)
        i++;
    return i;
}

/* The cell at whose x this one stands, found by the entry that `at` names; *has_at: there is an `at`. */
static int at_find(const struct layout_grid *grid, size_t r, size_t c, const struct cell **at,
                   bool *has_at, struct err *err)
{
    struct quantity q = {.type = QUANTITY_NONE};
    size_t place, n_blocks = grid->table->n_blocks;
    *has_at = false;
    *at = NULL;
    const struct entry *target = grid->rows.list[r].entry->at;
    if (target && (place = place_of(&grid->rows, target)) < grid->rows.n) {
        TRY(grid_quantity(grid, place, c, &q, err));
        *has_at = true;
    }
    for (size_t b = 0; b < n_blocks && !*has_at; b++) {
        target = grid_item(grid, b, c)->entry->at;
        if (!target || (place = place_of(&grid->blocks[b], target)) == grid->blocks[b].n)
            continue;
        size_t step = grid_step(grid, b), own = c / step % grid->blocks[b].n;
        TRY(grid_quantity(grid, r, c - own * step + place * step, &q, err));
        *has_at = true;
    }
    *at = q.cell;
    return 0;
}

/* is_base: of the base, where row or column has one. */
static int plain_quantity(const struct layout_grid *grid, size_t r, size_t c, bool is_base,
                          struct quantity *out, struct err *err)
{
    struct sources sources;
    sources_make(grid, r, c, is_base, &sources);
    const struct entry *fact = entry_with(grid, r, c, has_fact);
    if (fact) {
        *out = sources_fact(grid, &sources, fact->fact);
        return 0;
    }
    const struct entry *pick = entry_with(grid, r, c, has_pick);
    const struct entry *show = entry_with(grid, r, c, has_show);
    const struct cell *at;
    bool has_at;
    struct quantity *list;
    size_t n = 0;
    TRY(at_find(grid, r, c, &at, &has_at, err));
    if (!has_at || at)
        TRY(sources_samples(grid, r, &sources, at, &list, &n, err));
    if (pick && n > 0)
        *out = pick_by(pick->pick, list, n);
    else
        TRY(pick_only(grid, n > 0 ? list : NULL, n, out, err));
    return show ? show_of(grid, show, out, err) : 0;
}

/* Where a formula stands: what its names mean depends on it. */
struct place {
    const struct layout_grid *grid;
    size_t r, c, b; /* b: the block of columns, n_blocks for a formula of a row */
    unsigned line;  /* its names are of entries above */
};

/* True when every column that comes from records has a number in row r. */
static int row_is_common(const struct layout_grid *grid, size_t r, bool *out, struct err *err)
{
    *out = true;
    for (size_t c = 0; c < grid->n_columns && *out; c++) {
        bool is_derived = false;
        for (size_t b = 0; b < grid->table->n_blocks; b++)
            is_derived = is_derived || grid_item(grid, b, c)->entry->formula ||
                         grid_item(grid, b, c)->entry->fact;
        struct quantity q = {.type = QUANTITY_NUMBER};
        if (!is_derived)
            TRY(grid_quantity(grid, r, c, &q, err));
        *out = q.type == QUANTITY_NUMBER;
    }
    return 0;
}

static int look_up(void *context, const char *name, bool is_common, struct quantity **list,
                   size_t *n, struct err *err)
{
    const struct place *place = context;
    const struct layout_grid *grid = place->grid;
    bool is_row = place->b == grid->table->n_blocks;
    const struct items *items = is_row ? &grid->rows : &grid->blocks[place->b];
    size_t step = is_row ? 0 : grid_step(grid, place->b);
    size_t own = is_row ? 0 : place->c / step % items->n;
    *n = 0;
    *list = arena_take(grid->arena, items->n, sizeof **list);
    if (!*list)
        return out_of_memory(err);
    for (size_t i = 0; i < items->n; i++) {
        if (items->list[i].entry->line >= place->line ||
            strcmp(items->list[i].entry->name, name) != 0)
            continue;
        bool takes_part = true;
        if (is_row && is_common)
            TRY(row_is_common(grid, i, &takes_part, err));
        if (takes_part)
            TRY(grid_quantity(grid, is_row ? i : place->r,
                              is_row ? place->c : place->c - own * step + i * step,
                              &(*list)[(*n)++], err));
    }
    return 0;
}

/* context: the two quantities `this` and `base`. */
static int look_up_related(void *context, const char *name, bool is_common, struct quantity **list,
                           size_t *n, struct err *err)
{
    struct quantity *related = context;
    (void)is_common;
    (void)err;
    *list = &related[strcmp(name, "this") == 0 ? 0 : 1];
    *n = 1;
    return 0;
}

/* What an entry with `over` shows: of this cell and its base. */
static int related_quantity(const struct layout_grid *grid, size_t r, size_t c,
                            const struct derive *relation, struct quantity *out, struct err *err)
{
    struct quantity related[2];
    TRY(plain_quantity(grid, r, c, false, &related[0], err));
    TRY(plain_quantity(grid, r, c, true, &related[1], err));
    *out = related[0];
    if (related[0].type != QUANTITY_NUMBER)
        return 0;
    TRY(derive_compute(relation, look_up_related, related, grid->arena, out, err));
    if (related[1].type != QUANTITY_NUMBER)
        *out = (struct quantity){.type = QUANTITY_TEXT, .is_status = true, .text = "no base"};
    out->cell = related[0].cell;
    return 0;
}

static bool has_relation(const struct entry *entry)
{
    return entry->relation != NULL;
}

static int compute(const struct layout_grid *grid, size_t r, size_t c, struct quantity *out,
                   struct err *err)
{
    const struct entry *entry = grid->rows.list[r].entry;
    size_t b = entry->formula ? grid->table->n_blocks : 0;
    for (; b < grid->table->n_blocks && !entry->formula; b++)
        entry = grid_item(grid, b, c)->entry;
    if (!entry->formula) {
        const struct entry *related = entry_with(grid, r, c, has_relation);
        return related ? related_quantity(grid, r, c, related->relation, out, err)
                       : plain_quantity(grid, r, c, false, out, err);
    }
    bool is_row = entry == grid->rows.list[r].entry;
    struct place place = {grid, r, c, is_row ? b : b - 1, entry->line};
    return derive_compute(entry->formula, look_up, &place, grid->arena, out, err);
}

/* Formulas that build on each other would ask for the same cell again and again. */
int grid_quantity(const struct layout_grid *grid, size_t r, size_t c, struct quantity *out,
                  struct err *err)
{
    const struct quantity **known = &grid->known[r * grid->n_columns + c];
    if (!*known) {
        TRY(compute(grid, r, c, out, err));
        struct quantity *kept = arena_alloc(grid->arena, sizeof *kept);
        if (!kept)
            return out_of_memory(err);
        *kept = *out;
        *known = kept;
    }
    *out = **known;
    return 0;
}
