#include "report/page/page.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "report/scale.h"
#include "schema/number.h"
#include "schema/unit.h"

static int out_of_memory(struct err *err)
{
    return err_set(err, ERR_SYSTEM, "out of memory");
}

void page_samples_href(const struct page *page, const struct cell *cell, struct buffer *out)
{
    const struct site *site = page->site;
    const char *kernel = "";
    for (size_t k = 0; k < site->n_kernels; k++)
        if (cell >= site->kernels[k].cells &&
            cell < site->kernels[k].cells + site->kernels[k].n_cells)
            kernel = site->kernels[k].slug;
    buffer_add_format(out, "%ssamples/%s/%s.html#c%zu", page->root, kernel,
                      site->machine_slugs[cell->machine], cell->number);
}

/* "n 5, range 3.1 to 3.4" */
static void note_text(const struct cell *cell, const struct scale *scale, struct buffer *out)
{
    const struct summary *summary = &cell->summary;
    char low[SCALE_TEXT_SIZE], high[SCALE_TEXT_SIZE];
    buffer_add_format(out, "n %zu", summary->n);
    if (summary->n > 1 && !(summary->low < summary->high)) {
        buffer_add_text(out, ", all equal");
    } else if (summary->n > 1) {
        scale_value(summary->low, scale, SCALE_DIGITS, low);
        scale_value(summary->high, scale, SCALE_DIGITS, high);
        buffer_add_format(out, ", %s %s to %s", summary->has_interval ? "CI" : "range", low, high);
    }
    if (cell->n_failed > 0)
        buffer_add_format(out, ", %zu %s", cell->n_failed, record_status_text(cell->failure));
}

static void number_add(struct buffer *out, double value)
{
    char digits[NUMBER_TEXT_SIZE];
    number_format(digits, value);
    buffer_add_text(out, digits);
}

/* The whole truth about a cell, for the pointer and for screen readers. */
static void title_text(const struct cell *cell, struct buffer *out)
{
    const struct summary *summary = &cell->summary;
    buffer_add_text(out, summary->n > 1 ? "median " : "one sample, ");
    number_add(out, summary->median);
    buffer_add_format(out, " %s of %zu %s", cell->unit, summary->n,
                      summary->n == 1 ? "repetition" : "repetitions");
    if (summary->n > 1) {
        buffer_add_text(out, summary->has_interval ? "; 95 % confidence interval " : "; range ");
        number_add(out, summary->low);
        buffer_add_text(out, " to ");
        number_add(out, summary->high);
    }
    if (cell->n_warmups > 0)
        buffer_add_format(out, "; %zu warm-up not counted", cell->n_warmups);
    if (cell->n_failed > 0)
        buffer_add_format(out, "; %zu %s: %s", cell->n_failed, record_status_text(cell->failure),
                          cell->reason);
    if (cell->n_runs > 1)
        buffer_add_format(out, "; from %zu runs", cell->n_runs);
}

static void cell_set(const struct page *page, struct value *item, const struct cell *cell,
                     const struct scale *scale, struct buffer *text)
{
    bool has_value = cell && cell->summary.n > 0;
    value_flag(item, "has_value", has_value);
    value_flag(item, "has_failed", cell && !has_value && cell->n_failed > 0);
    value_flag(item, "has_warmups", cell && !has_value && cell->n_failed == 0);
    if (!cell)
        return;
    buffer_clear(text);
    page_samples_href(page, cell, text);
    value_text(item, "href", buffer_text(text));
    buffer_clear(text);
    if (!has_value) {
        value_text(item, "status",
                   cell->n_failed > 0 ? record_status_text(cell->failure) : "warm-up only");
        value_text(item, "reason", cell->reason);
        return;
    }
    char median[SCALE_TEXT_SIZE];
    scale_format_as(cell->summary.median, scale, SCALE_DIGITS, median);
    value_text(item, "text", median);
    number_add(text, cell->summary.median);
    value_text(item, "value", buffer_text(text));
    buffer_clear(text);
    note_text(cell, scale, text);
    value_text(item, "note", buffer_text(text));
    buffer_clear(text);
    title_text(cell, text);
    value_text(item, "hint", buffer_text(text));
    buffer_clear(text);
}

/* Appends "threads 2", or what says enough by itself. */
static void head_text(const struct page *page, const struct field *field, const struct cell *cell,
                      struct buffer *out)
{
    static const enum field_type plain[] = {FIELD_MACHINE, FIELD_VARIANT, FIELD_TEST, FIELD_X};
    bool is_plain = false;
    for (size_t i = 0; i < sizeof plain / sizeof plain[0]; i++)
        is_plain = is_plain || field->type == plain[i];
    if (!is_plain)
        buffer_add_format(out, "%s ", field_heading(field, cell->key->kernel));
    field_text(field, &page->site->selection, cell, display_find(cell->key->kernel)->x_unit, out);
}

