/* Rows that are in canonical form already, told by a look at their bytes: the fast way of reading.
 * Only what is certainly a good sample row, exactly as record_encode would write it, is taken;
 * anything else (quotes, control characters, other than ASCII, a status but ok, facts, whatever
 * is wrong) is left to the reader, who decides. */
#ifndef SCHEMA_PLAIN_H
#define SCHEMA_PLAIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "schema/canonical.h"

/* `struct plain plain = {0}` before the first row. */
struct plain {
    /* The last row that was taken: what agrees with it needs no second look. Borrowed: line is NULL
     * where its bytes are gone. */
    const char *line;
    uint32_t ends[COLUMN_COUNT];
};

/* True when `bytes` begins with a whole row that is taken; *out borrows it. */
bool plain_take(struct plain *plain, const char *bytes, size_t size, struct canonical *out);

#endif
