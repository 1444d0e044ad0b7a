/* Sorts rows by pointers to them. */
#ifndef NORMALIZE_SORT_H
#define NORMALIZE_SORT_H

#include <stddef.h>
#include <stdint.h>

#include "normalize/row.h"

struct sort_entry {
    uint64_t key; /* the sort's own */
    struct row *row;
};

/* entries: [n], rows set; in the order of row_compare afterwards. Needs no memory of its own. */
void sort_rows(struct sort_entry *entries, size_t n);

#endif
