/* DSA signatures (FIPS 186-4, 4). */
#ifndef KERNELS_CRYPTO_DSA_H
#define KERNELS_CRYPTO_DSA_H

#include <stdbool.h>

#include "kernels/bignum.h"
#include "kernels/crypto_keys.h"

enum { DSA_Q_BYTES_MAX = 32 };

struct dsa {
    size_t q_bytes; /* of r, s, k and x; of a digest the first ones count */
    struct modulus p, q;
    limb g[LIMBS_MAX], y[LIMBS_MAX], x[LIMBS_MAX];
    limb q_less_2[LIMBS_MAX];
};

struct dsa_signature {
    limb r[LIMBS_MAX], s[LIMBS_MAX]; /* as many limbs as q */
};

void dsa_set(struct dsa *dsa, const struct dsa_numbers *numbers);
/* digest: at least q_bytes; k: [q_bytes], taken modulo q. False where r or s is 0: another k. */
bool dsa_sign(const struct dsa *dsa, const uint8_t *digest, const uint8_t *k,
              struct dsa_signature *signature);
bool dsa_verify(const struct dsa *dsa, const uint8_t *digest,
                const struct dsa_signature *signature);

#endif
