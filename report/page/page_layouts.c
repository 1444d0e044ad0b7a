#include "report/page/page.h"

#include <string.h>

/* The cell of the site's selection that holds the records of this one, which may be of another; NULL
 * when there is none. */
static const struct cell *own_cell(const struct site *site, const struct cell *cell)
{
    for (size_t k = 0; k < site->n_kernels; k++) {
        const struct site_kernel *kernel = &site->kernels[k];
        if (strcmp(kernel->name, cell->key->kernel) != 0)
            continue;
        if (cell >= kernel->cells && cell < kernel->cells + kernel->n_cells)
            return cell;
        for (size_t i = 0; i < kernel->n_cells; i++)
            for (size_t r = 0; r < kernel->cells[i].n_records; r++)
                if (kernel->cells[i].records[r] == cell->records[cell->n_records - 1])
                    return &kernel->cells[i];
    }
    return NULL;
}

static void cell_set(struct page *page, struct value *item, const struct layout_cell *cell,
                     struct buffer *text)
{
    const struct cell *own = cell->cell ? own_cell(page->site, cell->cell) : NULL;
    buffer_clear(text);
    if (own)
        page_samples_href(page, own, text);
    value_text(item, "text", cell->text);
    value_text(item, "href", buffer_text(text));
    value_text(item, "formula", cell->formula ? cell->formula : "");
    value_flag(item, "is_status", cell->is_status);
}

static void heads_set(struct value *map, const struct layout_result *result)
{
    struct value *heads = value_list(map, "heads");
    for (size_t level = 0; level < result->n_heads; level++) {
        struct value *head = value_append(heads);
        struct value *corners = value_list(head, "corners"), *cells = value_list(head, "cells");
        for (size_t l = 0; l < result->n_labels; l++)
            value_text(value_append(corners), "text",
                       result->corners[level * result->n_labels + l]);
        for (size_t c = 0; c < result->n_columns; c++) {
            const struct layout_head *one = &result->heads[level * result->n_columns + c];
            if (one->span == 0)
                continue;
            struct value *cell = value_append(cells);
            value_text(cell, "text", one->text);
            value_format(cell, "span", "%zu", one->span);
            value_text(cell, "scope", one->span > 1 ? "colgroup" : "col");
        }
    }
}

static void rows_set(struct page *page, struct value *map, const struct layout_result *result,
                     struct buffer *text)
{
    struct value *rows = value_list(map, "rows");
    for (size_t r = 0; r < result->n_rows; r++) {
        const struct layout_row *from = &result->rows[r];
        struct value *row = value_append(rows);
        value_flag(row, "is_section", from->type == ENTRY_SECTION);
        value_flag(row, "is_gap", from->type == ENTRY_GAP);
        value_text(row, "section", from->type == ENTRY_SECTION ? from->labels[0] : "");
        value_format(row, "width", "%zu", result->n_labels + result->n_columns);
        struct value *labels = value_list(row, "labels"), *cells = value_list(row, "cells");
        if (from->type != ENTRY_PLAIN)
            continue;
        for (size_t l = 0; l < result->n_labels; l++)
            value_text(value_append(labels), "text", from->labels[l]);
        for (size_t c = 0; c < result->n_columns; c++)
            cell_set(page, value_append(cells), &from->cells[c], text);
    }
}

static void texts_set(struct value *map, const char *name, const char *const *texts, size_t n)
{
    struct value *list = value_list(map, name);
    for (size_t i = 0; i < n; i++)
        value_text(value_append(list), "text", texts[i]);
}

int page_layout(struct page *page, struct value *groups, struct value *disagreements,
                const struct layout *layout, const struct selection *selection, const char *title,
                size_t *n_figures, struct err *err)
{
    struct value *tables = NULL;
    struct buffer text = {0};
    int result = 0;
    for (const struct layout_table *table = layout->tables; table && result >= 0;
         table = table->next) {
        struct layout_result made;
        result = layout_make(table, selection, &page->tree.arena, &made, err);
        if (result < 0)
            break;
        if (!made.is_beside)
            tables = NULL;
        if (made.n_figures == 0)
            continue;
        *n_figures += made.n_figures;
        if (!tables)
            tables = value_list(value_append(groups), "tables");
        struct value *item = value_append(tables);
        value_text(item, "caption", made.title);
        value_text(item, "region", made.title[0] ? made.title : title);
        value_flag(item, "has_heads", made.n_heads > 0);
        heads_set(item, &made);
        rows_set(page, item, &made, &text);
        texts_set(item, "notes", made.notes, made.n_notes);
        for (size_t i = 0; i < made.n_disagreements && disagreements; i++)
            value_text(value_append(disagreements), "text", made.disagreements[i]);
    }
    page->tree.failed = page->tree.failed || text.failed;
    buffer_free(&text);
    return result;
}

/* "tables/paging.table" of the templates, where there is one. */
int page_kernel_layouts(struct page *page, struct value *map, const char *kernel, struct err *err)
{
    struct site *site = page->site;
    struct value *groups = value_list(map, "groups");
    struct buffer file = {0}, text = {0};
    struct layout layout = {0};
    size_t n_figures = 0;
    int result = 0;
    buffer_add_format(&file, "tables/%s.table", kernel);
    if (file.failed) {
        result = err_set(err, ERR_SYSTEM, "out of memory");
    } else if (templates_have(site->templates, buffer_text(&file))) {
        result = templates_read(site->templates, buffer_text(&file), &text, err);
        if (result >= 0)
            result = layout_parse(&layout, text.bytes, buffer_text(&file), err);
        if (result >= 0 && site->base)
            result = layout_set_base(&layout, site->base, err);
        if (result >= 0)
            result = page_layout(page, groups, NULL, &layout, &site->selection, kernel, &n_figures,
                                 err);
    }
    layout_free(&layout);
    buffer_free(&file);
    buffer_free(&text);
    return result;
}
