/* SHA-256 (FIPS 180-4), for the end row of a record file and for manifests. */
#ifndef SCHEMA_SHA256_H
#define SCHEMA_SHA256_H

#include <stddef.h>
#include <stdint.h>

enum { SHA256_HEX_SIZE = 65 }; /* NUL included */

struct sha256 {
    uint32_t state[8];
    uint64_t size; /* bytes so far */
    unsigned char block[64];
};

void sha256_init(struct sha256 *hash);
void sha256_add(struct sha256 *hash, const void *bytes, size_t size);
/* Adds to two sums. Where a step of each waits for its step before, this takes little longer than
 * one. */
void sha256_add_two(struct sha256 *a, const void *a_bytes, size_t a_size, struct sha256 *b,
                    const void *b_bytes, size_t b_size);
/* 64 lower-case hexadecimal digits; *hash must be initialised again before more is added. */
void sha256_finish(struct sha256 *hash, char out[static SHA256_HEX_SIZE]);

/* What may stand in for sha256_add. */
typedef void sha256_add_fn(void *context, struct sha256 *hash, const void *bytes, size_t size);

#endif
