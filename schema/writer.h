/* Writes a record file: header, rows, and the end row that lets a reader see that nothing is
 * missing. Needs libc alone. */
#ifndef SCHEMA_WRITER_H
#define SCHEMA_WRITER_H

#include <stddef.h>
#include <stdint.h>

#include "schema/buffer.h"
#include "schema/err.h"
#include "schema/record.h"
#include "schema/sha256.h"

/* Where bytes go. All of them, or an error. */
typedef int sink_fn(void *context, const void *bytes, size_t size, struct err *err);

struct writer {
    sink_fn *sink;
    void *context; /* borrowed, as long as the writer is used */
    struct buffer line;
    struct sha256 hash;
    uint64_t n_rows; /* since the header or the last end row */
};

/* writer_free ends it; nothing is written yet. */
void writer_init(struct writer *writer, sink_fn *sink, void *context);
void writer_free(struct writer *writer);

int writer_header(struct writer *writer, struct err *err);
/* Checks the record (record_check, and that a reader will take it: sizes, UTF-8) and hands its row to
 * the sink in one piece. */
int writer_record(struct writer *writer, const struct record *record, struct err *err);
/* A row that is in canonical form already, LF included. */
int writer_line(struct writer *writer, const char *line, size_t size, struct err *err);
/* Several of them in one piece, without its sum: the caller adds them to writer->hash. */
int writer_lines(struct writer *writer, const char *lines, size_t size, uint64_t n_rows,
                 struct err *err);
/* The end row; counting starts anew. */
int writer_end(struct writer *writer, struct err *err);

#endif
