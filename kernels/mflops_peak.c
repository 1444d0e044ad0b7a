/* Multiply-add instructions on independent accumulators, enough of them to hide the latency: twelve
 * chains suffice for two instructions a cycle up to a latency of six cycles, and for one
 * multiplication and one addition a cycle up to twelve for both. The eight registers of 32-bit x86
 * hold six.
 *
 * An empty assembly statement keeps each accumulator in a register of its own: compilers would make
 * vectors of the scalars. */
#include "kernels/mflops.h"

#include <stddef.h>

#if defined(__x86_64__) || defined(__i386__)
#include <immintrin.h>
#elif defined(__aarch64__)
#include <arm_neon.h>
#endif

#define EACH_OF_6(what, with)                                                                      \
    what(0, with) what(1, with) what(2, with) what(3, with) what(4, with) what(5, with)
#define EACH_OF_12(what, with)                                                                     \
    EACH_OF_6(what, with)                                                                          \
    what(6, with) what(7, with) what(8, with) what(9, with) what(10, with) what(11, with)
#if defined(__i386__)
#define EACH EACH_OF_6
enum { ACCUMULATORS = 6 };
#else
#define EACH EACH_OF_12
enum { ACCUMULATORS = 12 };
#endif

#if defined(__x86_64__) || defined(__i386__)
#define KEEP(value) __asm__ volatile("" : "+x"(value))
#elif defined(__aarch64__)
#define KEEP(value) __asm__ volatile("" : "+w"(value))
#else
#define KEEP(value) (void)0 /* no vectors are known that a compiler could make */
#endif

