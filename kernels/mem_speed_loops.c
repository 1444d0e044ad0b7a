/* The loops of mem_speed, for each type in scalars and in vectors of each width, made of one text by
 * the preprocessor. V is what an instruction works on, E an element of it. Behind each scalar
 * operation an empty assembly statement keeps compilers from making vectors, or a call of memcpy; the
 * statements of vectors keep them from doing two passes in one. */
#include "kernels/mem_speed.h"

#include "kernels/kernel.h"
#include "kernels/vector.h"

#include <string.h>

#if defined(__x86_64__) || defined(__i386__)
#include <immintrin.h>
#endif

#ifdef __clang__
#pragma STDC FP_CONTRACT OFF /* two operations, whatever the target */
#endif

/* Independent sums: additions take up to 5 cycles, and up to two of them begin in each. 32-bit x86
 * has no registers for so many. */
#if defined(__i386__)
#define EACH_SUM(do) do(0, a) do(1, b) do(2, c) do(3, d)
enum { SUMS = 4 };
#else
#define EACH_SUM(do)                                                                               \
    do(0, a) do(1, b) do(2, c) do(3, d) do(4, e) do(5, f) do(6, g) do(7, h)
enum { SUMS = 8 };
#endif
#define EACH_4(do) do(0) do(1) do(2) do(3)

#define KEEP_double(value) VECTOR_KEEP_SCALAR(value)
#define KEEP_float(value) VECTOR_KEEP_SCALAR(value)
#define KEEP_uint32_t(value) KERNEL_KEEP(value)
#define KEEP_NOTHING(value) ((void)0)

#define DECLARE(k, sum) V sum = {0};
#define ADD_UP(k, sum)                                                                             \
    sum += p[k] PRODUCT q[k];                                                                      \
    KEEP(sum);
#define TOGETHER(k, sum)                                                                           \
    memcpy(lanes, &sum, sizeof sum);                                                               \
    for (size_t lane = 0; lane < sizeof lanes / sizeof lanes[0]; lane++)                           \
        total += lanes[lane];
#define TRIAD(k)                                                                                   \
    p[k] = p[k] + (s PRODUCT q[k]);                                                                \
    KERNEL_BARRIER();
#define TRIAD_ONE(k)                                                                               \
    p[k] = p[k] + (s_one PRODUCT q[k]);                                                            \
    KERNEL_BARRIER();
#define ADD(k)                                                                                     \
    p[k] = p[k] + q[k];                                                                            \
    KERNEL_BARRIER();
#define SUBTRACT(k)                                                                                \
    p[k] = p[k] - q[k];                                                                            \
    KERNEL_BARRIER();
#define COPY(k)                                                                                    \
    p[k] = q[k];                                                                                   \
    KERNEL_BARRIER();

/* A pass over the arrays: four at a time, one at a time, and what is no whole vector. */
#define PASS(DO, DO_ONE)                                                                           \
    {                                                                                              \
        V *p = x;                                                                                  \
        const V *q = y;                                                                            \
        size_t left = n / LANES;                                                                   \
        for (; left >= 4; left -= 4, p += 4, q += 4) {                                             \
            EACH_4(DO)                                                                             \
        }                                                                                          \
        for (; left > 0; left--, p++, q++) {                                                       \
            DO(0)                                                                                  \
        }                                                                                          \
    }                                                                                              \
    for (size_t i = n - n % LANES; i < n; i++) {                                                   \
        ELEMENT *p = (ELEMENT *)x + i;                                                             \
        const ELEMENT *q = (const ELEMENT *)y + i;                                                 \
        DO_ONE(0)                                                                                  \
    }
#define LANES (sizeof(V) / sizeof(ELEMENT))

