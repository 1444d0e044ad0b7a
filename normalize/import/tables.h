/* Tables whose columns are told by where they stand, several side by side, cells that may be empty. */
#ifndef NORMALIZE_IMPORT_TABLES_H
#define NORMALIZE_IMPORT_TABLES_H

#include "normalize/import/importing.h"

enum { TABLE_COLUMNS_MAX = 32 };

struct table_columns {
    size_t n;
    size_t edges[TABLE_COLUMNS_MAX]; /* right edges, ascending */
};

/* The columns are the words of the heading. Tabs count as one place. */
bool table_columns_read(const char *heading, struct table_columns *columns);

/* Each word of the row goes to the column whose right edge is nearest; the other cells are "". False
 * when two words want one cell: then nobody can tell. */
bool table_cells(struct import *import, const struct table_columns *columns, const char *row,
                 const char *cells[static TABLE_COLUMNS_MAX]);

#endif
