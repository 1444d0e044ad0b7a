/* Brings each record of ordered rows out once: duplicates are dropped and counted, conflicts settled
 * or named. */
#ifndef NORMALIZE_SETTLE_H
#define NORMALIZE_SETTLE_H

#include <stdbool.h>
#include <stdint.h>

#include "normalize/dropped.h"
#include "normalize/row.h"
#include "schema/buffer.h"
#include "schema/err.h"

#define RANK_NONE UINT32_MAX /* of no file */

/* A settled record. place: the smallest one of its rows. */
typedef int settled_fn(void *context, const struct row *row, struct err *err);

struct settle {
    settled_fn *put;
    void *context;
    uint32_t prefer;         /* rank of the file whose record wins a conflict, or RANK_NONE */
    struct dropped *dropped; /* NULL for no report; borrowed */
    const struct intake *intake;
    uint64_t n_duplicates; /* same record, same content */
    uint64_t n_conflicts;  /* versions that lost */
    uint64_t n_open;       /* records with versions that nothing chooses between */
    struct buffer problem; /* the first of those */
    /* Of the record at hand: versions are contents of it. A struct row each. */
    struct buffer version; /* the one that rows are compared with; the first of its rows */
    struct buffer first, second, chosen;
    uint64_t n_versions;
    uint64_t n_preferred;  /* versions that the preferred file holds */
    bool is_preferred;     /* the version at hand is one */
    struct buffer places;  /* of all versions, struct place; where there is a report */
};

/* The fields up to intake are the caller's, all others 0. settle_free ends it. */
void settle_free(struct settle *settle);
/* Rows in the order of row_compare. shared: how many bytes its text begins with as the row before. */
int settle_add(struct settle *settle, const struct row *row, uint32_t shared, struct err *err);
/* After the last row. ERR_DATA when conflicts are open. */
int settle_end(struct settle *settle, struct err *err);

#endif
