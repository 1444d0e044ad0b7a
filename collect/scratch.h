/* The folder below --dir in which kernels keep their files: one per run, locked while it is used, so
 * that the next run can tell a left-over of a killed one from a run at work, and remove it. */
#ifndef COLLECT_SCRATCH_H
#define COLLECT_SCRATCH_H

#include "schema/err.h"

struct scratch; /* from scratch_open, ended by scratch_close */

/* Makes dir/.collect-<run>. removed (may be NULL) is called with the path of each left-over that was
 * removed. */
int scratch_open(struct scratch **out, const char *dir, const char *run,
                 void (*removed)(const char *path), struct err *err);
/* An empty folder for the next job; what the last one left in it is gone. Borrowed. */
int scratch_job(struct scratch *scratch, const char **folder, struct err *err);
void scratch_close(struct scratch *scratch); /* removes it all; NULL is fine */

#endif
