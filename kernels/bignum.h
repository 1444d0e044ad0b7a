/* Unsigned whole numbers of many limbs, the lowest first, and arithmetic modulo an odd one. A limb is
 * half of the widest product that the compiler knows, so that 32 and 64 bit builds differ as they do
 * in any library of this kind. Nothing here takes care to take the same time for all values. */
#ifndef KERNELS_BIGNUM_H
#define KERNELS_BIGNUM_H

#include <stddef.h>
#include <stdint.h>

#if defined __SIZEOF_INT128__
typedef uint64_t limb;
__extension__ typedef unsigned __int128 limb_pair;
#else
typedef uint32_t limb;
typedef uint64_t limb_pair;
#endif

enum { LIMB_BYTES = sizeof(limb), LIMB_BITS = 8 * LIMB_BYTES, LIMBS_MAX = 4096 / LIMB_BITS };

/* The limbs that hold so many bits. */
size_t bignum_limbs(size_t bits);
/* From hexadecimal digits, as many as there are, and bytes, the highest first. size: limbs of out,
 * enough for them. */
void bignum_from_hex(limb *out, size_t size, const char *hex);
void bignum_from_bytes(limb *out, size_t size, const uint8_t *bytes, size_t n_bytes);
/* The lowest n_bytes, the highest of them first. */
void bignum_to_bytes(const limb *number, size_t size, uint8_t *bytes, size_t n_bytes);
int bignum_compare(const limb *a, const limb *b, size_t size);
/* The carry or borrow. out may be a or b. */
limb bignum_add(limb *out, const limb *a, const limb *b, size_t size);
limb bignum_subtract(limb *out, const limb *a, const limb *b, size_t size);
/* out: [2 * size], neither a nor b */
void bignum_multiply(limb *out, const limb *a, const limb *b, size_t size);

/* An odd modulus n, with R = 2^(LIMB_BITS * size). */
struct modulus {
    limb n[LIMBS_MAX];
    limb one[LIMBS_MAX];     /* R mod n */
    limb squared[LIMBS_MAX]; /* R^2 mod n */
    limb negative_inverse;   /* -1/n mod 2^LIMB_BITS */
    size_t size;             /* limbs */
};

void modulus_set(struct modulus *modulus, const limb *n, size_t size);
/* a * b mod n; b: less than n. */
void modulus_multiply(const struct modulus *modulus, limb *out, const limb *a, const limb *b);
/* number mod n, of any size. */
void modulus_reduce(const struct modulus *modulus, limb *out, const limb *number, size_t size);
/* base^exponent mod n; base: less than n. */
void modulus_power(const struct modulus *modulus, limb *out, const limb *base,
                   const limb *exponent, size_t exponent_size);

#endif
