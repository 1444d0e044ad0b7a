/* Text as a field of CSV and as a string of JSON. */
#ifndef SCHEMA_QUOTE_H
#define SCHEMA_QUOTE_H

#include "schema/buffer.h"

/* Appends the text as one CSV field: quoted only where RFC 4180 wants it, and where a blank at an
 * edge might be trimmed by a reader. */
void quote_csv(struct buffer *out, const char *text);

/* Appends the text as a JSON string, quotes included (RFC 8259, section 7). text is UTF-8. */
void quote_json(struct buffer *out, const char *text);

#endif
