#include "normalize/conflicts.h"

#include <stdlib.h>
#include <string.h>

void conflicts_clear(struct conflicts *conflicts)
{
    conflicts->n_duplicates = 0;
    buffer_clear(&conflicts->found);
    buffer_clear(&conflicts->before);
    buffer_clear(&conflicts->lines);
}

void conflicts_free(struct conflicts *conflicts)
{
    buffer_free(&conflicts->found);
    buffer_free(&conflicts->before);
    buffer_free(&conflicts->lines);
}

static int out_of_memory(struct err *err)
{
    return err_set(err, ERR_SYSTEM, "out of memory");
}

static uint64_t line_at(const struct buffer *lines, size_t at)
{
    uint64_t line;
    memcpy(&line, lines->bytes + at, sizeof line);
    return line;
}

/* The rows of a record are complete: all contents but the earliest contradict that. */
static int group_end(struct conflicts *conflicts, struct err *err)
{
    struct buffer *lines = &conflicts->lines;
    if (lines->size > sizeof(uint64_t)) {
        uint64_t first = UINT64_MAX;
        for (size_t at = 0; at < lines->size; at += sizeof first)
            first = line_at(lines, at) < first ? line_at(lines, at) : first;
        for (size_t at = 0; at < lines->size; at += sizeof first) {
            struct conflict conflict = {.line = line_at(lines, at), .other_line = first};
            if (conflict.line != first)
                buffer_add(&conflicts->found, &conflict, sizeof conflict);
        }
    }
    buffer_clear(lines);
    return conflicts->found.failed ? out_of_memory(err) : 0;
}

int conflicts_add(struct conflicts *conflicts, const struct row *row, struct err *err)
{
    if (conflicts->before.size > 0) {
        const struct row *before = (const struct row *)(const void *)conflicts->before.bytes;
        int order = row_compare_texts(before, row);
        if (order > 0)
            return 0;
        if (order == 0) {
            conflicts->n_duplicates++;
            return 1;
        }
        if (!row_is_same_record(before, row))
            TRY(group_end(conflicts, err));
    }
    buffer_add(&conflicts->lines, &row->line, sizeof row->line);
    buffer_clear(&conflicts->before);
    buffer_add(&conflicts->before, row, sizeof *row + row->size);
    return conflicts->lines.failed || conflicts->before.failed ? out_of_memory(err) : 1;
}

static int compare_lines(const void *a, const void *b)
{
    const struct conflict *x = a, *y = b;
    return (x->line > y->line) - (x->line < y->line);
}

int conflicts_end(struct conflicts *conflicts, struct err *err)
{
    TRY(group_end(conflicts, err));
    if (conflicts->found.size > 0)
        qsort(conflicts->found.bytes, conflicts_count(conflicts), sizeof(struct conflict),
              compare_lines);
    return 0;
}

size_t conflicts_count(const struct conflicts *conflicts)
{
    return conflicts->found.size / sizeof(struct conflict);
}

struct conflict conflicts_at(const struct conflicts *conflicts, size_t i)
{
    struct conflict conflict;
    memcpy(&conflict, conflicts->found.bytes + i * sizeof conflict, sizeof conflict);
    return conflict;
}
