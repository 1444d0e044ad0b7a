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

enum { STEP = 64, STEPS_MAX = 16 }; /* a longer row is not plain */

/* Of a line, a bit for each of its bytes. */
struct line {
    const char *bytes;
    uint32_t ends[COLUMN_COUNT]; /* where the comma or LF behind each field is */
    uint64_t digits[STEPS_MAX + 1];
};

/* Of STEP bytes, a bit each. */
struct marks {
    uint64_t commas;
    uint64_t digits;
    uint64_t others; /* a quote, a control character, part of a longer sequence */
};

#ifdef __SSE2__

static inline struct marks look_at_16(const char *p)
{
    __m128i bytes = _mm_loadu_si128((const __m128i *)(const void *)p);
    __m128i commas = _mm_cmpeq_epi8(bytes, _mm_set1_epi8(','));
    /* As signed bytes, those from 0x80 are below 0x20 too; the digits are moved to the lowest ones.
     */
    __m128i moved = _mm_add_epi8(bytes, _mm_set1_epi8((char)(0x80 - '0')));
    __m128i digits = _mm_cmplt_epi8(moved, _mm_set1_epi8((char)(0x80 + 10)));
    __m128i others = _mm_or_si128(_mm_cmplt_epi8(bytes, _mm_set1_epi8(0x20)),
                                  _mm_cmpeq_epi8(bytes, _mm_set1_epi8('"')));
    return (struct marks){(unsigned)_mm_movemask_epi8(commas), (unsigned)_mm_movemask_epi8(digits),
                          (unsigned)_mm_movemask_epi8(others)};
}

static inline struct marks look(const char *p)
{
    struct marks a = look_at_16(p), b = look_at_16(p + 16), c = look_at_16(p + 32),
                 d = look_at_16(p + 48);
    return (struct marks){a.commas | b.commas << 16 | c.commas << 32 | d.commas << 48,
                          a.digits | b.digits << 16 | c.digits << 32 | d.digits << 48,
                          a.others | b.others << 16 | c.others << 32 | d.others << 48};
}

#else

static struct marks look(const char *p)
{
    struct marks marks = {0};
    for (unsigned i = 0; i < STEP; i++) {
        unsigned char c = (unsigned char)p[i];
        marks.commas |= (uint64_t)(c == ',') << i;
        marks.digits |= (uint64_t)(c >= '0' && c <= '9') << i;
        marks.others |= (uint64_t)(c < 0x20 || c >= 0x80 || c == '"') << i;
    }
    return marks;
}

#endif

/* False when the row is not plain or not whole. */
static bool line_find(struct line *line, const char *bytes, size_t size)
{
    unsigned n = 0;
    line->bytes = bytes;
    for (size_t step = 0; step < STEPS_MAX; step++) {
        size_t at = step * STEP;
        char last[STEP]; /* of the bytes there are; behind them a NUL ends the row */
        const char *p = bytes + at;
        if (size - at < STEP) {
            memcpy(last, p, size - at);
            memset(last + (size - at), 0, STEP - (size - at));
            p = last;
        }
        struct marks marks = look(p);
        line->digits[step] = marks.digits;
        uint64_t commas = marks.commas;
        if (marks.others)
            commas &= (marks.others & -marks.others) - 1; /* those in front of it */
        for (; commas; commas &= commas - 1) {
            if (n == COLUMN_COUNT - 1)
                return false;
            line->ends[n++] = (uint32_t)at + (uint32_t)__builtin_ctzll(commas);
        }
        if (marks.others) {
            unsigned end = (unsigned)__builtin_ctzll(marks.others);
            line->ends[COLUMN_COUNT - 1] = (uint32_t)at + end;
            line->digits[step + 1] = 0;
            return n == COLUMN_COUNT - 1 && p[end] == '\n';
        }
    }
    return false;
}

/* ---- what is in them ---- */

static uint32_t start_of(const uint32_t *ends, enum column column)
{
    return column == 0 ? 0 : ends[column - 1] + 1;
}

static const char *field_at(const struct line *line, enum column column, size_t *size)
{
    uint32_t start = start_of(line->ends, column);
    *size = line->ends[column] - start;
    return line->bytes + start;
}

/* The columns from..to as one piece are those of the row before. */
static bool is_as_before(const struct plain *plain, const struct line *line, enum column from,
                         enum column to)
{
    if (!plain->line)
        return false;
    uint32_t start = start_of(line->ends, from), before = start_of(plain->ends, from);
    uint32_t size = line->ends[to] - start;
    return size == plain->ends[to] - before &&
           memcmp(line->bytes + start, plain->line + before, size) == 0;
}

static inline bool is_text(const struct line *line, enum column column, const char *text,
                           size_t text_size)
{
    size_t size;
    const char *field = field_at(line, column, &size);
    return size == text_size && memcmp(field, text, text_size) == 0;
}

#define IS_TEXT(line, column, literal) is_text(line, column, literal, sizeof(literal) - 1)

/* A blank at an edge would be quoted. */
static bool has_blank_edge(const struct line *line, enum column column)
{
    size_t size;
    const char *field = field_at(line, column, &size);
    return size > 0 && (field[0] == ' ' || field[size - 1] == ' ');
}

static bool is_some_text(const struct line *line, enum column column)
{
    size_t size;
    field_at(line, column, &size);
    return size > 0 && !has_blank_edge(line, column);
}

enum { COPY_SIZE = 256 };

/* The field as a string; false when it is longer than any sensible one. */
static bool copy_field(const struct line *line, enum column column, char out[static COPY_SIZE])
{
    size_t size;
    const char *field = field_at(line, column, &size);
    if (size >= COPY_SIZE)
        return false;
    memcpy(out, field, size);
    out[size] = '\0';
    return true;
}

