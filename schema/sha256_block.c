#include "schema/sha256_block.h"

#if defined(__x86_64__) || defined(__i386__)

#include <cpuid.h>
#include <immintrin.h>

bool sha256_has_fast(void)
{
    unsigned a, b, c, d;
    /* Intel SDM volume 2A, CPUID: leaf 1 ECX bit 9 SSSE3, bit 19 SSE4.1; leaf 7 EBX bit 29 SHA. */
    if (!__get_cpuid(1, &a, &b, &c, &d) || !(c & 1u << 9) || !(c & 1u << 19))
        return false;
    return __get_cpuid_count(7, 0, &a, &b, &c, &d) && (b & 1u << 29);
}

#define FAST __attribute__((target("sha,ssse3,sse4.1")))

/* Four rounds on the words w, t the number of the first. Intel SDM volume 2B, SHA256RNDS2. */
FAST static inline void rounds(__m128i *abef, __m128i *cdgh, __m128i w, int t)
{
    const __m128i *constants = (const __m128i *)(const void *)(sha256_constants + t);
    __m128i sum = _mm_add_epi32(w, _mm_loadu_si128(constants));
    *cdgh = _mm_sha256rnds2_epu32(*cdgh, *abef, sum);
    *abef = _mm_sha256rnds2_epu32(*abef, *cdgh, _mm_shuffle_epi32(sum, 0x0e));
}

/* The next four words of the schedule from the sixteen before them. SHA256MSG1, SHA256MSG2. */
FAST static inline __m128i schedule(__m128i w0, __m128i w1, __m128i w2, __m128i w3)
{
    __m128i sum = _mm_add_epi32(_mm_sha256msg1_epu32(w0, w1), _mm_alignr_epi8(w3, w2, 4));
    return _mm_sha256msg2_epu32(sum, w3);
}

FAST static inline __m128i load_words(const unsigned char *p)
{
    const __m128i big_endian = _mm_set_epi64x(0x0c0d0e0f08090a0b, 0x0405060700010203);
    return _mm_shuffle_epi8(_mm_loadu_si128((const __m128i *)(const void *)p), big_endian);
}

/* The variables as the instructions want them: a b e f and c d g h, highest first. */
struct variables {
    __m128i abef, cdgh;
};

FAST static inline struct variables variables_load(const uint32_t state[static 8])
{
    __m128i cdab = _mm_shuffle_epi32(_mm_loadu_si128((const __m128i *)(const void *)state), 0xb1);
    __m128i efgh =
        _mm_shuffle_epi32(_mm_loadu_si128((const __m128i *)(const void *)(state + 4)), 0x1b);
    return (struct variables){_mm_alignr_epi8(cdab, efgh, 8), _mm_blend_epi16(efgh, cdab, 0xf0)};
}

FAST static inline void variables_store(struct variables v, uint32_t state[static 8])
{
    __m128i feba = _mm_shuffle_epi32(v.abef, 0x1b);
    __m128i dchg = _mm_shuffle_epi32(v.cdgh, 0xb1);
    _mm_storeu_si128((__m128i *)(void *)state, _mm_blend_epi16(feba, dchg, 0xf0));
    _mm_storeu_si128((__m128i *)(void *)(state + 4), _mm_alignr_epi8(dchg, feba, 8));
}

FAST static inline void variables_add(struct variables *v, struct variables before)
{
    v->abef = _mm_add_epi32(v->abef, before.abef);
    v->cdgh = _mm_add_epi32(v->cdgh, before.cdgh);
}

/* Sixteen words, of the block or of the schedule. */
struct words {
    __m128i w[4];
};

FAST static inline struct words words_load(const unsigned char *p)
{
    return (struct words){
        {load_words(p), load_words(p + 16), load_words(p + 32), load_words(p + 48)}};
}

/* The rounds t to t + 3 of the i-th four words, which become those of 16 rounds later. */
FAST static inline void step(struct variables *v, struct words *words, int i, int t)
{
    __m128i *w = words->w;
    rounds(&v->abef, &v->cdgh, w[i], t);
    if (t < 48)
        w[i] = schedule(w[i], w[(i + 1) % 4], w[(i + 2) % 4], w[(i + 3) % 4]);
}

FAST void sha256_blocks_fast(uint32_t state[static 8], const unsigned char *bytes, size_t n)
{
    struct variables v = variables_load(state);
    for (; n > 0; n--, bytes += 64) {
        struct variables before = v;
        struct words words = words_load(bytes);
        for (int t = 0; t < 64; t += 16) {
            step(&v, &words, 0, t);
            step(&v, &words, 1, t + 4);
            step(&v, &words, 2, t + 8);
            step(&v, &words, 3, t + 12);
        }
        variables_add(&v, before);
    }
    variables_store(v, state);
}

FAST void sha256_blocks_fast_two(uint32_t a[static 8], const unsigned char *a_bytes,
                                 uint32_t b[static 8], const unsigned char *b_bytes, size_t n)
{
    struct variables v = variables_load(a), w = variables_load(b);
    for (; n > 0; n--, a_bytes += 64, b_bytes += 64) {
        struct variables v_before = v, w_before = w;
        struct words a_words = words_load(a_bytes), b_words = words_load(b_bytes);
        for (int t = 0; t < 64; t += 16) {
            step(&v, &a_words, 0, t);
            step(&w, &b_words, 0, t);
            step(&v, &a_words, 1, t + 4);
            step(&w, &b_words, 1, t + 4);
            step(&v, &a_words, 2, t + 8);
            step(&w, &b_words, 2, t + 8);
            step(&v, &a_words, 3, t + 12);
            step(&w, &b_words, 3, t + 12);
        }
        variables_add(&v, v_before);
        variables_add(&w, w_before);
    }
    variables_store(v, a);
    variables_store(w, b);
}

#else

bool sha256_has_fast(void)
{
    return false;
}

void sha256_blocks_fast(uint32_t state[static 8], const unsigned char *bytes, size_t n)
{
    (void)state;
    (void)bytes;
    (void)n;
}

void sha256_blocks_fast_two(uint32_t a[static 8], const unsigned char *a_bytes,
                            uint32_t b[static 8], const unsigned char *b_bytes, size_t n)
{
    sha256_blocks_fast(a, a_bytes, n);
    sha256_blocks_fast(b, b_bytes, n);
}

#endif
