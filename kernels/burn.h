/* Writing and reading memory with every word compared, for kernels/int_burn.c and
 * kernels/multi_task.c: settings, and what a struct kernel of them does. */
#ifndef KERNELS_BURN_H
#define KERNELS_BURN_H

#include "kernels/kernel.h"

/* In the order of the tests; ended by {0}. Those for several tasks differ in the default patterns. */
extern const struct kernel_test burn_tests[], burn_task_tests[];

enum kernel_outcome burn_needs(struct kernel_job *job);
size_t burn_memory(const struct kernel_job *job);
enum kernel_outcome burn_setup(struct kernel_job *job);
enum kernel_outcome burn_check(struct kernel_job *job);
void burn_teardown(struct kernel_job *job);
void burn_work(const struct kernel_job *job, struct kernel_work *work);

#endif
