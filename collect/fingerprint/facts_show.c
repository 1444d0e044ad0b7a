#include "collect/fingerprint/facts_show.h"

#include <stdio.h>
#include <string.h>

#include "collect/fingerprint/facts_block.h"
#include "schema/columns.h"
#include "schema/number.h"
#include "schema/quote.h"
#include "schema/unit.h"

enum { PAGE_WIDTH = 100, LABEL_INDENT = 2, LABEL_WIDTH = 24 };

/* The groups in the order of the page, by the part of a name before the first point. Names that no
 * group has come last. */
static const struct {
    const char *key, *title;
} groups[] = {
    {"machine", "Machine"},       {"cpu", "Processor"},   {"cache", "Caches"},
    {"memory", "Memory"},         {"swap", "Swap"},       {"disk", "Disk under test"},
    {"gpu", "Graphics"},          {"system", "System"},   {"mitigation", "Mitigations"},
    {"build", "Program"},         {"virtual", "Virtualisation"},
    {"limit", "Limits"},          {"clock", "Clock"},     {"load", "Load"},
    {"pressure", "Pressure, share of time that somebody waited"},
    {"heat", "Heat"},             {"power", "Power"},     {"config", "Configuration"},
};
enum { GROUPS = sizeof groups / sizeof groups[0] };

static bool is_shown(const struct fact *fact, bool redact)
{
    return !(redact && fact->is_private);
}

/* Place of the name's group in the table, GROUPS when it has none. */
static size_t group_of(const char *name)
{
    size_t size = strcspn(name, ".");
    for (size_t i = 0; i < GROUPS; i++)
        if (strlen(groups[i].key) == size && memcmp(groups[i].key, name, size) == 0)
            return i;
    return GROUPS;
}

/* Four digits, no zeros at their end, no exponent in the range that prefixes leave. */
static void add_digits(double value, struct buffer *out)
{
    double size = value < 0 ? -value : value;
    int decimals = size >= 1000 ? 0 : size >= 100 ? 1 : size >= 10 ? 2 : 3;
    char text[64];
    snprintf(text, sizeof text, "%.*f", decimals, value);
    size_t end = strlen(text);
    if (strchr(text, '.')) {
        while (text[end - 1] == '0')
            end--;
        end -= text[end - 1] == '.';
    }
    buffer_add(out, text, end);
}

