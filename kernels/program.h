/* Installed programs as what a kernel measures: found through PATH, run without a shell, with their
 * own processor time. */
#ifndef KERNELS_PROGRAM_H
#define KERNELS_PROGRAM_H

#include "kernels/kernel.h"

/* Of the program and what it waited for. */
struct program_usage {
    double user_seconds, system_seconds;
};

/* Finds the program in PATH; path: [size], or NULL where it does not matter. */
bool program_find(const char *name, char *path, size_t size);
/* KERNEL_UNAVAILABLE when it is not in PATH. */
enum kernel_outcome program_needs(struct kernel_job *job, const char *name);

/* Runs argv[0] with these as standard input and output, -1: /dev/null, and waits for its end. Neither
 * offset is reset. KERNEL_FAILED, with the first line of what it wrote to standard error, unless it
 * exits with 0. usage: added to; NULL: not wanted. */
enum kernel_outcome program_run(struct kernel_job *job, const char *const *argv, int in, int out,
                                struct program_usage *usage);
/* The same, with its output as a text, cut to size - 1 bytes. */
enum kernel_outcome program_read(struct kernel_job *job, const char *const *argv, int in, char *text,
                                 size_t size, struct program_usage *usage);

/* Calls one(job, usage) once for each iteration, until one fails, and reports the times. */
enum kernel_outcome program_repeat(struct kernel_job *job, uint64_t iterations,
                                   enum kernel_outcome (*one)(struct kernel_job *job,
                                                              struct program_usage *usage));
/* kernel_report of the metrics user_time and system_time. */
void program_report(struct kernel_job *job, const struct program_usage *usage);
/* The metrics time, user_time and system_time of a test. */
#define PROGRAM_TIMES \
    {"time", QUANTITY_TIME}, {"user_time", QUANTITY_SECONDS}, {"system_time", QUANTITY_SECONDS}

/* Tells the version of each program, the first line that it prints when called with the option. */
struct program_version {
    const char *name, *option; /* NULL: ends a list */
};
void program_tell(const struct program_version *list, kernel_tell_fn *tell, void *context);

#endif
