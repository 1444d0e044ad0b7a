#include "kernels/crypto_dsa.h"

#include <string.h>

void dsa_set(struct dsa *dsa, const struct dsa_numbers *numbers)
{
    static const limb two[LIMBS_MAX] = {2};
    limb n[LIMBS_MAX];
    size_t size = bignum_limbs(numbers->bits), q_size = bignum_limbs(4 * strlen(numbers->q));
    dsa->q_bytes = strlen(numbers->q) / 2;
    bignum_from_hex(n, size, numbers->p);
    modulus_set(&dsa->p, n, size);
    bignum_from_hex(dsa->g, size, numbers->g);
    bignum_from_hex(dsa->y, size, numbers->y);
    bignum_from_hex(n, q_size, numbers->q);
    modulus_set(&dsa->q, n, q_size);
    bignum_from_hex(dsa->x, q_size, numbers->x);
    bignum_subtract(dsa->q_less_2, n, two, q_size);
}

static bool is_zero(const limb *number, size_t size)
{
    static const limb zero[LIMBS_MAX];
    return bignum_compare(number, zero, size) == 0;
}

/* The bytes as a number modulo q. */
static void bytes_reduce(const struct dsa *dsa, limb *out, const uint8_t *bytes)
{
    limb number[LIMBS_MAX];
    bignum_from_bytes(number, dsa->q.size, bytes, dsa->q_bytes);
    modulus_reduce(&dsa->q, out, number, dsa->q.size);
}

/* 1/a modulo q, a prime (Fermat). */
static void invert(const struct dsa *dsa, limb *out, const limb *a)
{
    modulus_power(&dsa->q, out, a, dsa->q_less_2, dsa->q.size);
}

bool dsa_sign(const struct dsa *dsa, const uint8_t *digest, const uint8_t *k,
              struct dsa_signature *signature)
{
    size_t size = dsa->q.size;
    limb number[LIMBS_MAX], inverse[LIMBS_MAX], power[LIMBS_MAX], sum[LIMBS_MAX];
    bytes_reduce(dsa, number, k);
    modulus_power(&dsa->p, power, dsa->g, number, size);
    modulus_reduce(&dsa->q, signature->r, power, dsa->p.size);
    invert(dsa, inverse, number);
    bytes_reduce(dsa, number, digest);
    modulus_multiply(&dsa->q, sum, dsa->x, signature->r);
    if (bignum_add(sum, sum, number, size) || bignum_compare(sum, dsa->q.n, size) >= 0)
        bignum_subtract(sum, sum, dsa->q.n, size);
    modulus_multiply(&dsa->q, signature->s, inverse, sum);
    return !is_zero(signature->r, size) && !is_zero(signature->s, size);
}

bool dsa_verify(const struct dsa *dsa, const uint8_t *digest,
                const struct dsa_signature *signature)
{
    size_t size = dsa->q.size;
    limb w[LIMBS_MAX], u1[LIMBS_MAX], u2[LIMBS_MAX], v[LIMBS_MAX], v2[LIMBS_MAX];
    const limb *numbers[] = {signature->r, signature->s};
    for (int i = 0; i < 2; i++)
        if (is_zero(numbers[i], size) || bignum_compare(numbers[i], dsa->q.n, size) >= 0)
            return false;
    invert(dsa, w, signature->s);
    bytes_reduce(dsa, u1, digest);
    modulus_multiply(&dsa->q, u1, u1, w);
    modulus_multiply(&dsa->q, u2, signature->r, w);
    modulus_power(&dsa->p, v, dsa->g, u1, size);
    modulus_power(&dsa->p, v2, dsa->y, u2, size);
    modulus_multiply(&dsa->p, v, v, v2);
    modulus_reduce(&dsa->q, w, v, dsa->p.size);
    return bignum_compare(w, signature->r, size) == 0;
}
