/* The state of the Whetstone kernel, for kernels/whetstone.c and for its test, which makes an operand or a
 * result wrong. */
#ifndef KERNELS_WHETSTONE_H
#define KERNELS_WHETSTONE_H

#include <stdint.h>

enum { WHETSTONE_MODULES = 8 };

/* In job->state. A pass of a module reads all its operands from here. */
struct whetstone {
    double start[WHETSTONE_MODULES][4]; /* what it starts from: its array, or its x and y */
    double t, t1, t2;
    int j, k, l;
    double e[4];                    /* the array it works on */
    double now[WHETSTONE_MODULES];  /* results of the latest pass */
    double seen[WHETSTONE_MODULES]; /* of the first pass */
    uint64_t passes;
    uint64_t n_different; /* results that are not those of the first pass */
};

#endif
