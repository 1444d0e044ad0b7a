/* Where ordered rows come from: memory, a part of a temporary file, or a record file that is in order
 * already (normalize/stream.h). */
#ifndef NORMALIZE_FEED_H
#define NORMALIZE_FEED_H

#include "normalize/row.h"
#include "normalize/sort.h"
#include "schema/spill.h"
#include "schema/err.h"

struct feed {
    const struct row *row; /* the current one, its `shared` set; NULL behind the last */
    /* To the next row; the first call comes to the first one. Invalidates the row before. */
    int (*next)(struct feed *feed, struct err *err);
};

/* Sorted rows in memory. */
struct memory_feed {
    struct feed feed;
    const struct sort_entry *at, *end; /* borrowed */
};

void memory_feed_init(struct memory_feed *feed, const struct sort_entry *entries, size_t n);

/* Ordered rows in a temporary file. */
struct run {
    struct spill *spill;
    uint64_t start, end;
};

struct run_feed {
    struct feed feed;
    struct run run; /* start: what was not read yet */
    char *bytes;    /* [capacity] */
    size_t capacity, size, at;
};

/* buffer_bytes: how much is read at a time; more only for a row that is larger. */
int run_feed_init(struct run_feed *feed, struct run run, size_t buffer_bytes, struct err *err);
void run_feed_free(struct run_feed *feed);

#endif
