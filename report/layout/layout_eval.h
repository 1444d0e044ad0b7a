/* Tables made from their descriptions, ready to be printed: all texts, no numbers left to be scaled. */
#ifndef REPORT_LAYOUT_LAYOUT_EVAL_H
#define REPORT_LAYOUT_LAYOUT_EVAL_H

#include <stdbool.h>
#include <stddef.h>

#include "report/layout/layout.h"
#include "report/select.h"
#include "schema/arena.h"
#include "schema/buffer.h"
#include "schema/err.h"

struct layout_cell {
    const char *text;         /* "" where there is nothing */
    const struct cell *cell;  /* whose value it is, or NULL */
    const char *formula;      /* that it was computed by, or NULL */
    bool is_status;           /* no value, and the text says why */
};

struct layout_row {
    enum entry_type type;
    const char **labels;       /* [n_labels], "" where there is none; of a section its text is the first */
    struct layout_cell *cells; /* [n_columns]; NULL of sections and gaps */
};

struct layout_head {
    const char *text;
    size_t span; /* columns that it stands over; 0: part of the one before it */
};

struct layout_result {
    const char *title;
    bool is_beside;
    struct layout_head *heads; /* [n_heads * n_columns] */
    const char **corners;      /* [n_heads * n_labels], above the labels of rows */
    struct layout_row *rows;   /* [n_rows] */
    size_t n_heads, n_columns, n_labels, n_rows;
    const char **notes; /* [n_notes] */
    size_t n_notes;
    const char **disagreements; /* [n_disagreements] "row, column: 2040 printed, 2041 from the records" */
    size_t n_disagreements;
    size_t n_figures; /* cells with a text */
};

/* Makes table `table` from the selection, in the arena. All is borrowed from the layout, too. */
int layout_make(const struct layout_table *table, const struct selection *selection,
                struct arena *arena, struct layout_result *out, struct err *err);

/* Appends all tables of the layout as text. *n_figures: how many cells have one. */
int layout_print(const struct layout *layout, const struct selection *selection,
                 struct buffer *out, size_t *n_figures, struct err *err);

#endif
