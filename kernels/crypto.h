/* The subjects that the kernel crypto times, and what is known of them. They are subjects of
 * measurement only, not for protecting anything: keys are printed in the source, and nothing is done
 * against leaking them through time, memory or errors. */
#ifndef KERNELS_CRYPTO_H
#define KERNELS_CRYPTO_H

#include "kernels/crypto_cipher.h"
#include "kernels/crypto_dsa.h"
#include "kernels/crypto_hash.h"
#include "kernels/crypto_rsa.h"
#include "kernels/kernel.h"

/* A published test vector; all but text in hexadecimal digits. */
struct crypto_vector {
    const char *test;   /* as in the kernel; NULL ends the list */
    const char *key;    /* NULL: none */
    const char *iv;     /* NULL: none; of a cipher, zeros, which is the electronic codebook mode */
    const char *text;   /* the input as text; NULL: input has it */
    const char *input;
    const char *output;
};

extern const struct crypto_vector crypto_vectors[];

enum { CRYPTO_VECTOR_BYTES_MAX = 128 };

/* What job->state starts with: what results are held against. */
struct crypto_known {
    const struct crypto_vector *vectors;
    const struct rsa_numbers *rsa;
    const struct dsa_numbers *dsa;
};

/* One kind of subject. Setup makes job->state, which teardown frees by free(). */
struct crypto_kind {
    enum kernel_outcome (*setup)(struct kernel_job *job, const struct crypto_known *known);
    enum kernel_outcome (*check)(struct kernel_job *job);
};

extern const struct crypto_kind crypto_digest, crypto_encrypt, crypto_sign;

enum kernel_outcome crypto_digest_run(struct kernel_job *job, uint64_t iterations);
enum kernel_outcome crypto_encrypt_run(struct kernel_job *job, uint64_t iterations);
enum kernel_outcome crypto_rsa_sign_run(struct kernel_job *job, uint64_t iterations);
enum kernel_outcome crypto_rsa_verify_run(struct kernel_job *job, uint64_t iterations);
enum kernel_outcome crypto_dsa_sign_run(struct kernel_job *job, uint64_t iterations);
enum kernel_outcome crypto_dsa_verify_run(struct kernel_job *job, uint64_t iterations);

/* The bytes of hexadecimal digits; at most CRYPTO_VECTOR_BYTES_MAX. NULL has none. */
size_t crypto_bytes(uint8_t *out, const char *hex);
/* Checks the test's vectors with check_one(job, vector); KERNEL_WRONG without any. */
enum kernel_outcome crypto_vectors_check(struct kernel_job *job, const struct crypto_vector *vectors,
                                         enum kernel_outcome (*check_one)(
                                             struct kernel_job *job,
                                             const struct crypto_vector *vector));
/* KERNEL_WRONG where n bytes differ; which names what they are. */
enum kernel_outcome crypto_compare(struct kernel_job *job, const char *which, const uint8_t *got,
                                   const uint8_t *right, size_t n);

#endif
