/* gzip out, through zlib: members of about 1 MiB of records each, every one ending on a row, so that
 * a later reader can work on them side by side. No name and no time inside: equal content gives
 * equal bytes (of one zlib; another may compress otherwise, the content is the same). */
#ifndef SCHEMA_GZIP_H
#define SCHEMA_GZIP_H

#include "schema/err.h"
#include "schema/pool.h"
#include "schema/writer.h"

struct gzip_writer; /* from gzip_writer_open, ended by gzip_writer_close */

/* sink and context: where the compressed bytes go, borrowed until it is closed. */
int gzip_writer_open(struct gzip_writer **out, sink_fn *sink, void *context, struct err *err);
/* The same bytes, with up to n_ahead members being compressed by the pool at once; n_ahead >= 1. */
int gzip_writer_open_pool(struct gzip_writer **out, struct pool *pool, unsigned n_ahead,
                          sink_fn *sink, void *context, struct err *err);
/* A sink_fn; each call brings whole rows. A member ends with the call that fills it. */
int gzip_writer_write(void *gzip, const void *bytes, size_t size, struct err *err);
/* Ends the last member (an empty stream becomes one empty member) and frees it in any case. */
int gzip_writer_close(struct gzip_writer *gzip, struct err *err);
void gzip_writer_discard(struct gzip_writer *gzip); /* frees it, writes nothing; NULL is fine */

#endif
