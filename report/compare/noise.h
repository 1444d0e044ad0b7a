/* How much results of one machine differ though nothing does: from runs that measured every job as
 * two interleaved halves (collect run --aa), and from builds that a run measured in turn and whose
 * machine code of the kernel is the same; none from what ran in an emulator. Repetitions 1, 4, 5, 8,
 * 9 ... are one half, 2, 3, 6, 7 ... the other. */
#ifndef REPORT_COMPARE_NOISE_H
#define REPORT_COMPARE_NOISE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "report/select.h"

struct noise {
    size_t machine;
    const char *kernel, *metric;
    size_t n;      /* pairs */
    size_t n_same_code; /* of them pairs of builds; the others are halves */
    double median; /* of |ratio - 1| of their medians, larger over smaller */
    double floor;  /* 95 % of the pairs differ by this much at most; the largest below 20 pairs */
};

struct noises {
    struct noise *list; /* [n] in the order of the cells */
    size_t n;
    bool *is_aa; /* [machines.n_runs] */
};

/* From a selection; memory from its arena. */
int noises_make(struct selection *selection, struct noises *noises, struct err *err);

/* NULL when it was not measured. */
const struct noise *noises_find(const struct noises *noises, size_t machine, const char *kernel,
                                const char *metric);

/* 0 or 1: the half that a repetition, from 1, belongs to. */
int noise_half(uint64_t rep);

/* True for each run of the selection [machines.n_runs] that has a fact of this name or ending, such as
 * "run.aa" or ".emulated", that is known and not "no". */
bool *runs_with_fact(struct selection *selection, const char *ending);

#endif
