#include "kernels/crypto.h"

#include <stdlib.h>

#include "kernels/crypto_sweep.h"

enum { DIGEST, ENCRYPT, SIGN };

static const struct crypto_kind *const kinds[] = {
    [DIGEST] = &crypto_digest, [ENCRYPT] = &crypto_encrypt, [SIGN] = &crypto_sign};

static unsigned hex_digit(char c)
{
    return (unsigned)(c <= '9' ? c - '0' : c - 'a' + 10);
}

size_t crypto_bytes(uint8_t *out, const char *hex)
{
    size_t n = 0;
    for (; hex && hex[2 * n] && n < CRYPTO_VECTOR_BYTES_MAX; n++)
        out[n] = (uint8_t)(hex_digit(hex[2 * n]) << 4 | hex_digit(hex[2 * n + 1]));
    return n;
}

enum kernel_outcome crypto_compare(struct kernel_job *job, const char *which, const uint8_t *got,
                                   const uint8_t *right, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (got[i] != right[i])
            return kernel_reason(job, KERNEL_WRONG,
                                 "%s is wrong: byte %zu is %02x, right is %02x", which, i, got[i],
                                 right[i]);
    return KERNEL_OK;
}

enum kernel_outcome crypto_vectors_check(struct kernel_job *job, const struct crypto_vector *vectors,
                                         enum kernel_outcome (*check_one)(
                                             struct kernel_job *job,
                                             const struct crypto_vector *vector))
{
    size_t n = 0;
    enum kernel_outcome outcome = KERNEL_OK;
    for (const struct crypto_vector *v = vectors; v->test && outcome == KERNEL_OK; v++)
        if (strcmp(v->test, job->test->name) == 0) {
            outcome = check_one(job, v);
            n++;
        }
    return n > 0 ? outcome : kernel_reason(job, KERNEL_WRONG, "no test vector");
}

/* Vectors first: what does not compute them is not worth timing. */
static enum kernel_outcome setup(struct kernel_job *job)
{
    static const struct crypto_known known = {crypto_vectors, rsa_numbers, dsa_numbers};
    const struct crypto_kind *kind = kinds[job->test->code];
    enum kernel_outcome outcome = kind->setup(job, &known);
    return outcome == KERNEL_OK ? kind->check(job) : outcome;
}

static enum kernel_outcome check(struct kernel_job *job)
{
    return kinds[job->test->code]->check(job);
}

static void teardown(struct kernel_job *job)
{
    free(job->state);
    job->state = NULL;
}

static void work(const struct kernel_job *job, struct kernel_work *work)
{
    work->bytes_read = (double)job->x; /* what is timed is input, as in openssl speed */
    work->steps = 1;
}

static const struct kernel_metric rates[] = {{"rate", QUANTITY_BYTE_RATE}, {0}};
static const struct kernel_metric operations[] = {
    {"rate", QUANTITY_STEP_RATE}, {"time", QUANTITY_STEP_TIME}, {0}};

#define DIGESTED(NAME, SUMMARY, FROM) \
    {.name = NAME, .summary = SUMMARY, .from = FROM, .metrics = rates, .code = DIGEST, \
     .run = crypto_digest_run}
#define ENCRYPTED(NAME, SUMMARY, FROM) \
    {.name = NAME, .summary = SUMMARY, .from = FROM, .metrics = rates, .code = ENCRYPT, \
     .run = crypto_encrypt_run}
#define SIGNED(NAME, SUMMARY, FROM, SETTINGS) \
    {.name = #NAME, .summary = SUMMARY, .from = FROM, .metrics = operations, \
     .settings = SETTINGS, .code = SIGN, .has_no_x = true, .run = crypto_##NAME##_run}

static const struct kernel_test tests[] = {
    DIGESTED("md2", "MD2 of a message", SUITE_STANDARD),
    DIGESTED("md4", "MD4 of a message", SUITE_STANDARD),
    DIGESTED("md5", "MD5 of a message", SUITE_QUICK),
    DIGESTED("hmac_md5", "HMAC-MD5 of a message, the key set before", SUITE_STANDARD),
    DIGESTED("sha1", "SHA-1 of a message", SUITE_STANDARD),
    DIGESTED("rmd160", "RIPEMD-160 of a message", SUITE_STANDARD),
    DIGESTED("sha256", "SHA-256 of a message", SUITE_QUICK),
    DIGESTED("sha512", "SHA-512 of a message", SUITE_STANDARD),
    ENCRYPTED("rc4", "RC4, a key of 128 bits", SUITE_STANDARD),
    ENCRYPTED("des_cbc", "DES-CBC encrypting", SUITE_STANDARD),
    ENCRYPTED("idea_cbc", "IDEA-CBC encrypting", SUITE_STANDARD),
    ENCRYPTED("rc2_cbc", "RC2-CBC encrypting, a key of 128 bits", SUITE_STANDARD),
    ENCRYPTED("blowfish_cbc", "Blowfish-CBC encrypting, a key of 128 bits", SUITE_STANDARD),
    ENCRYPTED("cast_cbc", "CAST5-CBC encrypting, a key of 128 bits", SUITE_STANDARD),
    ENCRYPTED("aes_128_cbc", "AES-128-CBC encrypting", SUITE_QUICK),
    ENCRYPTED("aes_192_cbc", "AES-192-CBC encrypting", SUITE_STANDARD),
    ENCRYPTED("aes_256_cbc", "AES-256-CBC encrypting", SUITE_STANDARD),
    SIGNED(rsa_sign, "RSA signatures, by two primes", SUITE_QUICK, crypto_rsa_settings),
    SIGNED(rsa_verify, "RSA signatures verified, exponent 65537", SUITE_QUICK, crypto_rsa_settings),
    SIGNED(dsa_sign, "DSA signatures", SUITE_STANDARD, crypto_dsa_settings),
    SIGNED(dsa_verify, "DSA signatures verified", SUITE_STANDARD, crypto_dsa_settings),
    {0}};

const struct kernel kernel_crypto = {
    .name = "crypto",
    .summary = "Digests, ciphers and signatures in portable C, by size of a message: what the "
               "compiler makes of them",
    .source = "Daniel, 32 vs. 64 bits with openssl speed (opensolaris-discuss); algorithms from "
              "their standards",
    .revision = 1,
    .tests = tests,
    .x_unit = "B",
    .sizes = crypto_sizes,
    .work = work,
    .setup = setup,
    .check = check,
    .teardown = teardown,
};
