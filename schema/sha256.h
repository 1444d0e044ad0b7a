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
/* 64 lower-case hexadecimal digits; *hash must be initialised again before more is added. */
void sha256_finish(struct sha256 *hash, char out[static SHA256_HEX_SIZE]);

#endif
