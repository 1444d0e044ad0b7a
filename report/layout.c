#include "report/layout.h"

#include <fnmatch.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "schema/number.h"
#include "schema/params.h"
#include "schema/text.h"

enum { LAYOUT_BYTES_MAX = 1 << 20, HEADS_MAX = 16, BLOCKS_MAX = 8, DIGITS_MAX = 17 };

/* ---- conditions ---- */

bool condition_takes(const struct condition *condition, const char *word)
{
    bool is_one = false;
    for (size_t i = 0; i < condition->n_words && !is_one; i++)
        is_one = fnmatch(condition->words[i], word, 0) == 0;
    return is_one == (condition->type == CONDITION_IS);
}

static bool number_holds(const struct condition *condition, bool is_there, double number)
{
    if (!is_there || isnan(condition->number)) {
        bool is_same = !is_there && isnan(condition->number);
        return condition->type == CONDITION_IS ? is_same
                                               : condition->type == CONDITION_IS_NOT && !is_same;
    }
    switch (condition->type) {
    case CONDITION_IS:
        return number == condition->number;
    case CONDITION_IS_NOT:
        return number != condition->number;
    case CONDITION_AT_LEAST:
        return number >= condition->number;
    default:
        return number <= condition->number;
    }
}

bool condition_holds(const struct condition *condition, const struct cell *cell, const char *label)
{
    const struct record *key = cell->key;
    switch (condition->field.type) {
    case FIELD_X:
        return number_holds(condition, RECORD_HAS(key, x), key->x);
    case FIELD_THREADS:
        return number_holds(condition, true, (double)key->threads);
    case FIELD_REVISION:
        return number_holds(condition, true, (double)key->revision);
    case FIELD_KERNEL:
        return condition_takes(condition, key->kernel);
    case FIELD_METRIC:
        return condition_takes(condition, key->metric);
    case FIELD_TEST:
        return condition_takes(condition, key->test);
    case FIELD_MACHINE:
        return condition_takes(condition, label);
    case FIELD_VARIANT:
        return condition_takes(condition, key->variant);
    case FIELD_RUN:
        return condition_takes(condition, cell->run);
    default:
        break;
    }
    struct buffer value = {0};
    params_get(key->params, condition->field.key, &value);
    bool holds = !value.failed && condition_takes(condition, buffer_text(&value));
    buffer_free(&value);
    return holds;
}

/* ---- words of a line ---- */

struct parser {
    struct layout *layout;
    const char *name;
    unsigned line;
    char *p;                       /* of the line, what is still to be read */
    struct layout_table *defaults; /* what stands above the first table */
    struct layout_table *table;    /* the last begun; the defaults before the first */
    struct block *block;           /* that entries go to, NULL: none */
};

struct word {
    char *text; /* without the quotes */
    bool is_quoted; /* from its first character on */
    char *sign;     /* = != >= <=, in the text outside of quotes; NULL: none */
};

static int out_of_memory(struct err *err)
{
    return err_set(err, ERR_SYSTEM, "out of memory");
}

/* Takes the next word off the line: 1, 0 at the end of the line or before a note. Quotes may begin in
 * a word (run="a b"); in them \" and \\ stand for themselves. */
static int word_next(struct parser *parser, struct word *word, struct err *err)
{
    char *p = parser->p + strspn(parser->p, " \t"), *out = p;
    *word = (struct word){.text = p, .is_quoted = *p == '"'};
    if (*p == '\0' || *p == '#')
        return 0;
    bool is_inside = false;
    for (; *p && (is_inside || (*p != ' ' && *p != '\t')); p++) {
        if (*p == '"') {
            is_inside = !is_inside;
            continue;
        }
        if (is_inside && *p == '\\' && (p[1] == '"' || p[1] == '\\'))
            p++;
        else if (!is_inside && !word->sign && strchr("=!<>", *p))
            word->sign = out;
        *out++ = *p;
    }
    if (is_inside)
        return err_set(err, ERR_DATA, "a quote is not closed");
    parser->p = p + (*p != '\0');
    *out = '\0';
    return 1;
}

/* The word that must follow `after`. */
static int word_due(struct parser *parser, const char *after, struct word *word, struct err *err)
{
    int result = word_next(parser, word, err);
    return result == 0 ? err_set(err, ERR_DATA, "a word is missing behind '%s'", after) : result;
}

/* What is left of the line, without blanks at its ends. */
static char *line_rest(struct parser *parser)
{
    char *text = parser->p + strspn(parser->p, " \t"), *end = text + strlen(text);
    while (end > text && (end[-1] == ' ' || end[-1] == '\t'))
        end--;
    *end = '\0';
    parser->p = end;
    return text;
}

