/* The sum of a long text, an archive, that threads compute beside the sums of their own: two at
 * once take little longer than one (sha256_add_two). Nobody has to: what is left undone is done by
 * who waits for it. */
#ifndef NORMALIZE_SIDE_SUM_H
#define NORMALIZE_SIDE_SUM_H

#include <stddef.h>
#include <stdint.h>

#include "schema/err.h"
#include "schema/sha256.h"

struct side_sum; /* from side_sum_new, freed by side_sum_free; NULL is fine there */

int side_sum_new(struct side_sum **out, struct err *err);
void side_sum_free(struct side_sum *side);

/* From here to side_sum_end the text goes into *hash, which is borrowed and not to be touched. */
void side_sum_begin(struct side_sum *side, struct sha256 *hash);
void side_sum_end(struct side_sum *side); /* forgets what was offered and is not in the sum yet */

enum { SIDE_SUM_PIECES = 4 }; /* that may be offered and not waited for */
#define SIDE_SUM_ALL UINT64_MAX

/* The next piece of the text, which stays as it is until it was waited for. Returns its number,
 * from 1 on. */
uint64_t side_sum_offer(struct side_sum *side, const char *bytes, size_t size);
/* Until the pieces up to this one are in the sum; 0 is none. */
void side_sum_wait(struct side_sum *side, uint64_t piece);
/* Adds the bytes to *hash, and about as many of those on offer to their sum. side: a struct
 * side_sum. */
void side_sum_add_beside(void *side, struct sha256 *hash, const void *bytes, size_t size);

#endif
