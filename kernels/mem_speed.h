/* The loops of kernels/mem_speed.c, in kernels/mem_speed_loops.c. */
#ifndef KERNELS_MEM_SPEED_H
#define KERNELS_MEM_SPEED_H

#include <stddef.h>
#include <stdint.h>

enum mem_speed_type { MEM_SPEED_DOUBLE, MEM_SPEED_FLOAT, MEM_SPEED_INT32, MEM_SPEED_TYPES };

enum {
    MEM_SPEED_FACTOR = 2, /* s of triad: 2 and -2 in turn; for integers 2 */
    MEM_SPEED_SUMMED = 16 /* passes that one call of dot may make */
};

/* Over two arrays of n elements, which do not overlap and begin at multiples of 64 bytes. Passes
 * number `first` and up: what alternates from pass to pass depends on the number being even. */
struct mem_speed_loops {
    /* The sum of all passes; modulo 2^32 for integers. x is only read. */
    int64_t (*dot)(const void *x, const void *y, size_t n, uint64_t passes);
    void (*triad)(void *x, const void *y, size_t n, uint64_t passes, uint64_t first);
    void (*add)(void *x, const void *y, size_t n, uint64_t passes, uint64_t first);
    void (*copy)(void *x, const void *y, size_t n, uint64_t passes);
};

/* bits: of vectors that this machine has; 0: scalars. */
const struct mem_speed_loops *mem_speed_loops(enum mem_speed_type type, int bits);

/* Copies past the caches; bytes in all. NULL: this architecture has no such stores, or they are not
 * known here. */
typedef void mem_speed_stream_fn(void *x, const void *y, size_t bytes, uint64_t passes);
mem_speed_stream_fn *mem_speed_stream(int bits);

#endif
