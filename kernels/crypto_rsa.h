/* RSA signatures, PKCS #1 v1.5 with SHA-256 (RFC 8017, 8.2). */
#ifndef KERNELS_CRYPTO_RSA_H
#define KERNELS_CRYPTO_RSA_H

#include <stdbool.h>

#include "kernels/bignum.h"
#include "kernels/crypto_keys.h"

enum { RSA_BYTES_MAX = 512, RSA_DIGEST_BYTES = 32 };

struct rsa {
    size_t bytes; /* of a signature */
    struct modulus p, q, n;
    limb dp[LIMBS_MAX], dq[LIMBS_MAX], q_inverse[LIMBS_MAX]; /* q_inverse modulo p */
};

void rsa_set(struct rsa *rsa, const struct rsa_numbers *numbers);
/* digest: [RSA_DIGEST_BYTES]; signature: [rsa->bytes] */
void rsa_sign(const struct rsa *rsa, const uint8_t *digest, uint8_t *signature);
bool rsa_verify(const struct rsa *rsa, const uint8_t *digest, const uint8_t *signature);

#endif
