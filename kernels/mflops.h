/* The highest rate of multiplications and additions, for kernels/mflops.c. */
#ifndef KERNELS_MFLOPS_H
#define KERNELS_MFLOPS_H

#include <stdbool.h>

enum { MFLOPS_RESULTS_MAX = 12 * 16 };

/* Every accumulator x starts at 0 and becomes `rounds` times x * operands[0] + operands[1]; then
 * all of them, lane by lane, are written to results. Operands and results are double or float. */
typedef void mflops_peak_fn(const void *operands, void *results, int rounds);

struct mflops_peak {
    mflops_peak_fn *run; /* NULL: this machine has no vectors */
    int n_results;       /* accumulators times lanes; at most MFLOPS_RESULTS_MAX */
};

/* The widest that this machine has, with fused multiply-add where it has that. */
struct mflops_peak mflops_peak(bool is_double, bool is_vector);

#endif
