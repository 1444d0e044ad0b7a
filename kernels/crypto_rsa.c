#include "kernels/crypto_rsa.h"

#include <string.h>

void rsa_set(struct rsa *rsa, const struct rsa_numbers *numbers)
{
    size_t half = bignum_limbs(numbers->bits / 2);
    limb p[LIMBS_MAX], q[LIMBS_MAX], n[2 * LIMBS_MAX];
    rsa->bytes = numbers->bits / 8;
    bignum_from_hex(p, half, numbers->p);
    bignum_from_hex(q, half, numbers->q);
    bignum_multiply(n, p, q, half);
    modulus_set(&rsa->p, p, half);
    modulus_set(&rsa->q, q, half);
    modulus_set(&rsa->n, n, 2 * half);
    bignum_from_hex(rsa->dp, half, numbers->dp);
    bignum_from_hex(rsa->dq, half, numbers->dq);
    bignum_from_hex(rsa->q_inverse, half, numbers->q_inverse);
}

/* EMSA-PKCS1-v1_5 (9.2): 0, 1, bytes 255, 0, what says SHA-256 (note 1), the digest. */
static void message_encode(const struct rsa *rsa, const uint8_t *digest, uint8_t *message)
{
    static const uint8_t sha256[] = {0x30, 0x31, 0x30, 0x0d, 0x06, 0x09, 0x60, 0x86, 0x48, 0x01,
                                     0x65, 0x03, 0x04, 0x02, 0x01, 0x05, 0x00, 0x04, 0x20};
    size_t tail = sizeof sha256 + RSA_DIGEST_BYTES;
    memset(message, 0xff, rsa->bytes);
    message[0] = 0;
    message[1] = 1;
    message[rsa->bytes - tail - 1] = 0;
    memcpy(message + rsa->bytes - tail, sha256, sizeof sha256);
    memcpy(message + rsa->bytes - RSA_DIGEST_BYTES, digest, RSA_DIGEST_BYTES);
}

/* By the two primes (5.1.2, 2b). */
void rsa_sign(const struct rsa *rsa, const uint8_t *digest, uint8_t *signature)
{
    size_t half = rsa->p.size, size = rsa->n.size;
    uint8_t message[RSA_BYTES_MAX];
    limb m[LIMBS_MAX], m1[LIMBS_MAX], m2[LIMBS_MAX], h[LIMBS_MAX], product[2 * LIMBS_MAX];
    message_encode(rsa, digest, message);
    bignum_from_bytes(m, size, message, rsa->bytes);
    modulus_reduce(&rsa->p, m1, m, size);
    modulus_power(&rsa->p, m1, m1, rsa->dp, half);
    modulus_reduce(&rsa->q, m2, m, size);
    modulus_power(&rsa->q, m2, m2, rsa->dq, half);
    modulus_reduce(&rsa->p, h, m2, half);
    if (bignum_subtract(h, m1, h, half))
        bignum_add(h, h, rsa->p.n, half);
    modulus_multiply(&rsa->p, h, h, rsa->q_inverse);
    bignum_multiply(product, h, rsa->q.n, half);
    memset(m, 0, size * sizeof *m);
    memcpy(m, m2, half * sizeof *m);
    bignum_add(m, m, product, size);
    bignum_to_bytes(m, size, signature, rsa->bytes);
}

bool rsa_verify(const struct rsa *rsa, const uint8_t *digest, const uint8_t *signature)
{
    static const limb exponent[] = {65537};
    uint8_t right[RSA_BYTES_MAX], message[RSA_BYTES_MAX];
    limb s[LIMBS_MAX];
    bignum_from_bytes(s, rsa->n.size, signature, rsa->bytes);
    if (bignum_compare(s, rsa->n.n, rsa->n.size) >= 0)
        return false;
    modulus_power(&rsa->n, s, s, exponent, 1);
    bignum_to_bytes(s, rsa->n.size, message, rsa->bytes);
    message_encode(rsa, digest, right);
    return memcmp(message, right, rsa->bytes) == 0;
}
