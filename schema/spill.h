/* A temporary file for what does not fit into memory. It has no name, so that nothing of it is left
 * whatever happens to the process. */
#ifndef SCHEMA_SPILL_H
#define SCHEMA_SPILL_H

#include <stddef.h>
#include <stdint.h>

#include "schema/err.h"

struct spill; /* from spill_open, ended by spill_close */

/* folder: where it goes; NULL for TMPDIR, or /tmp where that is not set. */
int spill_open(struct spill **out, const char *folder, struct err *err);
void spill_close(struct spill *spill); /* NULL is fine */

uint64_t spill_size(const struct spill *spill);
/* Appends, through a buffer. Written bytes can be read after spill_flush. */
int spill_write(struct spill *spill, const void *bytes, size_t size, struct err *err);
int spill_flush(struct spill *spill, struct err *err);
/* All `size` bytes from an offset on; they are there. Threads may read at the same time. */
int spill_read(const struct spill *spill, uint64_t from, void *bytes, size_t size, struct err *err);
/* The bytes [from, to) are not wanted any more: gives their room on the disk back where it can. */
void spill_drop(struct spill *spill, uint64_t from, uint64_t to);

#endif
