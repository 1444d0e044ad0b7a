#include "report/page/publication.h"

#include <string.h>

#include "schema/buffer.h"

/* Appends text without the marks of emphasis and code, line ends as blanks. */
static void words_add(struct buffer *out, const char *text, size_t size)
{
    bool is_code = false;
    for (size_t i = 0; i < size; i++) {
        if (text[i] == '`')
            is_code = !is_code;
        else if (text[i] == '\\' && i + 1 < size && strchr("*`|<>_#", text[i + 1]))
            buffer_add_char(out, text[++i]);
        else if (text[i] != '*' || is_code)
            buffer_add_char(out, text[i]);
    }
}

/* A line without its end and the blanks around it. */
struct line {
    const char *text;
    size_t size;
    size_t indent;
};

static const char *line_take(const char *p, struct line *line)
{
    const char *end = p + strcspn(p, "\n");
    line->indent = strspn(p, " ");
    line->text = p + (line->indent < (size_t)(end - p) ? line->indent : (size_t)(end - p));
    line->size = (size_t)(end - line->text);
    while (line->size > 0 && strchr(" \r", line->text[line->size - 1]))
        line->size--;
    return *end ? end + 1 : end;
}

static bool begins(const struct line *line, const char *mark)
{
    return line->size >= strlen(mark) && memcmp(line->text, mark, strlen(mark)) == 0;
}

/* Blocks begun, and what is being gathered for the last one. */
struct prose {
    struct value *blocks;
    struct value *list;  /* of the items or rows of the last block, NULL when it has none */
    bool is_table;       /* which of them */
    struct buffer words; /* of the paragraph or item */
    bool is_item;
};

static struct value *block_new(struct prose *prose, const char *type)
{
    static const char *const types[] = {"is_heading", "is_paragraph", "is_items", "is_table"};
    struct value *block = value_append(prose->blocks);
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++)
        value_flag(block, types[i], strcmp(types[i], type) == 0);
    prose->list = NULL;
    return block;
}

static void list_open(struct prose *prose, bool is_table)
{
    if (prose->list && prose->is_table == is_table)
        return;
    struct value *block = block_new(prose, is_table ? "is_table" : "is_items");
    prose->list = value_list(block, is_table ? "rows" : "items");
    prose->is_table = is_table;
}

/* Ends the paragraph or item that was being gathered. */
static void words_end(struct prose *prose)
{
    if (prose->words.size == 0)
        return;
    if (prose->is_item) {
        list_open(prose, false);
        value_text(value_append(prose->list), "text", buffer_text(&prose->words));
    } else {
        value_text(block_new(prose, "is_paragraph"), "text", buffer_text(&prose->words));
    }
    buffer_clear(&prose->words);
}

static void words_go_on(struct prose *prose, const struct line *line)
{
    if (prose->words.size > 0)
        buffer_add_char(&prose->words, ' ');
    words_add(&prose->words, line->text, line->size);
}

/* "| a | b |": the first row of a table is its head; the line of dashes below it says nothing. */
static void row_add(struct prose *prose, const struct line *line)
{
    if (strspn(line->text, "|-: ") >= line->size)
        return;
    bool is_head = !prose->list || !prose->is_table;
    list_open(prose, true);
    struct value *row = value_append(prose->list), *cells = value_list(row, "cells");
    value_flag(row, "is_head", is_head);
    const char *p = line->text + 1, *end = line->text + line->size;
    while (p < end) {
        const char *bar = memchr(p, '|', (size_t)(end - p));
        size_t size = (size_t)((bar ? bar : end) - p), left = strspn(p, " ");
        struct buffer cell = {0};
        left = left < size ? left : size;
        while (size > left && p[size - 1] == ' ')
            size--;
        words_add(&cell, p + left, size - left);
        value_text(value_append(cells), "text", buffer_text(&cell));
        row->tree->failed = row->tree->failed || cell.failed;
        buffer_free(&cell);
        p = bar ? bar + 1 : end;
    }
}

void prose_set(struct value *map, const char *name, const char *text)
{
    struct prose prose = {.blocks = value_list(map, name)};
    for (const char *p = text; *p;) {
        struct line line;
        p = line_take(p, &line);
        if (line.size == 0) {
            words_end(&prose);
            prose.list = prose.is_table ? NULL : prose.list;
        } else if (begins(&line, "#")) {
            words_end(&prose);
            struct value *block = block_new(&prose, "is_heading");
            size_t marks = strspn(line.text, "# ");
            words_add(&prose.words, line.text + marks, line.size > marks ? line.size - marks : 0);
            value_text(block, "text", buffer_text(&prose.words));
            buffer_clear(&prose.words);
        } else if (begins(&line, "|")) {
            words_end(&prose);
            row_add(&prose, &line);
        } else if (begins(&line, "- ")) {
            words_end(&prose);
            prose.is_item = true;
            line.text += 2, line.size -= 2;
            words_go_on(&prose, &line);
        } else {
            if (prose.words.size == 0 && line.indent == 0)
                prose.is_item = false;
            words_go_on(&prose, &line);
        }
    }
    words_end(&prose);
    map->tree->failed = map->tree->failed || prose.words.failed;
    buffer_free(&prose.words);
}
