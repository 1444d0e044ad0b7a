/* The runs that were withdrawn: facts named `retracted`. In canonical order all facts come before all
 * samples, so one pass is enough. */
#ifndef NORMALIZE_RETRACTED_H
#define NORMALIZE_RETRACTED_H

#include <stdbool.h>

#include "normalize/dropped.h"
#include "normalize/row.h"
#include "schema/buffer.h"
#include "schema/err.h"

/* `struct retracted retracted = {0}`; retracted_free ends it. */
struct retracted {
    struct buffer runs; /* struct row of each retraction, row_stride() apart, in order */
    size_t at;          /* of the first whose run is not before that of the last sample */
};

void retracted_free(struct retracted *retracted);
/* Rows in canonical order: keeps the row when it is a retraction. */
int retracted_note(struct retracted *retracted, const struct row *row, struct err *err);
/* True for a sample of a run that was retracted; *by is where. Samples in canonical order. */
bool retracted_find(struct retracted *retracted, const struct row *row, struct place *by);

#endif
