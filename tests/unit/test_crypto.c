/* The kernel crypto: published vectors beyond those it checks itself with, what it must refuse, and
 * openssl's answers to the same questions. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#include "kernels/crypto.h"
#include "kernels/program.h"

extern const struct kernel kernel_crypto;

static const struct kernel_host host = {.n_cpus = 1};

struct bench {
    struct kernel_job job;
    struct kernel_value settings[2];
};

/* Set up; run once unless iterations is 0. */
static void bench_start(struct bench *bench, const struct kernel *kernel,
                        const struct kernel_test *test, uint64_t x, const char *bits,
                        uint64_t iterations)
{
    *bench = (struct bench){.job = {.kernel = kernel,
                                    .test = test,
                                    .host = &host,
                                    .x = test->has_no_x ? 0 : x,
                                    .threads = 1,
                                    .seed = 4,
                                    .settings = bench->settings,
                                    .folder = "",
                                    .save = "",
                                    .source = ""},
                            .settings = {{"bits", bits}}};
    assert_int_equal(kernel->setup(&bench->job), KERNEL_OK);
    if (iterations > 0)
        assert_int_equal(test->run(&bench->job, iterations), KERNEL_OK);
    bench->job.n_runs = iterations > 0;
    bench->job.n_iterations = iterations;
}

static const struct kernel_test *test_find(const struct kernel *kernel, const char *name)
{
    for (const struct kernel_test *test = kernel->tests; test->name; test++)
        if (strcmp(test->name, name) == 0)
            return test;
    fail_msg("no test %s", name);
    return NULL;
}

static void refuses(struct bench *bench, const char *reason)
{
    assert_int_equal(kernel_crypto.check(&bench->job), KERNEL_WRONG);
    if (!strstr(bench->job.reason, reason))
        fail_msg("%s: '%s' does not contain '%s'", bench->job.test->name, bench->job.reason,
                 reason);
    kernel_crypto.teardown(&bench->job);
}

static void digest_of(const struct hash_kind *kind, const uint8_t *data, size_t size, char *hex)
{
    struct hash hash;
    uint8_t out[HASH_SIZE_MAX];
    hash_begin(kind, &hash);
    hash_add(kind, &hash, data, size);
    hash_finish(kind, &hash, out);
    for (size_t i = 0; i < kind->size; i++)
        snprintf(hex + 2 * i, 3, "%02x", out[i]);
}

/* ---- vectors */

/* FIPS 180-2, A.3, B.3 and C.3; RFC 1321 has none of this length, RIPEMD-160's paper has. */
static void a_million_letters_have_the_published_digests(void **state)
{
    (void)state;
    enum { MILLION = 1000000 };
    static const struct {
        const struct hash_kind *kind;
        const char *digest;
    } cases[] = {
        {&hash_sha1, "34aa973cd4c4daa4f61eeb2bdbad27316534016f"},
        {&hash_rmd160, "52783243c1697bdbe16d37f97f68f08325dc1528"},
        {&hash_sha256, "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0"},
        {&hash_sha512, "e718483d0ce769644e2e42c7bc15b4638e1f98b13b2044285632a803afa973eb"
                       "de0ff244877ea60a4cb0432ce577c31beb009c5c2c49aa2e4eadb217ad8cc09b"}};
    uint8_t *letters = malloc(MILLION);
    assert_non_null(letters);
    memset(letters, 'a', MILLION);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char hex[2 * HASH_SIZE_MAX + 1];
        digest_of(cases[i].kind, letters, MILLION, hex);
        assert_string_equal(hex, cases[i].digest);
    }
    free(letters);
}

/* RFC 2144, B.2: a million times, each half of one key is encrypted by the other, twice over. */
static void cast_passes_the_full_maintenance_test(void **state)
{
    (void)state;
    static const char start[] = "0123456712345678234567893456789a";
    uint8_t a[CRYPTO_VECTOR_BYTES_MAX], b[CRYPTO_VECTOR_BYTES_MAX], zero[8], out[16];
    uint8_t a_right[CRYPTO_VECTOR_BYTES_MAX], b_right[CRYPTO_VECTOR_BYTES_MAX];
    void *cast = calloc(1, cipher_cast.state_bytes);
    assert_non_null(cast);
    assert_int_equal(crypto_bytes(a, start), 16);
    crypto_bytes(b, start);
    for (int i = 0; i < 1000000; i++) {
        for (int turn = 0; turn < 2; turn++) {
            uint8_t *text = turn == 0 ? a : b;
            cipher_cast.set_key(cast, turn == 0 ? b : a, 16);
            for (int half = 0; half < 16; half += 8) {
                memset(zero, 0, sizeof zero);
                cipher_cast.encrypt(cast, zero, text + half, out + half, 8);
            }
            memcpy(text, out, 16);
        }
    }
    free(cast);
    crypto_bytes(a_right, "eea9d0a249fd3ba6b3436fb89d6dca92");
    crypto_bytes(b_right, "b2c95eb00c31ad7180ac05b8e83d696e");
    assert_memory_equal(a, a_right, 16);
    assert_memory_equal(b, b_right, 16);
}

