#include "kernels/vector.h"

#include <stddef.h>

#if defined(__x86_64__) || defined(__i386__)
const char *vector_missing(int bits)
{
    __builtin_cpu_init();
    if (bits == 128)
        return __builtin_cpu_supports("sse2") ? NULL : "the processor has no SSE2";
    if (bits == 256)
        return __builtin_cpu_supports("avx2") ? NULL : "the processor or the system has no AVX2";
    return __builtin_cpu_supports("avx512f") ? NULL
                                             : "the processor or the system has no AVX-512";
}
#elif defined(__aarch64__)
const char *vector_missing(int bits)
{
    return bits == 128 ? NULL : "NEON has no vectors of this width";
}
#else
const char *vector_missing(int bits)
{
    (void)bits;
    return "no vector instructions are known for this architecture";
}
#endif

int vector_widest(void)
{
    int bits = 512;
    while (bits >= 128 && vector_missing(bits))
        bits /= 2;
    return bits >= 128 ? bits : 0;
}
