/* Timing of signatures, made and verified. */
#include <inttypes.h>
#include <stdlib.h>

#include "kernels/crypto.h"

struct sign {
    struct crypto_known known; /* the numbers of the key's length */
    struct rsa rsa;
    struct dsa dsa;
    uint8_t digest[RSA_DIGEST_BYTES], digest_signed[RSA_DIGEST_BYTES];
    uint8_t rsa_signature[RSA_BYTES_MAX];
    struct dsa_signature dsa_signature;
    uint64_t random;
    uint64_t n_done;    /* signatures made or verified by run */
    uint64_t n_refused; /* good signatures that did not verify */
};

static bool is_rsa(const struct kernel_job *job)
{
    return strncmp(job->test->name, "rsa_", 4) == 0;
}

/* Another digest for each signature. */
static void digest_next(struct sign *sign)
{
    uint64_t word = kernel_random(&sign->random);
    memcpy(sign->digest, &word, sizeof word);
    memcpy(sign->digest_signed, sign->digest, sizeof sign->digest);
}

static bool dsa_sign_next(struct sign *sign)
{
    uint8_t k[DSA_Q_BYTES_MAX];
    kernel_fill_random(k, sizeof k, kernel_random(&sign->random));
    digest_next(sign);
    return dsa_sign(&sign->dsa, sign->digest, k, &sign->dsa_signature);
}

static enum kernel_outcome setup(struct kernel_job *job, const struct crypto_known *known)
{
    struct sign *sign = calloc(1, sizeof *sign);
    if (!sign)
        return kernel_reason(job, KERNEL_FAILED, "out of memory");
    job->state = sign;
    sign->known = *known;
    sign->random = job->seed;
    kernel_fill_random(sign->digest, sizeof sign->digest, ~job->seed);
    uint64_t bits = kernel_setting_number(job, "bits");
    while (sign->known.rsa->bits != 0 && sign->known.rsa->bits != bits)
        sign->known.rsa++;
    while (sign->known.dsa->bits != 0 && sign->known.dsa->bits != bits)
        sign->known.dsa++;
    if ((is_rsa(job) ? sign->known.rsa->bits : sign->known.dsa->bits) == 0)
        return kernel_reason(job, KERNEL_UNAVAILABLE, "no key of %" PRIu64 " bits", bits);
    if (is_rsa(job)) {
        rsa_set(&sign->rsa, sign->known.rsa);
        digest_next(sign);
        rsa_sign(&sign->rsa, sign->digest, sign->rsa_signature);
    } else {
        dsa_set(&sign->dsa, sign->known.dsa);
        if (!dsa_sign_next(sign))
            return kernel_reason(job, KERNEL_WRONG, "a signature with 0 in it");
    }
    return KERNEL_OK;
}

enum kernel_outcome crypto_rsa_sign_run(struct kernel_job *job, uint64_t iterations)
{
    struct sign *sign = job->state;
    for (uint64_t i = 0; i < iterations; i++, sign->n_done++) {
        digest_next(sign);
        rsa_sign(&sign->rsa, sign->digest, sign->rsa_signature);
    }
    return KERNEL_OK;
}

enum kernel_outcome crypto_rsa_verify_run(struct kernel_job *job, uint64_t iterations)
{
    struct sign *sign = job->state;
    for (uint64_t i = 0; i < iterations; i++, sign->n_done++)
        sign->n_refused += !rsa_verify(&sign->rsa, sign->digest_signed, sign->rsa_signature);
    return KERNEL_OK;
}

enum kernel_outcome crypto_dsa_sign_run(struct kernel_job *job, uint64_t iterations)
{
    struct sign *sign = job->state;
    for (uint64_t i = 0; i < iterations; i++, sign->n_done++)
        if (!dsa_sign_next(sign))
            return kernel_reason(job, KERNEL_WRONG, "a signature with 0 in it");
    return KERNEL_OK;
}

enum kernel_outcome crypto_dsa_verify_run(struct kernel_job *job, uint64_t iterations)
{
    struct sign *sign = job->state;
    for (uint64_t i = 0; i < iterations; i++, sign->n_done++)
        sign->n_refused += !dsa_verify(&sign->dsa, sign->digest_signed, &sign->dsa_signature);
    return KERNEL_OK;
}

/* The signature that is stored with the key, byte by byte. */
static enum kernel_outcome rsa_known_check(struct kernel_job *job, const struct sign *sign)
{
    static const char abc[] = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
    uint8_t digest[CRYPTO_VECTOR_BYTES_MAX], got[RSA_BYTES_MAX], right[RSA_BYTES_MAX];
    limb number[LIMBS_MAX];
    crypto_bytes(digest, abc);
    rsa_sign(&sign->rsa, digest, got);
    bignum_from_hex(number, sign->rsa.n.size, sign->known.rsa->abc_signature);
    bignum_to_bytes(number, sign->rsa.n.size, right, sign->rsa.bytes);
    return crypto_compare(job, "the signature of abc", got, right, sign->rsa.bytes);
}

static enum kernel_outcome dsa_known_check(struct kernel_job *job, const struct sign *sign)
{
    const struct dsa_numbers *numbers = sign->known.dsa;
    uint8_t digest[CRYPTO_VECTOR_BYTES_MAX], k[CRYPTO_VECTOR_BYTES_MAX];
    struct dsa_signature got, right;
    crypto_bytes(digest, numbers->digest);
    crypto_bytes(k, numbers->k);
    dsa_sign(&sign->dsa, digest, k, &got);
    bignum_from_hex(right.r, sign->dsa.q.size, numbers->r);
    bignum_from_hex(right.s, sign->dsa.q.size, numbers->s);
    size_t bytes = sign->dsa.q.size * LIMB_BYTES;
    enum kernel_outcome outcome =
        crypto_compare(job, "r of the published signature", (const uint8_t *)got.r,
                       (const uint8_t *)right.r, bytes);
    return outcome != KERNEL_OK
               ? outcome
               : crypto_compare(job, "s of the published signature", (const uint8_t *)got.s,
                                (const uint8_t *)right.s, bytes);
}

static bool verifies(const struct kernel_job *job, const struct sign *sign, const uint8_t *digest)
{
    return is_rsa(job) ? rsa_verify(&sign->rsa, digest, sign->rsa_signature)
                       : dsa_verify(&sign->dsa, digest, &sign->dsa_signature);
}

/* The key's known signature; the latest signature verifies, and of another digest does not. */
static enum kernel_outcome check(struct kernel_job *job)
{
    const struct sign *sign = job->state;
    enum kernel_outcome outcome =
        is_rsa(job) ? rsa_known_check(job, sign) : dsa_known_check(job, sign);
    if (outcome != KERNEL_OK)
        return outcome;
    if (sign->n_done != job->n_iterations)
        return kernel_reason(job, KERNEL_WRONG, "did %" PRIu64 " of %" PRIu64, sign->n_done,
                             job->n_iterations);
    if (sign->n_refused > 0)
        return kernel_reason(job, KERNEL_WRONG, "%" PRIu64 " good signatures were refused",
                             sign->n_refused);
    if (!verifies(job, sign, sign->digest_signed))
        return kernel_reason(job, KERNEL_WRONG, "the latest signature does not verify");
    uint8_t other[RSA_DIGEST_BYTES];
    memcpy(other, sign->digest_signed, sizeof other);
    other[7] ^= 1;
    if (verifies(job, sign, other))
        return kernel_reason(job, KERNEL_WRONG, "a signature verifies for another digest");
    return KERNEL_OK;
}

const struct crypto_kind crypto_sign = {.setup = setup, .check = check};
