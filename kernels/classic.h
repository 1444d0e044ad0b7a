/* The programs of the kernel classic. Each does its work so many times and leaves its answers. */
#ifndef KERNELS_CLASSIC_H
#define KERNELS_CLASSIC_H

#include <stdbool.h>
#include <stdint.h>

#include "kernels/kernel.h"

enum {
    CLASSIC_MEMORY = 3 * 200 * 200 * 4, /* bytes that the largest of them wants: three matrices */
    CLASSIC_OPERATIONS = 1000000        /* of a test of one operation */
};

/* In job->state. Where an answer is checked only once, it is that of the latest repetition. */
struct classic {
    int64_t answer;  /* what is counted or summed */
    int64_t second;  /* another count, where there is one */
    double real;     /* the answer that is no integer */
    uint64_t passes; /* repetitions done */
    uint64_t n_different; /* answers that are not those of the first repetition */
};

/* memory: CLASSIC_MEMORY bytes. Starts anew each time. */
typedef void classic_program(struct classic *state, void *memory);

/* classic_calls.c */
classic_program classic_fibonacci, classic_nest, classic_nop, classic_push_pop;
extern const bool classic_has_unrolled; /* there is assembly code for nop and push_pop */

/* classic_arrays.c */
classic_program classic_sieve, classic_matrix, classic_bubble, classic_supersieve,
    classic_eratosthenes, classic_qsort;
bool classic_matrix_is_product(void *memory);
bool classic_is_sorted(const void *memory, uint32_t n); /* the elements of bubble or qsort */

/* classic_arithmetic.c */
classic_program classic_loop1m, classic_do_loop, classic_savage, classic_float, classic_fpmath,
    classic_mul, classic_div, classic_add, classic_m_mul, classic_m_div, classic_m_add,
    classic_divmod, classic_star_slash;
int64_t classic_arithmetic_answer(classic_program *program); /* by a formula, not by the loop */

#endif
