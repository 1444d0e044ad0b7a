#include "schema/plain.h"

#include <string.h>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include "schema/number.h"
#include "schema/params.h"
#include "schema/record.h"
#include "schema/text.h"
#include "schema/unit.h"

_Static_assert(SCHEMA_VERSION == 1, "the first column is compared with \"1\"");

/* ---- where the fields end ---- */

/* One that is neither a quote nor a control character nor part of a longer sequence. */
static bool is_easy(unsigned char c)
{
    return c >= 0x20 && c < 0x80 && c != '"';
}

#ifdef __SSE2__

/* Of the 16 bytes at p, a bit each: the commas, and what is not easy. */
static void look(const char *p, unsigned *commas, unsigned *others)
{
    __m128i bytes = _mm_loadu_si128((const __m128i *)(const void *)p);
    *commas = (unsigned)_mm_movemask_epi8(_mm_cmpeq_epi8(bytes, _mm_set1_epi8(',')));
    /* As signed bytes, those from 0x80 are below 0x20 too. */
    __m128i low = _mm_cmplt_epi8(bytes, _mm_set1_epi8(0x20));
    __m128i quotes = _mm_cmpeq_epi8(bytes, _mm_set1_epi8('"'));
    *others = (unsigned)_mm_movemask_epi8(_mm_or_si128(low, quotes));
}

#else

static void look(const char *p, unsigned *commas, unsigned *others)
{
    *commas = *others = 0;
    for (unsigned i = 0; i < 16; i++) {
        *commas |= (unsigned)(p[i] == ',') << i;
        *others |= (unsigned)!is_easy((unsigned char)p[i]) << i;
    }
}

#endif

/* ends: [COLUMN_COUNT] where the comma or LF behind each field is. False when the row is not plain
 * or not whole. */
static bool find_ends(const char *bytes, size_t size, uint32_t ends[static COLUMN_COUNT])
{
    unsigned n = 0;
    size_t limit = size < RECORD_FIELD_MAX ? size : RECORD_FIELD_MAX;
    for (size_t at = 0; at + 16 <= limit; at += 16) {
        unsigned commas, others;
        look(bytes + at, &commas, &others);
        unsigned before = others ? (others & -others) - 1 : ~0U; /* the bits below the lowest one */
        for (commas &= before; commas; commas &= commas - 1) {
            if (n == COLUMN_COUNT - 1)
                return false;
            ends[n++] = (uint32_t)at + (uint32_t)__builtin_ctz(commas);
        }
        if (others) {
            size_t end = at + (size_t)__builtin_ctz(others);
            ends[COLUMN_COUNT - 1] = (uint32_t)end;
            return n == COLUMN_COUNT - 1 && bytes[end] == '\n';
        }
    }
    /* The last bytes of a block. */
    for (size_t at = limit - limit % 16; at < limit; at++) {
        if (bytes[at] == ',' && n < COLUMN_COUNT - 1)
            ends[n++] = (uint32_t)at;
        else if (bytes[at] == '\n' && n == COLUMN_COUNT - 1) {
            ends[n] = (uint32_t)at;
            return true;
        } else if (bytes[at] == ',' || !is_easy((unsigned char)bytes[at]))
            return false;
    }
    return false;
}

/* ---- what is in them ---- */

struct fields {
    const char *line;
    const uint32_t *ends;
};

static const char *field_at(const struct fields *fields, enum column column, size_t *size)
{
    uint32_t start = column == 0 ? 0 : fields->ends[column - 1] + 1;
    *size = fields->ends[column] - start;
    return fields->line + start;
}

/* The columns from..to as one piece are those of the row before. */
static bool is_as_before(const struct plain *plain, const struct fields *fields, enum column from,
                         enum column to)
{
    if (!plain->line)
        return false;
    const struct fields before = {plain->line, plain->ends};
    size_t first, before_first;
    const char *a = field_at(fields, from, &first), *b = field_at(&before, from, &before_first);
    size_t size = (size_t)(fields->line + fields->ends[to] - a);
    return size == (size_t)(plain->line + plain->ends[to] - b) && memcmp(a, b, size) == 0;
}

static bool is_text(const struct fields *fields, enum column column, const char *text)
{
    size_t size;
    const char *field = field_at(fields, column, &size);
    return size == strlen(text) && memcmp(field, text, size) == 0;
}

/* A blank at an edge would be quoted. */
static bool has_blank_edge(const struct fields *fields, enum column column)
{
    size_t size;
    const char *field = field_at(fields, column, &size);
    return size > 0 && (field[0] == ' ' || field[size - 1] == ' ');
}

static bool is_some_text(const struct fields *fields, enum column column)
{
    size_t size;
    field_at(fields, column, &size);
    return size > 0 && !has_blank_edge(fields, column);
}

enum { COPY_SIZE = 256 };

/* The field as a string; false when it is longer than any sensible one. */
static bool copy_field(const struct fields *fields, enum column column, char out[static COPY_SIZE])
{
    size_t size;
    const char *field = field_at(fields, column, &size);
    if (size >= COPY_SIZE)
        return false;
    memcpy(out, field, size);
    out[size] = '\0';
    return true;
}

