/* MD2 (RFC 1319), MD4 (RFC 1320), MD5 (RFC 1321). */
#include <string.h>

#include "kernels/crypto_bytes.h"
#include "kernels/crypto_hash.h"

/* The numbers 0 to 255, shuffled by the decimal digits of pi (RFC 1319, 3.2). */
static const uint8_t md2_pi[256] = {
    41, 46, 67, 201, 162, 216, 124, 1, 61, 54, 84, 161, 236, 240, 6, 19, 98, 167, 5, 243,
    192, 199, 115, 140, 152, 147, 43, 217, 188, 76, 130, 202, 30, 155, 87, 60, 253, 212, 224, 22,
    103, 66, 111, 24, 138, 23, 229, 18, 190, 78, 196, 214, 218, 158, 222, 73, 160, 251, 245, 142,
    187, 47, 238, 122, 169, 104, 121, 145, 21, 178, 7, 63, 148, 194, 16, 137, 11, 34, 95, 33,
    128, 127, 93, 154, 90, 144, 50, 39, 53, 62, 204, 231, 191, 247, 151, 3, 255, 25, 48, 179,
    72, 165, 181, 209, 215, 94, 146, 42, 172, 86, 170, 198, 79, 184, 56, 210, 150, 164, 125, 182,
    118, 252, 107, 226, 156, 116, 4, 241, 69, 157, 112, 89, 100, 113, 135, 32, 134, 91, 207, 101,
    230, 45, 168, 2, 27, 96, 37, 173, 174, 176, 185, 246, 28, 70, 97, 105, 52, 64, 126, 15,
    85, 71, 163, 35, 221, 81, 175, 58, 195, 92, 249, 206, 186, 197, 234, 38, 44, 83, 13, 110,
    133, 40, 132, 9, 211, 223, 205, 244, 65, 129, 77, 82, 106, 220, 55, 200, 108, 193, 171, 250,
    36, 225, 123, 8, 12, 189, 177, 74, 120, 136, 149, 139, 227, 99, 232, 109, 233, 203, 213, 254,
    59, 0, 29, 57, 242, 239, 183, 14, 102, 88, 208, 228, 166, 119, 114, 248, 235, 117, 75, 10,
    49, 68, 80, 180, 143, 237, 31, 26, 219, 153, 141, 51, 159, 17, 131, 20};

static void md2_begin(struct hash *hash)
{
    memset(&hash->u.md2, 0, sizeof hash->u.md2);
}

static void md2_blocks(struct hash *hash, const uint8_t *data, size_t n)
{
    uint8_t *state = hash->u.md2.state, *sum = hash->u.md2.sum;
    for (; n > 0; n--, data += 16) {
        uint8_t x[48];
        unsigned last = sum[15];
        for (int i = 0; i < 16; i++) {
            x[i] = state[i];
            x[16 + i] = data[i];
            x[32 + i] = data[i] ^ state[i];
            last = sum[i] ^= md2_pi[data[i] ^ last];
        }
        unsigned t = 0;
        for (unsigned round = 0; round < 18; round++) {
            for (int i = 0; i < 48; i++)
                t = x[i] ^= md2_pi[t];
            t = (t + round) & 0xff;
        }
        memcpy(state, x, 16);
    }
}

static void md2_finish(const struct hash_kind *kind, struct hash *hash, uint8_t *out)
{
    (void)kind;
    size_t n = 16 - hash->filled;
    memset(hash->block + hash->filled, (int)n, n);
    md2_blocks(hash, hash->block, 1);
    uint8_t sum[16];
    memcpy(sum, hash->u.md2.sum, sizeof sum);
    md2_blocks(hash, sum, 1);
    memcpy(out, hash->u.md2.state, 16);
}

const struct hash_kind hash_md2 = {.name = "md2",
                                   .size = 16,
                                   .block_bytes = 16,
                                   .begin = md2_begin,
                                   .blocks = md2_blocks,
                                   .finish = md2_finish};

static void md4_begin(struct hash *hash)
{
    static const uint32_t start[4] = {0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476};
    memcpy(hash->u.words, start, sizeof start);
}

static void md4_finish(const struct hash_kind *kind, struct hash *hash, uint8_t *out)
{
    hash_pad(kind, hash, HASH_LENGTH_LITTLE);
    for (int i = 0; i < 4; i++)
        store_little32(out + 4 * i, hash->u.words[i]);
}

#define CHOOSE(x, y, z) (((x) & (y)) | (~(x) & (z)))
#define MAJORITY(x, y, z) (((x) & (y)) | ((x) & (z)) | ((y) & (z)))
#define PARITY(x, y, z) ((x) ^ (y) ^ (z))

/* One step of MD4: f of the other three and a word of the message into a. */
#define STEP4(f, a, b, c, d, k, add, s) a = rotate_left32(a + f(b, c, d) + x[k] + (add), s)

