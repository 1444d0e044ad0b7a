/* SHA-1, SHA-256 and SHA-512 (FIPS 180-4; SHA-1 also RFC 3174). */
#include <string.h>

#include "kernels/crypto_bytes.h"
#include "kernels/crypto_hash.h"

#define CHOOSE(x, y, z) (((x) & (y)) ^ (~(x) & (z)))
#define MAJORITY(x, y, z) (((x) & (y)) ^ ((x) & (z)) ^ ((y) & (z)))
#define PARITY(x, y, z) ((x) ^ (y) ^ (z))

static void sha1_begin(struct hash *hash)
{
    static const uint32_t start[5] = {0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476, 0xc3d2e1f0};
    memcpy(hash->u.words, start, sizeof start);
}

static void words_finish(const struct hash_kind *kind, struct hash *hash, uint8_t *out)
{
    hash_pad(kind, hash, HASH_LENGTH_BIG);
    for (size_t i = 0; i < kind->size / 4; i++)
        store_big32(out + 4 * i, hash->u.words[i]);
}

/* 20 rounds, five at a time, so that no word moves. */
#define ROUND1(f, a, b, c, d, e, t, k) \
    do { \
        e += rotate_left32(a, 5) + f(b, c, d) + w[t] + (k); \
        b = rotate_left32(b, 30); \
    } while (0)
#define ROUNDS1(f, from, k) \
    for (int t = (from); t < (from) + 20; t += 5) { \
        ROUND1(f, a, b, c, d, e, t, k); \
        ROUND1(f, e, a, b, c, d, t + 1, k); \
        ROUND1(f, d, e, a, b, c, t + 2, k); \
        ROUND1(f, c, d, e, a, b, t + 3, k); \
        ROUND1(f, b, c, d, e, a, t + 4, k); \
    }

static void sha1_blocks(struct hash *hash, const uint8_t *data, size_t n)
{
    uint32_t *h = hash->u.words;
    for (; n > 0; n--, data += 64) {
        uint32_t w[80], a = h[0], b = h[1], c = h[2], d = h[3], e = h[4];
        for (int t = 0; t < 16; t++)
            w[t] = load_big32(data + 4 * t);
        for (int t = 16; t < 80; t++)
            w[t] = rotate_left32(w[t - 3] ^ w[t - 8] ^ w[t - 14] ^ w[t - 16], 1);
        ROUNDS1(CHOOSE, 0, 0x5a827999)
        ROUNDS1(PARITY, 20, 0x6ed9eba1)
        ROUNDS1(MAJORITY, 40, 0x8f1bbcdc)
        ROUNDS1(PARITY, 60, 0xca62c1d6)
        h[0] += a;
        h[1] += b;
        h[2] += c;
        h[3] += d;
        h[4] += e;
    }
}

const struct hash_kind hash_sha1 = {.name = "sha1",
                                    .size = 20,
                                    .block_bytes = 64,
                                    .begin = sha1_begin,
                                    .blocks = sha1_blocks,
                                    .finish = words_finish};

/* The first 32 bits of the fractions of the square and cube roots of the first primes (5.3.3,
 * 4.2.2). */
