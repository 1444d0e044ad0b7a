#include "report/layout/layout_grid.h"

#include <string.h>

#include "schema/buffer.h"
#include "schema/number.h"
#include "schema/params.h"

static int out_of_memory(struct err *err)
{
    return err_set(err, ERR_SYSTEM, "out of memory");
}

const char *layout_say(const struct layout_table *table, const char *text)
{
    for (const struct named_text *saying = table->sayings; saying; saying = saying->next)
        if (strcmp(saying->name, text) == 0)
            return saying->text;
    return text;
}

/* The width of a step of block b: how many columns the blocks behind it have together. */
static size_t step_of(const struct layout_grid *grid, size_t b)
{
    size_t step = 1;
    for (size_t i = b + 1; i < grid->table->n_blocks; i++)
        step *= grid->blocks[i].n;
    return step;
}

const struct item *grid_item(const struct layout_grid *grid, size_t b, size_t c)
{
    return &grid->blocks[b].list[c / step_of(grid, b) % grid->blocks[b].n];
}

/* The cell whose field i of `each` the item, or its base, has. */
static const struct cell *like_of(const struct item *item, bool is_base, size_t i)
{
    bool is_other = is_base && item->base && fields_have(&item->entry->over, &item->entry->each.list[i]);
    return is_other ? item->base : item->like;
}

bool item_is_like(const struct item *item, bool is_base, const struct cell *cell)
{
    for (size_t i = 0; item->like && i < item->entry->each.n; i++)
        if (field_compare(&item->entry->each.list[i], like_of(item, is_base, i), cell) != 0)
            return false;
    return true;
}

/* ---- what a cell is made from ---- */

enum { SOURCES_MAX = 16 };

/* Everything that has conditions for one cell: the table, the section, the row, the columns. */
struct source {
    const struct condition *where;
    const struct item *item;          /* NULL: of table and section */
    const struct named_text *without; /* of others' conditions */
};

struct sources {
    struct source list[SOURCES_MAX];
    size_t n;
    size_t n_of_row; /* the first of them, which the cells of the row fulfil */
    bool has_without;
    bool is_base; /* the base of what is wanted, by `over` */
};

static void source_add(struct sources *sources, const struct condition *where,
                       const struct item *item)
{
    if (sources->n == SOURCES_MAX)
        return;
    const struct named_text *without = item ? item->entry->without : NULL;
    sources->list[sources->n++] = (struct source){where, item, without};
    sources->has_without = sources->has_without || without;
}

static void sources_make(const struct layout_grid *grid, size_t r, size_t c, bool is_base,
                         struct sources *sources)
{
    const struct item *row = &grid->rows.list[r];
    *sources = (struct sources){.is_base = is_base};
    source_add(sources, grid->table->where, NULL);
    if (row->section)
        source_add(sources, row->section->where, NULL);
    source_add(sources, row->entry->where, row);
    sources->n_of_row = sources->n;
    for (size_t b = 0; b < grid->table->n_blocks; b++) {
        const struct item *item = grid_item(grid, b, c);
        source_add(sources, item->entry->where, item);
    }
}

/* True when another source than the i-th says that conditions on the field do not hold here. */
static bool is_lifted(const struct sources *sources, size_t i, const struct field *field)
{
    if (!sources->has_without)
        return false;
    for (size_t j = 0; j < sources->n; j++)
        for (const struct named_text *name = sources->list[j].without; name && j != i;
             name = name->next)
            if (strcmp(name->name, field_title(field)) == 0)
                return true;
    return false;
}

static bool source_holds(const struct layout_grid *grid, const struct sources *sources, size_t i,
                         const struct cell *cell)
{
    const struct source *source = &sources->list[i];
    const char *label = grid->selection->machines.machines[cell->machine].label;
    for (const struct condition *c = source->where; c; c = c->next)
        if (!is_lifted(sources, i, &c->field) && !condition_holds(c, cell, label))
            return false;
    if (!source->item || !source->item->like)
        return true;
    const struct fields *each = &source->item->entry->each;
    for (size_t f = 0; f < each->n; f++)
        if (!is_lifted(sources, i, &each->list[f]) &&
            field_compare(&each->list[f], like_of(source->item, sources->is_base, f), cell) != 0)
            return false;
    return true;
}

/* ---- samples ---- */

static double weight_of(const struct layout_grid *grid, const struct cell *cell)
{
    const char *label = grid->selection->machines.machines[cell->machine].label;
    for (const struct weight *weight = grid->table->weights; weight; weight = weight->next) {
        const struct condition *c = weight->where;
        while (c && condition_holds(c, cell, label))
            c = c->next;
        if (!c)
            return weight->number;
    }
    return 1;
}

static struct quantity cell_quantity(const struct layout_grid *grid, const struct cell *cell)
{
    if (cell->summary.n == 0) {
        const char *said = layout_say(grid->table, cell->reason);
        return (struct quantity){.type = QUANTITY_TEXT,
                                 .is_status = true,
                                 .text = cell->n_failed == 0       ? "warm-up only"
                                         : said == cell->reason ? record_status_text(cell->failure)
                                                                : said,
                                 .cell = cell};
    }
    const struct metric *metric = metric_find(cell->key->metric);
    return (struct quantity){.type = QUANTITY_NUMBER,
                             .number = cell->summary.median,
                             .weight = weight_of(grid, cell),
                             .unit = cell->unit,
                             .better = metric ? metric->better : BETTER_NONE,
                             .cell = cell};
}

