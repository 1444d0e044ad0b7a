#include "schema/sha256.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static void digest(const char *text, size_t size, char out[static SHA256_HEX_SIZE])
{
    struct sha256 hash;
    sha256_init(&hash);
    sha256_add(&hash, text, size);
    sha256_finish(&hash, out);
}

/* FIPS 180-2, appendix B, and NIST's example values (CSRC, SHA256.pdf and SHA2_Additional.pdf). */
static void published_digests_are_met(void **state)
{
    (void)state;
    static const struct {
        const char *text, *digest;
    } cases[] = {
        {"", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"},
        {"abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"},
        {"abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
         "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"},
        {"\xbd", "68325720aabd7c82f30f554b313d0570c95accbb7dc4b5aae11204c08ffe732b"},
        {"\xc9\x8c\x8e\x55", "7abc22c0ae5af26ce93dbb94433a0e0b2e119d014f8e7f65bd56c61ccccd9504"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char hex[SHA256_HEX_SIZE];
        digest(cases[i].text, strlen(cases[i].text), hex);
        assert_string_equal(hex, cases[i].digest);
    }
}

static void a_million_letters_have_the_published_digest(void **state)
{
    (void)state;
    char letters[1000];
    memset(letters, 'a', sizeof letters);
    struct sha256 hash;
    sha256_init(&hash);
    for (int i = 0; i < 1000; i++)
        sha256_add(&hash, letters, sizeof letters);
    char hex[SHA256_HEX_SIZE];
    sha256_finish(&hash, hex);
    assert_string_equal(hex, "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

/* NIST, SHA2_Additional.pdf: zero bytes, around the lengths where the padding needs a block more.
 */
static void zeros_have_the_published_digests(void **state)
{
    (void)state;
    static const struct {
        size_t size;
        const char *digest;
    } cases[] = {
        {55, "02779466cdec163811d078815c633f21901413081449002f24aa3e80f0b88ef7"},
        {56, "d4817aa5497628e7c77e6b606107042bbba3130888c5f47a375e6179be789fbb"},
        {57, "65a16cb7861335d5ace3c60718b5052e44660726da4cd13bb745381b235a1785"},
        {64, "f5a5fd42d16a20302798ef6ed309979b43003d2320d9f0e8ea9831a92759fb4b"},
        {1000, "541b3e9daa09b20bf85fa273e5cbd3e80185aa4ec298e765db87742b70138a53"},
    };
    static const char zeros[1000];
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char hex[SHA256_HEX_SIZE];
        digest(zeros, cases[i].size, hex);
        assert_string_equal(hex, cases[i].digest);
    }
}

static void the_pieces_do_not_matter(void **state)
{
    (void)state;
    char text[200];
    for (size_t i = 0; i < sizeof text; i++)
        text[i] = (char)(i * 7);
    char whole[SHA256_HEX_SIZE], pieces[SHA256_HEX_SIZE];
    digest(text, sizeof text, whole);
    for (size_t first = 0; first <= sizeof text; first++) {
        for (size_t second = first; second <= sizeof text; second++) {
            struct sha256 hash;
            sha256_init(&hash);
            sha256_add(&hash, text, first);
            sha256_add(&hash, text + first, second - first);
            sha256_add(&hash, text + second, sizeof text - second);
            sha256_finish(&hash, pieces);
            assert_string_equal(pieces, whole);
        }
    }
}

/* Sizes around blocks, and pieces before that leave a block begun. */
static void two_at_once_are_as_one_by_one(void **state)
{
    (void)state;
    static const size_t sizes[] = {0, 1, 63, 64, 65, 127, 128, 300, 1000};
    enum { N = sizeof sizes / sizeof sizes[0], MOST = 64 + 1000 };
    char a_text[MOST], b_text[MOST];
    for (size_t i = 0; i < MOST; i++) {
        a_text[i] = (char)(i * 7);
        b_text[i] = (char)(i * 11 + 3);
    }
    for (size_t begun = 0; begun < 64; begun += 9) {
        for (size_t k = 0; k < N * N; k++) {
            size_t a_size = sizes[k / N], b_size = sizes[k % N], b_begun = (begun * 5) % 64;
            char a_alone[SHA256_HEX_SIZE], b_alone[SHA256_HEX_SIZE], hex[SHA256_HEX_SIZE];
            digest(a_text, begun + a_size, a_alone);
            digest(b_text, b_begun + b_size, b_alone);
            struct sha256 a, b;
            sha256_init(&a);
            sha256_init(&b);
            sha256_add(&a, a_text, begun);
            sha256_add(&b, b_text, b_begun);
            sha256_add_two(&a, a_text + begun, a_size, &b, b_text + b_begun, b_size);
            sha256_finish(&a, hex);
            assert_string_equal(hex, a_alone);
            sha256_finish(&b, hex);
            assert_string_equal(hex, b_alone);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(published_digests_are_met),
        cmocka_unit_test(a_million_letters_have_the_published_digest),
        cmocka_unit_test(zeros_have_the_published_digests),
        cmocka_unit_test(the_pieces_do_not_matter),
        cmocka_unit_test(two_at_once_are_as_one_by_one),
    };
    return cmocka_run_group_tests_name("sha256", tests, NULL, NULL);
}
