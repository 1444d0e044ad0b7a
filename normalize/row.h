/* A record as it is sorted and merged: the canonical row with its columns in the order of the sort key,
 * so that one memcmp compares two records, and the place it was read at.
 *
 * text: kind,run, kernel,...,rep, time, schema,machine, value,...,text LF. Fields keep their commas.
 * A CSV row is never the beginning of another, so comparing the texts as one piece is comparing
 * field by field; the order is that of canonical_compare. */
#ifndef NORMALIZE_ROW_H
#define NORMALIZE_ROW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include "schema/buffer.h"
#include "schema/canonical.h"

struct row {
    uint64_t line;     /* where it starts in its file */
    uint32_t rank;     /* of the path of its file among all paths, by strcmp; equal paths, equal rank */
    uint32_t size;     /* of the text */
    uint32_t run_end;  /* where kernel starts */
    uint32_t time_at;  /* where time starts: the end of a sample's identity */
    uint32_t tail_at;  /* where schema starts: the end of a fact's identity */
    uint32_t value_at; /* where value starts */
    uint32_t shared;   /* how many bytes the text begins with as that of the row before it in its feed */
    uint32_t unused;   /* 0; the text starts where the struct ends */
    char text[];
};

/* How many bytes a row takes where rows stand one behind the other; a multiple of 8. */
static inline size_t row_stride(uint32_t text_size)
{
    return (sizeof(struct row) + text_size + 7) & ~(size_t)7;
}

/* out: room for row_stride(canonical->size) bytes; shared is 0. */
void row_pack(struct row *out, const struct canonical *canonical, uint32_t rank, uint64_t line);
/* Writes row->size bytes: the canonical row. */
void row_unpack(const struct row *row, char *out);

static inline int row_compare_texts(const struct row *a, const struct row *b)
{
    int order = memcmp(a->text, b->text, a->size < b->size ? a->size : b->size);
    return order ? order : (a->size > b->size) - (a->size < b->size);
}

/* How many bytes two texts have in common from `from` on, where they agree up to there; what it returns
 * includes those. */
static inline uint32_t row_shared(const struct row *a, const struct row *b, uint32_t from)
{
    uint32_t limit = a->size < b->size ? a->size : b->size, at = from;
#ifdef __SSE2__
    for (; at + 16 <= limit; at += 16) {
        __m128i x = _mm_loadu_si128((const __m128i *)(const void *)(a->text + at));
        __m128i y = _mm_loadu_si128((const __m128i *)(const void *)(b->text + at));
        unsigned same = (unsigned)_mm_movemask_epi8(_mm_cmpeq_epi8(x, y));
        if (same != 0xffff)
            return at + (uint32_t)__builtin_ctz(~same);
    }
#endif
    uint64_t x, y;
    for (; at + sizeof x <= limit; at += (uint32_t)sizeof x) {
        memcpy(&x, a->text + at, sizeof x);
        memcpy(&y, b->text + at, sizeof y);
        if (x != y)
            break;
    }
    while (at < limit && a->text[at] == b->text[at])
        at++;
    return at;
}

/* By place where the texts are the same. */
static inline int row_compare(const struct row *a, const struct row *b)
{
    int order = row_compare_texts(a, b);
    if (order)
        return order;
    if (a->rank != b->rank)
        return a->rank < b->rank ? -1 : 1;
    return (a->line > b->line) - (a->line < b->line);
}

/* How many bytes at the start of the text are the identity of the record. */
static inline uint32_t row_identity_size(const struct row *row)
{
    return row->text[0] == 's' ? row->time_at : row->tail_at;
}

static inline bool row_is_place_before(const struct row *a, const struct row *b)
{
    return a->rank != b->rank ? a->rank < b->rank : a->line < b->line;
}

static inline bool row_is_same_record(const struct row *a, const struct row *b)
{
    uint32_t size = row_identity_size(a);
    return size == row_identity_size(b) && memcmp(a->text, b->text, size) == 0;
}

#endif
