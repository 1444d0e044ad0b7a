/* What `openssl speed` measures. The rates are its own; what it computes is held against the kernel
 * crypto, where that has the same algorithm. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "kernels/crypto_cipher.h"
#include "kernels/crypto_hash.h"
#include "kernels/crypto_sweep.h"
#include "kernels/program.h"

/* Of an algorithm: how `openssl speed` is told of it, how `openssl dgst` or `openssl enc` is. */
static const struct algorithm {
    const char *test;
    const char *speed;    /* of a public key, its length follows */
    bool is_evp;          /* speed takes it as -evp */
    const char *check;    /* the option of dgst or enc; NULL: not checked */
    const struct hash_kind *hash;
    const struct cipher_kind *cipher;
} algorithms[] = {
    {"md2", "md2", false, "-md2", &hash_md2, NULL},
    {"md4", "md4", false, "-md4", &hash_md4, NULL},
    {"md5", "md5", false, "-md5", &hash_md5, NULL},
    {"hmac_md5", "hmac", false, NULL, NULL, NULL},
    {"sha1", "sha1", false, "-sha1", &hash_sha1, NULL},
    {"rmd160", "rmd160", false, "-rmd160", &hash_rmd160, NULL},
    {"sha256", "sha256", false, "-sha256", &hash_sha256, NULL},
    {"sha512", "sha512", false, "-sha512", &hash_sha512, NULL},
    {"rc4", "rc4", false, "-rc4", NULL, &cipher_rc4},
    {"des_cbc", "des-cbc", false, "-des-cbc", NULL, &cipher_des},
    {"idea_cbc", "idea-cbc", false, "-idea-cbc", NULL, &cipher_idea},
    {"rc2_cbc", "rc2-cbc", false, "-rc2-cbc", NULL, &cipher_rc2},
    {"blowfish_cbc", "blowfish", false, "-bf-cbc", NULL, &cipher_blowfish},
    {"cast_cbc", "cast", false, "-cast5-cbc", NULL, &cipher_cast},
    {"aes_128_cbc", "aes-128-cbc", false, "-aes-128-cbc", NULL, &cipher_aes_128},
    {"aes_192_cbc", "aes-192-cbc", false, "-aes-192-cbc", NULL, &cipher_aes_192},
    {"aes_256_cbc", "aes-256-cbc", false, "-aes-256-cbc", NULL, &cipher_aes_256},
    {"aes_128_gcm", "aes-128-gcm", true, NULL, NULL, NULL},
    {"chacha20_poly1305", "chacha20-poly1305", true, NULL, NULL, NULL},
    {"sha3_256", "sha3-256", true, NULL, NULL, NULL},
    {"rsa_sign", "rsa", false, NULL, NULL, NULL},
    {"rsa_verify", "rsa", false, NULL, NULL, NULL},
    {"dsa_sign", "dsa", false, NULL, NULL, NULL},
    {"dsa_verify", "dsa", false, NULL, NULL, NULL},
};

enum { ARGUMENTS_MAX = 24, WORD_SIZE = 80, INPUT_BYTES = 4096 };

struct speed {
    const struct algorithm *algorithm;
    bool has_legacy; /* the provider that has the algorithms of the last century, OpenSSL 3 */
    double rate;     /* the latest, of its own; 0: none yet */
    char words[4][WORD_SIZE];
};

static bool is_public_key(const struct kernel_job *job)
{
    return job->test->has_no_x;
}

static const struct algorithm *algorithm_of(const struct kernel_job *job)
{
    for (size_t i = 0; i < sizeof algorithms / sizeof algorithms[0]; i++)
        if (strcmp(algorithms[i].test, job->test->name) == 0)
            return &algorithms[i];
    return NULL;
}

static enum kernel_outcome needs(struct kernel_job *job)
{
    return program_needs(job, "openssl");
}

/* Appends the words up to NULL; argv stays ended by one. */
static void add(const char **argv, const char *const *words)
{
    size_t n = 0;
    while (argv[n])
        n++;
    for (; *words && n + 1 < ARGUMENTS_MAX; words++)
        argv[n++] = *words;
    argv[n] = NULL;
}