/* Sets `href` to the page of the machine, where the field is one, else to nothing. */
static void machine_href_set(const struct page *page, struct value *item, const struct field *field,
                             const struct cell *cell)
{
    if (field->type == FIELD_MACHINE)
        value_format(item, "href", "%smachines/%s.html", page->root,
                     page->site->machine_slugs[cell->machine]);
    else
        value_text(item, "href", "");
}

/* Column heads: the first field stands out, the others follow below it. */
static void columns_set(const struct page *page, struct value *table, const struct grid *grid,
                        struct buffer *text)
{
    struct value *columns = value_list(table, "columns");
    for (size_t c = 0; c < grid->n_columns; c++) {
        struct value *column = value_append(columns);
        const struct cell *head = grid->column_heads[c];
        machine_href_set(page, column, &grid->columns.list[0], head);
        buffer_clear(text);
        head_text(page, &grid->columns.list[0], head, text);
        value_text(column, "name", buffer_text(text));
        struct value *details = value_list(column, "details");
        for (size_t f = 1; f < grid->columns.n; f++) {
            if (field_is_absent(&grid->columns.list[f], head))
                continue;
            buffer_clear(text);
            head_text(page, &grid->columns.list[f], head, text);
            value_text(value_append(details), "text", buffer_text(text));
        }
    }
}

/* What is the same in the whole table, in words. */
static void fixed_set(const struct page *page, struct value *table, const struct grid *grid,
                      struct buffer *text)
{
    const struct selection *selection = &page->site->selection;
    struct value *list = value_list(table, "fixed");
    for (size_t f = 0; f < grid->fixed.n; f++) {
        const struct field *field = &grid->fixed.list[f];
        if (field->type == FIELD_TEST || field_is_absent(field, grid->first) ||
            (field->type == FIELD_MACHINE && page->is_of_machine))
            continue;
        buffer_clear(text);
        buffer_add_format(text, "%s ", field_heading(field, grid->first->key->kernel));
        field_text(field, selection, grid->first, NULL, text);
        value_text(value_append(list), "text", buffer_text(text));
    }
}

/* The last row of a table of tests: the geometric mean over the rows in which every column has a
 * value above zero. */
static int means_set(struct value *table, const struct grid *grid, struct arena *arena,
                     struct buffer *text, struct err *err)
{
    double *values = arena_take(arena, grid->n_rows, sizeof *values);
    bool *is_common = arena_take(arena, grid->n_rows, sizeof *is_common);
    if (!values || !is_common)
        return out_of_memory(err);
    size_t n_common = 0;
    for (size_t r = 0; r < grid->n_rows; r++) {
        is_common[r] = true;
        for (size_t c = 0; c < grid->n_columns; c++) {
            const struct cell *cell = grid->cells[r * grid->n_columns + c];
            is_common[r] = is_common[r] && cell && cell->summary.n > 0 && cell->summary.median > 0;
        }
        n_common += is_common[r];
    }
    bool has_means = !RECORD_HAS(grid->first->key, x) && grid->n_columns > 1 && n_common > 1 &&
                     grid->rows.list[0].type == FIELD_TEST;
    value_flag(table, "has_means", has_means);
    if (!has_means)
        return 0;
    value_format(table, "mean_rows", "%zu of %zu", n_common, grid->n_rows);
    value_format(table, "mean_span", "%zu", grid->rows.n);
    struct value *means = value_list(table, "means");
    for (size_t c = 0; c < grid->n_columns; c++) {
        size_t n = 0;
        for (size_t r = 0; r < grid->n_rows; r++)
            if (is_common[r])
                values[n++] = grid->cells[r * grid->n_columns + c]->summary.median;
        double mean = statistics_geometric_mean(values, n);
        char shown_mean[SCALE_TEXT_SIZE];
        struct scale scale = grid_scale_of(grid, mean);
        scale_format_as(mean, &scale, SCALE_DIGITS, shown_mean);
        struct value *item = value_append(means);
        buffer_clear(text);
        number_add(text, mean);
        value_text(item, "value", buffer_text(text));
        value_text(item, "text", shown_mean);
    }
    return 0;
}

