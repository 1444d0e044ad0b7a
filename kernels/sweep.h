/* The sizes that the kernels of caches and memory sweep, and the setting of their pages. */
#ifndef KERNELS_SWEEP_H
#define KERNELS_SWEEP_H

#include "kernels/kernel.h"

/* From half of the first cache to four times the last one: as sizes() of struct kernel. */
size_t sweep_sizes(const struct kernel_host *host, enum kernel_suite suite, uint64_t *out,
                   size_t capacity);
/* One size in each cache and one in memory, in any suite. */
size_t sweep_levels(const struct kernel_host *host, enum kernel_suite suite, uint64_t *out,
                    size_t capacity);

/* pages=default,small,huge, and pages() of struct kernel, which obeys it. */
extern const struct kernel_setting sweep_pages;
/* The same, compared in every suite but the quick one: where translation is what counts. */
extern const struct kernel_setting sweep_pages_compared;
enum kernel_pages sweep_pages_of(const struct kernel_job *job);

#endif