/* ALTERNATE: floating-point values go back and forth, so that they stay exact; integers wrap. */
#define LOOPS(name, ATTRIBUTES)                                                                    \
    static ATTRIBUTES __attribute__((noinline)) int64_t dot_##name(const void *x, const void *y,   \
                                                                   size_t n, uint64_t passes)      \
    {                                                                                              \
        EACH_SUM(DECLARE)                                                                          \
        ELEMENT rest = 0, lanes[LANES], total = 0;                           \
        for (; passes > 0; passes--) {                                                             \
            const V *p = x, *q = y;                                                                \
            size_t left = n / LANES;                                                               \
            KERNEL_BARRIER();                                                                      \
            for (; left >= SUMS; left -= SUMS, p += SUMS, q += SUMS) {                             \
                EACH_SUM(ADD_UP)                                                                   \
            }                                                                                      \
            for (; left > 0; left--, p++, q++) {                                                   \
                ADD_UP(0, a)                                                                       \
            }                                                                                      \
            for (size_t i = n - n % LANES; i < n; i++)                                             \
                rest += ((const ELEMENT *)x)[i] PRODUCT((const ELEMENT *)y)[i];                    \
        }                                                                                          \
        EACH_SUM(TOGETHER)                                                                         \
        return (int64_t)(total + rest);                                                            \
    }                                                                                              \
    static ATTRIBUTES __attribute__((noinline)) void triad_##name(                                 \
        void *x, const void *y, size_t n, uint64_t passes, uint64_t first)                         \
    {                                                                                              \
        ELEMENT s_one = MEM_SPEED_FACTOR, lanes[LANES];                                            \
        V s;                                                                                       \
        for (size_t lane = 0; lane < LANES; lane++)                                                \
            lanes[lane] = s_one;                                                                   \
        memcpy(&s, lanes, sizeof s);                                                               \
        if (ALTERNATE && first % 2 == 1)                                                           \
            s = -s, s_one = (ELEMENT)-s_one;                                                       \
        for (; passes > 0; passes--) {                                                             \
            PASS(TRIAD, TRIAD_ONE)                                                                 \
            if (ALTERNATE)                                                                         \
                s = -s, s_one = (ELEMENT)-s_one;                                                   \
        }                                                                                          \
    }                                                                                              \
    static ATTRIBUTES __attribute__((noinline)) void add_##name(                                   \
        void *x, const void *y, size_t n, uint64_t passes, uint64_t first)                         \
    {                                                                                              \
        for (; passes > 0; passes--, first++) {                                                    \
            if (ALTERNATE && first % 2 == 1) {                                                     \
                PASS(SUBTRACT, SUBTRACT)                                                           \
            } else {                                                                               \
                PASS(ADD, ADD)                                                                     \
            }                                                                                      \
        }                                                                                          \
    }                                                                                              \
    static ATTRIBUTES __attribute__((noinline)) void copy_##name(void *x, const void *y, size_t n, \
                                                                 uint64_t passes)                  \
    {                                                                                              \
        for (; passes > 0; passes--) {                                                             \
            PASS(COPY, COPY)                                                                       \
        }                                                                                          \
    }                                                                                              \
    static const struct mem_speed_loops loops_##name = {dot_##name, triad_##name, add_##name,      \
                                                        copy_##name};

#define VECTOR(element, bits)                                                                      \
    typedef element vector_##element##_##bits                                                      \
        __attribute__((vector_size((bits) / 8), may_alias));

#define PRODUCT *
#define ALTERNATE 1

#define ELEMENT double
#define V double
#define KEEP KEEP_double
LOOPS(double, )
#undef V
#undef KEEP
#define KEEP KEEP_NOTHING
#ifdef VECTOR_128
VECTOR(double, 128)
#define V vector_double_128
LOOPS(double_128, VECTOR_128)
#undef V
#endif
#ifdef VECTOR_256
VECTOR(double, 256)
#define V vector_double_256
LOOPS(double_256, VECTOR_256)
#undef V
#endif
#ifdef VECTOR_512
VECTOR(double, 512)
#define V vector_double_512
LOOPS(double_512, VECTOR_512)
#undef V
#endif
#undef KEEP
#undef ELEMENT

#define ELEMENT float
#define V float
#define KEEP KEEP_float
LOOPS(float, )
#undef V
#undef KEEP
#define KEEP KEEP_NOTHING
#ifdef VECTOR_128
VECTOR(float, 128)
#define V vector_float_128
LOOPS(float_128, VECTOR_128)
#undef V
#endif
#ifdef VECTOR_256
VECTOR(float, 256)
#define V vector_float_256
LOOPS(float_256, VECTOR_256)
#undef V
#endif
#ifdef VECTOR_512
VECTOR(float, 512)
#define V vector_float_512
LOOPS(float_512, VECTOR_512)
#undef V
#endif
#undef KEEP
#undef ELEMENT