static void add_providers(const struct speed *speed, const char **argv)
{
    static const char *const both[] = {"-provider", "legacy", "-provider", "default", NULL};
    if (speed->has_legacy)
        add(argv, both);
}

/* An openssl that knows no providers, or has none of that name, says so by failing. */
static enum kernel_outcome setup(struct kernel_job *job)
{
    static const char *const ask[] = {"openssl", "list", "-provider", "legacy", "-providers", NULL};
    char text[4096];
    struct speed *speed = calloc(1, sizeof *speed);
    if (!speed)
        return kernel_reason(job, KERNEL_FAILED, "out of memory");
    job->state = speed;
    speed->algorithm = algorithm_of(job);
    speed->has_legacy = program_read(job, ask, -1, text, sizeof text, NULL) == KERNEL_OK;
    job->reason[0] = '\0';
    return KERNEL_OK;
}

/* The field, from 0, of the first line that starts so; false without. */
static bool field_read(const char *text, const char *start, int field, double *value)
{
    const char *line = strstr(text, start);
    for (; line && field > 0; field--) {
        line = strpbrk(line, ":\n");
        line = line && *line == ':' ? line + 1 : NULL;
    }
    char *end = NULL;
    *value = line ? strtod(line, &end) : 0;
    return line && end != line && *value > 0;
}

/* "+F:index:name:bytes per second" and "+F2:index:bits:sign:verify" (F3 of DSA). OpenSSL before 1.1.1
 * printed seconds per signature, later ones signatures per second: below one it is the former, since
 * no key of the lengths allowed here takes a second. */
static bool rate_read(const struct kernel_job *job, const char *text, double *rate)
{
    const char *name = job->test->name;
    if (!is_public_key(job))
        return field_read(text, "+F:", 3, rate);
    bool is_verify = strstr(name, "verify") != NULL;
    if (!field_read(text, strncmp(name, "rsa", 3) == 0 ? "+F2:" : "+F3:", is_verify ? 4 : 3, rate))
        return false;
    *rate = *rate < 1 ? 1 / *rate : *rate;
    return true;
}

static enum kernel_outcome run(struct kernel_job *job, uint64_t iterations)
{
    struct speed *speed = job->state;
    const struct algorithm *algorithm = speed->algorithm;
    const char *argv[ARGUMENTS_MAX] = {"openssl", "speed", "-mr", "-seconds", "1"};
    char *bytes = speed->words[1], *key = speed->words[2], text[4096];
    snprintf(bytes, WORD_SIZE, "%" PRIu64, job->x);
    add_providers(speed, argv);
    if (is_public_key(job)) {
        snprintf(key, WORD_SIZE, "%s%s", algorithm->speed, kernel_setting(job, "bits"));
        add(argv, (const char *const[]){key, NULL});
    } else {
        add(argv, (const char *const[]){"-bytes", bytes, NULL});
        if (algorithm->is_evp)
            add(argv, (const char *const[]){"-evp", NULL});
        add(argv, (const char *const[]){algorithm->speed, NULL});
    }
    struct program_usage usage = {0};
    double sum = 0;
    for (uint64_t i = 0; i < iterations; i++) {
        enum kernel_outcome outcome = program_read(job, argv, -1, text, sizeof text, &usage);
        if (outcome != KERNEL_OK && strstr(job->reason, "nknown algorithm"))
            return kernel_reason(job, KERNEL_UNAVAILABLE, "this openssl has no %s",
                                 algorithm->speed);
        if (outcome != KERNEL_OK)
            return outcome;
        if (!rate_read(job, text, &speed->rate))
            return kernel_reason(job, KERNEL_UNAVAILABLE, "openssl speed gives no rate of %s",
                                 algorithm->speed);
        sum += speed->rate;
    }
    kernel_report(job, "rate", sum / (double)iterations);
    program_report(job, &usage);
    return KERNEL_OK;
}

static void to_hex(char *out, const uint8_t *bytes, size_t n)
{
    for (size_t i = 0; i < n; i++)
        snprintf(out + 2 * i, 3, "%02x", bytes[i]);
}

