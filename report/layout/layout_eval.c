#include "report/layout/layout_eval.h"

#include <string.h>

#include "report/layout/layout_grid.h"

static int out_of_memory(struct err *err)
{
    return err_set(err, ERR_SYSTEM, "out of memory");
}

static int text_keep(struct arena *arena, struct buffer *text, const char **out, struct err *err)
{
    *out = text->failed ? NULL : arena_copy(arena, buffer_text(text), text->size);
    buffer_clear(text);
    return *out ? 0 : out_of_memory(err);
}

static bool names_have(const struct named_text *list, const char *name)
{
    for (; list; list = list->next)
        if (strcmp(list->name, name) == 0)
            return true;
    return false;
}

static bool is_blank(const struct layout_grid *grid, size_t r, size_t c)
{
    for (size_t b = 0; b < grid->table->n_blocks; b++) {
        const char *name = grid_item(grid, b, c)->entry->name;
        if (name[0] && names_have(grid->rows.list[r].entry->blank, name))
            return true;
    }
    return false;
}

static const char *formula_of(const struct layout_grid *grid, size_t r, size_t c)
{
    const struct derive *formula = grid->rows.list[r].entry->formula;
    const struct derive *relation = grid->rows.list[r].entry->relation;
    for (size_t b = 0; b < grid->table->n_blocks && !formula; b++) {
        const struct entry *entry = grid_item(grid, b, c)->entry;
        formula = entry->formula;
        relation = entry->relation ? entry->relation : relation;
    }
    formula = formula ? formula : relation;
    return formula ? derive_text(formula) : NULL;
}

static int cell_make(const struct layout_grid *grid, size_t r, size_t c, struct buffer *text,
                     struct layout_cell *out, struct err *err)
{
    *out = (struct layout_cell){.text = ""};
    if (is_blank(grid, r, c))
        return 0;
    struct quantity q;
    struct formats formats;
    TRY(grid_quantity(grid, r, c, &q, err));
    formats_of(grid, r, c, &formats);
    if (q.type == QUANTITY_NUMBER)
        number_text(&q, &formats, text);
    else if (q.type == QUANTITY_TEXT)
        buffer_add_text(text, layout_say(grid->table, q.text));
    out->formula = formula_of(grid, r, c);
    out->cell = q.cell;
    out->is_status = q.is_status;
    return text_keep(grid->arena, text, &out->text, err);
}

/* ---- labels ---- */

/* Label i of a row or column: as written, behind it the values of `each`. */
static int item_label(const struct layout_grid *grid, const struct item *item, size_t i,
                      struct buffer *text, const char **out, struct err *err)
{
    const struct entry *entry = item->entry;
    const struct named_text *label = entry->labels;
    size_t n = i;
    for (; label && n > 0; n--)
        label = label->next;
    *out = label ? label->text : "";
    if (label || !item->like || i - entry->n_labels >= entry->each.n)
        return 0;
    const struct field *field = &entry->each.list[i - entry->n_labels];
    const struct format *x = &grid->table->x_format;
    if (field->type == FIELD_X && (x->unit || x->digits >= 0) && RECORD_HAS(item->like->key, x)) {
        struct formats formats = {{x}, 1};
        struct quantity q = {.number = item->like->key->x, .unit = item->like->key->x_unit};
        number_text(&q, &formats, text);
    } else {
        field_text(field, grid->selection, item->like,
                   display_find(item->like->key->kernel)->x_unit, text);
    }
    if (item->base && fields_have(&entry->over, field)) {
        buffer_add_text(text, " / ");
        field_text(field, grid->selection, item->base, NULL, text);
    }
    TRY(text_keep(grid->arena, text, out, err));
    *out = layout_say(grid->table, *out);
    return 0;
}

static size_t labels_of(const struct item *item)
{
    return item->entry->n_labels + (item->like ? item->entry->each.n : 0);
}

