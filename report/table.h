/* Tables as text, for a terminal or a pipe. */
#ifndef REPORT_TABLE_H
#define REPORT_TABLE_H

#include <stddef.h>

#include "report/select.h"
#include "schema/buffer.h"
#include "schema/err.h"

struct table_options {
    const char *kernel, *test, *metric; /* comma-separated names to show; NULL: all */
    const char *rows, *columns;         /* as fields_parse takes them; NULL: as table_default_... */
};

extern const char *const table_default_rows;
extern const char *const table_default_columns;

/* Appends the tables, and the warnings and withdrawn runs as notes below them. ERR_UNCLEAR when no
 * sample is left. */
int table_print(struct selection *selection, const struct table_options *options,
                struct buffer *out, struct err *err);

/* Appends an empty line and those notes, or nothing where there are none. */
void table_notes_add(struct buffer *out, const struct selection *selection);

#endif
