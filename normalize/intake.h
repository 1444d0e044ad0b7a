/* The files of one command: where each stands, what was wrong with it, how far it was read. */
#ifndef NORMALIZE_INTAKE_H
#define NORMALIZE_INTAKE_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "normalize/problems.h"
#include "schema/canonical.h"
#include "schema/err.h"
#include "schema/progress.h"
#include "schema/reader.h"

struct input_file {
    const char *path;   /* borrowed */
    uint32_t rank;      /* of the path, see struct row */
    uint64_t size;      /* of a regular file, or 0 */
    bool is_rereadable; /* a regular file */
    bool is_unsorted;   /* known not to be in canonical order */
    bool is_whole;      /* read to its end without an error */
    bool has_end_row;
    int result;     /* of reading it so far */
    struct err err; /* where result is negative */
    uint64_t n_records;
    uint64_t n_shown;        /* KiB of it that are in intake->n_kib_read */
    struct problems refused; /* bad rows that were passed over */
    struct intake *intake;   /* it is part of */
};

/* What becomes of a row that breaks a rule. */
enum bad_rows {
    BAD_ROWS_FAIL,  /* it is an error of the file */
    BAD_ROWS_PASS,  /* it is passed over, its message kept */
    BAD_ROWS_RETURN /* input_file_next returns READER_BAD_ROW */
};

struct intake {
    struct input_file *files; /* [n_files] in the order given */
    size_t n_files;
    const char **paths; /* [n_paths] by rank */
    size_t n_paths;
    enum bad_rows bad_rows;
    const char *folder; /* for the messages of many bad rows, see spill_open */
    /* How far it is, for the person who waits. */
    uint64_t n_bytes; /* size of all files */
    atomic_size_t n_kib_read;
    uint64_t n_rows, n_rows_done; /* of a phase that reads no files; else 0 */
    pthread_mutex_t is_showing;
    struct progress progress;
};

/* paths: [n] borrowed, as is folder; "-" is standard input. intake_free ends it, after an error too. */
int intake_init(struct intake *intake, char *const *paths, size_t n, enum bad_rows bad_rows,
                const char *folder, struct err *err);
void intake_free(struct intake *intake);
/* Forgets what was read of all files, of one. */
void intake_restart(struct intake *intake);
void input_file_forget(struct input_file *file);

/* As reader_next_line, with bad rows treated as asked for; file->err is the error. An error, and the
 * end, are noted in the file. */
int input_file_open(struct input_file *file, struct reader **reader);
int input_file_next(struct input_file *file, struct reader *reader, struct canonical *row);

/* The error of the first file, in the order given, that has one; files before it that were not read
 * to their end are read now. err is what the caller knows, and is left alone where no file has an
 * error. */
int intake_first_error(struct intake *intake, int result, struct err *err);

/* From now on n_rows rows are merged, which intake_show counts. */
void intake_begin_merge(struct intake *intake, uint64_t n_rows);
void intake_show(struct intake *intake);
/* Takes the line of progress away. */
void intake_hide(struct intake *intake);

/* Files with the same path once, by their ranks: what lacks an end row. */
bool intake_is_incomplete(const struct intake *intake, uint32_t rank);

#endif
