/* The machine in some lines, in the manner of the configuration block that Roy Longbottom's benchmarks
 * print: vendor, codes and model, measured clock, what the processor has and has not, system, memory,
 * user virtual space. */
#ifndef COLLECT_FINGERPRINT_FACTS_BLOCK_H
#define COLLECT_FINGERPRINT_FACTS_BLOCK_H

#include "collect/fingerprint/facts.h"
#include "schema/buffer.h"

/* Appends lines of any length, each ended by a LF; what is not known is left out. */
void facts_block(const struct facts *identity, const struct facts *state, struct buffer *out);

#endif
