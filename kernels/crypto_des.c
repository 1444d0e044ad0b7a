/* DES (FIPS 46-3). Its S boxes and the permutation behind them are one set of tables, made here. */
#include "kernels/crypto_bytes.h"
#include "kernels/crypto_cipher.h"

enum { ROUNDS = 16 };

/* Each round's key as the six bits for every S box: of the odd boxes in even, of the even ones in
 * odd, the first at bit 26, the next ones 8 bits lower each. */
struct des {
    uint32_t even[ROUNDS], odd[ROUNDS];
    uint32_t boxes[8][64];
};

static const uint8_t s_boxes[8][4][16] = {
    {{14, 4, 13, 1, 2, 15, 11, 8, 3, 10, 6, 12, 5, 9, 0, 7},
     {0, 15, 7, 4, 14, 2, 13, 1, 10, 6, 12, 11, 9, 5, 3, 8},
     {4, 1, 14, 8, 13, 6, 2, 11, 15, 12, 9, 7, 3, 10, 5, 0},
     {15, 12, 8, 2, 4, 9, 1, 7, 5, 11, 3, 14, 10, 0, 6, 13}},
    {{15, 1, 8, 14, 6, 11, 3, 4, 9, 7, 2, 13, 12, 0, 5, 10},
     {3, 13, 4, 7, 15, 2, 8, 14, 12, 0, 1, 10, 6, 9, 11, 5},
     {0, 14, 7, 11, 10, 4, 13, 1, 5, 8, 12, 6, 9, 3, 2, 15},
     {13, 8, 10, 1, 3, 15, 4, 2, 11, 6, 7, 12, 0, 5, 14, 9}},
    {{10, 0, 9, 14, 6, 3, 15, 5, 1, 13, 12, 7, 11, 4, 2, 8},
     {13, 7, 0, 9, 3, 4, 6, 10, 2, 8, 5, 14, 12, 11, 15, 1},
     {13, 6, 4, 9, 8, 15, 3, 0, 11, 1, 2, 12, 5, 10, 14, 7},
     {1, 10, 13, 0, 6, 9, 8, 7, 4, 15, 14, 3, 11, 5, 2, 12}},
    {{7, 13, 14, 3, 0, 6, 9, 10, 1, 2, 8, 5, 11, 12, 4, 15},
     {13, 8, 11, 5, 6, 15, 0, 3, 4, 7, 2, 12, 1, 10, 14, 9},
     {10, 6, 9, 0, 12, 11, 7, 13, 15, 1, 3, 14, 5, 2, 8, 4},
     {3, 15, 0, 6, 10, 1, 13, 8, 9, 4, 5, 11, 12, 7, 2, 14}},
    {{2, 12, 4, 1, 7, 10, 11, 6, 8, 5, 3, 15, 13, 0, 14, 9},
     {14, 11, 2, 12, 4, 7, 13, 1, 5, 0, 15, 10, 3, 9, 8, 6},
     {4, 2, 1, 11, 10, 13, 7, 8, 15, 9, 12, 5, 6, 3, 0, 14},
     {11, 8, 12, 7, 1, 14, 2, 13, 6, 15, 0, 9, 10, 4, 5, 3}},
    {{12, 1, 10, 15, 9, 2, 6, 8, 0, 13, 3, 4, 14, 7, 5, 11},
     {10, 15, 4, 2, 7, 12, 9, 5, 6, 1, 13, 14, 0, 11, 3, 8},
     {9, 14, 15, 5, 2, 8, 12, 3, 7, 0, 4, 10, 1, 13, 11, 6},
     {4, 3, 2, 12, 9, 5, 15, 10, 11, 14, 1, 7, 6, 0, 8, 13}},
    {{4, 11, 2, 14, 15, 0, 8, 13, 3, 12, 9, 7, 5, 10, 6, 1},
     {13, 0, 11, 7, 4, 9, 1, 10, 14, 3, 5, 12, 2, 15, 8, 6},
     {1, 4, 11, 13, 12, 3, 7, 14, 10, 15, 6, 8, 0, 5, 9, 2},
     {6, 11, 13, 8, 1, 4, 10, 7, 9, 5, 0, 15, 14, 2, 3, 12}},
    {{13, 2, 8, 4, 6, 15, 11, 1, 10, 9, 3, 14, 5, 0, 12, 7},
     {1, 15, 13, 8, 10, 3, 7, 4, 12, 5, 6, 11, 0, 14, 9, 2},
     {7, 11, 4, 1, 9, 12, 14, 2, 0, 6, 10, 13, 15, 3, 5, 8},
     {2, 1, 14, 7, 4, 10, 8, 13, 15, 12, 9, 0, 3, 5, 6, 11}}};

/* Where each bit comes from; bits count from 1, the highest. */
static const uint8_t permutation[32] = {16, 7, 20, 21, 29, 12, 28, 17, 1,  15, 23,
                                        26, 5, 18, 31, 10, 2,  8,  24, 14, 32, 27,
                                        3,  9, 19, 13, 30, 6,  22, 11, 4,  25};
static const uint8_t choice1[56] = {57, 49, 41, 33, 25, 17, 9,  1,  58, 50, 42, 34, 26, 18,
                                    10, 2,  59, 51, 43, 35, 27, 19, 11, 3,  60, 52, 44, 36,
                                    63, 55, 47, 39, 31, 23, 15, 7,  62, 54, 46, 38, 30, 22,
                                    14, 6,  61, 53, 45, 37, 29, 21, 13, 5,  28, 20, 12, 4};
