/* Which vector instructions this machine has. Kernels are compiled for all widths and choose at run
 * time. */
#ifndef KERNELS_VECTOR_H
#define KERNELS_VECTOR_H

/* Attributes of a function that uses vectors of so many bits. */
#if defined(__x86_64__) || defined(__i386__)
#define VECTOR_128 __attribute__((target("sse2")))
#define VECTOR_256 __attribute__((target("avx2")))
#define VECTOR_512 __attribute__((target("avx512f")))
#elif defined(__aarch64__)
#define VECTOR_128
#endif

/* What hinders the use of vectors of so many bits (128, 256, 512); NULL: nothing. */
const char *vector_missing(int bits);
/* Bits of the widest vectors; 0: there are none. */
int vector_widest(void);

/* The compiler must have the floating-point value in a register of its own, and may not know it
 * afterwards: it makes no vectors of scalars, and no sums of sums. */
#if defined(__SSE2__)
#define VECTOR_KEEP_SCALAR(value) __asm__ volatile("" : "+x"(value) : : )
#elif defined(__aarch64__)
#define VECTOR_KEEP_SCALAR(value) __asm__ volatile("" : "+w"(value) : : )
#elif defined(__i386__)
#define VECTOR_KEEP_SCALAR(value) __asm__ volatile("" : "+t"(value) : : )
#else
#define VECTOR_KEEP_SCALAR(value) __asm__ volatile("" : "+m"(value) : : )
#endif

#endif
