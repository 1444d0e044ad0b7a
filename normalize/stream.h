/* A record file that is in canonical order already, as a feed: read and checked in the background, a
 * block ahead of the merge. Nothing of it has to be kept or sorted. */
#ifndef NORMALIZE_STREAM_H
#define NORMALIZE_STREAM_H

#include <stdbool.h>

#include "normalize/feed.h"
#include "normalize/intake.h"
#include "normalize/side_sum.h"
#include "schema/pool.h"

struct stream; /* from stream_open, ended by stream_close */

/* Begins to read the input. block_bytes: of rows, two blocks of them. side: a sum to compute beside
 * that of the input. All are borrowed. */
int stream_open(struct stream **out, struct input_file *input, struct pool *pool,
                size_t block_bytes, struct side_sum *side, struct err *err);
void stream_close(struct stream *stream); /* NULL is fine */

/* Waits for the first block. False, with input->is_unsorted set, when a row in it is out of order. */
bool stream_probe(struct stream *stream);

/* Its next() fails with ERR_DATA and input->is_unsorted set when a row is out of order. */
struct feed *stream_feed(struct stream *stream);

#endif
