/* Two sides of results compared cell by cell: what got better, what got worse, what is the same, what
 * cannot be told, and what could not be compared at all. */
#ifndef REPORT_COMPARE_COMPARE_H
#define REPORT_COMPARE_COMPARE_H

#include <stdbool.h>
#include <stddef.h>

#include "report/compare/compare_sides.h"
#include "report/select.h"
#include "schema/arena.h"
#include "schema/buffer.h"
#include "schema/err.h"

struct compare_options {
    const char *by;                     /* as sides_choose takes it */
    const char *kernel, *test, *metric; /* lists of names; NULL: all */
    const char *leave_out;              /* of the second means: kernels or kernel.test; NULL: none */
    const char *columns;                /* of the tables for people; NULL: compare_default_columns */
    double alpha;
    enum correction correction;
    double threshold; /* minimum effect, a share; negative: the noise measured, 1 % at least */
    bool with_emulated;
};

extern const double compare_default_threshold;
extern const char *const compare_default_columns;
extern const enum correction compare_default_correction;

struct compared { /* a cell with samples on both sides, failed ones too */
    const struct cell *cells[SIDES];
    size_t n_failed[SIDES];
    enum record_status failure[SIDES]; /* of the first that failed */
    const char *failure_text[SIDES];
    enum better better;
    struct change change;
};

/* Cells that were not compared, as many as have the same kernel and reason. */
struct left_out {
    const char *kernel;
    const char *reason;
    size_t n;
    const struct cell *first;
};

/* Of the cells with a ratio, each as times: new / base where lower is better, else base / new. Below
 * 1 the new side is faster. */
struct compare_means {
    size_t n;
    double geometric, arithmetic;
    bool has_interval; /* 95 %, of the geometric mean: when all cells have one */
    double low, high;
};

struct comparison {
    struct arena arena;
    struct compare_side sides[SIDES];
    unsigned by; /* BY_ bits */
    struct compare_options options;
    struct compared *cells; /* [n] in the order of selections */
    size_t n, n_tested, n_verdicts[VERDICTS];
    size_t n_by_repetitions; /* compared cells with one run on a side */
    size_t n_same_code;      /* compared cells whose sides run the same machine code */
    double same_code_most;   /* the largest |ratio - 1| of them, larger over smaller */
    struct left_out *left_out; /* [n_left_out] */
    size_t n_left_out;
    struct compare_means all, rest; /* rest: without options.leave_out */
    const char *key;                /* what had to be equal, and what may differ: a sentence */
    struct warnings notes;
};

/* sides: file, selection and patterns set; the selections are borrowed as long as the comparison
 * lives. comparison_free is due after an error too. ERR_UNCLEAR when no cell is on either side. */
int comparison_make(struct comparison *comparison, const struct compare_side sides[static SIDES],
                    const struct compare_options *options, struct err *err);
void comparison_free(struct comparison *comparison);

/* Appends why the verdict of a cell is what it is; nothing where it says all. */
void compared_reason_text(const struct compared *compared, struct buffer *out);

enum compare_format { COMPARE_TEXT, COMPARE_MARKDOWN, COMPARE_CSV, COMPARE_JSON, COMPARE_JUNIT };

/* compare_text.c: text and markdown (ERR_USAGE for a column that there is not); compare_export.c: the
 * others. */
int compare_print(struct comparison *comparison, enum compare_format format, struct buffer *out,
                  struct err *err);
int compare_export(struct comparison *comparison, enum compare_format format, struct buffer *out,
                   struct err *err);

#endif
