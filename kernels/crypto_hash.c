#include "kernels/crypto_hash.h"

#include <string.h>

#include "kernels/crypto_bytes.h"

void hash_begin(const struct hash_kind *kind, struct hash *hash)
{
    hash->filled = 0;
    hash->bytes = 0;
    kind->begin(hash);
}

void hash_add(const struct hash_kind *kind, struct hash *hash, const uint8_t *data, size_t size)
{
    hash->bytes += size;
    if (hash->filled > 0) {
        size_t part = kind->block_bytes - hash->filled;
        part = size < part ? size : part;
        memcpy(hash->block + hash->filled, data, part);
        hash->filled += part;
        data += part;
        size -= part;
        if (hash->filled < kind->block_bytes)
            return;
        kind->blocks(hash, hash->block, 1);
        hash->filled = 0;
    }
    size_t n = size / kind->block_bytes;
    if (n > 0)
        kind->blocks(hash, data, n);
    hash->filled = size - n * kind->block_bytes;
    if (hash->filled > 0)
        memcpy(hash->block, data + n * kind->block_bytes, hash->filled);
}

void hash_finish(const struct hash_kind *kind, struct hash *hash, uint8_t *out)
{
    kind->finish(kind, hash, out);
}

void hash_pad(const struct hash_kind *kind, struct hash *hash, enum hash_length order)
{
    size_t end = kind->block_bytes - (kind->block_bytes > 64 ? 16 : 8);
    uint8_t *block = hash->block;
    block[hash->filled++] = 0x80;
    if (hash->filled > end) {
        memset(block + hash->filled, 0, kind->block_bytes - hash->filled);
        kind->blocks(hash, block, 1);
        hash->filled = 0;
    }
    memset(block + hash->filled, 0, kind->block_bytes - hash->filled);
    uint64_t bits = hash->bytes * 8;
    uint8_t *length = block + kind->block_bytes - 8;
    if (order == HASH_LENGTH_LITTLE) {
        store_little32(length, (uint32_t)bits);
        store_little32(length + 4, (uint32_t)(bits >> 32));
    } else {
        store_big64(length, bits);
    }
    kind->blocks(hash, block, 1);
}

static void key_add(const struct hash_kind *kind, struct hash *hash, const uint8_t *key,
                    size_t size, uint8_t mask)
{
    uint8_t block[HASH_BLOCK_MAX];
    memset(block, mask, sizeof block);
    for (size_t i = 0; i < size; i++)
        block[i] ^= key[i];
    hash_begin(kind, hash);
    hash_add(kind, hash, block, kind->block_bytes);
}

void hmac_set_key(const struct hash_kind *kind, struct hmac *hmac, const uint8_t *key, size_t size)
{
    key_add(kind, &hmac->inner, key, size, 0x36);
    key_add(kind, &hmac->outer, key, size, 0x5c);
}

void hmac_compute(const struct hash_kind *kind, const struct hmac *hmac, const uint8_t *data,
                  size_t size, uint8_t *out)
{
    uint8_t digest[HASH_SIZE_MAX];
    struct hash hash = hmac->inner;
    hash_add(kind, &hash, data, size);
    hash_finish(kind, &hash, digest);
    hash = hmac->outer;
    hash_add(kind, &hash, digest, kind->size);
    hash_finish(kind, &hash, out);
}