static int text_append(struct parser *parser, struct named_text **list, const char *name,
                       const char *text, struct err *err)
{
    struct named_text *added = arena_alloc(&parser->layout->arena, sizeof *added);
    if (!added)
        return out_of_memory(err);
    *added = (struct named_text){.name = name, .text = text};
    while (*list)
        list = &(*list)->next;
    *list = added;
    return 0;
}

/* ---- fields and conditions ---- */

static struct field field_of(struct parser *parser, const char *name)
{
    static const struct {
        const char *name;
        enum field_type type;
    } columns[] = {{"kernel", FIELD_KERNEL},   {"revision", FIELD_REVISION}, {"metric", FIELD_METRIC},
                   {"test", FIELD_TEST},       {"x", FIELD_X},               {"threads", FIELD_THREADS},
                   {"machine", FIELD_MACHINE}, {"variant", FIELD_VARIANT},   {"run", FIELD_RUN}};
    for (size_t i = 0; i < sizeof columns / sizeof columns[0]; i++) {
        if (strcmp(columns[i].name, name) == 0) {
            parser->layout->uses_run = parser->layout->uses_run || columns[i].type == FIELD_RUN;
            return (struct field){columns[i].type, NULL};
        }
    }
    return (struct field){FIELD_PARAM, name};
}

/* "300000KiB" in the base unit; nothing at all is NAN. */
static int quantity_parse(const char *text, double *out, struct err *err)
{
    size_t digits = strspn(text, "0123456789.");
    const struct unit_spelling *unit = unit_find_spelling(text + digits);
    *out = NAN;
    if (*text == '\0')
        return 0;
    if (!number_parse(text, digits, out) || (text[digits] && !unit))
        return err_set(err, ERR_DATA, "'%.40s' is no number with or without a unit", text);
    *out *= unit ? unit->factor : 1;
    return 0;
}

static int condition_words(struct parser *parser, char *text, struct condition *condition,
                           struct err *err)
{
    size_t n = 1;
    for (const char *p = text; *p; p++)
        n += *p == '|';
    const char **words = arena_take(&parser->layout->arena, n, sizeof *words);
    if (!words)
        return out_of_memory(err);
    for (char *p = text; p;) {
        char *bar = strchr(p, '|');
        if (bar)
            *bar++ = '\0';
        words[condition->n_words++] = p;
        p = bar;
    }
    condition->words = words;
    return 0;
}

static int condition_add(struct parser *parser, const struct word *word,
                         const struct condition **list, struct err *err)
{
    static const char *const signs[] = {"=", "!=", ">=", "<="};
    struct condition *added = arena_alloc(&parser->layout->arena, sizeof *added);
    if (!added)
        return out_of_memory(err);
    size_t type = 0;
    while (type < 4 && strncmp(word->sign, signs[type], strlen(signs[type])) != 0)
        type++;
    if (type == 4 || word->sign == word->text)
        return err_set(err, ERR_DATA, "'%.60s' is no condition: = != >= <= stand behind a name",
                       word->text);
    char *value = word->sign + strlen(signs[type]);
    *word->sign = '\0';
    *added = (struct condition){.type = (enum condition_type)type,
                                .field = field_of(parser, word->text),
                                .next = *list};
    *list = added;
    bool is_number = added->field.type == FIELD_X || added->field.type == FIELD_THREADS ||
                     added->field.type == FIELD_REVISION;
    if (is_number)
        return quantity_parse(value, &added->number, err);
    if (type >= CONDITION_AT_LEAST)
        return err_set(err, ERR_DATA, "%s is no number: it takes = and != alone", word->text);
    return condition_words(parser, value, added, err);
}

static int conditions_parse(struct parser *parser, const struct condition **list, struct err *err)
{
    struct word word;
    int result;
    while ((result = word_next(parser, &word, err)) > 0) {
        if (!word.sign)
            return err_set(err, ERR_DATA, "'%.60s' is no condition such as test=read", word.text);
        TRY(condition_add(parser, &word, list, err));
    }
    return result;
}

/* ---- formats ---- */

