#include "report/layout/layout_parser.h"

#include <math.h>
#include <string.h>

#include "schema/number.h"

enum { HEADS_MAX = 16, DIGITS_MAX = 17 };

static int out_of_memory(struct err *err)
{
    return err_set(err, ERR_SYSTEM, "out of memory");
}

/* ---- fields and conditions ---- */

static struct field field_of(struct parser *parser, const char *name)
{
    static const struct {
        const char *name;
        enum field_type type;
    } columns[] = {{"kernel", FIELD_KERNEL},   {"revision", FIELD_REVISION}, {"metric", FIELD_METRIC},
                   {"test", FIELD_TEST},       {"x", FIELD_X},               {"threads", FIELD_THREADS},
                   {"machine", FIELD_MACHINE}, {"variant", FIELD_VARIANT},   {"run", FIELD_RUN},
                   {"region", FIELD_REGION}};
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
                         struct condition **list, struct err *err)
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
                                .field = field_of(parser, word->text)};
    /* In the order written, so that cheap conditions can be written first; but the tables of a file
     * share the tail of their lists, what stands above the first table. */
    while (*list && list != &parser->table->where)
        list = &(*list)->next;
    added->next = *list;
    *list = added;
    bool is_number = added->field.type == FIELD_X || added->field.type == FIELD_THREADS ||
                     added->field.type == FIELD_REVISION;
    if (is_number)
        return quantity_parse(value, &added->number, err);
    if (type >= CONDITION_AT_LEAST)
        return err_set(err, ERR_DATA, "%s is no number: it takes = and != alone", word->text);
    return condition_words(parser, value, added, err);
}

int conditions_parse(struct parser *parser, struct condition **list, struct err *err)
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

int format_parse(struct parser *parser, struct format *format, struct err *err)
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

const struct entry *entry_find(const struct block *block, const char *name)
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

/* What the formula of an entry with `over` is made from. */
static bool is_known_relation(void *context, const char *name)
{
    (void)context;
    return strcmp(name, "this") == 0 || strcmp(name, "base") == 0;
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

/* The list of fields behind `each` or `over`. */
static int fields_take(struct parser *parser, const char *keyword, struct fields *fields,
                       struct err *err)
{
    struct named_text *names = NULL;
    TRY(names_take(parser, keyword, &names, err));
    for (; names; names = names->next) {
        if (fields->n == FIELDS_MAX)
            return err_set(err, ERR_DATA, "more than %d words behind %s", FIELDS_MAX, keyword);
        fields->list[fields->n++] = field_of(parser, names->name);
    }
    return 0;
}

/* The rest of the line as the formula of the entry. */
static int formula_take(struct parser *parser, struct entry *entry, const char *text, struct err *err)
{
    struct derive *formula;
    bool is_relation = entry->over.n > 0;
    TRY(derive_parse(text, is_relation ? is_known_relation : is_known, parser->block,
                     &parser->layout->arena, &formula, err));
    *(is_relation ? &entry->relation : &entry->formula) = formula;
    return 0;
}

static int show_take(struct parser *parser, struct entry *entry, struct err *err)
{
    static const char *const words[] = {"value", "x", "iterations", "samples", "elapsed"};
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
        TRY(fields_take(parser, text, &entry->each, err));
    } else if (strcmp(text, "over") == 0) {
        TRY(fields_take(parser, text, &entry->over, err));
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
            TRY(formula_take(parser, entry, line_rest(parser), err));
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

static bool has_fields(const struct fields *fields, const struct fields *wanted)
{
    for (size_t i = 0; i < wanted->n; i++)
        if (!fields_have(fields, &wanted->list[i]))
            return false;
    return true;
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
    if (!has_fields(&entry->each, &entry->over))
        return err_set(err, ERR_DATA, "over takes what each names in the same line");
    if (entry->over.n > 0 && (entry->without || entry->at || entry->show != SHOW_VALUE))
        return err_set(err, ERR_DATA, "over goes with no without, at or show");
    if (entry->type == ENTRY_PLAIN && entry->n_labels == 0 && entry->each.n == 0 &&
        !entry->is_hidden)
        return err_set(err, ERR_DATA, "a label in quotes is missing, or hidden");
    return 0;
}

int entry_parse(struct parser *parser, struct err *err)
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
    if (entry->over.n > 0 && !entry->relation)
        TRY(formula_take(parser, entry, "this / base", err));
    TRY(entry_check(parser, entry, err));
    if (block->last)
        block->last->next = entry;
    else
        block->first = entry;
    block->last = entry;
    block->n++;
    return 0;
}