/* Of a field of fewer than 64 bytes, a bit for each one that is no digit. */
static uint64_t non_digits(const struct line *line, enum column column)
{
    uint32_t start = start_of(line->ends, column), size = line->ends[column] - start;
    const uint64_t *word = line->digits + start / STEP;
    uint32_t shift = start % STEP;
    uint64_t digits = word[0] >> shift | (shift > 0 ? word[1] << (STEP - shift) : 0);
    return ~digits & ((UINT64_C(1) << size) - 1);
}

static bool is_count(const struct line *line, enum column column)
{
    enum { ALWAYS_FIT = 19 }; /* so many digits are below 2^64 */
    size_t size;
    const char *field = field_at(line, column, &size);
    if (size > ALWAYS_FIT) {
        uint64_t ignored;
        return number_parse_count(field, size, &ignored);
    }
    return size > 0 && non_digits(line, column) == 0 && (size == 1 || field[0] != '0');
}

static bool is_count_above_0(const struct line *line, enum column column)
{
    size_t size;
    return is_count(line, column) && field_at(line, column, &size)[0] != '0';
}

static bool is_count_or_empty(const struct line *line, enum column column)
{
    size_t size;
    field_at(line, column, &size);
    return size == 0 || is_count(line, column);
}

/* Few digits are canonical as they are (see number_is_canonical), if no zeros lead or end them in
 * vain. */
static bool is_number(const struct line *line, enum column column)
{
    size_t size;
    const char *field = field_at(line, column, &size);
    if (size > 1 && size <= NUMBER_EXACT_DIGITS + 1 && field[0] != '0') {
        uint64_t others = non_digits(line, column);
        size_t at = others ? (size_t)__builtin_ctzll(others) : 0;
        bool is_whole = others == 0 && size <= NUMBER_EXACT_DIGITS;
        bool has_point = at > 0 && at + 1 < size && others == UINT64_C(1) << at && field[at] == '.';
        if (is_whole || (has_point && field[size - 1] != '0'))
            return true;
    }
    return number_is_canonical(field, size);
}

static bool is_kernel(const struct line *line)
{
    size_t size;
    const char *field = field_at(line, COLUMN_kernel, &size);
    for (size_t i = 0; i < size; i++) {
        char c = field[i];
        if (!(c >= 'a' && c <= 'z') && !(c >= '0' && c <= '9') && c != '_')
            return false;
    }
    return size > 0;
}

static bool is_time(const struct line *line)
{
    char text[COPY_SIZE];
    return copy_field(line, COLUMN_time, text) && text_is_time(text);
}

static bool is_unit(const struct line *line, enum column column)
{
    char text[COPY_SIZE];
    return copy_field(line, column, text) && unit_find(text);
}

static bool are_params(const struct line *line)
{
    char text[COPY_SIZE];
    return copy_field(line, COLUMN_params, text) && !params_check(text) &&
           !has_blank_edge(line, COLUMN_params);
}

static bool is_metric_in_unit(const struct line *line)
{
    char name[COPY_SIZE], unit[COPY_SIZE];
    if (!copy_field(line, COLUMN_metric, name) || !copy_field(line, COLUMN_unit, unit))
        return false;
    const struct metric *metric = metric_find(name);
    return metric && unit_find(unit) && metric_has_unit(metric, unit);
}

static bool is_good_run(const struct plain *plain, const struct line *line)
{
    return is_as_before(plain, line, COLUMN_schema, COLUMN_time) ||
           (IS_TEXT(line, COLUMN_schema, "1") && IS_TEXT(line, COLUMN_kind, "sample") &&
            is_some_text(line, COLUMN_run) && is_some_text(line, COLUMN_machine) && is_time(line));
}

static bool is_good_test(const struct plain *plain, const struct line *line)
{
    return is_as_before(plain, line, COLUMN_kernel, COLUMN_threads) ||
           (is_kernel(line) && is_count(line, COLUMN_revision) && is_some_text(line, COLUMN_test) &&
            is_some_text(line, COLUMN_variant) && is_count_above_0(line, COLUMN_threads));
}

static bool is_good_x(const struct plain *plain, const struct line *line)
{
    if (IS_TEXT(line, COLUMN_x, ""))
        return IS_TEXT(line, COLUMN_x_unit, "");
    return is_number(line, COLUMN_x) && (is_as_before(plain, line, COLUMN_x_unit, COLUMN_x_unit) ||
                                         is_unit(line, COLUMN_x_unit));
}

static bool is_good_result(const struct plain *plain, const struct line *line)
{
    bool is_metric_as_before = is_as_before(plain, line, COLUMN_metric, COLUMN_metric) &&
                               is_as_before(plain, line, COLUMN_unit, COLUMN_unit);
    return (is_metric_as_before || is_metric_in_unit(line)) && is_count(line, COLUMN_rep) &&
           is_number(line, COLUMN_value) && is_count_or_empty(line, COLUMN_iterations) &&
           is_count_or_empty(line, COLUMN_elapsed_ns) && IS_TEXT(line, COLUMN_status, "ok") &&
           !has_blank_edge(line, COLUMN_text);
}

bool plain_take(struct plain *plain, const char *bytes, size_t size, struct canonical *out)
{
    struct line line;
    if (!line_find(&line, bytes, size))
        return false;
    if (!is_good_run(plain, &line) || !is_good_test(plain, &line) || !is_good_x(plain, &line) ||
        !(is_as_before(plain, &line, COLUMN_params, COLUMN_params) || are_params(&line)) ||
        !is_good_result(plain, &line))
        return false;
    const uint32_t *ends = line.ends;
    plain->line = bytes;
    memcpy(plain->ends, ends, sizeof line.ends);
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