/* The cells of the selection that fulfil everything, as quantities in *list: [*n]. at: NULL, or a cell
 * whose x they share. */
static int cells_find(const struct layout_grid *grid, size_t r, const struct sources *sources,
                      const struct cell *at, struct quantity **list, size_t *n, struct err *err)
{
    /* The row's, unless some of what it asks is lifted: then those of the column that lifts it, or
     * all where the row itself does. */
    const struct item *from = &grid->rows.list[r];
    bool is_all = sources->has_without;
    for (size_t s = sources->n_of_row; s < sources->n && is_all; s++)
        from = sources->list[s].without ? sources->list[s].item : from;
    bool is_of_column = from != &grid->rows.list[r];
    bool is_base = sources->is_base && from->base;
    const struct cell *const *cells =
        (const struct cell *const *)(is_base ? from->base_cells : from->cells);
    size_t n_cells = is_all && !is_of_column ? grid->selection->n_cells
                     : is_base               ? from->n_base_cells
                                             : from->n_cells;
    size_t capacity = 0;
    *n = 0;
    *list = NULL;
    for (size_t i = 0; i < n_cells; i++) {
        const struct cell *cell =
            is_all && !is_of_column ? &grid->selection->cells[i] : cells[i];
        size_t s = is_all ? 0 : sources->n_of_row;
        while (s < sources->n && source_holds(grid, sources, s, cell))
            s++;
        if (s < sources->n ||
            (at && (!RECORD_HAS(cell->key, x) || cell->key->x != at->key->x)))
            continue;
        if (*n == capacity) {
            capacity = capacity ? capacity * 2 : 8;
            struct quantity *larger = arena_take(grid->arena, capacity, sizeof *larger);
            if (!larger)
                return out_of_memory(err);
            if (*n > 0)
                memcpy(larger, *list, *n * sizeof *larger);
            *list = larger;
        }
        (*list)[(*n)++] = cell_quantity(grid, cell);
    }
    return 0;
}

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

/* ---- facts ---- */

/* Facts are of machines and runs: of all conditions those on these two count. */
static bool fact_holds(const struct sources *sources, const struct record *fact, size_t machine)
{
    for (size_t i = 0; i < sources->n; i++) {
        const struct source *source = &sources->list[i];
        for (const struct condition *c = source->where; c; c = c->next) {
            bool is_machine = c->field.type == FIELD_MACHINE;
            if ((is_machine || c->field.type == FIELD_RUN) && !is_lifted(sources, i, &c->field) &&
                !condition_takes(c, is_machine ? fact->machine : fact->run))
                return false;
        }
        const struct item *item = source->item;
        for (size_t f = 0; item && item->like && f < item->entry->each.n; f++) {
            enum field_type type = item->entry->each.list[f].type;
            const struct cell *like = like_of(item, sources->is_base, f);
            if ((type == FIELD_MACHINE && like->machine != machine) ||
                (type == FIELD_RUN && strcmp(like->run, fact->run) != 0))
                return false;
        }
    }
    return true;
}

/* Of one machine the fact of its last run, of several sources the first that knows it; of several
 * machines nothing but what they agree in. */
static struct quantity fact_quantity(const struct layout_grid *grid, const struct sources *sources,
                                     const char *name)
{
    const struct machines *machines = &grid->selection->machines;
    const struct record *found = NULL;
    bool differs = false;
    for (size_t m = 0; m < machines->n; m++) {
        const struct record *own = NULL;
        for (size_t i = 0; i < machines->machines[m].n_facts; i++) {
            const struct record *fact = machines->machines[m].facts[i];
            if (strcmp(fact->metric, name) == 0 && fact_holds(sources, fact, m) &&
                (!own || own->status != STATUS_OK || strcmp(own->run, fact->run) != 0))
                own = fact;
        }
        differs = differs || (own && found && !facts_agree(own, found));
        found = own ? own : found;
    }
    if (!found)
        return (struct quantity){.type = QUANTITY_NONE};
    if (differs || found->status != STATUS_OK)
        return (struct quantity){
            .type = QUANTITY_TEXT, .is_status = true, .text = differs ? "several" : "unknown"};
    if (RECORD_HAS(found, value))
        return (struct quantity){.type = QUANTITY_NUMBER,
                                 .number = found->value,
                                 .weight = 1,
                                 .unit = found->unit};
    return (struct quantity){.type = QUANTITY_TEXT, .text = layout_say(grid->table, found->text)};
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
        size_t step = step_of(grid, b), own = c / step % grid->blocks[b].n;
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
        *out = fact_quantity(grid, &sources, fact->fact);
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
        TRY(cells_find(grid, r, &sources, at, &list, &n, err));
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
    size_t step = is_row ? 0 : step_of(grid, place->b);
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