/* True when the word begins a part of a format, which is then taken. */
static int format_take(struct parser *parser, const struct word *word, struct format *format,
                       struct err *err)
{
    struct word value;
    uint64_t digits;
    if (word->is_quoted)
        return 0;
    if (strcmp(word->text, "commas") == 0) {
        format->has_commas = true;
        return 1;
    }
    if (strcmp(word->text, "unit") == 0) {
        TRY(word_due(parser, word->text, &value, err));
        if (!unit_find_spelling(value.text))
            return err_set(err, ERR_DATA, "'%.40s' is no unit", value.text);
        format->unit = value.text;
        return 1;
    }
    if (strcmp(word->text, "suffix") == 0) {
        TRY(word_due(parser, word->text, &value, err));
        format->suffix = value.text;
        return 1;
    }
    if (strcmp(word->text, "digits") != 0)
        return 0;
    TRY(word_due(parser, word->text, &value, err));
    if (!number_parse_count(value.text, strlen(value.text), &digits) || digits > DIGITS_MAX)
        return err_set(err, ERR_DATA, "'%.40s' is no number of digits from 0 to %d", value.text,
                       DIGITS_MAX);
    format->digits = (int)digits;
    return 1;
}

static int format_parse(struct parser *parser, struct format *format, struct err *err)
{
    struct word word;
    int result;
    while ((result = word_next(parser, &word, err)) > 0) {
        TRY(result = format_take(parser, &word, format, err));
        if (result == 0)
            return err_set(err, ERR_DATA, "'%.60s' is none of unit, digits, suffix, commas",
                           word.text);
    }
    return result;
}

/* ---- entries ---- */

static const struct entry *entry_find(const struct block *block, const char *name)
{
    for (const struct entry *entry = block->first; entry; entry = entry->next)
        if (entry->name[0] && strcmp(entry->name, name) == 0)
            return entry;
    return NULL;
}

static bool is_known(void *context, const char *name)
{
    return entry_find(context, name) != NULL;
}

/* A list of words with commas between them into *list. */
static int names_take(struct parser *parser, const char *keyword, struct named_text **list,
                      struct err *err)
{
    struct word word;
    TRY(word_due(parser, keyword, &word, err));
    for (char *p = word.text; p;) {
        char *comma = strchr(p, ',');
        if (comma)
            *comma++ = '\0';
        TRY(text_append(parser, list, p, "", err));
        p = comma;
    }
    return 0;
}

static int each_take(struct parser *parser, struct entry *entry, struct err *err)
{
    struct named_text *names = NULL;
    TRY(names_take(parser, "each", &names, err));
    for (; names; names = names->next) {
        if (entry->each.n == FIELDS_MAX)
            return err_set(err, ERR_DATA, "more than %d words behind each", FIELDS_MAX);
        entry->each.list[entry->each.n++] = field_of(parser, names->name);
    }
    return 0;
}

static int show_take(struct parser *parser, struct entry *entry, struct err *err)
{
    static const char *const words[] = {"value", "x", "iterations", "samples"};
    struct word word;
    TRY(word_due(parser, "show", &word, err));
    for (int i = 0; i < SHOW_FIELD; i++) {
        if (strcmp(words[i], word.text) == 0) {
            entry->show = (enum show)i;
            return 0;
        }
    }
    entry->show = SHOW_FIELD;
    entry->shown = field_of(parser, word.text);
    return 0;
}

static int printed_take(struct parser *parser, struct entry *entry, struct err *err)
{
    struct word column, text;
    TRY(word_due(parser, "printed", &column, err));
    TRY(word_due(parser, "printed", &text, err));
    return text_append(parser, &entry->printed, column.text, text.text, err);
}

/* One keyword of an entry with what belongs to it; 0 when the word is none. */
static int keyword_take(struct parser *parser, const struct word *word, struct entry *entry,
                        struct err *err)
{
    const char *text = word->text;
    struct word value;
    int result = format_take(parser, word, &entry->format, err);
    if (result != 0)
        return result;
    if (strcmp(text, "hidden") == 0) {
        entry->is_hidden = true;
    } else if (strcmp(text, "each") == 0) {
        TRY(each_take(parser, entry, err));
    } else if (strcmp(text, "show") == 0) {
        TRY(show_take(parser, entry, err));
    } else if (strcmp(text, "without") == 0) {
        TRY(names_take(parser, text, &entry->without, err));
    } else if (strcmp(text, "blank") == 0) {
        TRY(names_take(parser, text, &entry->blank, err));
    } else if (strcmp(text, "printed") == 0) {
        TRY(printed_take(parser, entry, err));
    } else if (strcmp(text, "fact") == 0) {
        TRY(word_due(parser, text, &value, err));
        entry->fact = value.text;
    } else if (strcmp(text, "pick") == 0) {
        TRY(word_due(parser, text, &value, err));
        entry->pick = reducer_find(value.text, strlen(value.text));
        if (entry->pick == REDUCE_NONE)
            return err_set(err, ERR_DATA, "'%.40s' is nothing to pick by", value.text);
    } else if (strcmp(text, "at") == 0) {
        TRY(word_due(parser, text, &value, err));
        entry->at = entry_find(parser->block, value.text);
        if (!entry->at)
            return err_set(err, ERR_DATA, "nothing above is named '%.40s'", value.text);
    } else {
        return 0;
    }
    return 1;
}