static void every_test_with_a_message_has_vectors_and_passes_at_all_sizes(void **state)
{
    (void)state;
    static const uint64_t sizes[] = {16, 48, 64, 112, 128, 1008, 8192};
    for (const struct kernel_test *test = kernel_crypto.tests; test->name; test++) {
        for (size_t i = 0; !test->has_no_x && i < sizeof sizes / sizeof sizes[0]; i++) {
            struct bench bench;
            bench_start(&bench, &kernel_crypto, test, sizes[i], "1024", 3);
            if (kernel_crypto.check(&bench.job) != KERNEL_OK)
                fail_msg("%s: %s", test->name, bench.job.reason);
            kernel_crypto.teardown(&bench.job);
            if (strstr(test->name, "blowfish")) /* pi takes its time */
                break;
        }
    }
}

static void every_key_signs_and_verifies(void **state)
{
    (void)state;
    for (const struct kernel_test *test = kernel_crypto.tests; test->name; test++) {
        static const char *const bits[] = {"512", "1024", "2048", "4096"};
        for (size_t i = 0; test->has_no_x && i < sizeof bits / sizeof bits[0]; i++) {
            if (test->name[0] == 'd' && i == 3)
                continue; /* DSA ends at 2048 */
            struct bench bench;
            bench_start(&bench, &kernel_crypto, test, 0, bits[i], 2);
            if (kernel_crypto.check(&bench.job) != KERNEL_OK)
                fail_msg("%s %s: %s", test->name, bits[i], bench.job.reason);
            kernel_crypto.teardown(&bench.job);
        }
    }
}

/* ---- what is refused */

static void a_broken_vector_is_refused(void **state)
{
    (void)state;
    for (const struct kernel_test *test = kernel_crypto.tests; test->name; test++) {
        struct bench bench;
        if (test->has_no_x)
            continue;
        struct crypto_vector broken[2] = {{0}};
        char output[2 * CRYPTO_VECTOR_BYTES_MAX + 1];
        for (const struct crypto_vector *v = crypto_vectors; v->test; v++)
            if (strcmp(v->test, test->name) == 0)
                broken[0] = *v;
        assert_non_null(broken[0].test);
        snprintf(output, sizeof output, "%s", broken[0].output);
        size_t last = strlen(output) - 1;
        output[last] = output[last] == '0' ? '1' : '0';
        broken[0].output = output;
        bench_start(&bench, &kernel_crypto, test, 64, "1024", 1);
        struct crypto_known *known = bench.job.state;
        known->vectors = broken;
        refuses(&bench, "a published test vector is wrong");

        bench_start(&bench, &kernel_crypto, test, 64, "1024", 1);
        known = bench.job.state;
        known->vectors = &broken[1];
        refuses(&bench, "no test vector");
    }
}

static void a_broken_signature_of_a_key_is_refused(void **state)
{
    (void)state;
    struct rsa_numbers rsa[2] = {rsa_numbers[1]};
    char signature[1025];
    snprintf(signature, sizeof signature, "%s", rsa[0].abc_signature);
    signature[20] = signature[20] == '0' ? '1' : '0';
    rsa[0].abc_signature = signature;
    struct bench bench;
    bench_start(&bench, &kernel_crypto, test_find(&kernel_crypto, "rsa_sign"), 0, "1024", 1);
    struct crypto_known *known = bench.job.state;
    known->rsa = rsa;
    refuses(&bench, "the signature of abc is wrong: byte 10");

    struct dsa_numbers dsa[2] = {dsa_numbers[1]};
    dsa[0].s = dsa[0].r;
    bench_start(&bench, &kernel_crypto, test_find(&kernel_crypto, "dsa_verify"), 0, "1024", 1);
    known = bench.job.state;
    known->dsa = dsa;
    refuses(&bench, "s of the published signature is wrong");
}

