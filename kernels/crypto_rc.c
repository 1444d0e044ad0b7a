/* RC2 (RFC 2268), with as many effective bits as its key is long; RC4 (RFC 6229 has test vectors). */
#include "kernels/crypto_bytes.h"
#include "kernels/crypto_cipher.h"

struct rc2 {
    uint16_t keys[64];
};

/* RFC 2268, 2: a permutation of 0 to 255, from the digits of pi. */
static const uint8_t rc2_pi[256] = {
    217, 120, 249, 196, 25, 221, 181, 237, 40, 233, 253, 121, 74, 160, 216, 157, 198, 126, 55, 131,
    43, 118, 83, 142, 98, 76, 100, 136, 68, 139, 251, 162, 23, 154, 89, 245, 135, 179, 79, 19,
    97, 69, 109, 141, 9, 129, 125, 50, 189, 143, 64, 235, 134, 183, 123, 11, 240, 149, 33, 34,
    92, 107, 78, 130, 84, 214, 101, 147, 206, 96, 178, 28, 115, 86, 192, 20, 167, 140, 241, 220,
    18, 117, 202, 31, 59, 190, 228, 209, 66, 61, 212, 48, 163, 60, 182, 38, 111, 191, 14, 218,
    70, 105, 7, 87, 39, 242, 29, 155, 188, 148, 67, 3, 248, 17, 199, 246, 144, 239, 62, 231,
    6, 195, 213, 47, 200, 102, 30, 215, 8, 232, 234, 222, 128, 82, 238, 247, 132, 170, 114, 172,
    53, 77, 106, 42, 150, 26, 210, 113, 90, 21, 73, 116, 75, 159, 208, 94, 4, 24, 164, 236,
    194, 224, 65, 110, 15, 81, 203, 204, 36, 145, 175, 80, 161, 244, 112, 57, 153, 124, 58, 133,
    35, 184, 180, 122, 252, 2, 54, 91, 37, 85, 151, 49, 45, 93, 250, 152, 227, 138, 146, 174,
    5, 223, 41, 16, 103, 108, 186, 201, 211, 0, 230, 207, 225, 158, 168, 44, 99, 22, 1, 63,
    88, 226, 137, 169, 13, 56, 52, 27, 171, 51, 255, 176, 187, 72, 12, 95, 185, 177, 205, 46,
    197, 243, 219, 71, 229, 165, 156, 119, 10, 166, 32, 104, 254, 127, 193, 173};

static void rc2_set_key(void *state, const uint8_t *key, size_t key_bytes)
{
    struct rc2 *rc2 = state;
    uint8_t l[128];
    memcpy(l, key, key_bytes);
    for (size_t i = key_bytes; i < sizeof l; i++)
        l[i] = rc2_pi[(l[i - 1] + l[i - key_bytes]) & 0xff];
    size_t first = sizeof l - key_bytes;
    l[first] = rc2_pi[l[first]];
    for (size_t i = first; i-- > 0;)
        l[i] = rc2_pi[l[i + 1] ^ l[i + key_bytes]];
    for (int i = 0; i < 64; i++)
        rc2->keys[i] = (uint16_t)(l[2 * i] | l[2 * i + 1] << 8);
}

enum { MASHED_FIRST = 5, MASHED_SECOND = 11, MIXES = 16 };

static inline uint32_t rotate_left16(uint32_t word, unsigned n)
{
    return (word << n | (word & 0xffff) >> (16 - n)) & 0xffff;
}

#define MIX(a, b, c, d, k, n) a = rotate_left16(a + (b & ~d) + (c & d) + (k), n)
#define UNMIX(a, b, c, d, k, n) \
    a = (rotate_left16(a, 16 - (n)) - (b & ~d & 0xffff) - (c & d) - (k)) & 0xffff

static inline void rc2_encrypt(const struct rc2 *rc2, uint8_t *block)
{
    const uint16_t *keys = rc2->keys;
    uint32_t low = load_little32(block), high = load_little32(block + 4);
    uint32_t r0 = low & 0xffff, r1 = low >> 16, r2 = high & 0xffff, r3 = high >> 16;
    for (int i = 0; i < MIXES; i++) {
        MIX(r0, r1, r2, r3, keys[4 * i], 1);
        MIX(r1, r2, r3, r0, keys[4 * i + 1], 2);
        MIX(r2, r3, r0, r1, keys[4 * i + 2], 3);
        MIX(r3, r0, r1, r2, keys[4 * i + 3], 5);
        if (i + 1 == MASHED_FIRST || i + 1 == MASHED_SECOND) {
            r0 = (r0 + keys[r3 & 63]) & 0xffff;
            r1 = (r1 + keys[r0 & 63]) & 0xffff;
            r2 = (r2 + keys[r1 & 63]) & 0xffff;
            r3 = (r3 + keys[r2 & 63]) & 0xffff;
        }
    }
    store_little32(block, r0 | r1 << 16);
    store_little32(block + 4, r2 | r3 << 16);
}

