/* Blowfish: Schneier, Fast Software Encryption 1993, LNCS 809, 191. Its tables start as the bits of
 * the fraction of pi, which are computed. */
#include "kernels/crypto_bytes.h"
#include "kernels/crypto_cipher.h"

enum { ROUNDS = 16, BOX = 256, WORDS = ROUNDS + 2 + 4 * BOX };

struct tables {
    uint32_t p[ROUNDS + 2], s[4][BOX];
};

struct blowfish {
    struct tables start, keyed;
};

enum { GUARD = 2, DIGITS = 1 + WORDS + GUARD }; /* a word before the point, two against rounding */

/* quotient = number / divisor, from the word `from` on, before which number has zeros. */
static void divide(uint32_t *quotient, const uint32_t *number, uint32_t divisor, int from)
{
    uint64_t rest = 0;
    for (int i = from; i < DIGITS; i++) {
        rest = rest << 32 | number[i];
        quotient[i] = (uint32_t)(rest / divisor);
        rest %= divisor;
    }
}

/* sum += or -= number, which has zeros before the word `from`. */
static void accumulate(uint32_t *sum, const uint32_t *number, int from, int is_minus)
{
    uint32_t carry = 0;
    for (int i = DIGITS - 1; i >= 0 && (i >= from || carry); i--) {
        uint64_t digit = i >= from ? number[i] : 0;
        uint64_t result = is_minus ? (uint64_t)sum[i] - digit - carry : sum[i] + digit + carry;
        sum[i] = (uint32_t)result;
        carry = (uint32_t)(result >> 32) & 1;
    }
}

/* sum += or -= factor * arctan(1 / x), by its series. */
static void arctan_add(uint32_t *sum, uint32_t factor, uint32_t x, int is_minus)
{
    static const uint32_t zero[DIGITS];
    uint32_t power[DIGITS], term[DIGITS];
    memcpy(power, zero, sizeof power);
    power[0] = factor;
    divide(power, power, x, 0);
    for (int from = 0, n = 1; from < DIGITS; n += 2) {
        divide(term, power, (uint32_t)n, from);
        accumulate(sum, term, from, is_minus != (n % 4 == 3));
        divide(power, power, x * x, from);
        while (from < DIGITS && power[from] == 0)
            from++;
    }
}

/* pi = 16 arctan(1/5) - 4 arctan(1/239) (Machin, 1706). */
static void blowfish_prepare(void *state)
{
    struct blowfish *blowfish = state;
    uint32_t pi[DIGITS] = {0};
    arctan_add(pi, 16, 5, 0);
    arctan_add(pi, 4, 239, 1);
    memcpy(blowfish->start.p, pi + 1, sizeof blowfish->start.p);
    memcpy(blowfish->start.s, pi + 1 + ROUNDS + 2, sizeof blowfish->start.s);
}

static inline uint32_t mix(const struct tables *t, uint32_t x)
{
    return ((t->s[0][x >> 24] + t->s[1][x >> 16 & 0xff]) ^ t->s[2][x >> 8 & 0xff]) +
           t->s[3][x & 0xff];
}

static inline void halves_encrypt(const struct tables *t, uint32_t *left, uint32_t *right)
{
    uint32_t l = *left, r = *right;
    for (int i = 0; i < ROUNDS; i += 2) {
        l ^= t->p[i];
        r ^= mix(t, l);
        r ^= t->p[i + 1];
        l ^= mix(t, r);
    }
    *left = r ^ t->p[ROUNDS + 1];
    *right = l ^ t->p[ROUNDS];
}

static void blowfish_set_key(void *state, const uint8_t *key, size_t key_bytes)
{
    struct blowfish *blowfish = state;
    struct tables *t = &blowfish->keyed;
    *t = blowfish->start;
    size_t at = 0;
    for (int i = 0; i < ROUNDS + 2; i++) {
        uint32_t word = 0;
        for (int k = 0; k < 4; k++, at = (at + 1) % key_bytes)
            word = word << 8 | key[at];
        t->p[i] ^= word;
    }
    uint32_t l = 0, r = 0;
    for (int i = 0; i < ROUNDS + 2; i += 2) {
        halves_encrypt(t, &l, &r);
        t->p[i] = l;
        t->p[i + 1] = r;
    }
    for (int box = 0; box < 4; box++) {
        for (int i = 0; i < BOX; i += 2) {
            halves_encrypt(t, &l, &r);
            t->s[box][i] = l;
            t->s[box][i + 1] = r;
        }
    }
}

static inline void blowfish_encrypt(const struct blowfish *blowfish, uint8_t *block)
{
    uint32_t l = load_big32(block), r = load_big32(block + 4);
    halves_encrypt(&blowfish->keyed, &l, &r);
    store_big32(block, l);
    store_big32(block + 4, r);
}

static inline void blowfish_decrypt(const struct blowfish *blowfish, uint8_t *block)
{
    const struct tables *t = &blowfish->keyed;
    uint32_t l = load_big32(block), r = load_big32(block + 4);
    for (int i = ROUNDS + 1; i > 1; i -= 2) {
        l ^= t->p[i];
        r ^= mix(t, l);
        r ^= t->p[i - 1];
        l ^= mix(t, r);
    }
    store_big32(block, r ^ t->p[0]);
    store_big32(block + 4, l ^ t->p[1]);
}

CIPHER_CBC(blowfish, struct blowfish, 8)

const struct cipher_kind cipher_blowfish = {.name = "blowfish_cbc",
                                            .key_bytes = 16,
                                            .block_bytes = 8,
                                            .state_bytes = sizeof(struct blowfish),
                                            .prepare = blowfish_prepare,
                                            .set_key = blowfish_set_key,
                                            .encrypt = blowfish_cbc_encrypt,
                                            .decrypt = blowfish_cbc_decrypt};