#undef PRODUCT
#undef ALTERNATE
#define PRODUCT + /* integers: x + s + y, as the historical programs had it */
#define ALTERNATE 0

#define ELEMENT uint32_t
#define V uint32_t
#define KEEP KEEP_uint32_t
LOOPS(int32, )
#undef V
#undef KEEP
#define KEEP KEEP_NOTHING
#ifdef VECTOR_128
VECTOR(uint32_t, 128)
#define V vector_uint32_t_128
LOOPS(int32_128, VECTOR_128)
#undef V
#endif
#ifdef VECTOR_256
VECTOR(uint32_t, 256)
#define V vector_uint32_t_256
LOOPS(int32_256, VECTOR_256)
#undef V
#endif
#ifdef VECTOR_512
VECTOR(uint32_t, 512)
#define V vector_uint32_t_512
LOOPS(int32_512, VECTOR_512)
#undef V
#endif
#undef KEEP
#undef ELEMENT

enum { SCALAR, BITS_128, BITS_256, BITS_512, WIDTHS };

static const struct mem_speed_loops *const all_loops[MEM_SPEED_TYPES][WIDTHS] = {
    [MEM_SPEED_DOUBLE][SCALAR] = &loops_double,
    [MEM_SPEED_FLOAT][SCALAR] = &loops_float,
    [MEM_SPEED_INT32][SCALAR] = &loops_int32,
#ifdef VECTOR_128
    [MEM_SPEED_DOUBLE][BITS_128] = &loops_double_128,
    [MEM_SPEED_FLOAT][BITS_128] = &loops_float_128,
    [MEM_SPEED_INT32][BITS_128] = &loops_int32_128,
#endif
#ifdef VECTOR_256
    [MEM_SPEED_DOUBLE][BITS_256] = &loops_double_256,
    [MEM_SPEED_FLOAT][BITS_256] = &loops_float_256,
    [MEM_SPEED_INT32][BITS_256] = &loops_int32_256,
#endif
#ifdef VECTOR_512
    [MEM_SPEED_DOUBLE][BITS_512] = &loops_double_512,
    [MEM_SPEED_FLOAT][BITS_512] = &loops_float_512,
    [MEM_SPEED_INT32][BITS_512] = &loops_int32_512,
#endif
};

const struct mem_speed_loops *mem_speed_loops(enum mem_speed_type type, int bits)
{
    int width = bits == 0 ? SCALAR : bits == 128 ? BITS_128 : bits == 256 ? BITS_256 : BITS_512;
    return all_loops[type][width];
}

/* ---- stores past the caches. They are weakly ordered: a fence at the end; one in each pass would
 * be a good part of a pass over a small array. */

#if defined(__x86_64__) || defined(__i386__)
#define STREAM(bits, vector, load, stream)                                                         \
    static VECTOR_##bits __attribute__((noinline)) void stream_##bits(                             \
        void *x, const void *y, size_t bytes, uint64_t passes)                                     \
    {                                                                                              \
        for (; passes > 0; passes--) {                                                             \
            vector *p = x;                                                                         \
            const vector *q = y;                                                                   \
            size_t left = bytes / sizeof *p;                                                       \
            for (; left >= 4; left -= 4, p += 4, q += 4) {                                         \
                vector a = load(q), b = load(q + 1), c = load(q + 2), d = load(q + 3);             \
                stream(p, a);                                                                      \
                stream(p + 1, b);                                                                  \
                stream(p + 2, c);                                                                  \
                stream(p + 3, d);                                                                  \
            }                                                                                      \
            for (; left > 0; left--, p++, q++)                                                     \
                stream(p, load(q));                                                                \
            memcpy(p, q, bytes % sizeof *p);                                                       \
            KERNEL_BARRIER();                                                                      \
        }                                                                                          \
        _mm_sfence();                                                                              \
    }
STREAM(128, __m128i, _mm_load_si128, _mm_stream_si128)
STREAM(256, __m256i, _mm256_load_si256, _mm256_stream_si256)
STREAM(512, __m512i, _mm512_load_si512, _mm512_stream_si512)

mem_speed_stream_fn *mem_speed_stream(int bits)
{
    return bits == 128 ? stream_128 : bits == 256 ? stream_256 : bits == 512 ? stream_512 : NULL;
}
#else
mem_speed_stream_fn *mem_speed_stream(int bits)
{
    (void)bits;
    return NULL;
}
#endif
