/* A swap file that lives as long as a run: made, switched on, and gone afterwards, also when the run
 * was killed (then at the next start). Root only. */
#ifndef COLLECT_SWAPFILE_H
#define COLLECT_SWAPFILE_H

#include <stdint.h>

#include "schema/err.h"

struct swapfile; /* from swapfile_open, ended by swapfile_close */

/* path must not exist; size is rounded down to pages. Every block is written, none is a hole. */
int swapfile_open(struct swapfile **out, const char *path, uint64_t size, struct err *err);
/* Switches it off, which may take as long as reading back what is in it, and removes it. NULL is
 * fine. */
int swapfile_close(struct swapfile *swapfile, struct err *err);

/* Removes what runs left behind which were killed. removed (may be NULL) is told the path. */
void swapfile_tidy(void (*removed)(const char *path));

#endif
