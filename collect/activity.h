/* What the machine does while a job runs: the disks, swapping, the processors, the child's page faults
 * and memory, one sample of each per interval (as document 001 had Performance Monitor do). */
#ifndef COLLECT_ACTIVITY_H
#define COLLECT_ACTIVITY_H

#include <sys/types.h>

#include "collect/measure.h"
#include "schema/err.h"

struct activity; /* from activity_open, ended by activity_close */

/* dir: the folder whose device is watched, beside all swap devices; where its device has no counters
 * (overlay, btrfs), every disk of the machine is. */
int activity_open(struct activity **out, const char *dir, double interval_seconds, struct err *err);
/* The job begins: child is the process whose faults and memory are read. */
void activity_begin(struct activity *activity, pid_t child);
/* Emits the samples of an interval that has passed, if one has; x is its nominal end. */
void activity_poll(struct activity *activity, measure_sample_fn *emit, void *context);
void activity_close(struct activity *activity); /* NULL is fine */

#endif
