/* Texts from outside: UTF-8 and times. */
#ifndef SCHEMA_TEXT_H
#define SCHEMA_TEXT_H

#include <stdbool.h>
#include <stddef.h>

#include "schema/buffer.h"

/* Offset of the first byte that is not part of well-formed UTF-8 (RFC 3629), or `size`. */
size_t text_utf8_prefix(const char *text, size_t size);

/* Appends what a machine said of itself, fit for a record: bytes that are not UTF-8 and control
 * characters as \xNN, runs of blanks as one, none at the ends, at most `limit` bytes (cut at a
 * character). True when anything but blanks was changed. */
bool text_clean(const char *text, size_t size, size_t limit, struct buffer *out);

/* A time as records hold it: YYYY, YYYY-MM, YYYY-MM-DD or YYYY-MM-DDThh:mm:ss[.fff...]Z, each
 * part in range. */
bool text_is_time(const char *text);

#endif
