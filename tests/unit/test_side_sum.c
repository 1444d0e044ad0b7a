#include "normalize/side_sum.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "tests/unit/random.h"

enum { TEXT_BYTES = 1 << 20, N_THREADS = 3 };

static char text[TEXT_BYTES];

static void digest(size_t size, char out[static SHA256_HEX_SIZE])
{
    struct sha256 hash;
    sha256_init(&hash);
    sha256_add(&hash, text, size);
    sha256_finish(&hash, out);
}

struct reading {
    struct side_sum *side;
    uint64_t seed;
    char hex[SHA256_HEX_SIZE];
};

/* Sums the text up in pieces by chance. */
static void *read_text(void *context)
{
    struct reading *reading = context;
    struct sha256 hash;
    sha256_init(&hash);
    for (size_t at = 0; at < TEXT_BYTES;) {
        size_t n = random_below(&reading->seed, 5000);
        n = n < TEXT_BYTES - at ? n : TEXT_BYTES - at;
        side_sum_add_beside(reading->side, &hash, text + at, n);
        at += n;
    }
    sha256_finish(&hash, reading->hex);
    return NULL;
}

/* Offers the text in pieces by chance, two at a time. */
static void offer_text(struct side_sum *side, uint64_t *seed, size_t size)
{
    uint64_t last = 0;
    for (size_t at = 0; at < size;) {
        size_t n = 1 + random_below(seed, 20000);
        n = n < size - at ? n : size - at;
        uint64_t piece = side_sum_offer(side, text + at, n);
        assert_int_equal(piece, last + 1);
        side_sum_wait(side, last);
        last = piece;
        at += n;
    }
}

static void sums_are_those_of_one_thread(void **state)
{
    (void)state;
    uint64_t seed = 5;
    for (size_t i = 0; i < TEXT_BYTES; i++)
        text[i] = (char)random_next(&seed);
    char expected[SHA256_HEX_SIZE], hex[SHA256_HEX_SIZE];
    digest(TEXT_BYTES, expected);
    struct side_sum *side;
    struct err err;
    assert_int_equal(side_sum_new(&side, &err), 0);
    for (int round = 0; round < 4; round++) {
        struct reading readings[N_THREADS];
        pthread_t threads[N_THREADS];
        struct sha256 hash;
        sha256_init(&hash);
        side_sum_begin(side, &hash);
        for (int i = 0; i < N_THREADS; i++) {
            readings[i] = (struct reading){.side = side, .seed = random_next(&seed)};
            assert_int_equal(pthread_create(&threads[i], NULL, read_text, &readings[i]), 0);
        }
        offer_text(side, &seed, TEXT_BYTES);
        side_sum_wait(side, SIDE_SUM_ALL);
        side_sum_end(side);
        sha256_finish(&hash, hex);
        assert_string_equal(hex, expected);
        for (int i = 0; i < N_THREADS; i++) {
            pthread_join(threads[i], NULL);
            assert_string_equal(readings[i].hex, expected);
        }
    }
    side_sum_free(side);
}

static void who_waits_does_what_nobody_did(void **state)
{
    (void)state;
    char expected[SHA256_HEX_SIZE], hex[SHA256_HEX_SIZE];
    digest(1000, expected);
    struct side_sum *side;
    struct sha256 hash;
    struct err err;
    assert_int_equal(side_sum_new(&side, &err), 0);
    sha256_init(&hash);
    side_sum_begin(side, &hash);
    side_sum_wait(side, 0);
    side_sum_wait(side, SIDE_SUM_ALL);
    assert_int_equal(side_sum_offer(side, text, 600), 1);
    assert_int_equal(side_sum_offer(side, text + 600, 400), 2);
    side_sum_wait(side, 1);
    assert_int_equal(hash.size, 600);
    side_sum_wait(side, 2);
    side_sum_end(side);
    sha256_finish(&hash, hex);
    assert_string_equal(hex, expected);
    /* What is given up is forgotten. */
    sha256_init(&hash);
    side_sum_begin(side, &hash);
    side_sum_offer(side, text, 600);
    side_sum_end(side);
    assert_int_equal(hash.size, 0);
    side_sum_free(side);
    side_sum_free(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sums_are_those_of_one_thread),
        cmocka_unit_test(who_waits_does_what_nobody_did),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