static int table_set(struct page *page, struct value *table, const struct grid *grid,
                     struct buffer *text, struct err *err)
{
    struct site *site = page->site;
    const struct record *key = grid->first->key;
    const struct display *display = display_find(key->kernel);
    struct scale scale = {0};
    bool has_test = false;
    for (size_t f = 0; f < grid->rows.n; f++)
        has_test = has_test || grid->rows.list[f].type == FIELD_TEST;
    for (size_t f = 0; f < grid->columns.n; f++)
        has_test = has_test || grid->columns.list[f].type == FIELD_TEST;
    value_text(table, "metric", key->metric);
    value_text(table, "test", has_test ? "" : key->test);
    const struct metric *metric = metric_find(key->metric);
    enum better better = metric ? metric->better : BETTER_NONE;
    value_text(table, "better", better == BETTER_NONE ? "" : better_text(better));
    value_format(table, "revision", "%" PRIu64, key->revision);
    fixed_set(page, table, grid, text);
    struct value *titles = value_list(table, "row_titles");
    for (size_t f = 0; f < grid->rows.n; f++)
        value_text(value_append(titles), "text",
                   field_heading(&grid->rows.list[f], key->kernel));
    columns_set(page, table, grid, text);
    struct value *rows = value_list(table, "rows");
    for (size_t r = 0; r < grid->n_rows; r++) {
        struct value *row = value_append(rows);
        struct value *heads = value_list(row, "heads");
        for (size_t f = 0; f < grid->rows.n; f++) {
            struct value *head = value_append(heads);
            machine_href_set(page, head, &grid->rows.list[f], grid->row_heads[r]);
            buffer_clear(text);
            field_text(&grid->rows.list[f], &site->selection, grid->row_heads[r], display->x_unit,
                       text);
            value_text(head, "text", buffer_text(text));
        }
        scale = grid_scale(grid, r);
        struct value *cells = value_list(row, "cells");
        for (size_t c = 0; c < grid->n_columns; c++)
            cell_set(page, value_append(cells), grid->cells[r * grid->n_columns + c], &scale, text);
    }
    return means_set(table, grid, &page->tree.arena, text, err);
}

static int tables_add(struct page *page, struct value *list, const struct cell **cells, size_t n,
                      const char *rows, const char *columns, struct buffer *text, struct err *err)
{
    struct arena *arena = &page->tree.arena;
    const struct selection *selection = &page->site->selection;
    struct fields row_fields = {0}, column_fields = {0};
    struct grid *grids;
    size_t n_grids;
    if (n == 0)
        return 0;
    TRY(fields_parse(rows, columns, selection, cells, n, arena, &row_fields, err));
    TRY(fields_parse(columns, rows, selection, cells, n, arena, &column_fields, err));
    TRY(grids_make(cells, n, &row_fields, &column_fields, arena, &grids, &n_grids, err));
    for (size_t g = 0; g < n_grids; g++)
        TRY(table_set(page, value_append(list), &grids[g], text, err));
    return 0;
}

static int compare_by_field(const void *a, const void *b, void *field)
{
    return field_compare(field, *(const struct cell *const *)a, *(const struct cell *const *)b);
}

/* How many different values cells [n], which are reordered, have of a field. */
static size_t count_values(const struct cell **cells, size_t n, enum field_type type)
{
    struct field field = {type, NULL};
    size_t count = 0;
    qsort_r(cells, n, sizeof *cells, compare_by_field, &field);
    for (size_t i = 0; i < n; i++)
        count += i == 0 || field_compare(&field, cells[i - 1], cells[i]) != 0;
    return count;
}

/* Tables of the cells that have an x, or of those that have none. Machines stand side by side, or, on
 * the page of one, its tests where something is swept; where they are many, one a row. */
static int half_add(struct page *page, struct value *list, const struct cell **cells, size_t n,
                    bool is_swept, const char *rows, const char *columns, struct err *err)
{
    struct buffer text = {0}, across = {0}, down = {0};
    const char *first = is_swept ? "x" : "test";
    bool has_tests = page->is_of_machine && is_swept;
    size_t n_sides = count_values(cells, n, has_tests ? FIELD_TEST : FIELD_MACHINE);
    bool is_turned = n_sides > PAGE_SIDES_ACROSS &&
                     n_sides > count_values(cells, n, is_swept ? FIELD_X : FIELD_TEST);
    buffer_add_format(&across, "%s%s", has_tests ? "test," : "", columns);
    buffer_add_format(&down, "%s,%s", is_turned ? buffer_text(&across) : first, rows);
    int result = across.failed || down.failed
                     ? out_of_memory(err)
                     : tables_add(page, list, cells, n, buffer_text(&down),
                                  is_turned ? first : buffer_text(&across), &text, err);
    if (result >= 0 && text.failed)
        result = out_of_memory(err);
    buffer_free(&text);
    buffer_free(&across);
    buffer_free(&down);
    return result;
}

int page_tables(struct page *page, struct value *map, const struct cell *const *cells, size_t n,
                const char *rows, const char *columns, struct err *err)
{
    const struct cell **list = arena_take(&page->tree.arena, n, sizeof *list);
    struct value *tables = value_list(map, "tables");
    if (!list)
        return out_of_memory(err);
    for (int is_swept = 1; is_swept >= 0; is_swept--) {
        size_t count = 0;
        for (size_t i = 0; i < n; i++)
            if (RECORD_HAS(cells[i]->key, x) == (is_swept == 1))
                list[count++] = cells[i];
        TRY(half_add(page, tables, list, count, is_swept == 1, rows, columns, err));
    }
    return 0;
}
