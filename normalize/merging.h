/* The merge itself: any number of record files into one archive, in a bounded memory.
 *
 * Large files that are in canonical order already are streams, merged as they are read. All others are
 * sorted first (normalize/sorter.h). Whether a file is in order shows while it is read: where one is
 * not, the merge begins anew and sorts it. */
#ifndef NORMALIZE_MERGING_H
#define NORMALIZE_MERGING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "normalize/intake.h"
#include "normalize/settle.h"
#include "schema/err.h"

struct merge_settings {
    const char *output;     /* "-" is standard output; not used with put */
    const char *prefer;     /* the path whose record wins a conflict, or NULL */
    const char *dropped;    /* where the report of what was dropped goes, or NULL */
    const char *folder;     /* for temporary files, see spill_open */
    settled_fn *put;        /* takes the rows in place of an archive, or NULL; then no max_streams */
    void *context;          /* of put */
    bool without_retracted; /* leaves out the samples of runs that were retracted */
    /* Nothing but speed and memory depends on these; see merge_limit. */
    unsigned n_threads;
    size_t chunk_bytes;     /* of one thread, for sorting */
    size_t buffer_bytes;    /* of one run of sorted rows */
    size_t fan_in;          /* runs merged at once */
    size_t block_bytes;     /* of rows of a stream, two of them each */
    size_t max_streams;
    uint64_t min_stream_bytes; /* smaller files are sorted */
    unsigned n_ahead;          /* members of gzip */
};

struct merge_tally {
    uint64_t n_read;
    uint64_t n_duplicates;
    uint64_t n_conflicts; /* versions that lost to the preferred file's */
    uint64_t n_open;      /* records with versions that nothing chooses between: an error */
    uint64_t n_retracted;
    uint64_t n_refused;
    uint64_t n_written;
    uint64_t n_runs;   /* of sorted rows that went to temporary files */
    size_t n_streams;  /* files that were merged without being sorted */
    unsigned n_starts; /* 1, and 1 more each time that a file was not in order after all */
};

enum { MERGE_MEMORY_MIN = 32 * 1024 * 1024 };

/* Shares `memory` bytes, at least MERGE_MEMORY_MIN, out among n_threads threads, or fewer. */
void merge_limit(struct merge_settings *settings, uint64_t memory, unsigned n_threads);

/* ERR_DATA names the first bad row, or the first conflict with both places and how many there are.
 * Nothing is written then. */
int merge_files(struct intake *intake, const struct merge_settings *settings,
                struct merge_tally *tally, struct err *err);

#endif
