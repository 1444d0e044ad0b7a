#include "kernels/bignum.h"

#include <string.h>

size_t bignum_limbs(size_t bits)
{
    return (bits + LIMB_BITS - 1) / LIMB_BITS;
}

void bignum_from_hex(limb *out, size_t size, const char *hex)
{
    size_t n = strlen(hex);
    memset(out, 0, size * sizeof *out);
    for (size_t i = 0; i < n; i++) {
        char c = hex[n - 1 - i];
        limb digit = (limb)(c <= '9' ? c - '0' : c - 'a' + 10);
        out[i / (2 * LIMB_BYTES)] |= digit << (4 * (i % (2 * LIMB_BYTES)));
    }
}

void bignum_from_bytes(limb *out, size_t size, const uint8_t *bytes, size_t n_bytes)
{
    memset(out, 0, size * sizeof *out);
    for (size_t i = 0; i < n_bytes; i++)
        out[i / LIMB_BYTES] |= (limb)bytes[n_bytes - 1 - i] << (8 * (i % LIMB_BYTES));
}

void bignum_to_bytes(const limb *number, size_t size, uint8_t *bytes, size_t n_bytes)
{
    for (size_t i = 0; i < n_bytes; i++) {
        size_t at = i / LIMB_BYTES;
        limb word = at < size ? number[at] : 0;
        bytes[n_bytes - 1 - i] = (uint8_t)(word >> (8 * (i % LIMB_BYTES)));
    }
}

int bignum_compare(const limb *a, const limb *b, size_t size)
{
    for (size_t i = size; i-- > 0;)
        if (a[i] != b[i])
            return a[i] < b[i] ? -1 : 1;
    return 0;
}

limb bignum_add(limb *out, const limb *a, const limb *b, size_t size)
{
    limb carry = 0;
    for (size_t i = 0; i < size; i++) {
        limb_pair sum = (limb_pair)a[i] + b[i] + carry;
        out[i] = (limb)sum;
        carry = (limb)(sum >> LIMB_BITS);
    }
    return carry;
}

limb bignum_subtract(limb *out, const limb *a, const limb *b, size_t size)
{
    limb borrow = 0;
    for (size_t i = 0; i < size; i++) {
        limb_pair difference = (limb_pair)a[i] - b[i] - borrow;
        out[i] = (limb)difference;
        borrow = (limb)(difference >> LIMB_BITS) & 1;
    }
    return borrow;
}

/* to += from * factor; the carry. */
static limb multiply_add(limb *to, const limb *from, limb factor, size_t size)
{
    limb carry = 0;
    for (size_t i = 0; i < size; i++) {
        limb_pair product = (limb_pair)from[i] * factor + to[i] + carry;
        to[i] = (limb)product;
        carry = (limb)(product >> LIMB_BITS);
    }
    return carry;
}

void bignum_multiply(limb *out, const limb *a, const limb *b, size_t size)
{
    memset(out, 0, 2 * size * sizeof *out);
    for (size_t i = 0; i < size; i++)
        out[size + i] = multiply_add(out + i, a, b[i], size);
}

/* x = 2 x mod n */
static void double_mod(limb *x, const limb *n, size_t size)
{
    limb carry = bignum_add(x, x, x, size);
    if (carry || bignum_compare(x, n, size) >= 0)
        bignum_subtract(x, x, n, size);
}

void modulus_set(struct modulus *modulus, const limb *n, size_t size)
{
    modulus->size = size;
    memcpy(modulus->n, n, size * sizeof *n);
    limb inverse = 1; /* Newton's iteration doubles the bits that are right */
    for (int bits = 1; bits < LIMB_BITS; bits *= 2)
        inverse *= 2 - n[0] * inverse;
    modulus->negative_inverse = (limb)0 - inverse;
    limb power[LIMBS_MAX] = {1};
    for (size_t i = 0; i < LIMB_BITS * size; i++)
        double_mod(power, n, size);
    memcpy(modulus->one, power, size * sizeof *power);
    for (size_t i = 0; i < LIMB_BITS * size; i++)
        double_mod(power, n, size);
    memcpy(modulus->squared, power, size * sizeof *power);
}

