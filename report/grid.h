/* Cells as tables: rows, columns, and what is the same in the whole table said once. The same tables
 * for the terminal and for the pages. */
#ifndef REPORT_GRID_H
#define REPORT_GRID_H

#include <stdbool.h>
#include <stddef.h>

#include "report/scale.h"
#include "report/select.h"
#include "schema/arena.h"
#include "schema/buffer.h"
#include "schema/err.h"

/* What a cell can be told apart by: a column of the records, or one key of params. */
enum field_type {
    FIELD_KERNEL,
    FIELD_REVISION,
    FIELD_METRIC,
    FIELD_UNIT,
    FIELD_X_UNIT,
    FIELD_TEST,
    FIELD_X,
    FIELD_THREADS,
    FIELD_MACHINE,
    FIELD_VARIANT,
    FIELD_RUN,
    FIELD_REGION, /* of layouts: as struct cell has it */
    FIELD_PARAM
};

struct field {
    enum field_type type;
    const char *key; /* of FIELD_PARAM */
};

enum { FIELDS_MAX = 64 };

struct fields {
    struct field list[FIELDS_MAX];
    size_t n;
};

/* The fields of a comma-separated list of columns (test, x, threads, params, machine, variant, run,
 * kernel, metric, revision) and keys of params that the cells have; `params` stands for all keys
 * that are not named in `list` or in `other`. NULL is an empty list. Memory from the arena.
 * ERR_USAGE names a word that is neither. */
int fields_parse(const char *list, const char *other, const struct selection *selection,
                 const struct cell *const *cells, size_t n, struct arena *arena,
                 struct fields *fields, struct err *err);

bool fields_have(const struct fields *fields, const struct field *field);

/* Orders two cells by one field. */
int field_compare(const struct field *field, const struct cell *a, const struct cell *b);
/* Appends the value of the field: "64 KiB", "2", a machine's name; settings that are sizes as sizes.
 * x_display: a unit to show x in, or NULL for the largest that leaves it whole. */
void field_text(const struct field *field, const struct selection *selection,
                const struct cell *cell, const char *x_display, struct buffer *out);
/* True when the cell has none: a key of params that is not there, an x where nothing is swept. */
bool field_is_absent(const struct field *field, const struct cell *cell);
/* The name it goes by: "threads", "mode", "x" ... */
const char *field_title(const struct field *field);
/* The same for a person: what x is in this kernel, "array size". */
const char *field_heading(const struct field *field, const char *kernel);
/* True when the cells differ in it. */
bool field_varies(const struct field *field, const struct cell *const *cells, size_t n);

/* A header of a row or column: any cell of it; its fields' values are that cell's. */
struct grid {
    const struct cell *first;         /* kernel, revision, metric, unit of all */
    struct fields rows, columns;      /* at least one each */
    struct fields fixed;              /* the same in the whole table */
    const struct cell **row_heads;    /* [n_rows] */
    const struct cell **column_heads; /* [n_columns] */
    const struct cell **cells;        /* [n_rows * n_columns], NULL: nothing was measured */
    size_t n_rows, n_columns;
};

/* Makes tables of cells [n], which are reordered: one for each kernel, revision, metric, unit and
 * x_unit, and for each value of what differs and is neither in rows nor in columns. A row field that
 * is the same in the whole table, or is settled by the column, does not stay in the rows.
 * *grids: [*n_grids] in the arena. */
int grids_make(const struct cell **cells, size_t n, const struct fields *rows,
               const struct fields *columns, struct arena *arena, struct grid **grids,
               size_t *n_grids, struct err *err);

/* How to show the values of a row: the display unit of the kernel, else one unit for the whole row, so
 * that what stands side by side compares. */
struct scale grid_scale(const struct grid *grid, size_t row);
/* The same for one value. */
struct scale grid_scale_of(const struct grid *grid, double value);

struct display_mark { /* a fact of a machine that is worth a line on the x axis, in its unit */
    const char *fact;
    const char *title;
};

/* How a kernel's numbers are best shown: units that its history uses, tests that belong together. */
struct display {
    const char *kernel;
    const char *x_unit; /* NULL: chosen */
    const char *rate_unit;
    bool tests_together; /* all tests in one graph */
    bool log_y;          /* in any case, else where the values span a factor of 100 */
    bool is_control;     /* it measures the harness, not a machine: none is the best, no mean has it */
    const char *x_title;
    const char *byte_params;          /* settings that are sizes in bytes, blank-separated, or NULL */
    const struct display_mark *marks; /* ended by {0}; NULL: none */
};
/* Never NULL: other kernels get a display of defaults. */
const struct display *display_find(const char *kernel);
/* The unit of schema/unit.h to show this base unit in, or NULL for a scale by size. */
const char *display_unit(const struct display *display, const char *unit);

#endif
