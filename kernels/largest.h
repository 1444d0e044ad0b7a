/* The test max_alloc of paging: how large an array could be. */
#ifndef KERNELS_LARGEST_H
#define KERNELS_LARGEST_H

#include "kernels/kernel.h"

extern const struct kernel_metric largest_metrics[];
/* Makes job->state, to be freed by free. */
enum kernel_outcome largest_setup(struct kernel_job *job);
enum kernel_outcome largest_run(struct kernel_job *job, uint64_t iterations);
enum kernel_outcome largest_check(struct kernel_job *job);

#endif