/* a * b / R mod n: Montgomery, Math. Comp. 44 (1985) 519; operand by operand as in Koc, Acar and
 * Kaliski, IEEE Micro 16 (3) (1996) 26, CIOS. a * b must be less than n * R. */
static void montgomery(const struct modulus *modulus, limb *out, const limb *a, const limb *b)
{
    size_t size = modulus->size;
    limb t[LIMBS_MAX + 2];
    memset(t, 0, (size + 2) * sizeof *t);
    for (size_t i = 0; i < size; i++) {
        limb_pair sum = (limb_pair)t[size] + multiply_add(t, a, b[i], size);
        t[size] = (limb)sum;
        t[size + 1] = (limb)(sum >> LIMB_BITS);
        sum = (limb_pair)t[size] +
              multiply_add(t, modulus->n, t[0] * modulus->negative_inverse, size);
        t[size] = (limb)sum;
        t[size + 1] += (limb)(sum >> LIMB_BITS);
        memmove(t, t + 1, (size + 1) * sizeof *t);
    }
    if (t[size] || bignum_compare(t, modulus->n, size) >= 0)
        bignum_subtract(t, t, modulus->n, size);
    memcpy(out, t, size * sizeof *t);
}

void modulus_multiply(const struct modulus *modulus, limb *out, const limb *a, const limb *b)
{
    limb product[LIMBS_MAX];
    montgomery(modulus, product, a, b);
    montgomery(modulus, out, product, modulus->squared);
}

/* From the top, a modulus' size of limbs at a time: sum = sum * R + part. */
void modulus_reduce(const struct modulus *modulus, limb *out, const limb *number, size_t size)
{
    static const limb unit[LIMBS_MAX] = {1};
    limb sum[LIMBS_MAX] = {0};
    size_t n = modulus->size, at = (size + n - 1) / n * n;
    while (at > 0) {
        at -= n;
        limb part[LIMBS_MAX] = {0};
        memcpy(part, number + at, (size - at < n ? size - at : n) * sizeof *part);
        montgomery(modulus, part, part, modulus->squared); /* part * R */
        montgomery(modulus, part, part, unit);
        montgomery(modulus, sum, sum, modulus->squared);
        limb carry = bignum_add(sum, sum, part, n);
        if (carry || bignum_compare(sum, modulus->n, n) >= 0)
            bignum_subtract(sum, sum, modulus->n, n);
    }
    memcpy(out, sum, n * sizeof *sum);
}

static unsigned exponent_bit(const limb *exponent, size_t bit)
{
    return exponent[bit / LIMB_BITS] >> (bit % LIMB_BITS) & 1;
}

enum { WINDOW = 4, SHORT_EXPONENT_BITS = 64 };

/* Powers of the base are made ahead for four bits of the exponent at a time, which a short one is not
 * worth. */
void modulus_power(const struct modulus *modulus, limb *out, const limb *base,
                   const limb *exponent, size_t exponent_size)
{
    static const limb unit[LIMBS_MAX] = {1};
    limb powers[1 << WINDOW][LIMBS_MAX], result[LIMBS_MAX];
    size_t bits = exponent_size * LIMB_BITS;
    while (bits > 0 && !exponent_bit(exponent, bits - 1))
        bits--;
    size_t window = bits <= SHORT_EXPONENT_BITS ? 1 : WINDOW;
    montgomery(modulus, powers[1], base, modulus->squared);
    for (unsigned i = 2; i < 1u << window; i++)
        montgomery(modulus, powers[i], powers[i - 1], powers[1]);
    memcpy(result, modulus->one, sizeof result);
    for (size_t left = bits; left > 0;) {
        size_t width = left % window ? left % window : window;
        unsigned digit = 0;
        for (size_t i = 0; i < width; i++) {
            if (left < bits)
                montgomery(modulus, result, result, result);
            digit = digit << 1 | exponent_bit(exponent, left - 1 - i);
        }
        left -= width;
        if (digit > 0)
            montgomery(modulus, result, result, powers[digit]);
    }
    montgomery(modulus, out, result, unit);
}
