/* Descriptions of tables: what a file such as datasets/NAME/tables/NAME.table says about title, records,
 * rows, columns and derived figures. layout(5) is the manual; layout_eval.h makes the table. */
#ifndef REPORT_LAYOUT_LAYOUT_H
#define REPORT_LAYOUT_LAYOUT_H

#include <stdbool.h>
#include <stddef.h>

#include "report/layout/derive.h"
#include "report/grid.h"
#include "schema/arena.h"
#include "schema/err.h"

enum condition_type {
    CONDITION_IS, /* one of the words, which may be patterns of fnmatch(3) */
    CONDITION_IS_NOT,
    CONDITION_AT_LEAST, /* x and threads */
    CONDITION_AT_MOST
};

struct condition {
    enum condition_type type;
    struct field field;
    const char *const *words; /* [n_words] */
    size_t n_words;
    double number; /* of x and threads, in the base unit; NAN: nothing is swept */
    struct condition *next;
};

/* How a number is shown. Each part may be left to a format further out. */
struct format {
    const char *unit;   /* NULL: left */
    const char *suffix; /* NULL: left */
    int digits;         /* behind the point; -1: left */
    bool has_commas;
};

struct named_text { /* a list of texts, some with a name */
    const char *name;
    const char *text;
    struct named_text *next;
};

enum entry_type {
    ENTRY_PLAIN,
    ENTRY_SECTION, /* a line of text; its conditions hold for the rows below it */
    ENTRY_GAP
};

enum show { SHOW_VALUE, SHOW_X, SHOW_ITERATIONS, SHOW_SAMPLES, SHOW_ELAPSED, SHOW_FIELD };

/* A line of `rows` or `columns`. */
struct entry {
    enum entry_type type;
    unsigned line;
    bool is_hidden;
    const char *name;                /* "" without */
    struct named_text *labels; /* in order */
    size_t n_labels;
    struct condition *where;
    struct fields each;          /* a row or column for each of their values; n 0: just one */
    const struct derive *formula; /* NULL: cells come from records */
    struct fields over;           /* of `each`: the first values of these are the base of the others; n 0:
                                     there is none */
    const struct derive *relation; /* of `over`: what is shown, from `this` and `base` */
    const char *fact;             /* NULL: from samples */
    struct named_text *without; /* names: fields whose other conditions do not hold here */
    enum reducer pick;
    enum show show;
    struct field shown;      /* of SHOW_FIELD */
    const struct entry *at;  /* of the same block: this one's x */
    struct format format;
    struct named_text *blank;   /* names of columns that stay blank in this row */
    struct named_text *printed; /* name of a column, what the publication prints there */
    struct entry *next;
};

struct block {
    struct entry *first, *last;
    size_t n;
    struct block *next;
};

struct weight {
    double number;
    struct condition *where;
    const struct weight *next;
};

struct layout_table {
    const char *title;
    unsigned line;
    bool is_beside; /* stands to the right of the table before it */
    struct condition *where;
    struct format format, x_format;
    struct named_text *sayings; /* a text of records, what is printed for it */
    struct named_text *notes, *corner;
    const struct weight *weights;
    struct condition *base; /* what `over` takes as base, where something fulfils it */
    struct block *columns; /* list of blocks, the outermost first */
    size_t n_blocks;
    struct block rows;
    struct layout_table *next;
};

struct layout {
    struct arena source; /* the text that was read, where layout_read did */
    struct arena arena;
    struct layout_table *tables; /* list, one at least */
    size_t n_tables;
    bool uses_run; /* some condition or `each` is of the run */
    bool is_complete; /* the tables show all that their kernel measures */
};

/* Parses the text of a file; `name` is for messages: ERR_DATA is `name:line: what is wrong`. text: NUL-
 * terminated, overwritten, borrowed as long as the layout. layout_free ends it, after an error too. */
int layout_parse(struct layout *layout, char *text, const char *name, struct err *err);
/* Reads and parses. ERR_SYSTEM when it cannot be read. */
int layout_read(struct layout *layout, const char *path, struct err *err);
/* Makes the first build that matches a pattern of fnmatch(3) the base of `over variant`, before what the
 * layout says. */
int layout_set_base(struct layout *layout, const char *pattern, struct err *err);
void layout_free(struct layout *layout);

/* True when the cell fulfils the condition. label: of the cell's machine. */
bool condition_holds(const struct condition *condition, const struct cell *cell, const char *label);
/* For words of conditions of run and machine alone. */
bool condition_takes(const struct condition *condition, const char *word);

#endif
