/* A file, device or pipe to read a range of. */
#ifndef COLLECT_SOURCE_H
#define COLLECT_SOURCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "schema/err.h"

struct source {
    const char *path; /* for messages; borrowed */
    int fd;
    bool has_size;  /* a file or block device; not a pipe, /dev/zero or a file of /proc */
    uint64_t size;
    bool can_seek;
    bool can_have_holes;
    uint64_t position; /* where a source that cannot seek is */
};

/* "-" is standard input. A folder is ERR_USAGE. */
int source_open(struct source *source, const char *path, struct err *err);
void source_close(struct source *source);
/* Where offset lies beyond the end: ERR_USAGE. A source that cannot seek is read up to there. */
int source_skip(struct source *source, uint64_t offset, struct err *err);
/* Up to `size` bytes at offset into bytes; 0 at the end, else as many as there are up to it. A source
 * that cannot seek goes on where it was. */
int source_read(struct source *source, uint64_t offset, void *bytes, size_t size, size_t *n,
                struct err *err);
/* How many bytes from offset on are a hole, zeros that take no place, or how many are none. For a
 * source without holes UINT64_MAX. */
uint64_t source_extent(const struct source *source, uint64_t offset, bool *is_hole);
/* Lets it be read from the device next time, not from the page cache, as far as the system does. */
void source_forget(const struct source *source);

#endif