/* The program's answer in binary, to a file of that input. */
static enum kernel_outcome ask(struct kernel_job *job, const char *const *argv,
                               const uint8_t *input, size_t size, uint8_t *answer, size_t wanted)
{
    int in = memfd_create("input", MFD_CLOEXEC), out = memfd_create("answer", MFD_CLOEXEC);
    enum kernel_outcome outcome = KERNEL_OK;
    if (in < 0 || out < 0 || write(in, input, size) != (ssize_t)size || lseek(in, 0, SEEK_SET) < 0)
        outcome = kernel_reason(job, KERNEL_FAILED, "memory file: %s", strerror(errno));
    if (outcome == KERNEL_OK)
        outcome = program_run(job, argv, in, out, NULL);
    if (outcome == KERNEL_OK && pread(out, answer, wanted, 0) != (ssize_t)wanted)
        outcome = kernel_reason(job, KERNEL_WRONG, "openssl %s gives less than %zu bytes", argv[1],
                                wanted);
    if (in >= 0)
        close(in);
    if (out >= 0)
        close(out);
    return outcome;
}

static enum kernel_outcome digest_check(struct kernel_job *job, const uint8_t *input,
                                        uint8_t *theirs, uint8_t *ours)
{
    const struct speed *speed = job->state;
    const struct hash_kind *kind = speed->algorithm->hash;
    const char *argv[ARGUMENTS_MAX] = {"openssl", "dgst", "-binary", speed->algorithm->check};
    struct hash hash;
    add_providers(speed, argv);
    hash_begin(kind, &hash);
    hash_add(kind, &hash, input, INPUT_BYTES);
    hash_finish(kind, &hash, ours);
    return ask(job, argv, input, INPUT_BYTES, theirs, kind->size);
}

static enum kernel_outcome cipher_check(struct kernel_job *job, const uint8_t *input,
                                        uint8_t *theirs, uint8_t *ours)
{
    struct speed *speed = job->state;
    const struct cipher_kind *kind = speed->algorithm->cipher;
    uint8_t key[CIPHER_KEY_MAX], iv[CIPHER_BLOCK_MAX];
    const char *argv[ARGUMENTS_MAX] = {"openssl", "enc", "-nopad", speed->algorithm->check};
    kernel_fill_random(key, sizeof key, job->seed);
    kernel_fill_random(iv, sizeof iv, ~job->seed);
    to_hex(speed->words[0], key, kind->key_bytes);
    to_hex(speed->words[1], iv, kind->block_bytes);
    add(argv, (const char *const[]){"-K", speed->words[0], NULL});
    if (kind->block_bytes > 1)
        add(argv, (const char *const[]){"-iv", speed->words[1], NULL});
    add_providers(speed, argv);
    void *state = calloc(1, kind->state_bytes);
    if (!state)
        return kernel_reason(job, KERNEL_FAILED, "out of memory");
    if (kind->prepare)
        kind->prepare(state);
    kind->set_key(state, key, kind->key_bytes);
    kind->encrypt(state, iv, input, ours, INPUT_BYTES);
    free(state);
    return ask(job, argv, input, INPUT_BYTES, theirs, INPUT_BYTES);
}

static enum kernel_outcome check(struct kernel_job *job)
{
    const struct speed *speed = job->state;
    if (speed->rate <= 0)
        return kernel_reason(job, KERNEL_WRONG, "no rate");
    if (!speed->algorithm->check)
        return KERNEL_OK;
    uint8_t input[INPUT_BYTES], theirs[INPUT_BYTES] = {0}, ours[INPUT_BYTES] = {0};
    kernel_fill_random(input, sizeof input, job->seed);
    enum kernel_outcome outcome = speed->algorithm->hash
                                      ? digest_check(job, input, theirs, ours)
                                      : cipher_check(job, input, theirs, ours);
    if (outcome == KERNEL_OK && memcmp(theirs, ours, sizeof ours) != 0)
        return kernel_reason(job, KERNEL_WRONG, "openssl and the kernel crypto disagree");
    return outcome;
}

