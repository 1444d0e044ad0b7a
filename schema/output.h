/* A file that is there whole or not at all: written beside its place without a name, synced, named
 * and renamed, and its folder synced. Where the file system has no files without a name, a kill may
 * leave one, which the next output of the same name removes. Needs libc alone. "-" is standard output, written as it comes, and
 * so is a device or a pipe. */
#ifndef SCHEMA_OUTPUT_H
#define SCHEMA_OUTPUT_H

#include <stddef.h>
#include <stdint.h>

#include "schema/err.h"

struct output; /* from output_open; ended by output_commit or output_discard */

int output_open(struct output **out, const char *path, struct err *err);
/* What is standard output, a device or a pipe gets nothing before output_commit either: more than a
 * little waits in a temporary file without a name. folder: where, see spill_open. To be called before
 * anything is written. */
int output_wait(struct output *output, const char *folder, struct err *err);
/* Buffered. A sink_fn, so that a writer or a gzip stream can end in it. */
int output_write(void *output, const void *bytes, size_t size, struct err *err);
/* So many zeros; a hole, where the output is a file. */
int output_skip(struct output *output, uint64_t size, struct err *err);
/* The file takes its place. Frees the output in any case; after an error nothing is left and an
 * older file of that name is as it was. */
int output_commit(struct output *output, struct err *err);
/* Frees it and leaves nothing. NULL is fine. */
void output_discard(struct output *output);

#endif