static int entry_words(struct parser *parser, struct entry *entry, struct err *err)
{
    struct word word;
    int result;
    for (bool is_first = true; (result = word_next(parser, &word, err)) > 0; is_first = false) {
        size_t size = strlen(word.text);
        if (word.is_quoted) {
            if (++entry->n_labels > HEADS_MAX)
                return err_set(err, ERR_DATA, "more than %d labels", HEADS_MAX);
            TRY(text_append(parser, &entry->labels, "", word.text, err));
        } else if (is_first && size > 1 && word.text[size - 1] == ':') {
            word.text[size - 1] = '\0';
            if (strspn(word.text, "abcdefghijklmnopqrstuvwxyz_0123456789") != size - 1 ||
                strchr("0123456789", word.text[0]))
                return err_set(err, ERR_DATA, "the name '%.40s' is not made of a-z, 0-9 and _",
                               word.text);
            entry->name = word.text;
        } else if (strcmp(word.text, "=") == 0) {
            struct derive *formula;
            TRY(derive_parse(line_rest(parser), is_known, parser->block, &parser->layout->arena,
                             &formula, err));
            entry->formula = formula;
        } else if (word.sign) {
            TRY(condition_add(parser, &word, &entry->where, err));
        } else if (is_first && strcmp(word.text, "section") == 0) {
            entry->type = ENTRY_SECTION;
        } else if (is_first && strcmp(word.text, "gap") == 0) {
            entry->type = ENTRY_GAP;
        } else {
            TRY(result = keyword_take(parser, &word, entry, err));
            if (result == 0)
                return err_set(err, ERR_DATA, "'%.60s' means nothing here", word.text);
        }
    }
    return result;
}

/* What does not go together. */
static int entry_check(const struct parser *parser, const struct entry *entry, struct err *err)
{
    bool is_row = parser->block == &parser->table->rows;
    if (entry->type != ENTRY_PLAIN && !is_row)
        return err_set(err, ERR_DATA, "section and gap are for rows");
    if (entry->type == ENTRY_SECTION && (entry->n_labels != 1 || entry->formula))
        return err_set(err, ERR_DATA, "a section has one label and conditions");
    if ((entry->blank || entry->printed) && !is_row)
        return err_set(err, ERR_DATA, "blank and printed are for rows");
    if (entry->formula && (entry->where || entry->fact || entry->each.n > 0 || entry->at ||
                           entry->pick != REDUCE_NONE || entry->show != SHOW_VALUE))
        return err_set(err, ERR_DATA, "a formula takes no condition, fact, each, at, pick or show");
    if (entry->type == ENTRY_PLAIN && entry->n_labels == 0 && entry->each.n == 0 &&
        !entry->is_hidden)
        return err_set(err, ERR_DATA, "a label in quotes is missing, or hidden");
    return 0;
}

static int entry_parse(struct parser *parser, struct err *err)
{
    struct block *block = parser->block;
    if (!block)
        return err_set(err, ERR_DATA, "an indented line belongs below rows or columns");
    struct entry *entry = arena_alloc(&parser->layout->arena, sizeof *entry);
    if (!entry)
        return out_of_memory(err);
    *entry = (struct entry){
        .line = parser->line, .name = "", .pick = REDUCE_NONE, .format = {.digits = -1}};
    TRY(entry_words(parser, entry, err));
    TRY(entry_check(parser, entry, err));
    if (block->last)
        block->last->next = entry;
    else
        block->first = entry;
    block->last = entry;
    block->n++;
    return 0;
}

/* ---- statements ---- */

/* True when some entry of some block of columns bears the name. */
static bool column_is_known(const struct layout_table *table, const char *name)
{
    for (const struct block *block = table->columns; block; block = block->next)
        if (entry_find(block, name))
            return true;
    return false;
}

/* Ends the table that was begun: has it all it needs? */
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
    if (strcmp(text, "format") == 0)
        return format_parse(parser, &table->format, err);
    if (strcmp(text, "x") == 0)
        return format_parse(parser, &table->x_format, err);
    if (strcmp(text, "say") == 0)
        TRY(sayings_parse(parser, err));
    else if (strcmp(text, "weight") == 0)
        return weight_parse(parser, err);
    else if (table == parser->defaults)
        return err_set(err, ERR_DATA,
                       "'%.40s' is none of where, format, x, say, weight and table, with which a "
                       "file begins",
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

void layout_free(struct layout *layout)
{
    arena_free(&layout->arena);
    arena_free(&layout->source);
    *layout = (struct layout){0};
}
