#include "collect/fingerprint/facts.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "schema/params.h"
#include "schema/text.h"

enum { FACT_TEXT_MAX = 1024, FACTS_FIRST_CAPACITY = 128 };

void facts_free(struct facts *facts)
{
    free(facts->facts);
    arena_free(&facts->arena);
    *facts = (struct facts){0};
}

/* A cleaned copy in the arena; "" (and failed) when memory is out. */
static const char *keep(struct facts *facts, const char *text)
{
    struct buffer clean = {0};
    text_clean(text, strlen(text), FACT_TEXT_MAX, &clean);
    const char *copy = arena_copy(&facts->arena, buffer_text(&clean), clean.size);
    if (!copy || clean.failed)
        facts->failed = true;
    buffer_free(&clean);
    return copy ? copy : "";
}

/* A new fact with name and source set, or NULL when memory is out. */
static struct fact *append(struct facts *facts, const char *name, const char *source)
{
    if (facts->n == facts->capacity) {
        size_t capacity = facts->capacity ? 2 * facts->capacity : FACTS_FIRST_CAPACITY;
        struct fact *grown = capacity > SIZE_MAX / sizeof *grown
                                 ? NULL
                                 : realloc(facts->facts, capacity * sizeof *grown);
        if (!grown) {
            facts->failed = true;
            return NULL;
        }
        facts->facts = grown;
        facts->capacity = capacity;
    }
    struct fact *fact = &facts->facts[facts->n];
    *fact = (struct fact){.name = keep(facts, name),
                          .source = keep(facts, source),
                          .class = facts->class,
                          .unit = "",
                          .text = ""};
    facts->n++;
    return fact;
}

void facts_add_number(struct facts *facts, const char *name, double value, const char *unit,
                      const char *source)
{
    if (!isfinite(value)) {
        facts_add_unknown(facts, name, source, "implausible: no finite number");
        return;
    }
    struct fact *fact = append(facts, name, source);
    if (!fact)
        return;
    fact->is_known = true;
    fact->has_value = true;
    fact->value = value;
    fact->unit = keep(facts, unit);
}

static void add_text(struct facts *facts, const char *name, const char *text, const char *source,
                     bool is_private)
{
    struct fact *fact = append(facts, name, source);
    if (!fact)
        return;
    fact->is_private = is_private;
    fact->text = keep(facts, text);
    fact->is_known = fact->text[0] != '\0';
    if (!fact->is_known)
        fact->text = "absent: it is empty";
}

void facts_add_text(struct facts *facts, const char *name, const char *text, const char *source)
{
    add_text(facts, name, text, source, false);
}

void facts_add_private(struct facts *facts, const char *name, const char *text, const char *source)
{
    add_text(facts, name, text, source, true);
}

void facts_add_unknown(struct facts *facts, const char *name, const char *source, const char *why,
                       ...)
{
    char text[FACT_TEXT_MAX];
    va_list args;
    va_start(args, why);
    vsnprintf(text, sizeof text, why, args);
    va_end(args);
    struct fact *fact = append(facts, name, source);
    if (fact)
        fact->text = keep(facts, text);
}

const struct fact *facts_find(const struct facts *facts, const char *name)
{
    for (size_t i = 0; i < facts->n; i++)
        if (facts->facts[i].is_known && strcmp(facts->facts[i].name, name) == 0)
            return &facts->facts[i];
    return NULL;
}

uint64_t facts_number(const struct facts *facts, const char *name)
{
    const struct fact *fact = facts_find(facts, name);
    /* 2^64 as a double; from there on the conversion is undefined. */
    if (!fact || !fact->has_value || fact->value < 0 || fact->value >= 18446744073709551616.0)
        return 0;
    return (uint64_t)fact->value;
}

static int write_fact(const struct fact *fact, const char *when,
                      const struct run_identity *identity, struct buffer *params,
                      struct writer *writer, struct err *err)
{
    buffer_clear(params);
    struct param source = {"source", fact->source};
    params_format(&source, 1, params);
    if (params->failed)
        return err_set(err, ERR_SYSTEM, "out of memory");
    struct record record = record_new(KIND_FACT);
    record.run = identity->run;
    record.machine = identity->machine;
    record.time = identity->time;
    record.test = when;
    record.params = buffer_text(params);
    record.metric = fact->name;
    record.text = fact->text;
    if (fact->has_value) {
        RECORD_SET(&record, value, fact->value);
        record.unit = fact->unit;
    }
    record.status = fact->is_known ? STATUS_OK : STATUS_UNKNOWN;
    if (writer_record(writer, &record, err) < 0)
        return err_wrap(err, "fact %s", fact->name);
    return 0;
}

int facts_write(const struct facts *facts, enum fact_class class, const char *when, bool redact,
                const struct run_identity *identity, struct writer *writer, struct err *err)
{
    if (facts->failed)
        return err_set(err, ERR_SYSTEM, "out of memory");
    struct buffer params = {0};
    int result = 0;
    for (size_t i = 0; i < facts->n && result == 0; i++) {
        const struct fact *fact = &facts->facts[i];
        if (fact->class == class && !(redact && fact->is_private))
            result = write_fact(fact, when, identity, &params, writer, err);
    }
    buffer_free(&params);
    return result;
}
