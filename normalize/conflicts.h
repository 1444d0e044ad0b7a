/* Rows of one file that stand there twice, or contradict each other. */
#ifndef NORMALIZE_CONFLICTS_H
#define NORMALIZE_CONFLICTS_H

#include <stddef.h>
#include <stdint.h>

#include "normalize/row.h"
#include "schema/buffer.h"
#include "schema/err.h"

struct conflict {
    uint64_t line;
    uint64_t other_line; /* the first row of that record, which has another content */
};

/* `struct conflicts conflicts = {0}`; conflicts_free ends it. */
struct conflicts {
    uint64_t n_duplicates;
    struct buffer found;   /* struct conflict each; by line after conflicts_end */
    struct buffer before;  /* the last row */
    struct buffer lines;   /* of the record at hand: uint64_t, where each of its contents is first */
};

void conflicts_free(struct conflicts *conflicts);
void conflicts_clear(struct conflicts *conflicts);
/* Rows in the order of row_compare. 1 when it was taken, 0 when it is not behind the last one. */
int conflicts_add(struct conflicts *conflicts, const struct row *row, struct err *err);
int conflicts_end(struct conflicts *conflicts, struct err *err);
size_t conflicts_count(const struct conflicts *conflicts);
struct conflict conflicts_at(const struct conflicts *conflicts, size_t i);

#endif
