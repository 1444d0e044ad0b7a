/* Tables of texts, padded for a terminal. */
#ifndef REPORT_SHEET_H
#define REPORT_SHEET_H

#include <stdbool.h>
#include <stddef.h>

#include "schema/arena.h"
#include "schema/buffer.h"
#include "schema/err.h"

/* A table of texts in an arena: columns are padded to their widest text. */
struct sheet {
    struct arena *arena;
    const char **texts; /* [n_rows * n_columns], NULL is "" */
    size_t n_rows, n_columns, n_left; /* the first n_left columns stand left, the others right */
    size_t n_head;     /* rows of headers */
    bool last_is_left; /* the last column stands left too */
};

/* Sets one text, and clears the buffer for the next. */
int sheet_put(struct sheet *sheet, size_t row, size_t column, struct buffer *text,
              struct err *err);
/* Appends the table, a line below its headers. */
int sheet_print(const struct sheet *sheet, struct buffer *out, struct err *err);

/* Columns that a text takes on a terminal. */
size_t sheet_width(const char *text);

/* Appends a text from a record without what would steer a terminal: control characters as \xNN,
 * marks that turn the direction of writing as they are named. */
void sheet_label_add(struct buffer *out, const char *text);

/* The character at *text, which moves behind it. Texts are well-formed UTF-8. */
unsigned long sheet_next_character(const char **text);

#endif
