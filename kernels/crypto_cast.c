/* CAST-128, also called CAST5 (RFC 2144). */
#include "kernels/crypto_cast.h"

#include "kernels/crypto_bytes.h"
#include "kernels/crypto_cipher.h"

enum { ROUNDS_MAX = 16, ROUNDS_SHORT = 12, SHORT_KEY_BYTES = 10, KEY_BYTES = 16 };

struct cast {
    uint32_t mask[ROUNDS_MAX];
    uint8_t turn[ROUNDS_MAX];
    int rounds;
};

static uint32_t s5(unsigned byte)
{
    return cast_boxes[4][byte];
}

static uint32_t s6(unsigned byte)
{
    return cast_boxes[5][byte];
}

static uint32_t s7(unsigned byte)
{
    return cast_boxes[6][byte];
}

static uint32_t s8(unsigned byte)
{
    return cast_boxes[7][byte];
}

/* The steps that the key schedule repeats (2.4). */
static void z_from_x(uint8_t *z, const uint8_t *x)
{
    store_big32(z, load_big32(x) ^ s5(x[13]) ^ s6(x[15]) ^ s7(x[12]) ^ s8(x[14]) ^ s7(x[8]));
    store_big32(z + 4, load_big32(x + 8) ^ s5(z[0]) ^ s6(z[2]) ^ s7(z[1]) ^ s8(z[3]) ^ s8(x[10]));
    store_big32(z + 8, load_big32(x + 12) ^ s5(z[7]) ^ s6(z[6]) ^ s7(z[5]) ^ s8(z[4]) ^ s5(x[9]));
    store_big32(z + 12,
                load_big32(x + 4) ^ s5(z[10]) ^ s6(z[9]) ^ s7(z[11]) ^ s8(z[8]) ^ s6(x[11]));
}

static void x_from_z(uint8_t *x, const uint8_t *z)
{
    store_big32(x, load_big32(z + 8) ^ s5(z[5]) ^ s6(z[7]) ^ s7(z[4]) ^ s8(z[6]) ^ s7(z[0]));
    store_big32(x + 4, load_big32(z) ^ s5(x[0]) ^ s6(x[2]) ^ s7(x[1]) ^ s8(x[3]) ^ s8(z[2]));
    store_big32(x + 8, load_big32(z + 4) ^ s5(x[7]) ^ s6(x[6]) ^ s7(x[5]) ^ s8(x[4]) ^ s5(z[1]));
    store_big32(x + 12,
                load_big32(z + 12) ^ s5(x[10]) ^ s6(x[9]) ^ s7(x[11]) ^ s8(x[8]) ^ s6(z[3]));
}

/* Four subkeys: the byte of each in S5 to S8, and a fifth in the box that counts on from S5. */
static void keys_make(uint32_t *keys, const uint8_t *from, const uint8_t bytes[4][5])
{
    for (int i = 0; i < 4; i++) {
        const uint8_t *b = bytes[i];
        keys[i] = s5(from[b[0]]) ^ s6(from[b[1]]) ^ s7(from[b[2]]) ^ s8(from[b[3]]) ^
                  cast_boxes[4 + i][from[b[4]]];
    }
}

static void cast_set_key(void *state, const uint8_t *key, size_t key_bytes)
{
    static const uint8_t bytes[4][4][5] = {
        {{8, 9, 7, 6, 2}, {10, 11, 5, 4, 6}, {12, 13, 3, 2, 9}, {14, 15, 1, 0, 12}},
        {{3, 2, 12, 13, 8}, {1, 0, 14, 15, 13}, {7, 6, 8, 9, 3}, {5, 4, 10, 11, 7}},
        {{3, 2, 12, 13, 9}, {1, 0, 14, 15, 12}, {7, 6, 8, 9, 2}, {5, 4, 10, 11, 6}},
        {{8, 9, 7, 6, 3}, {10, 11, 5, 4, 7}, {12, 13, 3, 2, 8}, {14, 15, 1, 0, 13}}};
    struct cast *cast = state;
    uint8_t x[KEY_BYTES] = {0}, z[KEY_BYTES];
    uint32_t keys[2 * ROUNDS_MAX];
    memcpy(x, key, key_bytes < KEY_BYTES ? key_bytes : KEY_BYTES);
    for (int i = 0; i < 8; i += 2) {
        z_from_x(z, x);
        keys_make(keys + 4 * i, z, bytes[i % 4]);
        x_from_z(x, z);
        keys_make(keys + 4 * i + 4, x, bytes[i % 4 + 1]);
    }
    for (int i = 0; i < ROUNDS_MAX; i++) {
        cast->mask[i] = keys[i];
        cast->turn[i] = keys[ROUNDS_MAX + i] & 31;
    }
    cast->rounds = key_bytes <= SHORT_KEY_BYTES ? ROUNDS_SHORT : ROUNDS_MAX;
}

