/* The raw rows of a CSV file, one at a time, each with the line it starts on. Only where a row ends
 * is decided here (an LF outside of quotes); what is in it is libcsv's business. A quote opens a
 * quoted field only at the start of a field, so that a stray one spoils its own line and not the
 * rest of the file. */
#ifndef SCHEMA_ROWS_H
#define SCHEMA_ROWS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "schema/buffer.h"
#include "schema/err.h"
#include "schema/input.h"

/* Small reads cost; the bytes of larger ones do not stay in a cache until they were looked at. */
enum { ROWS_BLOCK_BYTES = 64 * 1024 };

/* Borrows the struct rows until the next call. */
struct row {
    const char *bytes;
    size_t size;      /* with its line end, as it stands in the file */
    size_t text_size; /* without the LF or CR LF */
    uint64_t line;    /* where it starts, from 1 */
};

enum rows_result {
    ROWS_END = 0,
    ROWS_ROW = 1,
    ROWS_TORN = 2 /* the last line has no end; *row holds what is there */
};

struct rows {
    struct input *input;
    size_t block_bytes;
    struct buffer bytes;
    size_t start;   /* of the current row, an offset into bytes */
    size_t next;    /* of the row behind it */
    size_t scanned; /* up to here no row end was found */
    int state;      /* of the scan: see rows.c */
    bool is_over;   /* the input has no more */
    uint64_t line;  /* of the current row */
    uint64_t next_line;
};

/* Opens the file and skips a byte order mark. block_bytes: how much is read at a time, > 0.
 * rows_close ends it, after an error too. Messages name neither file nor line. */
int rows_open(struct rows *rows, const char *path, size_t block_bytes, struct err *err);
/* An enum rows_result, or negative: I/O, a damaged gzip stream, a row above RECORD_ROW_MAX, a quote
 * that is never closed. rows->line is then the line of the row in question. */
int rows_next(struct rows *rows, struct row *row, struct err *err);
/* What is in memory behind the current row, borrowed as a row is. */
const char *rows_ahead(const struct rows *rows, size_t *size);
/* The first `size` bytes of that are one row of one line, LF included: the next row is behind it. */
void rows_skip_line(struct rows *rows, size_t size);
void rows_close(struct rows *rows);

/* What libcsv would let pass: ERR_DATA for an empty line, a NUL byte, text that is not UTF-8, a CR
 * that is neither quoted nor part of the line end. */
int row_check(const struct row *row, struct err *err);

#endif
