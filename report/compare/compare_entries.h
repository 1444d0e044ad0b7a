/* The cells of both sides of a comparison in one order, so that what may be compared stands side by
 * side. */
#ifndef REPORT_COMPARE_COMPARE_ENTRIES_H
#define REPORT_COMPARE_COMPARE_ENTRIES_H

#include "report/compare/compare.h"

/* One cell of one side with the values that count. */
struct compare_entry {
    const struct cell *cell;
    const char *params; /* of the cell; without `emulated` where that is compared, too */
    const char *code;   /* cell_code */
    enum side side;
    size_t machine; /* the same number for what counts as one machine on both sides */
    double *values;
    size_t *starts;
    size_t n_runs, n_failed, n_warmups;
    enum record_status failure;
    const char *failure_text;
    bool is_emulated;
};

struct compare_entries {
    const struct comparison *comparison; /* sides, by and options are set */
    struct compare_entry *list;          /* [n] */
    size_t n;
    const struct compare_entry **by_place; /* [n] by kernel, test, metric, x, then as in the list */
    size_t n_joined; /* cells that went into the one of another configuration of their machine */
    bool *is_emulated[SIDES]; /* runs */
};

/* entries->comparison is set; memory from its arena. ERR_UNCLEAR when no cell is on either side. */
int compare_entries_make(struct compare_entries *entries, struct arena *arena, struct err *err);

/* 0 when the two may be compared. */
int compare_entries_order(const struct compare_entries *entries, const struct compare_entry *a,
                          const struct compare_entry *b);

/* True when both are of one machine in one configuration. */
bool compare_entries_share_configuration(const struct compare_entries *entries,
                                         const struct compare_entry *a,
                                         const struct compare_entry *b);

/* Appends why an entry has nothing to be compared with: when the other side has a cell that differs
 * in a single part, that is why. */
void compare_entries_alone(const struct compare_entries *entries, size_t index, struct buffer *out);

#endif