static bool is_count(const struct fields *fields, enum column column, uint64_t *out)
{
    size_t size;
    const char *field = field_at(fields, column, &size);
    return number_parse_count(field, size, out);
}

static bool is_count_or_empty(const struct fields *fields, enum column column)
{
    size_t size;
    uint64_t ignored;
    field_at(fields, column, &size);
    return size == 0 || is_count(fields, column, &ignored);
}

static bool is_number(const struct fields *fields, enum column column)
{
    size_t size;
    const char *field = field_at(fields, column, &size);
    return number_is_canonical(field, size);
}

static bool is_kernel(const struct fields *fields)
{
    size_t size;
    const char *field = field_at(fields, COLUMN_kernel, &size);
    for (size_t i = 0; i < size; i++) {
        char c = field[i];
        if (!(c >= 'a' && c <= 'z') && !(c >= '0' && c <= '9') && c != '_')
            return false;
    }
    return size > 0;
}

static bool is_time(const struct fields *fields)
{
    char text[COPY_SIZE];
    return copy_field(fields, COLUMN_time, text) && text_is_time(text);
}

static bool is_unit(const struct fields *fields, enum column column)
{
    char text[COPY_SIZE];
    return copy_field(fields, column, text) && unit_find(text);
}

static bool are_params(const struct fields *fields)
{
    char text[COPY_SIZE];
    return copy_field(fields, COLUMN_params, text) && !params_check(text) &&
           !has_blank_edge(fields, COLUMN_params);
}

static bool is_metric_in_unit(const struct fields *fields)
{
    char name[COPY_SIZE], unit[COPY_SIZE];
    if (!copy_field(fields, COLUMN_metric, name) || !copy_field(fields, COLUMN_unit, unit))
        return false;
    const struct metric *metric = metric_find(name);
    return metric && unit_find(unit) && metric_has_unit(metric, unit);
}

static bool is_good_run(const struct plain *plain, const struct fields *fields)
{
    return is_as_before(plain, fields, COLUMN_schema, COLUMN_time) ||
           (is_text(fields, COLUMN_schema, "1") && is_text(fields, COLUMN_kind, "sample") &&
            is_some_text(fields, COLUMN_run) && is_some_text(fields, COLUMN_machine) &&
            is_time(fields));
}

static bool is_good_test(const struct plain *plain, const struct fields *fields)
{
    uint64_t revision, threads;
    return is_as_before(plain, fields, COLUMN_kernel, COLUMN_threads) ||
           (is_kernel(fields) && is_count(fields, COLUMN_revision, &revision) &&
            is_some_text(fields, COLUMN_test) && is_some_text(fields, COLUMN_variant) &&
            is_count(fields, COLUMN_threads, &threads) && threads > 0);
}

static bool is_good_x(const struct plain *plain, const struct fields *fields)
{
    if (is_text(fields, COLUMN_x, ""))
        return is_text(fields, COLUMN_x_unit, "");
    return is_number(fields, COLUMN_x) && (is_as_before(plain, fields, COLUMN_x_unit, COLUMN_x_unit) ||
                                           is_unit(fields, COLUMN_x_unit));
}

static bool is_good_result(const struct plain *plain, const struct fields *fields)
{
    uint64_t rep;
    bool is_metric_as_before = is_as_before(plain, fields, COLUMN_metric, COLUMN_metric) &&
                               is_as_before(plain, fields, COLUMN_unit, COLUMN_unit);
    return (is_metric_as_before || is_metric_in_unit(fields)) &&
           is_count(fields, COLUMN_rep, &rep) && is_number(fields, COLUMN_value) &&
           is_count_or_empty(fields, COLUMN_iterations) &&
           is_count_or_empty(fields, COLUMN_elapsed_ns) && is_text(fields, COLUMN_status, "ok") &&
           !has_blank_edge(fields, COLUMN_text);
}

bool plain_take(struct plain *plain, const char *bytes, size_t size, struct canonical *out)
{
    uint32_t ends[COLUMN_COUNT];
    if (!find_ends(bytes, size, ends))
        return false;
    const struct fields fields = {bytes, ends};
    if (!is_good_run(plain, &fields) || !is_good_test(plain, &fields) ||
        !is_good_x(plain, &fields) ||
        !(is_as_before(plain, &fields, COLUMN_params, COLUMN_params) || are_params(&fields)) ||
        !is_good_result(plain, &fields))
        return false;
    plain->line = bytes;
    memcpy(plain->ends, ends, sizeof ends);
    *out = (struct canonical){
        .line = bytes,
        .size = ends[COLUMN_COUNT - 1] + 1,
        .kind = ends[COLUMN_kind - 1] + 1,
        .machine = ends[COLUMN_machine - 1] + 1,
        .time = ends[COLUMN_time - 1] + 1,
        .kernel = ends[COLUMN_kernel - 1] + 1,
        .value = ends[COLUMN_value - 1] + 1,
    };
    return true;
}