#define A(word) cast_boxes[0][(word) >> 24]
#define B(word) cast_boxes[1][(word) >> 16 & 0xff]
#define C(word) cast_boxes[2][(word) >> 8 & 0xff]
#define D(word) cast_boxes[3][(word) & 0xff]

/* The three kinds of rounds (2.2). */
static inline uint32_t mix1(const struct cast *cast, int round, uint32_t half)
{
    uint32_t i = rotate_left32(cast->mask[round] + half, cast->turn[round]);
    return ((A(i) ^ B(i)) - C(i)) + D(i);
}

static inline uint32_t mix2(const struct cast *cast, int round, uint32_t half)
{
    uint32_t i = rotate_left32(cast->mask[round] ^ half, cast->turn[round]);
    return ((A(i) - B(i)) + C(i)) ^ D(i);
}

static inline uint32_t mix3(const struct cast *cast, int round, uint32_t half)
{
    uint32_t i = rotate_left32(cast->mask[round] - half, cast->turn[round]);
    return ((A(i) + B(i)) ^ C(i)) - D(i);
}

static inline void cast_encrypt(const struct cast *cast, uint8_t *block)
{
    uint32_t l = load_big32(block), r = load_big32(block + 4);
    for (int i = 0; i < ROUNDS_SHORT; i += 6) {
        l ^= mix1(cast, i, r);
        r ^= mix2(cast, i + 1, l);
        l ^= mix3(cast, i + 2, r);
        r ^= mix1(cast, i + 3, l);
        l ^= mix2(cast, i + 4, r);
        r ^= mix3(cast, i + 5, l);
    }
    if (cast->rounds > ROUNDS_SHORT) {
        l ^= mix1(cast, 12, r);
        r ^= mix2(cast, 13, l);
        l ^= mix3(cast, 14, r);
        r ^= mix1(cast, 15, l);
    }
    store_big32(block, r);
    store_big32(block + 4, l);
}

static inline void cast_decrypt(const struct cast *cast, uint8_t *block)
{
    uint32_t r = load_big32(block), l = load_big32(block + 4);
    if (cast->rounds > ROUNDS_SHORT) {
        r ^= mix1(cast, 15, l);
        l ^= mix3(cast, 14, r);
        r ^= mix2(cast, 13, l);
        l ^= mix1(cast, 12, r);
    }
    for (int i = ROUNDS_SHORT - 6; i >= 0; i -= 6) {
        r ^= mix3(cast, i + 5, l);
        l ^= mix2(cast, i + 4, r);
        r ^= mix1(cast, i + 3, l);
        l ^= mix3(cast, i + 2, r);
        r ^= mix2(cast, i + 1, l);
        l ^= mix1(cast, i, r);
    }
    store_big32(block, l);
    store_big32(block + 4, r);
}

CIPHER_CBC(cast, struct cast, 8)

const struct cipher_kind cipher_cast = {.name = "cast_cbc",
                                        .key_bytes = KEY_BYTES,
                                        .block_bytes = 8,
                                        .state_bytes = sizeof(struct cast),
                                        .set_key = cast_set_key,
                                        .encrypt = cast_cbc_encrypt,
                                        .decrypt = cast_cbc_decrypt};