static size_t labels_most(const struct items *items)
{
    size_t most = 0;
    for (size_t i = 0; i < items->n; i++)
        if (labels_of(&items->list[i]) > most)
            most = labels_of(&items->list[i]);
    return most;
}

/* ---- the whole ---- */

struct making {
    const struct layout_grid *grid;
    struct layout_result *result;
    struct buffer text;
    struct layout_cell *cells; /* [rows * columns], hidden ones too */
    bool *is_shown;            /* [columns] */
};

static bool is_made_by_each(const struct item *item)
{
    return item->like != NULL;
}

static int cells_make(struct making *making, struct err *err)
{
    const struct layout_grid *grid = making->grid;
    for (size_t r = 0; r < grid->rows.n; r++) {
        const struct entry *entry = grid->rows.list[r].entry;
        for (size_t c = 0; c < grid->n_columns; c++) {
            struct layout_cell *cell = &making->cells[r * grid->n_columns + c];
            *cell = (struct layout_cell){.text = ""};
            if (entry->type == ENTRY_PLAIN && !entry->is_hidden)
                TRY(cell_make(grid, r, c, &making->text, cell, err));
        }
    }
    return 0;
}

/* A status that is printed as nothing is something all the same: it was tried. */
static bool holds_something(const struct layout_cell *cell)
{
    return cell->cell || cell->text[0] != '\0';
}

/* A column that is hidden, or was made by `each` and holds nothing, is not shown. */
static void columns_choose(struct making *making)
{
    const struct layout_grid *grid = making->grid;
    for (size_t c = 0; c < grid->n_columns; c++) {
        bool is_hidden = false, is_made = false, has_text = false;
        for (size_t b = 0; b < grid->table->n_blocks; b++) {
            const struct item *item = grid_item(grid, b, c);
            is_hidden = is_hidden || item->entry->is_hidden;
            is_made = is_made || is_made_by_each(item);
        }
        for (size_t r = 0; r < grid->rows.n && is_made && !has_text; r++)
            has_text = holds_something(&making->cells[r * grid->n_columns + c]);
        making->is_shown[c] = !is_hidden && (!is_made || has_text);
        making->result->n_columns += making->is_shown[c];
    }
}

static bool row_is_shown(const struct making *making, size_t r)
{
    const struct layout_grid *grid = making->grid;
    const struct item *row = &grid->rows.list[r];
    bool has_text = !is_made_by_each(row);
    for (size_t c = 0; c < grid->n_columns && !has_text; c++)
        has_text = making->is_shown[c] &&
                   holds_something(&making->cells[r * grid->n_columns + c]);
    return has_text && !row->entry->is_hidden;
}

static int heads_make(struct making *making, struct err *err)
{
    const struct layout_grid *grid = making->grid;
    struct layout_result *result = making->result;
    size_t n_columns = result->n_columns, level = 0;
    for (size_t b = 0; b < grid->table->n_blocks; b++)
        result->n_heads += labels_most(&grid->blocks[b]);
    result->heads = arena_take(grid->arena, result->n_heads * n_columns, sizeof *result->heads);
    if (!result->heads)
        return out_of_memory(err);
    for (size_t b = 0; b < grid->table->n_blocks; b++)
        for (size_t i = 0; i < labels_most(&grid->blocks[b]); i++, level++)
            for (size_t c = 0, at = 0; c < grid->n_columns; c++) {
                if (!making->is_shown[c])
                    continue;
                struct layout_head *head = &result->heads[level * n_columns + at++];
                head->span = 1;
                TRY(item_label(grid, grid_item(grid, b, c), i, &making->text, &head->text, err));
            }
    return 0;
}

