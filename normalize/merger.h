/* Many ordered feeds as one. */
#ifndef NORMALIZE_MERGER_H
#define NORMALIZE_MERGER_H

#include <stddef.h>
#include <stdint.h>

#include "normalize/feed.h"

/* A tree of losers (Knuth, TAOCP 3, 5.4.1) over offset-value codes (Conner, IBM TDB 20 (1977) 2832): how
 * far a row agrees with the last one that came out, and its first byte behind that. Of two such codes the
 * smaller one belongs to the smaller row; only where they are equal are bytes compared, from there on. */
struct merger {
    struct feed **feeds; /* [n] borrowed */
    size_t n;
    uint32_t *losers; /* [n]: [0] is the winner */
    uint64_t *codes;  /* [n], by feed */
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

/* How many bytes its text begins with as the row before it, 0 for the first one. */
static inline uint32_t merger_shared(const struct merger *merger)
{
    return UINT32_MAX - (uint32_t)(merger->codes[merger->losers[0]] >> 8);
}

int merger_next(struct merger *merger, struct err *err);

#endif