static void a_message_that_is_no_whole_number_of_blocks_is_unavailable(void **state)
{
    (void)state;
    struct bench bench = {.job = {.kernel = &kernel_crypto,
                                  .test = test_find(&kernel_crypto, "aes_128_cbc"),
                                  .x = 24}};
    assert_int_equal(kernel_crypto.setup(&bench.job), KERNEL_UNAVAILABLE);
    assert_string_equal(bench.job.reason, "24 bytes are no whole number of blocks of 16");
    kernel_crypto.teardown(&bench.job);
}

/* ---- numbers */

static void numbers_survive_being_taken_apart_and_reduced(void **state)
{
    (void)state;
    limb n[LIMBS_MAX], a[LIMBS_MAX], out[LIMBS_MAX], right[LIMBS_MAX];
    struct modulus modulus;
    /* 2^127 - 1 is a prime, so a^(2^127 - 2) is 1 and a^(2^127 - 1) is a. */
    size_t size = bignum_limbs(127);
    bignum_from_hex(n, size, "7fffffffffffffffffffffffffffffff");
    modulus_set(&modulus, n, size);
    bignum_from_hex(a, size, "123456789abcdef00fedcba987654321");
    modulus_power(&modulus, out, a, n, size);
    assert_int_equal(bignum_compare(out, a, size), 0);
    /* 2^255 + 5 modulo it: 2^255 = 2 (2^127)^2, which is 2. */
    limb large[LIMBS_MAX];
    bignum_from_hex(large, 2 * size,
                    "8000000000000000000000000000000000000000000000000000000000000005");
    modulus_reduce(&modulus, out, large, 2 * size);
    bignum_from_hex(right, size, "7");
    assert_int_equal(bignum_compare(out, right, size), 0);
    uint8_t bytes[16];
    bignum_to_bytes(a, size, bytes, sizeof bytes);
    assert_int_equal(bytes[0], 0x12);
    assert_int_equal(bytes[15], 0x21);
    bignum_from_bytes(out, size, bytes, sizeof bytes);
    assert_int_equal(bignum_compare(out, a, size), 0);
}

/* ---- openssl */

static void openssl_gives_the_same_digests_for_the_same_input(void **state)
{
    (void)state;
    static const struct {
        const struct hash_kind *kind;
        const char *option;
    } cases[] = {{&hash_md5, "-md5"}, {&hash_sha1, "-sha1"}, {&hash_sha256, "-sha256"},
                 {&hash_sha512, "-sha512"}, {&hash_rmd160, "-rmd160"}};
    if (!program_find("openssl", NULL, 0)) {
        print_message("no openssl\n");
        skip();
    }
    uint8_t data[5000];
    kernel_fill_random(data, sizeof data, 9);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char hex[2 * HASH_SIZE_MAX + 1], said[256];
        int fd = memfd_create("input", MFD_CLOEXEC);
        assert_true(fd >= 0);
        assert_int_equal(write(fd, data, sizeof data), sizeof data);
        assert_int_equal(lseek(fd, 0, SEEK_SET), 0);
        struct kernel_job job = {0};
        const char *const argv[] = {"openssl", "dgst", "-r", cases[i].option, NULL};
        enum kernel_outcome outcome = program_read(&job, argv, fd, said, sizeof said, NULL);
        close(fd);
        if (outcome != KERNEL_OK) {
            print_message("%s: %s\n", cases[i].option, job.reason);
            continue;
        }
        said[strcspn(said, " ")] = '\0';
        digest_of(cases[i].kind, data, sizeof data, hex);
        assert_string_equal(said, hex);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_million_letters_have_the_published_digests),
        cmocka_unit_test(cast_passes_the_full_maintenance_test),
        cmocka_unit_test(every_test_with_a_message_has_vectors_and_passes_at_all_sizes),
        cmocka_unit_test(every_key_signs_and_verifies),
        cmocka_unit_test(a_broken_vector_is_refused),
        cmocka_unit_test(a_broken_signature_of_a_key_is_refused),
        cmocka_unit_test(a_message_that_is_no_whole_number_of_blocks_is_unavailable),
        cmocka_unit_test(numbers_survive_being_taken_apart_and_reduced),
        cmocka_unit_test(openssl_gives_the_same_digests_for_the_same_input),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
