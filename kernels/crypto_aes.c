/* AES (FIPS 197). Encryption looks substitution and mixing of columns up in four tables of words
 * (Daemen and Rijmen, AES Proposal: Rijndael, 5.2.1), made here; decryption, which is not timed, goes
 * step by step. */
#include "kernels/crypto_bytes.h"
#include "kernels/crypto_cipher.h"

enum { ROUNDS_MAX = 14, COLUMNS = 4, BLOCK = 16 };

struct aes {
    uint32_t keys[COLUMNS * (ROUNDS_MAX + 1)];
    int rounds;
    uint32_t mixed[4][256]; /* for each row */
    uint8_t box[256], box_inverse[256];
};

/* The product by x in GF(2^8) modulo x^8 + x^4 + x^3 + x + 1 (4.2). */
static unsigned times_x(unsigned a)
{
    return (a << 1 ^ (a & 0x80 ? 0x11b : 0)) & 0xff;
}

static unsigned multiply(unsigned a, unsigned b)
{
    unsigned product = 0;
    for (; b > 0; b >>= 1, a = times_x(a))
        product ^= b & 1 ? a : 0;
    return product;
}

/* The inverse, then the affine map of 5.1.1. */
static void aes_prepare(void *state)
{
    struct aes *aes = state;
    unsigned power = 1, inverse = 1; /* of 3, which generates all, and of 1/3 = 0xf6 */
    for (int i = 0; i < 255; i++) {
        unsigned sum = inverse;
        for (unsigned n = 1; n < 5; n++)
            sum ^= (inverse << n | inverse >> (8 - n)) & 0xff;
        aes->box[power] = (uint8_t)(sum ^ 0x63);
        power = multiply(power, 3);
        inverse = multiply(inverse, 0xf6);
    }
    aes->box[0] = 0x63;
    for (int i = 0; i < 256; i++) {
        unsigned s = aes->box[i], s2 = times_x(s);
        aes->box_inverse[s] = (uint8_t)i;
        uint32_t column = s2 << 24 | s << 16 | s << 8 | (s2 ^ s);
        for (unsigned row = 0; row < 4; row++, column = rotate_left32(column, 24))
            aes->mixed[row][i] = column;
    }
}

static uint32_t word_substitute(const struct aes *aes, uint32_t word)
{
    return (uint32_t)aes->box[word >> 24] << 24 | (uint32_t)aes->box[word >> 16 & 0xff] << 16 |
           (uint32_t)aes->box[word >> 8 & 0xff] << 8 | aes->box[word & 0xff];
}

/* 5.2 */
static void aes_set_key(void *state, const uint8_t *key, size_t key_bytes)
{
    struct aes *aes = state;
    int n = (int)(key_bytes / 4);
    aes->rounds = n + 6;
    unsigned constant = 1;
    for (int i = 0; i < COLUMNS * (aes->rounds + 1); i++) {
        if (i < n) {
            aes->keys[i] = load_big32(key + 4 * i);
            continue;
        }
        uint32_t word = aes->keys[i - 1];
        if (i % n == 0) {
            word = word_substitute(aes, rotate_left32(word, 8)) ^ (uint32_t)constant << 24;
            constant = times_x(constant);
        } else if (n > 6 && i % n == 4) {
            word = word_substitute(aes, word);
        }
        aes->keys[i] = aes->keys[i - n] ^ word;
    }
}

#define COLUMN(a, b, c, d, k) \
    (aes->mixed[0][(a) >> 24] ^ aes->mixed[1][(b) >> 16 & 0xff] ^ \
     aes->mixed[2][(c) >> 8 & 0xff] ^ aes->mixed[3][(d) & 0xff] ^ (k))
#define LAST_COLUMN(a, b, c, d, k) \
    (((uint32_t)aes->box[(a) >> 24] << 24 | (uint32_t)aes->box[(b) >> 16 & 0xff] << 16 | \
      (uint32_t)aes->box[(c) >> 8 & 0xff] << 8 | aes->box[(d) & 0xff]) ^ \
     (k))

static inline void aes_encrypt(const struct aes *aes, uint8_t *block)
{
    const uint32_t *k = aes->keys;
    uint32_t a = load_big32(block) ^ k[0], b = load_big32(block + 4) ^ k[1];
    uint32_t c = load_big32(block + 8) ^ k[2], d = load_big32(block + 12) ^ k[3];
    for (int round = 1; round < aes->rounds; round++) {
        k += COLUMNS;
        uint32_t e = COLUMN(a, b, c, d, k[0]), f = COLUMN(b, c, d, a, k[1]);
        uint32_t g = COLUMN(c, d, a, b, k[2]), h = COLUMN(d, a, b, c, k[3]);
        a = e;
        b = f;
        c = g;
        d = h;
    }
    k += COLUMNS;
    store_big32(block, LAST_COLUMN(a, b, c, d, k[0]));
    store_big32(block + 4, LAST_COLUMN(b, c, d, a, k[1]));
    store_big32(block + 8, LAST_COLUMN(c, d, a, b, k[2]));
    store_big32(block + 12, LAST_COLUMN(d, a, b, c, k[3]));
}

static void round_key_add(const struct aes *aes, uint8_t *block, int round)
{
    for (int i = 0; i < COLUMNS; i++)
        store_big32(block + 4 * i, load_big32(block + 4 * i) ^ aes->keys[COLUMNS * round + i]);
}

static void columns_unmix(uint8_t *block)
{
    static const uint8_t row[4] = {14, 11, 13, 9};
    for (uint8_t *column = block; column < block + BLOCK; column += 4) {
        uint8_t in[4];
        memcpy(in, column, sizeof in);
        for (int i = 0; i < 4; i++) {
            unsigned sum = 0;
            for (int k = 0; k < 4; k++)
                sum ^= multiply(in[k], row[(k - i) & 3]);
            column[i] = (uint8_t)sum;
        }
    }
}

/* 5.3 */
static inline void aes_decrypt(const struct aes *aes, uint8_t *block)
{
    round_key_add(aes, block, aes->rounds);
    for (int round = aes->rounds - 1; round >= 0; round--) {
        uint8_t shifted[BLOCK];
        for (int i = 0; i < BLOCK; i++)
            shifted[(i + 4 * (i % 4)) % BLOCK] = aes->box_inverse[block[i]];
        memcpy(block, shifted, BLOCK);
        round_key_add(aes, block, round);
        if (round > 0)
            columns_unmix(block);
    }
}

CIPHER_CBC(aes, struct aes, BLOCK)

#define AES(bits) \
    const struct cipher_kind cipher_aes_##bits = {.name = "aes_" #bits "_cbc", \
                                                  .key_bytes = (bits) / 8, \
                                                  .block_bytes = BLOCK, \
                                                  .state_bytes = sizeof(struct aes), \
                                                  .prepare = aes_prepare, \
                                                  .set_key = aes_set_key, \
                                                  .encrypt = aes_cbc_encrypt, \
                                                  .decrypt = aes_cbc_decrypt}
AES(128);
AES(192);
AES(256);