static const uint32_t sha256_start[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                         0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
static const uint32_t sha256_roots[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

static void sha256_begin(struct hash *hash)
{
    memcpy(hash->u.words, sha256_start, sizeof sha256_start);
}

static inline uint32_t rotate_right32(uint32_t word, unsigned n)
{
    return word >> n | word << (32 - n);
}

#define SUM_A(x) (rotate_right32(x, 2) ^ rotate_right32(x, 13) ^ rotate_right32(x, 22))
#define SUM_E(x) (rotate_right32(x, 6) ^ rotate_right32(x, 11) ^ rotate_right32(x, 25))
#define MIX_0(x) (rotate_right32(x, 7) ^ rotate_right32(x, 18) ^ (x) >> 3)
#define MIX_1(x) (rotate_right32(x, 17) ^ rotate_right32(x, 19) ^ (x) >> 10)

/* One round; what it leaves in d and h are the new e and a. */
#define ROUND2(a, b, c, d, e, f, g, h, t, roots) \
    do { \
        h += SUM_E(e) + CHOOSE(e, f, g) + roots[t] + w[t]; \
        d += h; \
        h += SUM_A(a) + MAJORITY(a, b, c); \
    } while (0)
#define ROUNDS2(roots, n_rounds) \
    for (int t = 0; t < (n_rounds); t += 8) { \
        ROUND2(a, b, c, d, e, f, g, h, t, roots); \
        ROUND2(h, a, b, c, d, e, f, g, t + 1, roots); \
        ROUND2(g, h, a, b, c, d, e, f, t + 2, roots); \
        ROUND2(f, g, h, a, b, c, d, e, t + 3, roots); \
        ROUND2(e, f, g, h, a, b, c, d, t + 4, roots); \
        ROUND2(d, e, f, g, h, a, b, c, t + 5, roots); \
        ROUND2(c, d, e, f, g, h, a, b, t + 6, roots); \
        ROUND2(b, c, d, e, f, g, h, a, t + 7, roots); \
    }

static void sha256_blocks(struct hash *hash, const uint8_t *data, size_t n)
{
    uint32_t *s = hash->u.words;
    for (; n > 0; n--, data += 64) {
        uint32_t w[64], a = s[0], b = s[1], c = s[2], d = s[3], e = s[4], f = s[5], g = s[6],
                        h = s[7];
        for (int t = 0; t < 16; t++)
            w[t] = load_big32(data + 4 * t);
        for (int t = 16; t < 64; t++)
            w[t] = MIX_1(w[t - 2]) + w[t - 7] + MIX_0(w[t - 15]) + w[t - 16];
        ROUNDS2(sha256_roots, 64)
        s[0] += a;
        s[1] += b;
        s[2] += c;
        s[3] += d;
        s[4] += e;
        s[5] += f;
        s[6] += g;
        s[7] += h;
    }
}

const struct hash_kind hash_sha256 = {.name = "sha256",
                                      .size = 32,
                                      .block_bytes = 64,
                                      .begin = sha256_begin,
                                      .blocks = sha256_blocks,
                                      .finish = words_finish};

#undef SUM_A
#undef SUM_E
#undef MIX_0
#undef MIX_1
#define SUM_A(x) (rotate_right64(x, 28) ^ rotate_right64(x, 34) ^ rotate_right64(x, 39))
#define SUM_E(x) (rotate_right64(x, 14) ^ rotate_right64(x, 18) ^ rotate_right64(x, 41))
#define MIX_0(x) (rotate_right64(x, 1) ^ rotate_right64(x, 8) ^ (x) >> 7)
#define MIX_1(x) (rotate_right64(x, 19) ^ rotate_right64(x, 61) ^ (x) >> 6)

/* The same roots to 64 bits (5.3.5, 4.2.3). */
static const uint64_t sha512_start[8] = {
    0x6a09e667f3bcc908, 0xbb67ae8584caa73b, 0x3c6ef372fe94f82b, 0xa54ff53a5f1d36f1,
    0x510e527fade682d1, 0x9b05688c2b3e6c1f, 0x1f83d9abfb41bd6b, 0x5be0cd19137e2179};
static const uint64_t sha512_roots[80] = {
    0x428a2f98d728ae22, 0x7137449123ef65cd, 0xb5c0fbcfec4d3b2f, 0xe9b5dba58189dbbc,
    0x3956c25bf348b538, 0x59f111f1b605d019, 0x923f82a4af194f9b, 0xab1c5ed5da6d8118,
    0xd807aa98a3030242, 0x12835b0145706fbe, 0x243185be4ee4b28c, 0x550c7dc3d5ffb4e2,
    0x72be5d74f27b896f, 0x80deb1fe3b1696b1, 0x9bdc06a725c71235, 0xc19bf174cf692694,
    0xe49b69c19ef14ad2, 0xefbe4786384f25e3, 0x0fc19dc68b8cd5b5, 0x240ca1cc77ac9c65,
    0x2de92c6f592b0275, 0x4a7484aa6ea6e483, 0x5cb0a9dcbd41fbd4, 0x76f988da831153b5,
    0x983e5152ee66dfab, 0xa831c66d2db43210, 0xb00327c898fb213f, 0xbf597fc7beef0ee4,
    0xc6e00bf33da88fc2, 0xd5a79147930aa725, 0x06ca6351e003826f, 0x142929670a0e6e70,
    0x27b70a8546d22ffc, 0x2e1b21385c26c926, 0x4d2c6dfc5ac42aed, 0x53380d139d95b3df,
    0x650a73548baf63de, 0x766a0abb3c77b2a8, 0x81c2c92e47edaee6, 0x92722c851482353b,
    0xa2bfe8a14cf10364, 0xa81a664bbc423001, 0xc24b8b70d0f89791, 0xc76c51a30654be30,
    0xd192e819d6ef5218, 0xd69906245565a910, 0xf40e35855771202a, 0x106aa07032bbd1b8,
    0x19a4c116b8d2d0c8, 0x1e376c085141ab53, 0x2748774cdf8eeb99, 0x34b0bcb5e19b48a8,
    0x391c0cb3c5c95a63, 0x4ed8aa4ae3418acb, 0x5b9cca4f7763e373, 0x682e6ff3d6b2b8a3,
    0x748f82ee5defb2fc, 0x78a5636f43172f60, 0x84c87814a1f0ab72, 0x8cc702081a6439ec,
    0x90befffa23631e28, 0xa4506cebde82bde9, 0xbef9a3f7b2c67915, 0xc67178f2e372532b,
    0xca273eceea26619c, 0xd186b8c721c0c207, 0xeada7dd6cde0eb1e, 0xf57d4f7fee6ed178,
    0x06f067aa72176fba, 0x0a637dc5a2c898a6, 0x113f9804bef90dae, 0x1b710b35131c471b,
    0x28db77f523047d84, 0x32caab7b40c72493, 0x3c9ebe0a15c9bebc, 0x431d67c49c100d4c,
    0x4cc5d4becb3e42b6, 0x597f299cfc657e2a, 0x5fcb6fab3ad6faec, 0x6c44198c4a475817};

static void sha512_begin(struct hash *hash)
{
    memcpy(hash->u.longs, sha512_start, sizeof sha512_start);
}

static void sha512_blocks(struct hash *hash, const uint8_t *data, size_t n)
{
    uint64_t *s = hash->u.longs;
    for (; n > 0; n--, data += 128) {
        uint64_t w[80], a = s[0], b = s[1], c = s[2], d = s[3], e = s[4], f = s[5], g = s[6],
                        h = s[7];
        for (int t = 0; t < 16; t++)
            w[t] = load_big64(data + 8 * t);
        for (int t = 16; t < 80; t++)
            w[t] = MIX_1(w[t - 2]) + w[t - 7] + MIX_0(w[t - 15]) + w[t - 16];
        ROUNDS2(sha512_roots, 80)
        s[0] += a;
        s[1] += b;
        s[2] += c;
        s[3] += d;
        s[4] += e;
        s[5] += f;
        s[6] += g;
        s[7] += h;
    }
}

static void sha512_finish(const struct hash_kind *kind, struct hash *hash, uint8_t *out)
{
    hash_pad(kind, hash, HASH_LENGTH_BIG);
    for (int i = 0; i < 8; i++)
        store_big64(out + 8 * i, hash->u.longs[i]);
}

const struct hash_kind hash_sha512 = {.name = "sha512",
                                      .size = 64,
                                      .block_bytes = 128,
                                      .begin = sha512_begin,
                                      .blocks = sha512_blocks,
                                      .finish = sha512_finish};
