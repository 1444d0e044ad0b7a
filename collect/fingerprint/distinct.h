/* A small set of texts, in the order in which they were first seen. */
#ifndef COLLECT_FINGERPRINT_DISTINCT_H
#define COLLECT_FINGERPRINT_DISTINCT_H

#include "schema/buffer.h"

/* `struct distinct d = {0}` is an empty one; distinct_free ends it. */
struct distinct {
    struct buffer values; /* each ended by a LF */
    size_t n;
};

/* Adds a text up to its first LF, unless it is there. */
void distinct_add(struct distinct *distinct, const char *text);
/* Appends all of them, joined by ", ". */
void distinct_join(const struct distinct *distinct, struct buffer *out);
void distinct_free(struct distinct *distinct);

#endif
