/* The compression function of SHA-256 with the instructions that some x86 processors have for it. */
#ifndef SCHEMA_SHA256_BLOCK_H
#define SCHEMA_SHA256_BLOCK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

extern const uint32_t sha256_constants[64]; /* FIPS 180-4, section 4.2.2 */

/* True when sha256_blocks_fast can be called on this processor. */
bool sha256_has_fast(void);
/* Adds n blocks of 64 bytes to the state. */
void sha256_blocks_fast(uint32_t state[static 8], const unsigned char *bytes, size_t n);
/* The same for two states, n blocks each. */
void sha256_blocks_fast_two(uint32_t a[static 8], const unsigned char *a_bytes,
                            uint32_t b[static 8], const unsigned char *b_bytes, size_t n);

#endif
