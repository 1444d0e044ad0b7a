#include "report/layout/layout_eval.h"

#include <string.h>

#include "report/sheet.h"

enum { GAP = 2, GAP_BESIDE = 4 };

/* A table as lines of text, each padded to its width, so that tables can stand beside each other. */
struct lines {
    struct buffer *list; /* [n] owned; in the arena */
    size_t n, n_heads;
    size_t width;
};

static int out_of_memory(struct err *err)
{
    return err_set(err, ERR_SYSTEM, "out of memory");
}

static void pad(struct buffer *out, size_t n)
{
    while (n-- > 0)
        buffer_add_char(out, ' ');
}

static size_t text_width(const char *text)
{
    struct buffer clean = {0};
    sheet_label_add(&clean, text);
    size_t width = sheet_width(buffer_text(&clean));
    buffer_free(&clean);
    return width;
}

static void widen(size_t *width, size_t wanted)
{
    if (*width < wanted)
        *width = wanted;
}

/* The widths of labels and columns [n_labels + n_columns]. A head above several columns makes the
 * last of them wider if it must. */
static void widths_find(const struct layout_result *result, size_t *widths)
{
    size_t *columns = widths + result->n_labels;
    memset(widths, 0, (result->n_labels + result->n_columns) * sizeof *widths);
    for (size_t i = 0; i < result->n_heads * result->n_labels; i++)
        widen(&widths[i % result->n_labels], text_width(result->corners[i]));
    for (size_t r = 0; r < result->n_rows; r++) {
        const struct layout_row *row = &result->rows[r];
        for (size_t l = 0; l < result->n_labels && row->type == ENTRY_PLAIN; l++)
            widen(&widths[l], text_width(row->labels[l]));
        for (size_t c = 0; c < result->n_columns && row->cells; c++)
            widen(&columns[c], text_width(row->cells[c].text));
    }
    for (size_t level = result->n_heads; level-- > 0;)
        for (size_t c = 0; c < result->n_columns; c++) {
            const struct layout_head *head = &result->heads[level * result->n_columns + c];
            if (head->span == 0)
                continue;
            size_t below = GAP * (head->span - 1);
            for (size_t i = 0; i < head->span; i++)
                below += columns[c + i];
            size_t width = text_width(head->text);
            if (width > below)
                columns[c + head->span - 1] += width - below;
        }
}

/* Appends a text to a line in a field of `width`, left or right. */
static void field_put(struct buffer *line, const char *text, size_t width, bool is_left)
{
    size_t own = text_width(text), blanks = width > own ? width - own : 0;
    pad(line, is_left ? 0 : blanks);
    sheet_label_add(line, text);
    pad(line, is_left ? blanks : 0);
}

static void head_line(const struct layout_result *result, size_t level, const size_t *widths,
                      struct buffer *line)
{
    const size_t *columns = widths + result->n_labels;
    for (size_t l = 0; l < result->n_labels; l++) {
        pad(line, l > 0 ? GAP : 0);
        field_put(line, result->corners[level * result->n_labels + l], widths[l], true);
    }
    for (size_t c = 0; c < result->n_columns; c++) {
        const struct layout_head *head = &result->heads[level * result->n_columns + c];
        size_t width = 0;
        for (size_t i = 0; i < head->span; i++)
            width += columns[c + i] + (i > 0 ? GAP : 0);
        if (head->span == 0)
            continue;
        pad(line, c > 0 || result->n_labels > 0 ? GAP : 0);
        field_put(line, head->text, width, head->span > 1);
    }
}

static void row_line(const struct layout_result *result, const struct layout_row *row,
                     const size_t *widths, struct buffer *line)
{
    if (row->type == ENTRY_SECTION)
        sheet_label_add(line, row->labels[0]);
    for (size_t l = 0; l < result->n_labels && row->type == ENTRY_PLAIN; l++) {
        pad(line, l > 0 ? GAP : 0);
        field_put(line, row->labels[l], widths[l], true);
    }
    for (size_t c = 0; c < result->n_columns && row->cells; c++) {
        pad(line, c > 0 || result->n_labels > 0 ? GAP : 0);
        field_put(line, row->cells[c].text, widths[result->n_labels + c], false);
    }
}

static int lines_make(const struct layout_result *result, struct arena *arena, struct lines *lines,
                      struct err *err)
{
    size_t n_fields = result->n_labels + result->n_columns;
    size_t *widths = arena_take(arena, n_fields, sizeof *widths);
    lines->list = arena_take(arena, result->n_heads + result->n_rows, sizeof *lines->list);
    if (!widths || !lines->list)
        return out_of_memory(err);
    widths_find(result, widths);
    lines->width = n_fields > 0 ? GAP * (n_fields - 1) : 0;
    for (size_t i = 0; i < n_fields; i++)
        lines->width += widths[i];
    lines->n_heads = result->n_heads;
    for (size_t level = 0; level < result->n_heads; level++) {
        lines->list[lines->n] = (struct buffer){0};
        head_line(result, level, widths, &lines->list[lines->n++]);
    }
    for (size_t r = 0; r < result->n_rows; r++) {
        lines->list[lines->n] = (struct buffer){0};
        row_line(result, &result->rows[r], widths, &lines->list[lines->n++]);
    }
    return 0;
}

