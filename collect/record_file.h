/* A record file that collect itself wrote, read back whole with libc alone. For files of others there
 * is schema/reader.h. */
#ifndef COLLECT_RECORD_FILE_H
#define COLLECT_RECORD_FILE_H

#include <stdbool.h>
#include <stddef.h>

#include "schema/buffer.h"
#include "schema/err.h"
#include "schema/record.h"

struct record_file {
    struct buffer bytes;    /* the file; the records borrow a copy */
    struct buffer copy;
    struct record *records; /* [n] */
    size_t *ends;           /* [n] offset behind each record in bytes */
    size_t n, capacity;
    size_t header_size;
    bool is_torn; /* the last line has no end: it is not among the records */
};

/* ERR_DATA with file:line: for what collect would not have written. record_file_free ends it, also
 * after an error. */
int record_file_read(struct record_file *file, const char *path, struct err *err);
void record_file_free(struct record_file *file);

/* The first fact of that name, or NULL. */
const struct record *record_file_fact(const struct record_file *file, const char *name);

#endif
