#include "schema/sha256.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <string.h>

#include "schema/sha256_block.h"

const uint32_t sha256_constants[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

static uint32_t rotate(uint32_t word, unsigned bits)
{
    return word >> bits | word << (32 - bits);
}

/* FIPS 180-4, section 6.2.2. */
static void add_block(uint32_t state[static 8], const unsigned char *p)
{
    uint32_t w[64];
    for (int t = 0; t < 16; t++)
        w[t] = (uint32_t)p[4 * t] << 24 | (uint32_t)p[4 * t + 1] << 16 |
               (uint32_t)p[4 * t + 2] << 8 | p[4 * t + 3];
    for (int t = 16; t < 64; t++) {
        uint32_t s0 = rotate(w[t - 15], 7) ^ rotate(w[t - 15], 18) ^ w[t - 15] >> 3;
        uint32_t s1 = rotate(w[t - 2], 17) ^ rotate(w[t - 2], 19) ^ w[t - 2] >> 10;
        w[t] = s1 + w[t - 7] + s0 + w[t - 16];
    }
    /* The names of the standard. Eight variables and not an array: they stay in registers. */
    uint32_t a = state[0], b = state[1], c = state[2], d = state[3];
    uint32_t e = state[4], f = state[5], g = state[6], h = state[7];
    for (int t = 0; t < 64; t++) {
        uint32_t sum1 = rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25);
        uint32_t choice = (e & f) ^ (~e & g);
        uint32_t t1 = h + sum1 + choice + sha256_constants[t] + w[t];
        uint32_t sum0 = rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22);
        uint32_t majority = (a & b) ^ (a & c) ^ (b & c);
        h = g;
        g = f;
        f = e;
        e = d + t1;
        d = c;
        c = b;
        b = a;
        a = t1 + sum0 + majority;
    }
    const uint32_t sums[8] = {a, b, c, d, e, f, g, h};
    for (int i = 0; i < 8; i++)
        state[i] += sums[i];
}

static bool is_fast(void)
{
    /* Asked once; two threads that ask at the same time get the same answer. */
    static atomic_int has_fast = -1;
    int fast = atomic_load_explicit(&has_fast, memory_order_relaxed);
    if (fast < 0) {
        fast = sha256_has_fast();
        atomic_store_explicit(&has_fast, fast, memory_order_relaxed);
    }
    return fast;
}

static void add_blocks(uint32_t state[static 8], const unsigned char *p, size_t n)
{
    if (is_fast()) {
        sha256_blocks_fast(state, p, n);
        return;
    }
    for (; n > 0; n--, p += 64)
        add_block(state, p);
}

void sha256_init(struct sha256 *hash)
{
    static const uint32_t initial[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                        0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
    memcpy(hash->state, initial, sizeof initial);
    hash->size = 0;
}

void sha256_add(struct sha256 *hash, const void *bytes, size_t size)
{
    const unsigned char *p = bytes;
    size_t used = hash->size % 64;
    hash->size += size;
    if (used > 0) {
        size_t room = 64 - used;
        size_t part = size < room ? size : room;
        memcpy(hash->block + used, p, part);
        p += part;
        size -= part;
        if (part < room)
            return;
        add_blocks(hash->state, hash->block, 1);
    }
    add_blocks(hash->state, p, size / 64);
    if (size % 64 > 0)
        memcpy(hash->block, p + size / 64 * 64, size % 64);
}

/* Adds what is missing of a block, if there is that much; *size is how much is left. */
static const unsigned char *add_up_to_block(struct sha256 *hash, const unsigned char *p,
                                            size_t *size)
{
    size_t missing = (64 - hash->size % 64) % 64, n = missing < *size ? missing : *size;
    sha256_add(hash, p, n);
    *size -= n;
    return p + n;
}

void sha256_add_two(struct sha256 *a, const void *a_bytes, size_t a_size, struct sha256 *b,
                    const void *b_bytes, size_t b_size)
{
    const unsigned char *p = add_up_to_block(a, a_bytes, &a_size);
    const unsigned char *q = add_up_to_block(b, b_bytes, &b_size);
    size_t n = (a_size < b_size ? a_size : b_size) / 64;
    if (n > 0 && is_fast()) {
        sha256_blocks_fast_two(a->state, p, b->state, q, n);
        a->size += n * 64;
        b->size += n * 64;
    } else {
        n = 0;
    }
    sha256_add(a, p + n * 64, a_size - n * 64);
    sha256_add(b, q + n * 64, b_size - n * 64);
}

void sha256_finish(struct sha256 *hash, char out[static SHA256_HEX_SIZE])
{
    static const char hex[] = "0123456789abcdef";
    uint64_t bits = hash->size * 8;
    unsigned char padding[72] = {0x80};
    size_t zeros = (119 - hash->size % 64) % 64;
    for (int i = 0; i < 8; i++)
        padding[1 + zeros + (size_t)i] = (unsigned char)(bits >> (56 - 8 * i));
    sha256_add(hash, padding, 1 + zeros + 8);
    for (int i = 0; i < 32; i++) {
        unsigned byte = hash->state[i / 4] >> (24 - 8 * (i % 4)) & 0xff;
        out[2 * i] = hex[byte >> 4];
        out[2 * i + 1] = hex[byte & 15];
    }
    out[64] = '\0';
}