static void trim(struct buffer *out)
{
    while (out->size > 0 && out->bytes[out->size - 1] == ' ')
        out->bytes[--out->size] = '\0';
}

/* Lines of tables [n] side by side, their first rows on one height. */
static void print_beside(const struct lines *tables, size_t n, struct buffer *out)
{
    size_t n_heads = 0, n_rows = 0, width = 0;
    for (size_t t = 0; t < n; t++) {
        widen(&n_heads, tables[t].n_heads);
        widen(&n_rows, tables[t].n - tables[t].n_heads);
        width += tables[t].width + (t > 0 ? GAP_BESIDE : 0);
    }
    for (size_t i = 0; i < n_heads + n_rows; i++) {
        for (size_t t = 0; t < n; t++) {
            const struct lines *lines = &tables[t];
            size_t above = n_heads - lines->n_heads;
            const char *text =
                i >= above && i - above < lines->n ? buffer_text(&lines->list[i - above]) : "";
            pad(out, t > 0 ? GAP_BESIDE : 0);
            buffer_add_text(out, text);
            size_t own = sheet_width(text);
            pad(out, lines->width > own ? lines->width - own : 0);
        }
        trim(out);
        buffer_add_char(out, '\n');
        if (i + 1 != n_heads)
            continue;
        for (size_t dash = 0; dash < width; dash++)
            buffer_add_char(out, '-');
        buffer_add_char(out, '\n');
    }
}

static void texts_print(const char *mark, const char *const *texts, size_t n, struct buffer *out)
{
    for (size_t i = 0; i < n; i++) {
        buffer_add_text(out, mark);
        sheet_label_add(out, texts[i]);
        buffer_add_char(out, '\n');
    }
}

/* Tables [n] of which all but the first stand beside the one before. */
static int group_print(const struct layout_result *results, size_t n, struct arena *arena,
                       struct buffer *out, struct err *err)
{
    struct lines *tables = arena_take(arena, n, sizeof *tables);
    if (!tables)
        return out_of_memory(err);
    memset(tables, 0, n * sizeof *tables);
    int result = 0;
    for (size_t t = 0; t < n && result >= 0; t++) {
        if (results[t].title[0]) {
            sheet_label_add(out, results[t].title);
            buffer_add_char(out, '\n');
        }
        result = lines_make(&results[t], arena, &tables[t], err);
    }
    if (result >= 0)
        print_beside(tables, n, out);
    for (size_t t = 0; t < n; t++) {
        texts_print("note: ", results[t].notes, results[t].n_notes, out);
        texts_print("disagrees: ", results[t].disagreements, results[t].n_disagreements, out);
        for (size_t i = 0; i < tables[t].n; i++) {
            out->failed = out->failed || tables[t].list[i].failed;
            buffer_free(&tables[t].list[i]);
        }
    }
    return result;
}

static int tables_print(const struct layout *layout, const struct selection *selection,
                        struct arena *arena, struct buffer *out, size_t *n_figures,
                        struct err *err)
{
    struct layout_result *results = arena_take(arena, layout->n_tables, sizeof *results);
    size_t n = 0, start = out->size;
    if (!results)
        return out_of_memory(err);
    *n_figures = 0;
    for (const struct layout_table *table = layout->tables; table; table = table->next, n++) {
        TRY(layout_make(table, selection, arena, &results[n], err));
        *n_figures += results[n].n_figures;
    }
    for (size_t i = 0, end; i < n; i = end) {
        size_t n_here = results[i].n_figures;
        for (end = i + 1; end < n && results[end].is_beside; end++)
            n_here += results[end].n_figures;
        if (n_here == 0 && *n_figures > 0)
            continue; /* as on pages; of a file of which nothing is there, what it asked for is seen */
        if (out->size > start)
            buffer_add_char(out, '\n');
        TRY(group_print(results + i, end - i, arena, out, err));
        if (n_here == 0)
            buffer_add_text(out, "no records\n");
    }
    return out->failed ? out_of_memory(err) : 0;
}

int layout_print(const struct layout *layout, const struct selection *selection,
                 struct buffer *out, size_t *n_figures, struct err *err)
{
    struct arena arena = {0};
    int result = tables_print(layout, selection, &arena, out, n_figures, err);
    arena_free(&arena);
    return result;
}