#define DECLARE(i, vector) vector x##i = zero;
#define ROUND(i, step)                                                                             \
    x##i = step(x##i, b, a);                                                                       \
    KEEP(x##i);
#define STORE(i, put) put(to + (i) * (ptrdiff_t)lanes, x##i);

/* all(value) is a vector with that value in each of n lanes, step(x, b, a) is x * b + a, put(to, x)
 * stores the lanes. */
#define PEAK(attributes, name, type, vector, n, all, step, put)                                    \
    static attributes __attribute__((noinline)) void name(const void *operands, void *results,     \
                                                          int rounds)                              \
    {                                                                                              \
        enum { lanes = n };                                                                        \
        const type *from = operands;                                                               \
        type *to = results;                                                                        \
        const vector b = all(from[0]), a = all(from[1]), zero = all(0);                            \
        EACH(DECLARE, vector)                                                                      \
        for (; rounds > 0; rounds--) {                                                             \
            EACH(ROUND, step)                                                                      \
        }                                                                                          \
        EACH(STORE, put)                                                                           \
    }

#if defined(__x86_64__) || defined(__i386__)

#define SSE2 __attribute__((target("sse2")))
#define AVX __attribute__((target("avx")))
#define FMA __attribute__((target("avx2,fma")))
#define AVX512 __attribute__((target("avx512f")))
#define MUL_ADD_SD(x, b, a) _mm_add_sd(_mm_mul_sd(x, b), a)
#define MUL_ADD_SS(x, b, a) _mm_add_ss(_mm_mul_ss(x, b), a)
#define MUL_ADD_PD(x, b, a) _mm_add_pd(_mm_mul_pd(x, b), a)
#define MUL_ADD_PS(x, b, a) _mm_add_ps(_mm_mul_ps(x, b), a)
#define MUL_ADD_4D(x, b, a) _mm256_add_pd(_mm256_mul_pd(x, b), a)
#define MUL_ADD_8S(x, b, a) _mm256_add_ps(_mm256_mul_ps(x, b), a)

PEAK(SSE2, sse2_sd, double, __m128d, 1, _mm_set_sd, MUL_ADD_SD, _mm_store_sd)
PEAK(SSE2, sse2_ss, float, __m128, 1, _mm_set_ss, MUL_ADD_SS, _mm_store_ss)
PEAK(SSE2, sse2_pd, double, __m128d, 2, _mm_set1_pd, MUL_ADD_PD, _mm_storeu_pd)
PEAK(SSE2, sse2_ps, float, __m128, 4, _mm_set1_ps, MUL_ADD_PS, _mm_storeu_ps)
PEAK(AVX, avx_pd, double, __m256d, 4, _mm256_set1_pd, MUL_ADD_4D, _mm256_storeu_pd)
PEAK(AVX, avx_ps, float, __m256, 8, _mm256_set1_ps, MUL_ADD_8S, _mm256_storeu_ps)
PEAK(FMA, fma_sd, double, __m128d, 1, _mm_set_sd, _mm_fmadd_sd, _mm_store_sd)
PEAK(FMA, fma_ss, float, __m128, 1, _mm_set_ss, _mm_fmadd_ss, _mm_store_ss)
PEAK(FMA, fma_pd, double, __m256d, 4, _mm256_set1_pd, _mm256_fmadd_pd, _mm256_storeu_pd)
PEAK(FMA, fma_ps, float, __m256, 8, _mm256_set1_ps, _mm256_fmadd_ps, _mm256_storeu_ps)
PEAK(AVX512, avx512_pd, double, __m512d, 8, _mm512_set1_pd, _mm512_fmadd_pd, _mm512_storeu_pd)
PEAK(AVX512, avx512_ps, float, __m512, 16, _mm512_set1_ps, _mm512_fmadd_ps, _mm512_storeu_ps)

struct mflops_peak mflops_peak(bool is_double, bool is_vector)
{
    __builtin_cpu_init();
    const bool has_fma = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
    struct mflops_peak peak = {NULL, ACCUMULATORS};
    if (!__builtin_cpu_supports("sse2"))
        return peak;
    if (!is_vector) {
        peak.run = has_fma ? (is_double ? fma_sd : fma_ss) : is_double ? sse2_sd : sse2_ss;
    } else if (__builtin_cpu_supports("avx512f")) {
        peak.run = is_double ? avx512_pd : avx512_ps;
        peak.n_results *= is_double ? 8 : 16;
    } else if (has_fma || __builtin_cpu_supports("avx")) {
        peak.run = has_fma ? (is_double ? fma_pd : fma_ps) : is_double ? avx_pd : avx_ps;
        peak.n_results *= is_double ? 4 : 8;
    } else {
        peak.run = is_double ? sse2_pd : sse2_ps;
        peak.n_results *= is_double ? 2 : 4;
    }
    return peak;
}

#else

#define SAME(value) (value)
#define PUT(to, x) *(to) = (x)

#if defined(__aarch64__)
#define STEP_D(x, b, a) __builtin_fma(x, b, a)
#define STEP_S(x, b, a) __builtin_fmaf(x, b, a)
#define STEP_2D(x, b, a) vfmaq_f64(a, x, b)
#define STEP_4S(x, b, a) vfmaq_f32(a, x, b)
PEAK(, neon_2d, double, float64x2_t, 2, vdupq_n_f64, STEP_2D, vst1q_f64)
PEAK(, neon_4s, float, float32x4_t, 4, vdupq_n_f32, STEP_4S, vst1q_f32)
#else
#define STEP_D(x, b, a) ((x) * (b) + (a))
#define STEP_S STEP_D
#endif

PEAK(, scalar_d, double, double, 1, SAME, STEP_D, PUT)
PEAK(, scalar_s, float, float, 1, SAME, STEP_S, PUT)

struct mflops_peak mflops_peak(bool is_double, bool is_vector)
{
    struct mflops_peak peak = {NULL, ACCUMULATORS};
    if (!is_vector)
        peak.run = is_double ? scalar_d : scalar_s;
#if defined(__aarch64__)
    else {
        peak.run = is_double ? neon_2d : neon_4s;
        peak.n_results *= is_double ? 2 : 4;
    }
#endif
    return peak;
}

#endif
