/* The two sides of a comparison: which machines, runs, variants or halves of which archive each is. */
#ifndef REPORT_COMPARE_COMPARE_SIDES_H
#define REPORT_COMPARE_COMPARE_SIDES_H

#include <stdbool.h>
#include <stddef.h>

#include "report/statistics/change.h"
#include "report/compare/noise.h"
#include "report/select.h"

/* What the sides differ in; what they do not is part of what makes cells comparable. */
enum { BY_MACHINE = 1, BY_RUN = 2, BY_VARIANT = 4, BY_HALF = 8 };

enum { SIDE_PATTERNS_MAX = 16 };

struct compare_side {
    struct selection *selection; /* both sides may have the same */
    struct noises noises;        /* of the selection; made when they are not there */
    const char *file;            /* NULL: a part of one archive */
    /* Glob patterns, all of which hold; "machine=", "run=" or "variant=" before one says of what. */
    const char *patterns[SIDE_PATTERNS_MAX];
    unsigned pattern_by[SIDE_PATTERNS_MAX];
    size_t n_patterns;
    int half;         /* 0 or 1; -1: both */
    const char *name; /* what to call it */
    size_t n_runs;    /* that count and have values in it */
    const char *first_time, *last_time;
};

/* by: "machine", "run", "variant", "half" or several with commas; NULL: from what the sides have in
 * common. Fills what each side is; sides[].selection, file and patterns (with their prefixes) are set
 * before. Without patterns the one archive must hold two of what `by` names; the older is the base.
 * *mask is the BY_ bits. ERR_USAGE says what there is to choose from. */
int sides_choose(struct compare_side sides[static SIDES], const char *by, struct arena *arena,
                 unsigned *mask, struct err *err);

/* True when the cell, the record, belongs to the side. */
bool side_has_cell(const struct compare_side *side, const struct cell *cell);
bool side_has_record(const struct compare_side *side, const struct record *record);

/* True when machine a of the base and b of the new side are one. */
bool sides_share_machine(const struct compare_side sides[static SIDES], size_t a, size_t b);

#endif
