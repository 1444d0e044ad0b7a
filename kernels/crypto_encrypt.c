/* Timing of ciphers: x bytes from one place to another, the chain or the stream going on. */
#include <inttypes.h>
#include <stdlib.h>

#include "kernels/crypto.h"

struct encrypt {
    struct crypto_known known;
    const struct cipher_kind *kind;
    uint8_t iv[CIPHER_BLOCK_MAX], iv_before[CIPHER_BLOCK_MAX]; /* of the latest call */
    uint8_t *cipher, *spare;                                   /* states, of kind->state_bytes */
    uint8_t *in, *out, *back;                                  /* [job->x] */
    _Alignas(16) uint8_t bytes[]; /* what these point to */
};

static const struct cipher_kind *const kinds[] = {
    &cipher_rc4,  &cipher_des,     &cipher_rc2,     &cipher_idea,   &cipher_blowfish,
    &cipher_cast, &cipher_aes_128, &cipher_aes_192, &cipher_aes_256};

static const struct cipher_kind *kind_of(const struct kernel_job *job)
{
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
        if (strcmp(kinds[i]->name, job->test->name) == 0)
            return kinds[i];
    return NULL;
}

static enum kernel_outcome setup(struct kernel_job *job, const struct crypto_known *known)
{
    const struct cipher_kind *kind = kind_of(job);
    if (job->x % kind->block_bytes != 0)
        return kernel_reason(job, KERNEL_UNAVAILABLE,
                             "%" PRIu64 " bytes are no whole number of blocks of %zu", job->x,
                             kind->block_bytes);
    if (job->x > SIZE_MAX / 8)
        return kernel_reason(job, KERNEL_FAILED, "no memory is so large");
    size_t size = ((size_t)job->x + 15) / 16 * 16, state = (kind->state_bytes + 15) / 16 * 16;
    struct encrypt *encrypt = calloc(1, sizeof *encrypt + 2 * state + 3 * size);
    if (!encrypt)
        return kernel_reason(job, KERNEL_FAILED, "out of memory");
    job->state = encrypt;
    encrypt->known = *known;
    encrypt->kind = kind;
    encrypt->cipher = encrypt->bytes;
    encrypt->spare = encrypt->cipher + state;
    encrypt->in = encrypt->spare + state;
    encrypt->out = encrypt->in + size;
    encrypt->back = encrypt->out + size;
    if (kind->prepare)
        kind->prepare(encrypt->cipher);
    uint8_t key[CIPHER_KEY_MAX];
    kernel_fill_random(key, sizeof key, ~job->seed);
    kind->set_key(encrypt->cipher, key, kind->key_bytes);
    kernel_fill_random(encrypt->in, (size_t)job->x, job->seed);
    return KERNEL_OK;
}

enum kernel_outcome crypto_encrypt_run(struct kernel_job *job, uint64_t iterations)
{
    struct encrypt *encrypt = job->state;
    const struct cipher_kind *kind = encrypt->kind;
    for (uint64_t i = 0; i < iterations; i++) {
        memcpy(encrypt->iv_before, encrypt->iv, sizeof encrypt->iv);
        kind->encrypt(encrypt->cipher, encrypt->iv, encrypt->in, encrypt->out, (size_t)job->x);
    }
    return KERNEL_OK;
}

static enum kernel_outcome vector_check(struct kernel_job *job, const struct crypto_vector *vector)
{
    const struct encrypt *encrypt = job->state;
    const struct cipher_kind *kind = encrypt->kind;
    uint8_t key[CRYPTO_VECTOR_BYTES_MAX], in[CRYPTO_VECTOR_BYTES_MAX],
        right[CRYPTO_VECTOR_BYTES_MAX], got[CRYPTO_VECTOR_BYTES_MAX],
        iv[CRYPTO_VECTOR_BYTES_MAX] = {0};
    size_t key_bytes = crypto_bytes(key, vector->key), size = crypto_bytes(in, vector->input);
    crypto_bytes(right, vector->output);
    crypto_bytes(iv, vector->iv);
    memcpy(encrypt->spare, encrypt->cipher, kind->state_bytes);
    kind->set_key(encrypt->spare, key, key_bytes);
    kind->encrypt(encrypt->spare, iv, in, got, size);
    return crypto_compare(job, "a published test vector", got, right, size);
}

static enum kernel_outcome check(struct kernel_job *job)
{
    struct encrypt *encrypt = job->state;
    const struct cipher_kind *kind = encrypt->kind;
    enum kernel_outcome outcome = crypto_vectors_check(job, encrypt->known.vectors, vector_check);
    if (outcome != KERNEL_OK || job->n_iterations == 0)
        return outcome;
    memcpy(encrypt->spare, encrypt->cipher, kind->state_bytes);
    uint8_t iv[CIPHER_BLOCK_MAX];
    memcpy(iv, encrypt->iv_before, sizeof iv);
    kind->decrypt(encrypt->spare, iv, encrypt->out, encrypt->back, (size_t)job->x);
    return crypto_compare(job, "what was encrypted last, decrypted,", encrypt->back, encrypt->in,
                          (size_t)job->x);
}

const struct crypto_kind crypto_encrypt = {.setup = setup, .check = check};
