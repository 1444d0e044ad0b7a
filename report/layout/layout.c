#include "report/layout/layout.h"

#include <stdio.h>
#include <string.h>

#include "report/layout/layout_parser.h"
#include "schema/number.h"
#include "schema/text.h"

enum { LAYOUT_BYTES_MAX = 1 << 20, BLOCKS_MAX = 8 };

static int out_of_memory(struct err *err)
{
    return err_set(err, ERR_SYSTEM, "out of memory");
}

/* True when some entry of some block of columns bears the name. */
static bool column_is_known(const struct layout_table *table, const char *name)
{
    for (const struct block *block = table->columns; block; block = block->next)
        if (entry_find(block, name))
            return true;
    return false;
}

/* Ends the table that was begun: has it all it needs? */
/* True when an entry relates values of this field, or, with NULL, of any. */
static bool has_over(const struct block *block, const struct field *field)
{
    for (const struct entry *entry = block->first; entry; entry = entry->next)
        if (field ? fields_have(&entry->over, field) : entry->over.n > 0)
            return true;
    return false;
}

static size_t count_over(const struct layout_table *table, const struct field *field)
{
    size_t n = has_over(&table->rows, field);
    for (const struct block *block = table->columns; block; block = block->next)
        n += has_over(block, field);
    return n;
}

static int table_close(struct parser *parser, struct err *err)
{
    const struct layout_table *table = parser->table;
    if (table == parser->defaults)
        return 0;
    parser->line = table->line;
    if (!table->columns || !table->columns->first || !table->rows.first)
        return err_set(err, ERR_DATA, "the table has no %s", table->rows.first ? "columns" : "rows");
    for (const struct block *block = table->columns; block; block = block->next)
        if (!block->first)
            return err_set(err, ERR_DATA, "columns without any below");
    if (count_over(table, NULL) > 1)
        return err_set(err, ERR_DATA, "over is of rows or of columns, not of both");
    for (const struct entry *entry = table->rows.first; entry; entry = entry->next) {
        const struct named_text *const lists[] = {entry->blank, entry->printed};
        parser->line = entry->line;
        for (int i = 0; i < 2; i++)
            for (const struct named_text *text = lists[i]; text; text = text->next)
                if (!column_is_known(table, text->name))
                    return err_set(err, ERR_DATA, "no column is named '%.40s'", text->name);
    }
    return 0;
}

static int table_begin(struct parser *parser, bool is_beside, struct err *err)
{
    unsigned line = parser->line;
    struct layout *layout = parser->layout;
    TRY(table_close(parser, err));
    parser->line = line;
    if (is_beside && layout->n_tables == 0)
        return err_set(err, ERR_DATA, "beside what? The first is a table");
    struct layout_table *table = arena_alloc(&layout->arena, sizeof *table);
    if (!table)
        return out_of_memory(err);
    *table = *parser->defaults;
    table->title = line_rest(parser);
    table->line = line;
    table->is_beside = is_beside;
    table->notes = NULL;
    if (layout->n_tables++ == 0)
        layout->tables = table;
    else
        parser->table->next = table;
    parser->table = table;
    parser->block = NULL;
    return 0;
}

static int columns_begin(struct parser *parser, struct err *err)
{
    struct block *block = arena_alloc(&parser->layout->arena, sizeof *block);
    if (!block)
        return out_of_memory(err);
    *block = (struct block){0};
    if (parser->table->n_blocks == BLOCKS_MAX)
        return err_set(err, ERR_DATA, "more than %d blocks of columns", BLOCKS_MAX);
    struct block **end = &parser->table->columns;
    while (*end)
        end = &(*end)->next;
    *end = block;
    parser->block = block;
    parser->table->n_blocks++;
    return 0;
}

static int weight_parse(struct parser *parser, struct err *err)
{
    struct word word;
    struct weight *weight = arena_alloc(&parser->layout->arena, sizeof *weight);
    if (!weight)
        return out_of_memory(err);
    *weight = (struct weight){.next = parser->table->weights};
    TRY(word_due(parser, "weight", &word, err));
    if (!number_parse(word.text, strlen(word.text), &weight->number) || weight->number <= 0)
        return err_set(err, ERR_DATA, "'%.40s' is no weight above 0", word.text);
    parser->table->weights = weight;
    return conditions_parse(parser, &weight->where, err);
}

static int sayings_parse(struct parser *parser, struct err *err)
{
    struct word from, to;
    TRY(word_due(parser, "say", &from, err));
    TRY(word_due(parser, "say", &to, err));
    struct named_text *saying = arena_alloc(&parser->layout->arena, sizeof *saying);
    if (!saying)
        return out_of_memory(err);
    *saying = (struct named_text){from.text, to.text, parser->table->sayings};
    parser->table->sayings = saying;
    return 0;
}

static int corner_parse(struct parser *parser, struct err *err)
{
    struct word word;
    int result;
    parser->table->corner = NULL;
    while ((result = word_next(parser, &word, err)) > 0)
        TRY(text_append(parser, &parser->table->corner, "", word.text, err));
    return result;
}

static int note_parse(struct parser *parser, struct err *err)
{
    return text_append(parser, &parser->table->notes, "", line_rest(parser), err);
}

