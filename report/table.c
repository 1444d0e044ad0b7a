#include "report/table.h"

#include <inttypes.h>
#include <string.h>

#include "report/grid.h"
#include "report/sheet.h"
#include "schema/unit.h"
#include "schema/command.h"

const char *const table_default_rows = "test,x,params,threads";
const char *const table_default_columns = "machine,variant";

enum { HEAD_WIDTH = 16, HEAD_LINES_MAX = 12 };

static int out_of_memory(struct err *err)
{
    return err_set(err, ERR_SYSTEM, "out of memory");
}

/* ---- one table ---- */

static void field_add(struct buffer *out, const struct field *field,
                      const struct selection *selection, const struct cell *cell,
                      const char *x_display, bool with_title)
{
    struct buffer text = {0};
    if (with_title)
        buffer_add_format(out, "%s ", field_heading(field, cell->key->kernel));
    field_text(field, selection, cell, x_display, &text);
    sheet_label_add(out, buffer_text(&text));
    out->failed = out->failed || text.failed;
    buffer_free(&text);
}

/* The lines of one column's head, broken at blanks. */
struct head {
    const char *lines[HEAD_LINES_MAX];
    size_t n;
};

/* How many bytes of the text, of at most `size`, fit into HEAD_WIDTH columns; at least a character. */
static size_t word_cut(const char *text, size_t size)
{
    const char *p = text;
    size_t fits = 0;
    for (size_t width = 0; p < text + size;) {
        const char *start = p;
        sheet_next_character(&p);
        char one[8] = "";
        memcpy(one, start, (size_t)(p - start) < sizeof one ? (size_t)(p - start) : 0);
        width += sheet_width(one);
        if (width > HEAD_WIDTH && fits > 0)
            break;
        fits = (size_t)(p - text);
    }
    return fits;
}

/* Appends `text` to the head as lines of at most HEAD_WIDTH columns, longer words broken; what goes
 * beyond the last line is cut, with dots. */
static int head_add(struct head *head, const char *text, struct arena *arena, struct err *err)
{
    while (*text && head->n < HEAD_LINES_MAX) {
        size_t size = strcspn(text, " ");
        while (text[size] == ' ') {
            size_t longer = size + 1 + strcspn(text + size + 1, " ");
            char *line = arena_copy(arena, text, longer);
            if (!line)
                return out_of_memory(err);
            if (sheet_width(line) > HEAD_WIDTH)
                break;
            size = longer;
        }
        size = word_cut(text, size);
        bool is_cut = head->n + 1 == HEAD_LINES_MAX && text[size] != '\0';
        char *line = arena_alloc(arena, size + sizeof "...");
        if (!line)
            return out_of_memory(err);
        memcpy(line, text, size);
        memcpy(line + size, is_cut ? "..." : "", is_cut ? sizeof "..." : 1);
        head->lines[head->n++] = line;
        text += size;
        text += strspn(text, " ");
    }
    return 0;
}

static bool speaks_for_itself(const struct field *field)
{
    return field->type == FIELD_MACHINE || field->type == FIELD_VARIANT ||
           field->type == FIELD_RUN || field->type == FIELD_TEST;
}

static void cell_add(struct buffer *out, const struct cell *cell, const struct scale *scale)
{
    if (!cell) {
        buffer_add_char(out, '-');
    } else if (cell->summary.n == 0) {
        buffer_add_text(out, cell->n_failed > 0 ? record_status_text(cell->failure)
                                                : "warm-up only");
    } else {
        char text[SCALE_TEXT_SIZE];
        scale_format_as(cell->summary.median, scale, SCALE_DIGITS, text);
        buffer_add_format(out, "%s (%zu)", text, cell->summary.n);
        if (cell->n_failed > 0)
            buffer_add_format(out, " %zu %s", cell->n_failed, record_status_text(cell->failure));
    }
}

static void heading_add(struct buffer *out, const struct selection *selection,
                        const struct grid *grid)
{
    const struct record *key = grid->first->key;
    const struct metric *metric = metric_find(key->metric);
    buffer_add_format(out, "%s: %s", key->kernel, key->metric);
    for (size_t f = 0; f < grid->fixed.n; f++) {
        const struct field *field = &grid->fixed.list[f];
        if (field_is_absent(field, grid->first) || field->type == FIELD_KERNEL ||
            field->type == FIELD_METRIC || field->type == FIELD_REVISION)
            continue;
        buffer_add_text(out, ", ");
        field_add(out, field, selection, grid->first, NULL, true);
    }
    buffer_add_format(out, ", revision %" PRIu64, key->revision);
    if (metric && metric->better != BETTER_NONE)
        buffer_add_format(out, "; %s is better", better_text(metric->better));
    buffer_add_char(out, '\n');
}

/* Makes the heads of the columns and says how many lines the highest has. */
static int heads_make(const struct selection *selection, const struct grid *grid,
                      struct arena *arena, struct head *heads, size_t *n_lines, struct err *err)
{
    const struct display *display = display_find(grid->first->key->kernel);
    struct buffer text = {0};
    int result = 0;
    *n_lines = 1;
    for (size_t c = 0; c < grid->n_columns && result >= 0; c++) {
        heads[c].n = 0;
        for (size_t f = 0; f < grid->columns.n && result >= 0; f++) {
            const struct field *field = &grid->columns.list[f];
            buffer_clear(&text);
            field_add(&text, field, selection, grid->column_heads[c], display->x_unit,
                      !speaks_for_itself(field));
            result = text.failed ? out_of_memory(err)
                                 : head_add(&heads[c], buffer_text(&text), arena, err);
        }
        if (heads[c].n > *n_lines)
            *n_lines = heads[c].n;
    }
    buffer_free(&text);
    return result;
}

