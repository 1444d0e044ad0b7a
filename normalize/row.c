#include "normalize/row.h"

static char *put(char *to, const char *from, size_t size)
{
    memcpy(to, from, size);
    return to + size;
}

void row_pack(struct row *out, const struct canonical *c, uint32_t rank, uint64_t line)
{
    uint32_t run_size = c->machine - c->kind;
    uint32_t test_size = c->value - c->kernel;
    uint32_t time_size = c->kernel - c->time;
    out->line = line;
    out->rank = rank;
    out->size = c->size;
    out->run_end = run_size;
    out->time_at = run_size + test_size;
    out->tail_at = out->time_at + time_size;
    out->value_at = out->tail_at + c->kind + (c->time - c->machine);
    out->shared = out->unused = 0;
    char *to = put(out->text, c->line + c->kind, run_size);
    to = put(to, c->line + c->kernel, test_size);
    to = put(to, c->line + c->time, time_size);
    to = put(to, c->line, c->kind);
    to = put(to, c->line + c->machine, c->time - c->machine);
    put(to, c->line + c->value, c->size - c->value);
}

void row_unpack(const struct row *row, char *out)
{
    const char *tail = row->text + row->tail_at;
    /* The first column is a number and never quoted; it has one digit. */
    uint32_t schema_size = 1;
    while (tail[schema_size - 1] != ',')
        schema_size++;
    out = put(out, tail, schema_size);
    out = put(out, row->text, row->run_end);
    out = put(out, tail + schema_size, row->value_at - row->tail_at - schema_size);
    out = put(out, row->text + row->time_at, row->tail_at - row->time_at);
    out = put(out, row->text + row->run_end, row->time_at - row->run_end);
    put(out, row->text + row->value_at, row->size - row->value_at);
}
