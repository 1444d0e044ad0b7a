/* Digests. A digest is a table of functions, so that all are fed and timed alike. */
#ifndef KERNELS_CRYPTO_HASH_H
#define KERNELS_CRYPTO_HASH_H

#include <stddef.h>
#include <stdint.h>

enum { HASH_BLOCK_MAX = 128, HASH_SIZE_MAX = 64 };

struct hash {
    union {
        uint32_t words[8];
        uint64_t longs[8];
        struct {
            uint8_t state[16], sum[16];
        } md2;
    } u;
    uint8_t block[HASH_BLOCK_MAX]; /* what does not fill a block yet */
    size_t filled;                 /* bytes in it, fewer than a block */
    uint64_t bytes;                /* so far */
};

struct hash_kind {
    const char *name;
    size_t size, block_bytes;
    void (*begin)(struct hash *hash); /* sets u */
    void (*blocks)(struct hash *hash, const uint8_t *data, size_t n);
    void (*finish)(const struct hash_kind *kind, struct hash *hash, uint8_t *out);
};

extern const struct hash_kind hash_md2, hash_md4, hash_md5, hash_rmd160, hash_sha1, hash_sha256,
    hash_sha512;

void hash_begin(const struct hash_kind *kind, struct hash *hash);
void hash_add(const struct hash_kind *kind, struct hash *hash, const uint8_t *data, size_t size);
/* out: [kind->size] */
void hash_finish(const struct hash_kind *kind, struct hash *hash, uint8_t *out);

/* A 1 bit, zeros, and the length in bits in the last bytes of a block: of the 8 bytes low first in
 * MD4's family, high first in SHA's, where SHA-512 has 16 bytes. */
enum hash_length { HASH_LENGTH_LITTLE, HASH_LENGTH_BIG };
void hash_pad(const struct hash_kind *kind, struct hash *hash, enum hash_length order);

/* HMAC (RFC 2104). The key is at most a block long. */
struct hmac {
    struct hash inner, outer; /* with the key in them */
};

void hmac_set_key(const struct hash_kind *kind, struct hmac *hmac, const uint8_t *key, size_t size);
void hmac_compute(const struct hash_kind *kind, const struct hmac *hmac, const uint8_t *data,
                  size_t size, uint8_t *out);

#endif
