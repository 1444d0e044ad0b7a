/* Many ordered feeds as one. */
#ifndef NORMALIZE_MERGER_H
#define NORMALIZE_MERGER_H

#include <stddef.h>
#include <stdint.h>

#include "normalize/feed.h"

struct merger {
    struct feed **feeds; /* [n] borrowed */
    size_t n;
    uint32_t *losers; /* [n]: [0] is the winner; a tree of the losers (Knuth, TAOCP 3, 5.4.1) */
};

/* The feeds stand before their first row, and are at it behind this. merger_free ends it, after an
 * error too. */
int merger_init(struct merger *merger, struct feed **feeds, size_t n, struct err *err);
void merger_free(struct merger *merger);

/* The smallest row of all by row_compare, valid until merger_next; NULL when there is none. */
static inline const struct row *merger_row(const struct merger *merger)
{
    return merger->n > 0 ? merger->feeds[merger->losers[0]]->row : NULL;
}

int merger_next(struct merger *merger, struct err *err);

#endif
