/* Many record files as one set: read, checked, in canonical form and order, duplicates counted,
 * conflicts named. What normalize writes and what report draws from.
 *
 * Canonical order: by kind, run, then kernel, revision, test, variant, threads, x, x_unit, params,
 * metric, rep (the identity of a record), then the rest of the row, each as the bytes of the
 * canonical row (schema/canonical.h). So the order of the inputs never shows, and merging needs no
 * numbers. */
#ifndef SCHEMA_ARCHIVE_H
#define SCHEMA_ARCHIVE_H

#include <stddef.h>
#include <stdint.h>

#include "schema/err.h"
#include "schema/record.h"

struct archive; /* from archive_new, ended by archive_free */

struct archive_tally {
    uint64_t n_files;
    uint64_t n_read;
    uint64_t n_duplicates; /* same identity, same content: dropped */
    uint64_t n_conflicts;  /* same identity, other content: rows that lost to the preferred file's */
    uint64_t n_incomplete; /* files without an end row behind their last record */
};

int archive_new(struct archive **out, struct err *err);
void archive_free(struct archive *archive); /* NULL is fine */

/* Reads a whole file. The first bad row is an error; the archive is then good only for freeing. */
int archive_add(struct archive *archive, const char *path, struct err *err);

/* Sorts and settles. prefer: NULL, or the path of an added file whose record wins a conflict.
 * ERR_DATA names the first conflict with both places, file:line each, and says how many there are.
 * No archive_add after it. */
int archive_seal(struct archive *archive, const char *prefer, struct err *err);

/* After archive_seal. Records are counted from 0 in canonical order and borrow the archive. */
size_t archive_count(const struct archive *archive);
const struct record *archive_record(const struct archive *archive, size_t index);
const char *archive_line(const struct archive *archive, size_t index, size_t *size);
/* Where the record was read: the path (borrowed) and the line. */
const char *archive_place(const struct archive *archive, size_t index, uint64_t *line);
struct archive_tally archive_tally(const struct archive *archive);
/* What a person should know, such as a file without an end row; i from 0, NULL behind the last. */
const char *archive_warning(const struct archive *archive, size_t i);

#endif
