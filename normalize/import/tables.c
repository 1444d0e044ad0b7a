#include "normalize/import/tables.h"

#include <string.h>

bool table_columns_read(const char *heading, struct table_columns *columns)
{
    columns->n = 0;
    for (const char *p = heading + strspn(heading, " \t"); *p; p += strspn(p, " \t")) {
        p += strcspn(p, " \t");
        if (columns->n == TABLE_COLUMNS_MAX)
            return false;
        columns->edges[columns->n++] = (size_t)(p - heading);
    }
    return columns->n > 0;
}

static size_t nearest(const struct table_columns *columns, size_t edge)
{
    size_t best = 0, least = (size_t)-1;
    for (size_t i = 0; i < columns->n; i++) {
        size_t e = columns->edges[i], distance = e > edge ? e - edge : edge - e;
        if (distance < least) {
            least = distance;
            best = i;
        }
    }
    return best;
}

bool table_cells(struct import *import, const struct table_columns *columns, const char *row,
                 const char *cells[static TABLE_COLUMNS_MAX])
{
    for (size_t i = 0; i < TABLE_COLUMNS_MAX; i++)
        cells[i] = "";
    for (const char *p = row + strspn(row, " \t"); *p; p += strspn(p, " \t")) {
        size_t length = strcspn(p, " \t");
        size_t cell = nearest(columns, (size_t)(p - row) + length);
        if (*cells[cell])
            return false;
        cells[cell] = import_text(import, "%.*s", (int)length, p);
        p += length;
    }
    return true;
}
