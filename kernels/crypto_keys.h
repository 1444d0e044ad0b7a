/* Keys that anyone may read, for measuring with. Numbers are hexadecimal. */
#ifndef KERNELS_CRYPTO_KEYS_H
#define KERNELS_CRYPTO_KEYS_H

/* RSA (RFC 8017): two primes, the exponents and the coefficient of the Chinese remainder theorem;
 * the public exponent is 65537. */
struct rsa_numbers {
    unsigned bits; /* 0 ends the list */
    const char *p, *q, *dp, *dq, *q_inverse;
    const char *abc_signature; /* PKCS #1 v1.5 with SHA-256, of "abc" */
};

/* DSA (FIPS 186-4), with a signature of a digest by this k. */
struct dsa_numbers {
    unsigned bits; /* of p; 0 ends the list */
    const char *p, *q, *g, *x, *y;
    const char *digest, *k, *r, *s;
};

extern const struct rsa_numbers rsa_numbers[];
extern const struct dsa_numbers dsa_numbers[];

#endif
