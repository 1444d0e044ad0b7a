#include "schema/canonical.h"

#include <string.h>

#include "schema/record.h"

/* Where the field at `from` ends: at a comma outside of quotes, or before the LF. A doubled quote
 * closes and opens again, so that counting is enough. */
static size_t field_end(const char *line, size_t size, size_t from)
{
    bool is_quoted = false;
    size_t at = from;
    for (; at < size && (is_quoted || (line[at] != ',' && line[at] != '\n')); at++)
        is_quoted ^= line[at] == '"';
    return at;
}

bool canonical_split(struct canonical *out, const char *line, size_t size)
{
    uint32_t starts[COLUMN_COUNT];
    if (size > UINT32_MAX)
        return false;
    size_t at = 0;
    for (int c = 0; c < COLUMN_COUNT; c++) {
        starts[c] = (uint32_t)at;
        at = field_end(line, size, at);
        if (at == size || line[at] != (c + 1 < COLUMN_COUNT ? ',' : '\n'))
            return false;
        at++;
    }
    *out = (struct canonical){
        .line = line,
        .size = (uint32_t)size,
        .kind = starts[COLUMN_kind],
        .machine = starts[COLUMN_machine],
        .time = starts[COLUMN_time],
        .kernel = starts[COLUMN_kernel],
        .value = starts[COLUMN_value],
    };
    return at == size;
}

static int compare_bytes(const char *a, size_t a_size, const char *b, size_t b_size)
{
    int order = memcmp(a, b, a_size < b_size ? a_size : b_size);
    return order ? order : (a_size > b_size) - (a_size < b_size);
}

static int compare_part(const struct canonical *a, uint32_t a_from, uint32_t a_to,
                        const struct canonical *b, uint32_t b_from, uint32_t b_to)
{
    return compare_bytes(a->line + a_from, a_to - a_from, b->line + b_from, b_to - b_from);
}

static int compare_identity(const struct canonical *a, const struct canonical *b)
{
    int order = compare_part(a, a->kind, a->machine, b, b->kind, b->machine);
    return order ? order : compare_part(a, a->kernel, a->value, b, b->kernel, b->value);
}

static int compare_time(const struct canonical *a, const struct canonical *b)
{
    return compare_part(a, a->time, a->kernel, b, b->time, b->kernel);
}

int canonical_compare(const struct canonical *a, const struct canonical *b)
{
    int order = compare_identity(a, b);
    order = order ? order : compare_time(a, b);
    return order ? order : compare_bytes(a->line, a->size, b->line, b->size);
}

bool canonical_is_same_record(const struct canonical *a, const struct canonical *b)
{
    bool is_sample = a->line[a->kind] == 's';
    return compare_identity(a, b) == 0 && (is_sample || compare_time(a, b) == 0);
}

const char *canonical_field(const struct canonical *row, enum column column, size_t *size)
{
    size_t from = 0;
    for (unsigned c = 0; c < column; c++)
        from = field_end(row->line, row->size, from) + 1;
    *size = field_end(row->line, row->size, from) - from;
    return row->line + from;
}

static void add_field(const struct canonical *row, enum column column, struct buffer *out)
{
    enum { SHOWN = 40 };
    size_t size;
    const char *field = canonical_field(row, column, &size);
    buffer_add(out, field, size < SHOWN ? size : SHOWN);
    buffer_add_text(out, size > SHOWN ? "..." : size == 0 ? "empty" : "");
}

void canonical_add_difference(const struct canonical *a, const struct canonical *b,
                              struct buffer *out)
{
    for (enum column c = 0; c < COLUMN_COUNT; c++) {
        size_t a_size, b_size;
        const char *a_field = canonical_field(a, c, &a_size);
        const char *b_field = canonical_field(b, c, &b_size);
        if (a_size == b_size && memcmp(a_field, b_field, a_size) == 0)
            continue;
        buffer_add_format(out, "%s is ", record_columns[c].name);
        add_field(a, c, out);
        buffer_add_text(out, " here and ");
        add_field(b, c, out);
        buffer_add_text(out, " there");
        return;
    }
}