/* Heads that say the same beside each other, below one head, become one. */
static void heads_join(struct layout_result *result)
{
    size_t n = result->n_columns;
    for (size_t level = 0; level < result->n_heads; level++) {
        struct layout_head *heads = result->heads + level * n, *first = heads;
        for (size_t c = 1; c < n; c++) {
            bool is_joined = level + 1 < result->n_heads && heads[c].text[0] != '\0' &&
                             strcmp(first->text, heads[c].text) == 0 &&
                             (level == 0 || (heads - n)[c].span == 0);
            if (!is_joined) {
                first = &heads[c];
                continue;
            }
            first->span++;
            heads[c].span = 0;
        }
    }
}

/* Heads without a text are none. Several texts above one column of labels stand in the lines of the heads,
 * the last one lowest; above several columns they stand in the lowest line. */
static int corners_make(struct making *making, struct err *err)
{
    struct layout_result *result = making->result;
    size_t n = result->n_heads * result->n_labels, count = 0;
    result->corners = arena_take(making->grid->arena, n, sizeof *result->corners);
    if (!result->corners)
        return out_of_memory(err);
    for (size_t i = 0; i < n; i++)
        result->corners[i] = "";
    for (const struct named_text *text = making->grid->table->corner; text; text = text->next)
        count++;
    bool is_empty = count == 0;
    for (size_t i = 0; i < result->n_heads * result->n_columns && is_empty; i++)
        is_empty = result->heads[i].text[0] == '\0';
    if (is_empty) {
        result->n_heads = 0;
        return 0;
    }
    size_t step = result->n_labels == 1 && count <= n ? n - count : n - result->n_labels;
    for (const struct named_text *text = making->grid->table->corner; text; text = text->next) {
        if (result->n_labels == 1 && count > n)
            count--;
        else if (step < n)
            result->corners[step++] = text->text;
    }
    return 0;
}

static int rows_make(struct making *making, struct err *err)
{
    const struct layout_grid *grid = making->grid;
    struct layout_result *result = making->result;
    result->rows = arena_take(grid->arena, grid->rows.n, sizeof *result->rows);
    if (!result->rows)
        return out_of_memory(err);
    for (size_t r = 0; r < grid->rows.n; r++) {
        const struct item *item = &grid->rows.list[r];
        if (!row_is_shown(making, r))
            continue;
        struct layout_row *row = &result->rows[result->n_rows++];
        *row = (struct layout_row){
            .type = item->entry->type,
            .labels = arena_take(grid->arena, result->n_labels, sizeof *row->labels)};
        if (!row->labels)
            return out_of_memory(err);
        for (size_t i = 0; i < result->n_labels; i++)
            TRY(item_label(grid, item, i, &making->text, &row->labels[i], err));
        if (row->type != ENTRY_PLAIN)
            continue;
        row->cells = arena_take(grid->arena, result->n_columns, sizeof *row->cells);
        if (!row->cells)
            return out_of_memory(err);
        for (size_t c = 0, at = 0; c < grid->n_columns; c++) {
            if (!making->is_shown[c])
                continue;
            row->cells[at] = making->cells[r * grid->n_columns + c];
            result->n_figures += row->cells[at++].text[0] != '\0';
        }
    }
    return 0;
}

/* Appends a label without the colon at its end. */
static void name_add(struct buffer *out, const char *name)
{
    size_t size = strlen(name);
    size -= size > 0 && name[size - 1] == ':';
    if (size > 0)
        buffer_add_format(out, "%s%.*s", out->size > 0 ? ", " : "", (int)size, name);
}