static inline void rc2_decrypt(const struct rc2 *rc2, uint8_t *block)
{
    const uint16_t *keys = rc2->keys;
    uint32_t low = load_little32(block), high = load_little32(block + 4);
    uint32_t r0 = low & 0xffff, r1 = low >> 16, r2 = high & 0xffff, r3 = high >> 16;
    for (int i = MIXES - 1; i >= 0; i--) {
        if (i + 1 == MASHED_FIRST || i + 1 == MASHED_SECOND) {
            r3 = (r3 - keys[r2 & 63]) & 0xffff;
            r2 = (r2 - keys[r1 & 63]) & 0xffff;
            r1 = (r1 - keys[r0 & 63]) & 0xffff;
            r0 = (r0 - keys[r3 & 63]) & 0xffff;
        }
        UNMIX(r3, r0, r1, r2, keys[4 * i + 3], 5);
        UNMIX(r2, r3, r0, r1, keys[4 * i + 2], 3);
        UNMIX(r1, r2, r3, r0, keys[4 * i + 1], 2);
        UNMIX(r0, r1, r2, r3, keys[4 * i], 1);
    }
    store_little32(block, r0 | r1 << 16);
    store_little32(block + 4, r2 | r3 << 16);
}

CIPHER_CBC(rc2, struct rc2, 8)

const struct cipher_kind cipher_rc2 = {.name = "rc2_cbc",
                                       .key_bytes = 16,
                                       .block_bytes = 8,
                                       .state_bytes = sizeof(struct rc2),
                                       .set_key = rc2_set_key,
                                       .encrypt = rc2_cbc_encrypt,
                                       .decrypt = rc2_cbc_decrypt};

struct rc4 {
    uint8_t s[256];
    unsigned i, j;
};

static void rc4_set_key(void *state, const uint8_t *key, size_t key_bytes)
{
    struct rc4 *rc4 = state;
    for (int i = 0; i < 256; i++)
        rc4->s[i] = (uint8_t)i;
    for (unsigned i = 0, j = 0; i < 256; i++) {
        uint8_t t = rc4->s[i];
        j = (j + t + key[i % key_bytes]) & 0xff;
        rc4->s[i] = rc4->s[j];
        rc4->s[j] = t;
    }
    rc4->i = rc4->j = 0;
}

static void rc4_encrypt(void *state, uint8_t *iv, const uint8_t *in, uint8_t *out, size_t size)
{
    (void)iv;
    struct rc4 *rc4 = state;
    uint8_t *s = rc4->s;
    unsigned i = rc4->i, j = rc4->j;
    for (size_t n = 0; n < size; n++) {
        i = (i + 1) & 0xff;
        unsigned a = s[i];
        j = (j + a) & 0xff;
        unsigned b = s[j];
        s[i] = (uint8_t)b;
        s[j] = (uint8_t)a;
        out[n] = in[n] ^ s[(a + b) & 0xff];
    }
    rc4->i = i;
    rc4->j = j;
}

/* The generator runs backwards: each step leaves all that is needed to undo it. */
static void rc4_decrypt(void *state, uint8_t *iv, const uint8_t *in, uint8_t *out, size_t size)
{
    (void)iv;
    struct rc4 *rc4 = state;
    uint8_t *s = rc4->s;
    for (size_t n = size; n-- > 0;) {
        unsigned b = s[rc4->i], a = s[rc4->j];
        out[n] = in[n] ^ s[(a + b) & 0xff];
        s[rc4->i] = (uint8_t)a;
        s[rc4->j] = (uint8_t)b;
        rc4->j = (rc4->j - a) & 0xff;
        rc4->i = (rc4->i - 1) & 0xff;
    }
}

const struct cipher_kind cipher_rc4 = {.name = "rc4",
                                       .key_bytes = 16,
                                       .block_bytes = 1,
                                       .state_bytes = sizeof(struct rc4),
                                       .set_key = rc4_set_key,
                                       .encrypt = rc4_encrypt,
                                       .decrypt = rc4_decrypt};