static int statement_parse(struct parser *parser, struct err *err)
{
    struct layout_table *table = parser->table;
    struct word word;
    TRY(word_next(parser, &word, err));
    const char *text = word.text;
    if (strcmp(text, "table") == 0 || strcmp(text, "beside") == 0)
        return table_begin(parser, text[0] == 'b', err);
    parser->block = NULL;
    if (strcmp(text, "where") == 0)
        return conditions_parse(parser, &table->where, err);
    if (strcmp(text, "base") == 0) {
        table->base = NULL;
        return conditions_parse(parser, &table->base, err);
    }
    if (strcmp(text, "format") == 0)
        return format_parse(parser, &table->format, err);
    if (strcmp(text, "x") == 0)
        return format_parse(parser, &table->x_format, err);
    if (strcmp(text, "say") == 0)
        TRY(sayings_parse(parser, err));
    else if (strcmp(text, "complete") == 0 && table == parser->defaults)
        parser->layout->is_complete = true;
    else if (strcmp(text, "weight") == 0)
        return weight_parse(parser, err);
    else if (table == parser->defaults)
        return err_set(err, ERR_DATA,
                       "'%.40s' is none of complete, where, base, format, x, say, weight and table, "
                       "with which a file begins",
                       text);
    else if (strcmp(text, "note") == 0)
        return note_parse(parser, err);
    else if (strcmp(text, "corner") == 0)
        return corner_parse(parser, err);
    else if (strcmp(text, "columns") == 0)
        TRY(columns_begin(parser, err));
    else if (strcmp(text, "rows") == 0)
        parser->block = &table->rows;
    else
        return err_set(err, ERR_DATA, "'%.40s' is no statement", text);
    TRY(word_next(parser, &word, err));
    return word.text[0] && word.text[0] != '#'
               ? err_set(err, ERR_DATA, "'%.40s' is too much", word.text)
               : 0;
}

static int line_parse(struct parser *parser, struct err *err)
{
    const char *p = parser->p + strspn(parser->p, " \t");
    if (*p == '\0' || *p == '#')
        return 0;
    return p > parser->p ? entry_parse(parser, err) : statement_parse(parser, err);
}

static int lines_parse(struct parser *parser, char *text, struct err *err)
{
    for (char *next = text; next; parser->line++) {
        parser->p = next;
        char *end = strchr(next, '\n');
        next = end ? end + 1 : NULL;
        if (end)
            *end = '\0';
        if (end && end > parser->p && end[-1] == '\r')
            end[-1] = '\0';
        TRY(line_parse(parser, err));
    }
    TRY(table_close(parser, err));
    return parser->layout->n_tables > 0 ? 0 : err_set(err, ERR_DATA, "there is no table");
}

int layout_parse(struct layout *layout, char *text, const char *name, struct err *err)
{
    struct layout_table defaults = {
        .title = "", .format = {.digits = -1}, .x_format = {.digits = -1}};
    struct parser parser = {.layout = layout, .name = name, .line = 1, .defaults = &defaults,
                            .table = &defaults};
    size_t size = strlen(text);
    *layout = (struct layout){0};
    if (text_utf8_prefix(text, size) != size)
        return err_set(err, ERR_DATA, "%s:1: is no text in UTF-8", name);
    int result = lines_parse(&parser, text, err);
    return result < 0 ? err_wrap(err, "%s:%u", name, parser.line) : result;
}

int layout_read(struct layout *layout, const char *path, struct err *err)
{
    *layout = (struct layout){0};
    struct buffer text = {0};
    FILE *file = fopen(path, "re");
    if (!file)
        return err_system(err, "%s", path);
    size_t n = 1;
    while (n > 0 && text.size <= LAYOUT_BYTES_MAX) {
        char block[4096];
        n = fread(block, 1, sizeof block, file);
        buffer_add(&text, block, n);
    }
    int result = ferror(file)                      ? err_system(err, "%s", path)
                 : text.failed                     ? out_of_memory(err)
                 : text.size > LAYOUT_BYTES_MAX    ? err_set(err, ERR_DATA, "%s: is too large", path)
                 : memchr(buffer_text(&text), 0, text.size) ? err_set(err, ERR_DATA, "%s:1: is no text", path)
                                                   : 0;
    fclose(file);
    struct arena arena = {0};
    char *copy = arena_copy(&arena, buffer_text(&text), text.size);
    buffer_free(&text);
    if (result >= 0 && !copy)
        result = out_of_memory(err);
    if (result >= 0)
        result = layout_parse(layout, copy, path, err);
    layout->source = arena;
    return result;
}

int layout_set_base(struct layout *layout, const char *pattern, struct err *err)
{
    const char **word = arena_alloc(&layout->arena, sizeof *word);
    struct condition *condition = arena_alloc(&layout->arena, sizeof *condition);
    if (!word || !condition)
        return out_of_memory(err);
    *word = pattern;
    *condition = (struct condition){
        .type = CONDITION_IS, .field = {FIELD_VARIANT, NULL}, .words = word, .n_words = 1};
    for (struct layout_table *table = layout->tables; table; table = table->next)
        if (count_over(table, &condition->field) > 0)
            table->base = condition;
    return 0;
}

void layout_free(struct layout *layout)
{
    arena_free(&layout->arena);
    arena_free(&layout->source);
    *layout = (struct layout){0};
}
