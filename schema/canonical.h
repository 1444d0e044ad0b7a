/* The sort key and the identity of a row, found in the bytes of its canonical form, so that rows can
 * be sorted and merged without being decoded.
 *
 * Order: kind and run; then kernel to rep, as they stand; then time; then the whole row: each as
 * bytes. Two rows are the same record when kind and run and kernel to rep agree, and for facts the
 * time as well: a state that was looked at twice is two facts. Same records stand side by side. */
#ifndef SCHEMA_CANONICAL_H
#define SCHEMA_CANONICAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "schema/buffer.h"
#include "schema/columns.h"

struct canonical {
    const char *line; /* borrowed, as record_encode wrote it, LF included */
    uint32_t size;
    /* where these columns start in the line */
    uint32_t kind;
    uint32_t machine;
    uint32_t time;
    uint32_t kernel;
    uint32_t value;
};

/* False when the line has not the columns of a record. */
bool canonical_split(struct canonical *out, const char *line, size_t size);

/* As memcmp. 0 only for equal lines. */
int canonical_compare(const struct canonical *a, const struct canonical *b);
bool canonical_is_same_record(const struct canonical *a, const struct canonical *b);

/* The field of a column as it stands, quotes included; borrows the line. */
const char *canonical_field(const struct canonical *row, enum column column, size_t *size);

/* Appends the first column in which two rows of one record differ, with both fields: "value is 1 here
 * and 2 there". */
void canonical_add_difference(const struct canonical *a, const struct canonical *b,
                              struct buffer *out);

#endif
