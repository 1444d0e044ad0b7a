/* What importers share: one file of another program, its lines, and the runs that become records.
 *
 * An importer names what it understands: lines it reads are marked as used, and the rest is counted
 * and told. Rows of a run wait until import_run_end, since the machine and the time often stand
 * behind the figures. All texts handed over are copied or borrowed from the import, which lives until
 * import_close. Memory that runs out is noticed by import_run_end. */
#ifndef NORMALIZE_IMPORT_IMPORTING_H
#define NORMALIZE_IMPORT_IMPORTING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "schema/arena.h"
#include "schema/err.h"
#include "schema/record.h"
#include "schema/writer.h"

enum {
    IMPORT_SIZE_MAX = 256 * 1024 * 1024, /* bytes of a file, uncompressed */
    IMPORT_DEPTH_MAX = 64                /* nesting of JSON and XML */
};

struct import;

struct importer {
    const char *name; /* of --format, and the start of run ids */
    const char *summary;
    bool (*recognises)(const struct import *import);
    /* Adds the runs. ERR_DATA, begun by file:line:, when the file is not what it should be. */
    int (*read)(struct import *import, struct err *err);
};

struct import_tally {
    uint64_t n_records, n_runs, n_lines, n_other_lines; /* other: not blank, not read */
    uint64_t n_not_ok;                                  /* samples without a value */
};

struct import {
    const char *path;
    const struct importer *importer;
    char *bytes; /* [size] the whole file without a byte order mark, then a NUL */
    size_t size;
    char **lines; /* [n_lines] without their ends, NUL-terminated */
    size_t n_lines;
    unsigned char *is_used; /* [n_lines] */
    struct arena arena;
    const char *machine, *time; /* --machine and --time, or NULL */
    struct writer *writer;
    struct import_tally tally;
    struct import_run *run;    /* the run at hand, or NULL */
    struct import_id *ids;     /* of the file's runs so far */
    size_t n_ids;
    size_t recognised;         /* line that import_starts found */
    bool failed;               /* memory ran out */
};

/* Reads the file (plain or gzip). ERR_DATA for NUL bytes, UTF-16 and too much of it. The caller's
 * import is filled and ended by import_close in any case. */
int import_open(struct import *import, const char *path, struct err *err);
void import_close(struct import *import);

/* ERR_DATA, `file:line: ` before the text; line from 0. */
int import_error(const struct import *import, size_t line, struct err *err, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* A text in the import's memory; "" when there is none left. */
const char *import_text(struct import *import, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* params: keys and values in turn, ended by NULL; a pair whose value is NULL is left out. Values are
 * redacted. */
const char *import_params(struct import *import, ...) __attribute__((sentinel));
/* What a person or a machine wrote, fit for a record: cleaned, and without home folders, users and
 * hosts (user@host). */
const char *import_redact(struct import *import, const char *text);
/* Lower case, digits and `_`: "AES-128 cbc" becomes "aes_128_cbc". */
const char *import_name(struct import *import, const char *text);

/* Lines. */
void import_use(struct import *import, size_t first, size_t end);
bool import_begins(const char *line, const char *prefix); /* blanks before it are passed over */
const char *import_after(const char *line, const char *part); /* what stands behind part, or NULL */
/* The words of a line, at most n; returns how many there are (may be above n). */
size_t import_words(struct import *import, const char *line, const char **words, size_t n);
/* The first line at or behind `line` that begins so, or n_lines. */
size_t import_find(const struct import *import, size_t line, const char *prefix);

/* Runs. The id is made from the bytes, so that the same run imported again is the same run; equal
 * parts of one file are told apart by their order. */
int import_run_begin(struct import *import, const char *bytes, size_t size, struct err *err);
int import_run_begin_lines(struct import *import, size_t first, size_t end, struct err *err);
/* A time as records have it, or as ctime prints it, or "YYYY-MM-DD hh:mm:ss": without a zone only the
 * date is taken, and the text becomes the fact run.start. False when it is none of these. */
bool import_run_time(struct import *import, const char *text, const char *source);
void import_run_epoch(struct import *import, double seconds); /* UTC */
/* A label for the machine where --machine gives none. */
void import_run_machine(struct import *import, const char *label);
/* Writes the rows. ERR_DATA when it has no sample, or when neither the file nor an option says where
 * or when it was measured. line: where the run starts, for messages. */
int import_run_end(struct import *import, size_t line, struct err *err);

/* Facts; the first of a name stays. An empty text adds nothing. */
void import_fact(struct import *import, const char *name, const char *text, const char *source);
void import_fact_number(struct import *import, const char *name, double value, const char *unit,
                        const char *source);
void import_fact_unknown(struct import *import, const char *name, const char *why);

/* Samples. A record to be filled (revision 1, 1 thread, variant the importer's name); without a rep
 * it gets the next one of its kind in the run. */
struct record import_sample(const struct import *import, const char *kernel, const char *test,
                            const char *metric);
/* value * factor in the base unit. What cannot be a measurement becomes a status with a reason: not
 * finite, negative, and 0 where the quantity is a rate, a time or a clock. */
void import_add(struct import *import, const struct record *sample, double value, double factor,
                const char *unit);
/* The same for a figure as it was printed: empty, N/A, inf, `1,5`, an estimate and anything else that
 * is no plain number become a status. */
void import_add_text(struct import *import, const struct record *sample, const char *figure,
                     double factor, const char *unit);
/* The same for a figure that was computed from `seconds`, as they were printed: they become elapsed_ns,
 * and where they are no time the figure is none. */
void import_add_timed(struct import *import, const struct record *sample, const char *figure,
                      double factor, const char *unit, const char *seconds);
void import_add_status(struct import *import, const struct record *sample,
                       enum record_status status, const char *why);
/* value * factor, exact where factor is a power of ten: 4052123 * 1e-9 is 0.004052123. */
double import_scale(double value, double factor);
/* A plain number as old programs print it ("71.", "+5", "007" too). */
bool import_number(const char *text, double *out);

#endif