static void md4_blocks(struct hash *hash, const uint8_t *data, size_t n)
{
    static const uint8_t third[4] = {0, 2, 1, 3};
    uint32_t *state = hash->u.words;
    for (; n > 0; n--, data += 64) {
        uint32_t x[16], a = state[0], b = state[1], c = state[2], d = state[3];
        for (int i = 0; i < 16; i++)
            x[i] = load_little32(data + 4 * i);
        for (int i = 0; i < 16; i += 4) {
            STEP4(CHOOSE, a, b, c, d, i, 0, 3);
            STEP4(CHOOSE, d, a, b, c, i + 1, 0, 7);
            STEP4(CHOOSE, c, d, a, b, i + 2, 0, 11);
            STEP4(CHOOSE, b, c, d, a, i + 3, 0, 19);
        }
        for (int i = 0; i < 4; i++) {
            STEP4(MAJORITY, a, b, c, d, i, 0x5a827999, 3);
            STEP4(MAJORITY, d, a, b, c, i + 4, 0x5a827999, 5);
            STEP4(MAJORITY, c, d, a, b, i + 8, 0x5a827999, 9);
            STEP4(MAJORITY, b, c, d, a, i + 12, 0x5a827999, 13);
        }
        for (int i = 0; i < 4; i++) {
            int k = third[i];
            STEP4(PARITY, a, b, c, d, k, 0x6ed9eba1, 3);
            STEP4(PARITY, d, a, b, c, k + 8, 0x6ed9eba1, 9);
            STEP4(PARITY, c, d, a, b, k + 4, 0x6ed9eba1, 11);
            STEP4(PARITY, b, c, d, a, k + 12, 0x6ed9eba1, 15);
        }
        state[0] += a;
        state[1] += b;
        state[2] += c;
        state[3] += d;
    }
}

const struct hash_kind hash_md4 = {.name = "md4",
                                   .size = 16,
                                   .block_bytes = 64,
                                   .begin = md4_begin,
                                   .blocks = md4_blocks,
                                   .finish = md4_finish};

/* floor(2^32 |sin i|), i from 1 (RFC 1321, 3.4). */
static const uint32_t md5_sines[64] = {
    0xd76aa478, 0xe8c7b756, 0x242070db, 0xc1bdceee, 0xf57c0faf, 0x4787c62a, 0xa8304613, 0xfd469501,
    0x698098d8, 0x8b44f7af, 0xffff5bb1, 0x895cd7be, 0x6b901122, 0xfd987193, 0xa679438e, 0x49b40821,
    0xf61e2562, 0xc040b340, 0x265e5a51, 0xe9b6c7aa, 0xd62f105d, 0x02441453, 0xd8a1e681, 0xe7d3fbc8,
    0x21e1cde6, 0xc33707d6, 0xf4d50d87, 0x455a14ed, 0xa9e3e905, 0xfcefa3f8, 0x676f02d9, 0x8d2a4c8a,
    0xfffa3942, 0x8771f681, 0x6d9d6122, 0xfde5380c, 0xa4beea44, 0x4bdecfa9, 0xf6bb4b60, 0xbebfbc70,
    0x289b7ec6, 0xeaa127fa, 0xd4ef3085, 0x04881d05, 0xd9d4d039, 0xe6db99e5, 0x1fa27cf8, 0xc4ac5665,
    0xf4292244, 0x432aff97, 0xab9423a7, 0xfc93a039, 0x655b59c3, 0x8f0ccc92, 0xffeff47d, 0x85845dd1,
    0x6fa87e4f, 0xfe2ce6e0, 0xa3014314, 0x4e0811a1, 0xf7537e82, 0xbd3af235, 0x2ad7d2bb, 0xeb86d391};

#define CHOOSE_BY_LAST(x, y, z) CHOOSE(z, x, y)
#define ODD(x, y, z) ((y) ^ ((x) | ~(z)))
#define STEP5(f, a, b, c, d, k, t, s) \
    a = b + rotate_left32(a + f(b, c, d) + x[(k) & 15] + md5_sines[t], s)

static void md5_blocks(struct hash *hash, const uint8_t *data, size_t n)
{
    uint32_t *state = hash->u.words;
    for (; n > 0; n--, data += 64) {
        uint32_t x[16], a = state[0], b = state[1], c = state[2], d = state[3];
        for (int i = 0; i < 16; i++)
            x[i] = load_little32(data + 4 * i);
        for (int i = 0; i < 16; i += 4) {
            STEP5(CHOOSE, a, b, c, d, i, i, 7);
            STEP5(CHOOSE, d, a, b, c, i + 1, i + 1, 12);
            STEP5(CHOOSE, c, d, a, b, i + 2, i + 2, 17);
            STEP5(CHOOSE, b, c, d, a, i + 3, i + 3, 22);
        }
        for (int i = 16; i < 32; i += 4) {
            STEP5(CHOOSE_BY_LAST, a, b, c, d, 5 * i + 1, i, 5);
            STEP5(CHOOSE_BY_LAST, d, a, b, c, 5 * i + 6, i + 1, 9);
            STEP5(CHOOSE_BY_LAST, c, d, a, b, 5 * i + 11, i + 2, 14);
            STEP5(CHOOSE_BY_LAST, b, c, d, a, 5 * i + 16, i + 3, 20);
        }
        for (int i = 32; i < 48; i += 4) {
            STEP5(PARITY, a, b, c, d, 3 * i + 5, i, 4);
            STEP5(PARITY, d, a, b, c, 3 * i + 8, i + 1, 11);
            STEP5(PARITY, c, d, a, b, 3 * i + 11, i + 2, 16);
            STEP5(PARITY, b, c, d, a, 3 * i + 14, i + 3, 23);
        }
        for (int i = 48; i < 64; i += 4) {
            STEP5(ODD, a, b, c, d, 7 * i, i, 6);
            STEP5(ODD, d, a, b, c, 7 * i + 7, i + 1, 10);
            STEP5(ODD, c, d, a, b, 7 * i + 14, i + 2, 15);
            STEP5(ODD, b, c, d, a, 7 * i + 21, i + 3, 21);
        }
        state[0] += a;
        state[1] += b;
        state[2] += c;
        state[3] += d;
    }
}

const struct hash_kind hash_md5 = {.name = "md5",
                                   .size = 16,
                                   .block_bytes = 64,
                                   .begin = md4_begin,
                                   .blocks = md5_blocks,
                                   .finish = md4_finish};