static void teardown(struct kernel_job *job)
{
    free(job->state);
    job->state = NULL;
}

static void work(const struct kernel_job *job, struct kernel_work *work)
{
    (void)job;
    work->steps = 1;
}

static void facts(kernel_tell_fn *tell, void *context)
{
    static const struct program_version list[] = {{"openssl", "version"}, {0}};
    program_tell(list, tell, context);
}

static const struct kernel_metric byte_rates[] = {{"rate", QUANTITY_GIVEN_BYTE_RATE},
                                                  {"user_time", QUANTITY_SECONDS},
                                                  {"system_time", QUANTITY_SECONDS},
                                                  {0}};
static const struct kernel_metric step_rates[] = {{"rate", QUANTITY_GIVEN_STEP_RATE},
                                                  {"user_time", QUANTITY_SECONDS},
                                                  {"system_time", QUANTITY_SECONDS},
                                                  {0}};

#define BYTES(NAME, SUMMARY, FROM) \
    {.name = NAME, .summary = SUMMARY, .from = FROM, .metrics = byte_rates, \
     .run = run}
#define STEPS(NAME, SUMMARY, SETTINGS) \
    {.name = NAME, .summary = SUMMARY, .from = SUITE_STANDARD, .metrics = step_rates, \
     .settings = SETTINGS, .has_no_x = true, .run = run}

static const struct kernel_test tests[] = {
    BYTES("md2", "MD2", SUITE_FULL),
    BYTES("md4", "MD4", SUITE_FULL),
    BYTES("md5", "MD5", SUITE_STANDARD),
    BYTES("hmac_md5", "HMAC-MD5", SUITE_FULL),
    BYTES("sha1", "SHA-1", SUITE_FULL),
    BYTES("rmd160", "RIPEMD-160", SUITE_FULL),
    BYTES("sha256", "SHA-256", SUITE_STANDARD),
    BYTES("sha512", "SHA-512", SUITE_FULL),
    BYTES("rc4", "RC4", SUITE_FULL),
    BYTES("des_cbc", "DES-CBC", SUITE_FULL),
    BYTES("idea_cbc", "IDEA-CBC", SUITE_FULL),
    BYTES("rc2_cbc", "RC2-CBC", SUITE_FULL),
    BYTES("blowfish_cbc", "Blowfish-CBC", SUITE_FULL),
    BYTES("cast_cbc", "CAST5-CBC", SUITE_FULL),
    BYTES("aes_128_cbc", "AES-128-CBC", SUITE_STANDARD),
    BYTES("aes_192_cbc", "AES-192-CBC", SUITE_FULL),
    BYTES("aes_256_cbc", "AES-256-CBC", SUITE_FULL),
    BYTES("aes_128_gcm", "AES-128-GCM", SUITE_FULL),
    BYTES("chacha20_poly1305", "ChaCha20-Poly1305", SUITE_FULL),
    BYTES("sha3_256", "SHA3-256", SUITE_FULL),
    STEPS("rsa_sign", "RSA signatures", crypto_rsa_settings),
    STEPS("rsa_verify", "RSA signatures verified", crypto_rsa_settings),
    STEPS("dsa_sign", "DSA signatures", crypto_dsa_settings),
    STEPS("dsa_verify", "DSA signatures verified", crypto_dsa_settings),
    {0}};

const struct kernel kernel_openssl_speed = {
    .name = "openssl_speed",
    .summary = "The installed openssl speed, a second each: rates as it gives them itself",
    .source = "Daniel, 32 vs. 64 bits with openssl speed (opensolaris-discuss)",
    .needs_text = "the program openssl",
    .revision = 1,
    .flags = KERNEL_ONE_THREAD | KERNEL_ONE_PASS,
    .tests = tests,
    .x_unit = "B",
    .sizes = crypto_sizes,
    .cost = {.seconds = {1, 1, 1}},
    .work = work,
    .needs = needs,
    .setup = setup,
    .check = check,
    .teardown = teardown,
    .facts = facts,
};
