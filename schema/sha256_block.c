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

FAST void sha256_blocks_fast(uint32_t state[static 8], const unsigned char *bytes, size_t n)
{
    __m128i *const low = (__m128i *)(void *)state;
    __m128i *const high = (__m128i *)(void *)(state + 4);
    /* The instructions want the variables in the order a b e f and c d g h, highest first. */
    __m128i cdab = _mm_shuffle_epi32(_mm_loadu_si128(low), 0xb1);
    __m128i efgh = _mm_shuffle_epi32(_mm_loadu_si128(high), 0x1b);
    __m128i abef = _mm_alignr_epi8(cdab, efgh, 8);
    __m128i cdgh = _mm_blend_epi16(efgh, cdab, 0xf0);
    for (; n > 0; n--, bytes += 64) {
        __m128i before_abef = abef, before_cdgh = cdgh;
        __m128i w0 = load_words(bytes), w1 = load_words(bytes + 16);
        __m128i w2 = load_words(bytes + 32), w3 = load_words(bytes + 48);
        for (int t = 0;; t += 16) {
            rounds(&abef, &cdgh, w0, t);
            rounds(&abef, &cdgh, w1, t + 4);
            rounds(&abef, &cdgh, w2, t + 8);
            rounds(&abef, &cdgh, w3, t + 12);
            if (t == 48)
                break;
            w0 = schedule(w0, w1, w2, w3);
            w1 = schedule(w1, w2, w3, w0);
            w2 = schedule(w2, w3, w0, w1);
            w3 = schedule(w3, w0, w1, w2);
        }
        abef = _mm_add_epi32(abef, before_abef);
        cdgh = _mm_add_epi32(cdgh, before_cdgh);
    }
    __m128i feba = _mm_shuffle_epi32(abef, 0x1b);
    __m128i dchg = _mm_shuffle_epi32(cdgh, 0xb1);
    _mm_storeu_si128(low, _mm_blend_epi16(feba, dchg, 0xf0));
    _mm_storeu_si128(high, _mm_alignr_epi8(dchg, feba, 8));
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

#endif
