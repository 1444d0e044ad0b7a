#include "report/layout/layout_sources.h"

#include <string.h>

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

size_t grid_step(const struct layout_grid *grid, size_t b)
{
    size_t step = 1;
    for (size_t i = b + 1; i < grid->table->n_blocks; i++)
        step *= grid->blocks[i].n;
    return step;
}

const struct item *grid_item(const struct layout_grid *grid, size_t b, size_t c)
{
    return &grid->blocks[b].list[c / grid_step(grid, b) % grid->blocks[b].n];
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

static void source_add(struct sources *sources, const struct condition *where,
                       const struct item *item)
{
    if (sources->n == SOURCES_MAX)
        return;
    const struct named_text *without = item ? item->entry->without : NULL;
    sources->list[sources->n++] = (struct source){where, item, without};
    sources->has_without = sources->has_without || without;
}

void sources_make(const struct layout_grid *grid, size_t r, size_t c, bool is_base,
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

int sources_samples(const struct layout_grid *grid, size_t r, const struct sources *sources,
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

struct quantity sources_fact(const struct layout_grid *grid, const struct sources *sources,
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