/* "Core 2 Duo, Maximum MB/sec: 20 printed, 21 from the records" */
static int disagreement_text(struct making *making, size_t r, size_t c, const char *printed,
                             struct err *err)
{
    const struct layout_grid *grid = making->grid;
    const struct item *row = &grid->rows.list[r];
    struct buffer all = {0};
    const char *label = "";
    int result = 0;
    if (row->section)
        name_add(&all, row->section->labels->text);
    for (size_t i = 0; i < labels_of(row) && result >= 0; i++) {
        result = item_label(grid, row, i, &making->text, &label, err);
        name_add(&all, label);
    }
    for (size_t b = 0; b < grid->table->n_blocks; b++) {
        const struct item *item = grid_item(grid, b, c);
        for (size_t i = 0; i < labels_of(item) && result >= 0; i++) {
            result = item_label(grid, item, i, &making->text, &label, err);
            name_add(&all, label);
        }
    }
    const char *found = making->cells[r * grid->n_columns + c].text;
    buffer_add_format(&all, ": %s printed, %s from the records", printed[0] ? printed : "nothing",
                      found[0] ? found : "nothing");
    if (result >= 0)
        result = text_keep(grid->arena, &all,
                           &making->result->disagreements[making->result->n_disagreements++], err);
    buffer_free(&all);
    return result;
}

/* What the publication prints otherwise. */
static int disagreements_make(struct making *making, struct err *err)
{
    const struct layout_grid *grid = making->grid;
    size_t n = 0;
    for (size_t r = 0; r < grid->rows.n; r++)
        for (const struct named_text *p = grid->rows.list[r].entry->printed; p; p = p->next)
            n += grid->n_columns;
    making->result->disagreements =
        arena_take(grid->arena, n, sizeof *making->result->disagreements);
    if (!making->result->disagreements)
        return out_of_memory(err);
    for (size_t r = 0; r < grid->rows.n; r++)
        for (const struct named_text *p = grid->rows.list[r].entry->printed; p; p = p->next)
            for (size_t c = 0; c < grid->n_columns; c++) {
                bool is_meant = false;
                for (size_t b = 0; b < grid->table->n_blocks; b++)
                    is_meant = is_meant ||
                               strcmp(grid_item(grid, b, c)->entry->name, p->name) == 0;
                if (is_meant &&
                    strcmp(making->cells[r * grid->n_columns + c].text, p->text) != 0)
                    TRY(disagreement_text(making, r, c, p->text, err));
            }
    return 0;
}

static int notes_make(struct making *making, struct err *err)
{
    struct layout_result *result = making->result;
    size_t n = 0;
    for (const struct named_text *note = making->grid->table->notes; note; note = note->next)
        n++;
    result->notes = arena_take(making->grid->arena, n, sizeof *result->notes);
    if (!result->notes)
        return out_of_memory(err);
    for (const struct named_text *note = making->grid->table->notes; note; note = note->next)
        result->notes[result->n_notes++] = note->text;
    return 0;
}

static int make_all(struct making *making, struct err *err)
{
    const struct layout_grid *grid = making->grid;
    TRY(cells_make(making, err));
    columns_choose(making);
    making->result->n_labels = labels_most(&grid->rows);
    TRY(heads_make(making, err));
    heads_join(making->result);
    TRY(corners_make(making, err));
    TRY(rows_make(making, err));
    TRY(disagreements_make(making, err));
    return notes_make(making, err);
}

int layout_make(const struct layout_table *table, const struct selection *selection,
                struct arena *arena, struct layout_result *out, struct err *err)
{
    struct layout_grid grid = {.table = table, .selection = selection, .arena = arena};
    *out = (struct layout_result){.title = table->title, .is_beside = table->is_beside};
    TRY(grid_write_out(&grid, err));
    if (grid.n_columns > 0 && grid.rows.n > SIZE_MAX / grid.n_columns)
        return out_of_memory(err);
    struct making making = {.grid = &grid, .result = out};
    making.cells = arena_take(arena, grid.rows.n * grid.n_columns, sizeof *making.cells);
    making.is_shown = arena_take(arena, grid.n_columns, sizeof *making.is_shown);
    grid.known = arena_take(arena, grid.rows.n * grid.n_columns, sizeof *grid.known);
    if (!making.cells || !making.is_shown || !grid.known)
        return out_of_memory(err);
    for (size_t i = 0; i < grid.rows.n * grid.n_columns; i++)
        grid.known[i] = NULL;
    int result = make_all(&making, err);
    buffer_free(&making.text);
    return result;
}