static int sheet_fill(struct sheet *sheet, const struct selection *selection,
                      const struct grid *grid, struct err *err)
{
    const struct display *display = display_find(grid->first->key->kernel);
    struct buffer text = {0};
    int result = 0;
    for (size_t f = 0; f < grid->rows.n && result >= 0; f++) {
        sheet_label_add(&text, field_heading(&grid->rows.list[f], grid->first->key->kernel));
        result = sheet_put(sheet, sheet->n_head - 1, f, &text, err);
    }
    for (size_t r = 0; r < grid->n_rows && result >= 0; r++) {
        struct scale scale = grid_scale(grid, r);
        for (size_t f = 0; f < grid->rows.n && result >= 0; f++) {
            field_add(&text, &grid->rows.list[f], selection, grid->row_heads[r], display->x_unit,
                      false);
            result = sheet_put(sheet, sheet->n_head + r, f, &text, err);
        }
        for (size_t c = 0; c < grid->n_columns && result >= 0; c++) {
            cell_add(&text, grid->cells[r * grid->n_columns + c], &scale);
            result = sheet_put(sheet, sheet->n_head + r, grid->rows.n + c, &text, err);
        }
    }
    buffer_free(&text);
    return result;
}

static int grid_print(const struct selection *selection, const struct grid *grid,
                      struct arena *arena, struct buffer *out, struct err *err)
{
    struct head *heads = arena_take(arena, grid->n_columns, sizeof *heads);
    struct sheet sheet = {
        .arena = arena, .n_left = grid->rows.n, .n_columns = grid->rows.n + grid->n_columns};
    if (!heads)
        return out_of_memory(err);
    TRY(heads_make(selection, grid, arena, heads, &sheet.n_head, err));
    sheet.n_rows = sheet.n_head + grid->n_rows;
    if (sheet.n_rows > SIZE_MAX / sheet.n_columns)
        return out_of_memory(err);
    sheet.texts = arena_take(arena, sheet.n_rows * sheet.n_columns, sizeof *sheet.texts);
    if (!sheet.texts)
        return out_of_memory(err);
    for (size_t i = 0; i < sheet.n_rows * sheet.n_columns; i++)
        sheet.texts[i] = NULL;
    /* Heads stand on the line, not at the ceiling. */
    for (size_t c = 0; c < grid->n_columns; c++)
        for (size_t l = 0; l < heads[c].n; l++)
            sheet.texts[(sheet.n_head - heads[c].n + l) * sheet.n_columns + grid->rows.n + c] =
                heads[c].lines[l];
    TRY(sheet_fill(&sheet, selection, grid, err));
    heading_add(out, selection, grid);
    return sheet_print(&sheet, out, err);
}

/* ---- all of them ---- */

void table_notes_add(struct buffer *out, const struct selection *selection)
{
    const struct machines *machines = &selection->machines;
    size_t end = out->size;
    buffer_add_char(out, '\n');
    for (size_t i = 0; i < selection->warnings.n; i++) {
        buffer_add_text(out, "note: ");
        sheet_label_add(out, selection->warnings.texts[i]);
        buffer_add_char(out, '\n');
    }
    for (size_t r = 0; r < machines->n_runs; r++) {
        const struct run *run = &machines->runs[r];
        if (!run->retracted)
            continue;
        buffer_add_text(out, "note: withdrawn and not used: run ");
        sheet_label_add(out, run->id);
        buffer_add_text(out, " of ");
        sheet_label_add(out, run->label);
        buffer_add_format(out, ", %" PRIu64 " %s: ", run->n_samples,
                          run->n_samples == 1 ? "sample" : "samples");
        sheet_label_add(out, run->retracted);
        buffer_add_char(out, '\n');
    }
    if (out->size == end + 1 && !out->failed) {
        out->size = end;
        out->bytes[end] = '\0';
    }
}

int table_print(struct selection *selection, const struct table_options *options,
                struct buffer *out, struct err *err)
{
    struct arena *arena = &selection->arena;
    const char *rows = options->rows ? options->rows : table_default_rows;
    const char *columns = options->columns ? options->columns : table_default_columns;
    const struct cell **cells = arena_take(arena, selection->n_cells, sizeof *cells);
    struct fields row_fields = {0}, column_fields = {0};
    struct grid *grids;
    size_t n = 0, n_grids;
    if (!cells)
        return out_of_memory(err);
    for (size_t i = 0; i < selection->n_cells; i++) {
        const struct record *key = selection->cells[i].key;
        if (argument_list_has(options->kernel, key->kernel) && argument_list_has(options->test, key->test) &&
            argument_list_has(options->metric, key->metric))
            cells[n++] = &selection->cells[i];
    }
    if (n == 0)
        return err_set(err, ERR_UNCLEAR, selection->n_cells == 0
                                          ? "no sample is left to show"
                                          : "no sample is of this kernel, test and metric");
    int result = fields_parse(rows, columns, selection, cells, n, arena, &row_fields, err);
    if (result < 0)
        return err_wrap(err, "--rows");
    result = fields_parse(columns, rows, selection, cells, n, arena, &column_fields, err);
    if (result < 0)
        return err_wrap(err, "--columns");
    TRY(grids_make(cells, n, &row_fields, &column_fields, arena, &grids, &n_grids, err));
    for (size_t g = 0; g < n_grids; g++) {
        if (g > 0)
            buffer_add_char(out, '\n');
        TRY(grid_print(selection, &grids[g], arena, out, err));
    }
    table_notes_add(out, selection);
    return out->failed ? out_of_memory(err) : 0;
}
