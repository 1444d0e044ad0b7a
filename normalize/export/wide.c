#include "normalize/export/wide.h"

#include <stdlib.h>
#include <string.h>

#include "normalize/each_record.h"
#include "schema/arena.h"
#include "schema/number.h"
#include "schema/output.h"
#include "schema/quote.h"

/* What tells machines apart at a glance. */
static const char default_facts[] =
    "cpu.model,cpu.count.online,memory.total,system.os,system.kernel.version";

enum { FACTS_MAX = 64 };

struct run_facts {
    const char *run;
    const char **values; /* [n_facts], NULL where there is none */
};

struct wide {
    struct output *output;
    struct arena arena;
    const char *facts[FACTS_MAX];
    size_t n_facts;
    struct run_facts *runs; /* [n_runs] in order: facts come before samples, run by run */
    size_t n_runs;
    size_t at; /* the run of the last sample, or where it would be */
    struct buffer line;
};

static int out_of_memory(struct err *err)
{
    return err_set(err, ERR_SYSTEM, "out of memory");
}

static int read_names(struct wide *wide, const char *list, struct err *err)
{
    char *copy = arena_copy(&wide->arena, list, strlen(list));
    if (!copy)
        return out_of_memory(err);
    for (char *rest = copy, *name; (name = strsep(&rest, ","));) {
        if (!*name)
            return err_set(err, ERR_USAGE, "--facts=%s: an empty name", list);
        if (wide->n_facts == FACTS_MAX)
            return err_set(err, ERR_USAGE, "--facts: more than %d names", FACTS_MAX);
        wide->facts[wide->n_facts++] = name;
    }
    return 0;
}

static int put_line(struct wide *wide, struct err *err)
{
    buffer_add_char(&wide->line, '\n');
    if (wide->line.failed)
        return out_of_memory(err);
    return output_write(wide->output, wide->line.bytes, wide->line.size, err);
}

static int put_header(struct wide *wide, struct err *err)
{
    buffer_clear(&wide->line);
    for (int c = COLUMN_run; c < COLUMN_COUNT; c++) {
        if (c > COLUMN_run)
            buffer_add_char(&wide->line, ',');
        buffer_add_text(&wide->line, record_columns[c].name);
    }
    for (size_t i = 0; i < wide->n_facts; i++) {
        buffer_add_char(&wide->line, ',');
        quote_csv(&wide->line, wide->facts[i]);
    }
    return put_line(wide, err);
}

static struct run_facts *run_add(struct wide *wide, const char *run, struct err *err)
{
    if (wide->n_runs > 0 && strcmp(wide->runs[wide->n_runs - 1].run, run) == 0)
        return &wide->runs[wide->n_runs - 1];
    struct run_facts *runs = realloc(wide->runs, (wide->n_runs + 1) * sizeof *runs);
    if (runs)
        wide->runs = runs;
    struct run_facts *added = runs ? &runs[wide->n_runs] : NULL;
    size_t size = wide->n_facts * sizeof *added->values;
    if (added) {
        added->run = arena_copy(&wide->arena, run, strlen(run));
        added->values = arena_alloc(&wide->arena, size);
    }
    if (!added || !added->run || !added->values) {
        out_of_memory(err);
        return NULL;
    }
    memset(added->values, 0, size);
    wide->n_runs++;
    return added;
}

/* True when the fact is what the name asks for. */
static bool is_asked_for(const struct record *fact, const char *name)
{
    size_t size = strcspn(name, "@");
    const char *when = name[size] ? name + size + 1 : "before";
    return strlen(fact->metric) == size && memcmp(fact->metric, name, size) == 0 &&
           (fact->test[0] == '\0' || strcmp(fact->test, when) == 0);
}

/* The first one of a name counts. */
static int keep_fact(struct wide *wide, const struct record *fact, struct err *err)
{
    char number[NUMBER_TEXT_SIZE] = "";
    const char *text = fact->text;
    if (fact->status != STATUS_OK)
        return 0;
    if (RECORD_HAS(fact, value)) {
        number_format(number, fact->value);
        text = number;
    }
    for (size_t i = 0; i < wide->n_facts; i++) {
        if (!is_asked_for(fact, wide->facts[i]))
            continue;
        struct run_facts *run = run_add(wide, fact->run, err);
        if (!run)
            return ERR_SYSTEM;
        if (!run->values[i] && !(run->values[i] = arena_copy(&wide->arena, text, strlen(text))))
            return out_of_memory(err);
    }
    return 0;
}

/* Samples come in the order of their runs, as the facts did; runs without facts lie between. */
static const struct run_facts *run_find(struct wide *wide, const char *run)
{
    for (size_t tried = 0; tried < wide->n_runs; tried++) {
        if (strcmp(wide->runs[wide->at].run, run) == 0)
            return &wide->runs[wide->at];
        wide->at = (wide->at + 1) % wide->n_runs;
    }
    return NULL;
}

static int put_sample(struct wide *wide, const struct record *sample, struct err *err)
{
    struct buffer *line = &wide->line;
    const struct run_facts *run = run_find(wide, sample->run);
    buffer_clear(line);
    record_encode(sample, line);
    if (line->failed)
        return out_of_memory(err);
    /* Without schema and kind, which hold no commas, and the LF. */
    size_t skipped = (size_t)(strchr(strchr(line->bytes, ',') + 1, ',') + 1 - line->bytes);
    line->size -= skipped + 1;
    memmove(line->bytes, line->bytes + skipped, line->size);
    for (size_t i = 0; i < wide->n_facts; i++) {
        buffer_add_char(line, ',');
        quote_csv(line, run && run->values[i] ? run->values[i] : "");
    }
    return put_line(wide, err);
}

static int put_record(void *context, const struct record *record, struct err *err)
{
    struct wide *wide = context;
    return record->kind == KIND_FACT ? keep_fact(wide, record, err) : put_sample(wide, record, err);
}

static int write_all(struct wide *wide, const struct arguments *arguments, struct err *err)
{
    const char *list = argument_value(arguments, "facts");
    TRY(read_names(wide, list ? list : default_facts, err));
    TRY(put_header(wide, err));
    return each_record(arguments->operands, arguments->n_operands, put_record, wide, err);
}

int wide_export(const struct arguments *arguments, const char *output, struct err *err)
{
    struct wide wide = {0};
    TRY(output_open(&wide.output, output ? output : "-", err));
    int result = output_wait(wide.output, NULL, err);
    if (result == 0)
        result = write_all(&wide, arguments, err);
    arena_free(&wide.arena);
    free(wide.runs);
    buffer_free(&wide.line);
    if (result == 0)
        return output_commit(wide.output, err);
    output_discard(wide.output);
    return result;
}
