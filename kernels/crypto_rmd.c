/* RIPEMD-160: Dobbertin, Bosselaers and Preneel, FSE 1996, LNCS 1039, 71; corrected version of 18
 * April 1996, appendix A. */
#include <string.h>

#include "kernels/crypto_bytes.h"
#include "kernels/crypto_hash.h"

enum { ROUNDS = 5, STEPS = 16 };

/* The word of the message and the rotation of each step, in the left and in the right line. */
static const uint8_t words[2][ROUNDS][STEPS] = {
    {{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15},
     {7, 4, 13, 1, 10, 6, 15, 3, 12, 0, 9, 5, 2, 14, 11, 8},
     {3, 10, 14, 4, 9, 15, 8, 1, 2, 7, 0, 6, 13, 11, 5, 12},
     {1, 9, 11, 10, 0, 8, 12, 4, 13, 3, 7, 15, 14, 5, 6, 2},
     {4, 0, 5, 9, 7, 12, 2, 10, 14, 1, 3, 8, 11, 6, 15, 13}},
    {{5, 14, 7, 0, 9, 2, 11, 4, 13, 6, 15, 8, 1, 10, 3, 12},
     {6, 11, 3, 7, 0, 13, 5, 10, 14, 15, 8, 12, 4, 9, 1, 2},
     {15, 5, 1, 3, 7, 14, 6, 9, 11, 8, 12, 2, 10, 0, 4, 13},
     {8, 6, 4, 1, 3, 11, 15, 0, 5, 12, 2, 13, 9, 7, 10, 14},
     {12, 15, 10, 4, 1, 5, 8, 7, 6, 2, 13, 14, 0, 3, 9, 11}}};
static const uint8_t shifts[2][ROUNDS][STEPS] = {
    {{11, 14, 15, 12, 5, 8, 7, 9, 11, 13, 14, 15, 6, 7, 9, 8},
     {7, 6, 8, 13, 11, 9, 7, 15, 7, 12, 15, 9, 11, 7, 13, 12},
     {11, 13, 6, 7, 14, 9, 13, 15, 14, 8, 13, 6, 5, 12, 7, 5},
     {11, 12, 14, 15, 14, 15, 9, 8, 9, 14, 5, 6, 8, 6, 5, 12},
     {9, 15, 5, 11, 6, 8, 13, 12, 5, 12, 13, 14, 11, 8, 5, 6}},
    {{8, 9, 9, 11, 13, 15, 15, 5, 7, 7, 8, 11, 14, 14, 12, 6},
     {9, 13, 15, 7, 12, 8, 9, 11, 7, 7, 12, 7, 6, 15, 13, 11},
     {9, 7, 15, 11, 8, 6, 6, 14, 12, 13, 5, 14, 13, 13, 7, 5},
     {15, 5, 8, 11, 14, 14, 6, 14, 6, 9, 12, 9, 12, 5, 15, 8},
     {8, 5, 12, 9, 12, 5, 14, 6, 8, 13, 6, 5, 15, 13, 11, 11}}};

#define F1(x, y, z) ((x) ^ (y) ^ (z))
#define F2(x, y, z) (((x) & (y)) | (~(x) & (z)))
#define F3(x, y, z) (((x) | ~(y)) ^ (z))
#define F4(x, y, z) (((x) & (z)) | ((y) & ~(z)))
#define F5(x, y, z) ((x) ^ ((y) | ~(z)))

/* A round of one line. */
#define LINE(f, v, line, round, add) \
    for (int j = 0; j < STEPS; j++) { \
        uint32_t t = rotate_left32(v[0] + f(v[1], v[2], v[3]) + x[words[line][round][j]] + (add), \
                                   shifts[line][round][j]) + \
                     v[4]; \
        v[0] = v[4]; \
        v[4] = v[3]; \
        v[3] = rotate_left32(v[2], 10); \
        v[2] = v[1]; \
        v[1] = t; \
    }

static void rmd160_begin(struct hash *hash)
{
    static const uint32_t start[5] = {0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476, 0xc3d2e1f0};
    memcpy(hash->u.words, start, sizeof start);
}

static void rmd160_blocks(struct hash *hash, const uint8_t *data, size_t n)
{
    uint32_t *h = hash->u.words;
    for (; n > 0; n--, data += 64) {
        uint32_t x[16], l[5], r[5];
        for (int i = 0; i < 16; i++)
            x[i] = load_little32(data + 4 * i);
        memcpy(l, h, sizeof l);
        memcpy(r, h, sizeof r);
        LINE(F1, l, 0, 0, 0)
        LINE(F5, r, 1, 0, 0x50a28be6)
        LINE(F2, l, 0, 1, 0x5a827999)
        LINE(F4, r, 1, 1, 0x5c4dd124)
        LINE(F3, l, 0, 2, 0x6ed9eba1)
        LINE(F3, r, 1, 2, 0x6d703ef3)
        LINE(F4, l, 0, 3, 0x8f1bbcdc)
        LINE(F2, r, 1, 3, 0x7a6d76e9)
        LINE(F5, l, 0, 4, 0xa953fd4e)
        LINE(F1, r, 1, 4, 0)
        uint32_t t = h[1] + l[2] + r[3];
        h[1] = h[2] + l[3] + r[4];
        h[2] = h[3] + l[4] + r[0];
        h[3] = h[4] + l[0] + r[1];
        h[4] = h[0] + l[1] + r[2];
        h[0] = t;
    }
}

static void rmd160_finish(const struct hash_kind *kind, struct hash *hash, uint8_t *out)
{
    hash_pad(kind, hash, HASH_LENGTH_LITTLE);
    for (int i = 0; i < 5; i++)
        store_little32(out + 4 * i, hash->u.words[i]);
}

const struct hash_kind hash_rmd160 = {.name = "rmd160",
                                      .size = 20,
                                      .block_bytes = 64,
                                      .begin = rmd160_begin,
                                      .blocks = rmd160_blocks,
                                      .finish = rmd160_finish};