static void add_scaled(double value, const char *unit, struct buffer *out)
{
    static const char *const binary[] = {"", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei"};
    static const char *const up[] = {"", "k", "M", "G", "T", "P", "E"};
    static const char *const down[] = {"", "m", "u", "n", "p"};
    const struct unit *known = unit_find(unit);
    size_t step = 0;
    if (strcmp(unit, "1") == 0) {
        if (value == (double)(long long)value && value < 1e15 && value > -1e15)
            buffer_add_format(out, "%lld", (long long)value);
        else
            add_digits(value, out);
        return;
    }
    const char *prefix = "";
    if (known && known->scale == SCALE_BINARY) {
        for (; value >= 1024 && step < 6; value /= 1024)
            step++;
        prefix = binary[step];
    } else if (known && known->scale == SCALE_SI && strcmp(unit, "s") == 0) {
        /* Seconds have no larger prefix that people use. */
        for (; value > 0 && value < 0.9999 && step < 4; value *= 1000)
            step++;
        prefix = down[step];
    } else if (known && known->scale == SCALE_SI) {
        for (; value >= 1000 && step < 6; value /= 1000)
            step++;
        prefix = up[step];
    }
    add_digits(value, out);
    /* "G/s", not "G1/s" */
    buffer_add_format(out, " %s%s", prefix, strncmp(unit, "1/", 2) == 0 ? unit + 1 : unit);
}

/* True when an earlier fact is of the same name: it is shown there. */
static bool is_shown_above(const struct facts *facts, size_t at)
{
    for (size_t i = 0; i < at; i++)
        if (facts->facts[i].is_known && strcmp(facts->facts[i].name, facts->facts[at].name) == 0)
            return true;
    return false;
}

static bool has_second_source(const struct facts *facts, const struct fact *fact)
{
    size_t n = 0;
    for (size_t i = 0; i < facts->n; i++)
        n += strcmp(facts->facts[i].name, fact->name) == 0;
    return n > 1;
}

/* A text behind an indent that the first line has already, broken at blanks. */
static void add_wrapped(const char *text, size_t indent, struct buffer *out)
{
    size_t width = PAGE_WIDTH - indent;
    for (;;) {
        size_t size = strlen(text);
        if (size > width) {
            size = width;
            while (size > 0 && text[size] != ' ')
                size--;
            if (size == 0) { /* one long word: broken, but not inside a character */
                size = width;
                while (((unsigned char)text[size] & 0xc0) == 0x80)
                    size--;
            }
        }
        buffer_add(out, text, size);
        buffer_add_char(out, '\n');
        text += size;
        while (*text == ' ')
            text++;
        if (*text == '\0')
            return;
        buffer_add_format(out, "%*s", (int)indent, "");
    }
}

/* "clock max" of cpu.clock.max. */
static void add_words(const char *name, struct buffer *out)
{
    const char *label = name + strcspn(name, ".");
    for (label += *label == '.'; *label; label++)
        buffer_add_char(out, *label == '.' || *label == '_' ? ' ' : *label);
}

static void show_line(const char *label, const char *text, struct buffer *out)
{
    size_t start = out->size;
    buffer_add_format(out, "%*s%-*s ", LABEL_INDENT, "", LABEL_WIDTH - 1, label);
    add_wrapped(text, out->size - start, out);
}

static void show_fact(const struct facts *facts, const struct fact *fact, struct buffer *out)
{
    struct buffer label = {0}, text = {0};
    add_words(fact->name, &label);
    if (fact->has_value)
        add_scaled(fact->value, fact->unit, &text);
    else
        buffer_add_text(&text, fact->text);
    if (has_second_source(facts, fact))
        buffer_add_format(&text, " (%s)", fact->source);
    show_line(buffer_text(&label), buffer_text(&text), out);
    buffer_free(&label);
    buffer_free(&text);
}

/* A fact and those of its name behind it, which other sources gave. */
static void show_facts(const struct facts *facts, size_t at, struct buffer *out)
{
    for (size_t i = at; i < facts->n; i++)
        if (facts->facts[i].is_known && strcmp(facts->facts[i].name, facts->facts[at].name) == 0)
            show_fact(facts, &facts->facts[i], out);
}

/* What is not known, in one entry for one reason: the names from `first` on. */
static void show_unknown(const struct facts *facts, size_t first, size_t group, struct buffer *out)
{
    struct buffer text = {0};
    const char *reason = facts->facts[first].text;
    for (size_t i = first; i < facts->n; i++) {
        const struct fact *fact = &facts->facts[i];
        if (fact->is_known || group_of(fact->name) != group || strcmp(fact->text, reason) != 0)
            continue;
        if (text.size > 0)
            buffer_add_text(&text, ", ");
        add_words(fact->name, &text);
    }
    /* "not applicable: a number of x86 processors" */
    bool applies = strncmp(reason, "not applicable: ", 16) != 0;
    buffer_add_format(&text, " (%s)", applies ? reason : reason + 16);
    show_line(applies ? "not known" : "does not apply", buffer_text(&text), out);
    buffer_free(&text);
}

/* True when an earlier fact of the group is unknown for the same reason. */
static bool is_shown_before(const struct facts *facts, size_t at, size_t group)
{
    for (size_t i = 0; i < at; i++)
        if (!facts->facts[i].is_known && group_of(facts->facts[i].name) == group &&
            strcmp(facts->facts[i].text, facts->facts[at].text) == 0)
            return true;
    return false;
}

static void show_group(const struct facts *facts, size_t group, bool redact, struct buffer *out)
{
    bool is_open = false;
    for (int known = 1; known >= 0; known--) {
        for (size_t i = 0; i < facts->n; i++) {
            const struct fact *fact = &facts->facts[i];
            if (group_of(fact->name) != group || !is_shown(fact, redact) ||
                fact->is_known != (known == 1))
                continue;
            if (!is_open)
                buffer_add_format(out, "\n%s\n", group < GROUPS ? groups[group].title : "Other");
            is_open = true;
            if (fact->is_known && !is_shown_above(facts, i))
                show_facts(facts, i, out);
            else if (fact->is_known)
                continue;
            else if (!is_shown_before(facts, i, group))
                show_unknown(facts, i, group, out);
        }
    }
}

static void show_groups(const struct facts *facts, bool redact, struct buffer *out)
{
    for (size_t group = 0; group <= GROUPS; group++)
        show_group(facts, group, redact, out);
}

static void show_block(const struct facts *identity, const struct facts *state, struct buffer *out)
{
    struct buffer block = {0};
    char *rest = NULL;
    facts_block(identity, state, &block);
    for (char *line = block.size > 0 ? strtok_r(block.bytes, "\n", &rest) : NULL; line;
         line = strtok_r(NULL, "\n", &rest))
        add_wrapped(line, 0, out);
    buffer_free(&block);
}

void facts_show_text(const struct facts *identity, const struct facts *state, bool redact,
                     struct buffer *out)
{
    show_block(identity, state, out);
    show_groups(identity, redact, out);
    buffer_add_text(out, "\n---- at this moment ----\n");
    show_groups(state, redact, out);
}

static void add_json_member(const char *key, const char *text, struct buffer *out)
{
    buffer_add_format(out, "\"%s\": ", key);
    quote_json(out, text);
}

static void add_json_fact(const struct fact *fact, struct buffer *out)
{
    buffer_add_text(out, "    {");
    add_json_member("name", fact->name, out);
    buffer_add_text(out, ", ");
    add_json_member("class", fact->class == FACT_STATE ? "state" : "identity", out);
    buffer_add_text(out, ", ");
    add_json_member("status", fact->is_known ? "ok" : "unknown", out);
    buffer_add_text(out, ", ");
    if (fact->has_value) {
        char value[NUMBER_TEXT_SIZE];
        number_format(value, fact->value);
        buffer_add_format(out, "\"value\": %s, ", value);
        add_json_member("unit", fact->unit, out);
    } else {
        add_json_member("text", fact->text, out);
    }
    buffer_add_text(out, ", ");
    add_json_member("source", fact->source, out);
    buffer_add_char(out, '}');
}

static void add_json_facts(const struct facts *facts, bool redact, bool *is_first,
                           struct buffer *out)
{
    for (size_t i = 0; i < facts->n; i++) {
        if (!is_shown(&facts->facts[i], redact))
            continue;
        if (!*is_first)
            buffer_add_text(out, ",\n");
        *is_first = false;
        add_json_fact(&facts->facts[i], out);
    }
}

void facts_show_json(const struct facts *identity, const struct facts *state, bool redact,
                     const struct run_identity *who, struct buffer *out)
{
    buffer_add_format(out, "{\n  \"schema\": %d,\n  ", SCHEMA_VERSION);
    add_json_member("run", who->run, out);
    buffer_add_text(out, ",\n  ");
    add_json_member("machine", who->machine, out);
    buffer_add_text(out, ",\n  ");
    add_json_member("time", who->time, out);
    buffer_add_text(out, ",\n  \"facts\": [\n");
    bool is_first = true;
    add_json_facts(identity, redact, &is_first, out);
    add_json_facts(state, redact, &is_first, out);
    buffer_add_text(out, "\n  ]\n}\n");
}
