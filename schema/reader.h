/* Reads a record file, strictly: RFC 4180 through libcsv, the columns of schema/columns.h, every
 * rule of record_check, the end row. Messages about data (ERR_DATA) start with `file:line: `, line
 * being where the record starts; messages of the system with `file: `. Control characters of the
 * file appear in them as \xNN.
 *
 * The rows between two end rows may be followed by a header row again: files can be joined by cat.
 *
 * What libcsv lets pass is refused here before it sees it: NUL bytes, text that is not UTF-8, a bare
 * CR, blank lines, a last line without its end (a torn write), fields and rows above
 * RECORD_FIELD_MAX and RECORD_ROW_MAX. */
#ifndef SCHEMA_READER_H
#define SCHEMA_READER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "schema/canonical.h"
#include "schema/err.h"
#include "schema/record.h"
#include "schema/sha256.h"

struct reader; /* from reader_open, ended by reader_close */

enum reader_result {
    READER_END = 0,
    READER_RECORD = 1,
    READER_BAD_ROW = 2 /* *err says what and where; the next call goes on behind it */
};

/* Opens the file and checks its header row (columns, their order, nothing else). */
int reader_open(struct reader **out, const char *path, struct err *err);
/* The same with another size of the blocks that are read, > 0: nothing but speed may depend on it,
 * and tests show that. */
int reader_open_blocks(struct reader **out, const char *path, size_t block_bytes, struct err *err);

/* READER_RECORD: *record is filled, checked, and borrows the reader until the next call. Rows of
 *     kind end are verified (count, SHA-256) and never returned.
 * READER_BAD_ROW: this row breaks a rule.
 * READER_END: the file is over; it had at least one record.
 * Negative: nothing more can be read (I/O, a damaged gzip stream, a quote that is never closed, a
 *     file without a record, an end row that does not agree). */
int reader_next(struct reader *reader, struct record *record, struct err *err);

/* As reader_next, but gives the record as its canonical row, which borrows the reader until the next
 * call. Several times faster where the file is in that form already. Calls of both may alternate;
 * reader_bytes is for reader_next alone. */
int reader_next_line(struct reader *reader, struct canonical *out, struct err *err);

/* The bytes of the current record as they stand in the file, line end included. */
const char *reader_bytes(const struct reader *reader, size_t *size);
uint64_t reader_line(const struct reader *reader); /* of the current record, from 1 */
/* From now on the sum of rows goes through add(context, ...), as reader_next_line comes by them. */
void reader_add_with(struct reader *reader, sha256_add_fn *add, void *context);
/* How many bytes of the file were read so far, see input_consumed. */
uint64_t reader_consumed(const struct reader *reader);
/* True once READER_END came and the last row was an end row. */
bool reader_is_complete(const struct reader *reader);
void reader_close(struct reader *reader); /* NULL is fine */

#endif
