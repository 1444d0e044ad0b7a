/* Rows in any number, sorted within a bounded memory: what does not fit goes to a temporary file in
 * ordered runs, which are merged at the end. Each thread that adds rows has its own chunk of the
 * memory. */
#ifndef NORMALIZE_SORTER_H
#define NORMALIZE_SORTER_H

#include <stddef.h>
#include <stdint.h>

#include "normalize/merger.h"
#include "schema/err.h"

struct sorter_limits {
    size_t chunk_bytes;  /* memory of one chunk, 4096 at least; a row must fit into one */
    size_t buffer_bytes; /* how much of a run is in memory while runs are merged */
    size_t fan_in;       /* how many runs are merged at once, >= 2; more go in several levels */
    unsigned n_chunks;   /* >= 1 */
    const char *folder;  /* for temporary files, see spill_open; borrowed */
};

struct sorter; /* from sorter_new, ended by sorter_free */

int sorter_new(struct sorter **out, const struct sorter_limits *limits, struct err *err);
void sorter_free(struct sorter *sorter); /* NULL is fine */

/* Into the chunk with this index, below n_chunks; each by one thread at a time. */
int sorter_add(struct sorter *sorter, unsigned chunk, const struct canonical *canonical,
               uint32_t rank, uint64_t line, struct err *err);

/* Sorts what is in the chunk; by the thread that filled it, when it has no more. Not needed where no
 * row was added. */
void sorter_finish_chunk(struct sorter *sorter, unsigned chunk);

/* After the last sorter_finish_chunk: *feeds is [*n], borrowed from the sorter, each before its first
 * row. */
int sorter_feeds(struct sorter *sorter, struct feed ***feeds, size_t *n, struct err *err);

uint64_t sorter_count_runs(const struct sorter *sorter); /* that went to a temporary file */

#endif
