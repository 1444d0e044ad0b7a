/* Timing of digests: a message of x bytes, from its start to its digest. */
#include <stdlib.h>

#include "kernels/crypto.h"

struct digest {
    struct crypto_known known;
    const struct hash_kind *kind;
    bool is_hmac;
    struct hmac hmac;
    uint8_t key[16];
    uint8_t result[HASH_SIZE_MAX];
    uint8_t data[]; /* [job->x] */
};

static const struct hash_kind *const kinds[] = {&hash_md2,    &hash_md4,  &hash_md5,   &hash_sha1,
                                                &hash_rmd160, &hash_sha256, &hash_sha512};

static enum kernel_outcome setup(struct kernel_job *job, const struct crypto_known *known)
{
    if (job->x > SIZE_MAX - sizeof(struct digest))
        return kernel_reason(job, KERNEL_FAILED, "no memory is so large");
    struct digest *digest = calloc(1, sizeof *digest + (size_t)job->x);
    if (!digest)
        return kernel_reason(job, KERNEL_FAILED, "out of memory");
    job->state = digest;
    digest->known = *known;
    const char *name = job->test->name;
    digest->is_hmac = strncmp(name, "hmac_", 5) == 0;
    name += digest->is_hmac ? 5 : 0;
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
        if (strcmp(kinds[i]->name, name) == 0)
            digest->kind = kinds[i];
    kernel_fill_random(digest->data, (size_t)job->x, job->seed);
    kernel_fill_random(digest->key, sizeof digest->key, ~job->seed);
    if (digest->is_hmac)
        hmac_set_key(digest->kind, &digest->hmac, digest->key, sizeof digest->key);
    return KERNEL_OK;
}

enum kernel_outcome crypto_digest_run(struct kernel_job *job, uint64_t iterations)
{
    struct digest *digest = job->state;
    const struct hash_kind *kind = digest->kind;
    size_t size = (size_t)job->x;
    for (uint64_t i = 0; i < iterations; i++) {
        if (digest->is_hmac) {
            hmac_compute(kind, &digest->hmac, digest->data, size, digest->result);
        } else {
            struct hash hash;
            hash_begin(kind, &hash);
            hash_add(kind, &hash, digest->data, size);
            hash_finish(kind, &hash, digest->result);
        }
    }
    return KERNEL_OK;
}

/* RFC 2104, 2, word by word. */
static void hmac_by_definition(const struct hash_kind *kind, const uint8_t *key, size_t key_bytes,
                               const uint8_t *data, size_t size, uint8_t *out)
{
    uint8_t pad[HASH_BLOCK_MAX];
    struct hash hash;
    for (int turn = 0; turn < 2; turn++) {
        memset(pad, turn == 0 ? 0x36 : 0x5c, sizeof pad);
        for (size_t i = 0; i < key_bytes; i++)
            pad[i] ^= key[i];
        hash_begin(kind, &hash);
        hash_add(kind, &hash, pad, kind->block_bytes);
        hash_add(kind, &hash, turn == 0 ? data : out, turn == 0 ? size : kind->size);
        hash_finish(kind, &hash, out);
    }
}

/* The message in pieces of odd sizes, so that the way to the blocks is another. */
static void digest_in_pieces(const struct digest *digest, size_t size, uint8_t *out)
{
    struct hash hash;
    hash_begin(digest->kind, &hash);
    for (size_t at = 0, piece = 1; at < size; at += piece, piece = piece % 97 + 2) {
        piece = piece < size - at ? piece : size - at;
        hash_add(digest->kind, &hash, digest->data + at, piece);
    }
    hash_finish(digest->kind, &hash, out);
}

static enum kernel_outcome vector_check(struct kernel_job *job, const struct crypto_vector *vector)
{
    const struct digest *digest = job->state;
    uint8_t key[CRYPTO_VECTOR_BYTES_MAX], right[CRYPTO_VECTOR_BYTES_MAX], got[HASH_SIZE_MAX];
    size_t key_bytes = crypto_bytes(key, vector->key);
    const uint8_t *text = (const uint8_t *)vector->text;
    size_t size = strlen(vector->text);
    crypto_bytes(right, vector->output);
    if (digest->is_hmac) {
        struct hmac hmac;
        hmac_set_key(digest->kind, &hmac, key, key_bytes);
        hmac_compute(digest->kind, &hmac, text, size, got);
    } else {
        struct hash hash;
        hash_begin(digest->kind, &hash);
        hash_add(digest->kind, &hash, text, size);
        hash_finish(digest->kind, &hash, got);
    }
    return crypto_compare(job, "a published test vector", got, right, digest->kind->size);
}

static enum kernel_outcome check(struct kernel_job *job)
{
    const struct digest *digest = job->state;
    enum kernel_outcome outcome = crypto_vectors_check(job, digest->known.vectors, vector_check);
    if (outcome != KERNEL_OK || job->n_iterations == 0)
        return outcome;
    uint8_t right[HASH_SIZE_MAX];
    size_t size = (size_t)job->x;
    if (digest->is_hmac)
        hmac_by_definition(digest->kind, digest->key, sizeof digest->key, digest->data, size,
                           right);
    else
        digest_in_pieces(digest, size, right);
    return crypto_compare(job, "the digest", digest->result, right, digest->kind->size);
}

const struct crypto_kind crypto_digest = {.setup = setup, .check = check};
