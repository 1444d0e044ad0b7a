/* Facts for people, and as JSON. */
#ifndef COLLECT_FINGERPRINT_FACTS_SHOW_H
#define COLLECT_FINGERPRINT_FACTS_SHOW_H

#include "collect/fingerprint/facts.h"
#include "schema/buffer.h"

/* A page of at most 100 columns: the block of facts_block.h, then groups by the first part of the names. Sources
 * are named where two of them disagree. */
void facts_show_text(const struct facts *identity, const struct facts *state, bool redact,
                     struct buffer *out);

/* {"schema": 1, "run": ..., "machine": ..., "time": ..., "facts": [...]}, a fact on each line with
 * name, class, status, value and unit or text, source. */
void facts_show_json(const struct facts *identity, const struct facts *state, bool redact,
                     const struct run_identity *who, struct buffer *out);

#endif
