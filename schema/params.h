/* The `params` column: key=value;key=value with ascending keys. In keys and values `%`, `;`, `=`
 * and control characters are written as %XX. */
#ifndef SCHEMA_PARAMS_H
#define SCHEMA_PARAMS_H

#include <stdbool.h>
#include <stddef.h>

#include "schema/buffer.h"

struct param {
    const char *key;
    const char *value;
};

/* Appends the n params, sorted by key (params is put in that order). Keys differ. */
void params_format(struct param *params, size_t n, struct buffer *out);

/* Appends the value of `key`, unescaped, to out; false when there is none. */
bool params_get(const char *text, const char *key, struct buffer *out);

/* The i-th pair from 0, unescaped, appended to key and value where they are not NULL; false behind the
 * last. */
bool params_nth(const char *text, size_t i, struct buffer *key, struct buffer *value);

/* The text without the pair of `key`, appended to out. */
void params_without(const char *text, const char *key, struct buffer *out);

/* NULL when the text is well formed and in canonical form, else what is wrong. */
const char *params_check(const char *text);

#endif
