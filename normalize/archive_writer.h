/* Writes the archive: canonical rows, hashed, compressed and written in the background while the merge
 * goes on. */
#ifndef NORMALIZE_ARCHIVE_WRITER_H
#define NORMALIZE_ARCHIVE_WRITER_H

#include <stdint.h>

#include "normalize/row.h"
#include "normalize/side_sum.h"
#include "schema/err.h"
#include "schema/pool.h"

struct archive_writer; /* from archive_writer_open, ended by _commit or _discard */

/* path: "-" is standard output; compressed when the name ends in .gz. n_ahead: members of gzip that
 * may be compressed at once. folder: see output_wait. side: computes the sum of the archive. Pool,
 * folder and side are borrowed. */
int archive_writer_open(struct archive_writer **out, const char *path, struct pool *pool,
                        unsigned n_ahead, const char *folder, struct side_sum *side,
                        struct err *err);
int archive_writer_put(struct archive_writer *writer, const struct row *row, struct err *err);
/* The archive takes its place. Frees the writer in any case. */
int archive_writer_commit(struct archive_writer *writer, struct err *err);
void archive_writer_discard(struct archive_writer *writer); /* leaves nothing; NULL is fine */

#endif
