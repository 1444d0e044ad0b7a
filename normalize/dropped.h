/* The report of what a merge dropped, and why: a line for each row, as text or as JSON. */
#ifndef NORMALIZE_DROPPED_H
#define NORMALIZE_DROPPED_H

#include <stddef.h>
#include <stdint.h>

#include "normalize/intake.h"
#include "normalize/row.h"
#include "schema/err.h"

struct dropped; /* from dropped_open, ended by dropped_commit or dropped_discard */

/* path: where the report goes, as JSON lines when the name ends in .json or .jsonl. The paths of the
 * intake are borrowed. */
int dropped_open(struct dropped **out, const char *path, const struct intake *intake,
                 struct err *err);
/* Frees it in any case, as output_commit. */
int dropped_commit(struct dropped *dropped, struct err *err);
void dropped_discard(struct dropped *dropped); /* NULL is fine */

struct place {
    uint32_t rank;
    uint64_t line;
};

/* Each does nothing where dropped is NULL. */
int dropped_duplicate(struct dropped *dropped, struct place place, struct place kept,
                      struct err *err);
int dropped_conflict(struct dropped *dropped, struct place place, struct place kept,
                     struct err *err);
/* retraction: the record that withdrew the run */
int dropped_retracted(struct dropped *dropped, struct place place, struct place retraction,
                      struct err *err);
/* The bad rows of all files, in the order of the files. */
int dropped_refused(struct dropped *dropped, const struct intake *intake, struct err *err);

#endif
