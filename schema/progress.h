/* One line on standard error that says how far a long job is. Shown only on a terminal, and only
 * after the first second; anywhere else all of it does nothing. Needs libc alone. */
#ifndef SCHEMA_PROGRESS_H
#define SCHEMA_PROGRESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct progress {
    uint64_t total; /* steps; 0 when not known, then there is no estimate */
    uint64_t done;
    int64_t start_ns;
    int64_t drawn_ns; /* when the line was last drawn; 0 before the first time */
    bool is_shown;    /* standard error is a terminal */
};

void progress_start(struct progress *progress, uint64_t total);
/* done: steps finished so far. what: what is being done now, e.g. a file name; borrowed for the
 * call. Cheap enough to be called for every record. */
void progress_step(struct progress *progress, uint64_t done, const char *what);
/* Takes the line away; before any other output on a terminal, and at the end. */
void progress_end(struct progress *progress);

enum { PROGRESS_TEXT_SIZE = 128 };
/* The line itself: "12 of 40 (30 %), 1:20 left: WHAT", cut at `columns` bytes (below
 * PROGRESS_TEXT_SIZE). The estimate supposes that every step takes as long as those so far did. */
void progress_format(char out[static PROGRESS_TEXT_SIZE], uint64_t done, uint64_t total,
                     int64_t elapsed_ns, const char *what, size_t columns);

#endif