static const uint8_t choice2[48] = {14, 17, 11, 24, 1,  5,  3,  28, 15, 6,  21, 10,
                                    23, 19, 12, 4,  26, 8,  16, 7,  27, 20, 13, 2,
                                    41, 52, 31, 37, 47, 55, 30, 40, 51, 45, 33, 48,
                                    44, 49, 39, 56, 34, 53, 46, 42, 50, 36, 29, 32};
static const uint8_t key_shifts[ROUNDS] = {1, 1, 2, 2, 2, 2, 2, 2, 1, 2, 2, 2, 2, 2, 2, 1};

static void des_prepare(void *state)
{
    struct des *des = state;
    for (unsigned box = 0; box < 8; box++) {
        for (unsigned in = 0; in < 64; in++) {
            uint32_t four = s_boxes[box][(in >> 4 & 2) | (in & 1)][in >> 1 & 15];
            uint32_t word = four << (28 - 4 * box), out = 0;
            for (int bit = 0; bit < 32; bit++)
                out = out << 1 | (word >> (32 - permutation[bit]) & 1);
            des->boxes[box][in] = out;
        }
    }
}

/* The 28 bits, rotated. */
static uint32_t half_rotate(uint32_t half, unsigned n)
{
    return (half << n | half >> (28 - n)) & 0xfffffff;
}

static void des_set_key(void *state, const uint8_t *key, size_t key_bytes)
{
    (void)key_bytes;
    struct des *des = state;
    uint64_t bits = load_big64(key);
    uint32_t half[2] = {0};
    for (int i = 0; i < 56; i++)
        half[i / 28] = half[i / 28] << 1 | (uint32_t)(bits >> (64 - choice1[i]) & 1);
    for (int round = 0; round < ROUNDS; round++) {
        half[0] = half_rotate(half[0], key_shifts[round]);
        half[1] = half_rotate(half[1], key_shifts[round]);
        uint64_t both = (uint64_t)half[0] << 28 | half[1];
        uint32_t part[2] = {0};
        for (int box = 0; box < 8; box++) {
            uint32_t six = 0;
            for (int i = 0; i < 6; i++)
                six = six << 1 | (uint32_t)(both >> (56 - choice2[6 * box + i]) & 1);
            part[box % 2] |= six << (26 - 8 * (box / 2));
        }
        des->even[round] = part[0];
        des->odd[round] = part[1];
    }
}

/* Exchanges the bits of b under the mask with those of a that are n higher. */
#define EXCHANGE(a, b, n, mask) \
    do { \
        uint32_t t = ((a) >> (n) ^ (b)) & (mask); \
        b ^= t; \
        a ^= t << (n); \
    } while (0)

/* The function of FIPS 46-3, figure 2: its expansion takes six bits at every fourth. */
static inline uint32_t des_mix(const struct des *des, uint32_t half, int round)
{
    uint32_t even = rotate_left32(half, 31) ^ des->even[round];
    uint32_t odd = rotate_left32(half, 3) ^ des->odd[round];
    return des->boxes[0][even >> 26] ^ des->boxes[2][even >> 18 & 63] ^
           des->boxes[4][even >> 10 & 63] ^ des->boxes[6][even >> 2 & 63] ^
           des->boxes[1][odd >> 26] ^ des->boxes[3][odd >> 18 & 63] ^
           des->boxes[5][odd >> 10 & 63] ^ des->boxes[7][odd >> 2 & 63];
}

/* first, step: 0 and 1 to encrypt, 15 and -1 to decrypt. The initial permutation and its inverse are
 * those of the standard, as five exchanges. */
static inline void des_block(const struct des *des, uint8_t *block, int first, int step)
{
    uint32_t l = load_big32(block), r = load_big32(block + 4);
    EXCHANGE(l, r, 4, 0x0f0f0f0f);
    EXCHANGE(l, r, 16, 0x0000ffff);
    EXCHANGE(r, l, 2, 0x33333333);
    EXCHANGE(r, l, 8, 0x00ff00ff);
    EXCHANGE(l, r, 1, 0x55555555);
    for (int i = 0, round = first; i < ROUNDS; i += 2, round += 2 * step) {
        l ^= des_mix(des, r, round);
        r ^= des_mix(des, l, round + step);
    }
    EXCHANGE(r, l, 1, 0x55555555);
    EXCHANGE(l, r, 8, 0x00ff00ff);
    EXCHANGE(l, r, 2, 0x33333333);
    EXCHANGE(r, l, 16, 0x0000ffff);
    EXCHANGE(r, l, 4, 0x0f0f0f0f);
    store_big32(block, r);
    store_big32(block + 4, l);
}

static inline void des_encrypt(const struct des *des, uint8_t *block)
{
    des_block(des, block, 0, 1);
}

static inline void des_decrypt(const struct des *des, uint8_t *block)
{
    des_block(des, block, ROUNDS - 1, -1);
}

CIPHER_CBC(des, struct des, 8)

const struct cipher_kind cipher_des = {.name = "des_cbc",
                                       .key_bytes = 8,
                                       .block_bytes = 8,
                                       .state_bytes = sizeof(struct des),
                                       .prepare = des_prepare,
                                       .set_key = des_set_key,
                                       .encrypt = des_cbc_encrypt,
                                       .decrypt = des_cbc_decrypt};
