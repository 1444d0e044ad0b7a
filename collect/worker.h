/* A repetition in a child process of its own: a crash, a hang or a kill of it is an outcome, not a
 * lost run. */
#ifndef COLLECT_WORKER_H
#define COLLECT_WORKER_H

#include "collect/activity.h"
#include "collect/measure.h"
#include "schema/err.h"
#include "schema/record.h"

struct worker_result {
    enum record_status status;
    char reason[KERNEL_REASON_SIZE]; /* unless STATUS_OK */
    struct measure_sample *samples;  /* [n]; those that came before a failure included */
    size_t n, capacity;
    bool is_cut; /* memory ran out for samples */
};

/* Set by a signal handler: no new work, and the child of now is killed. */
extern volatile int worker_stop;

/* Runs the request in a child; waits at most timeout_seconds, then kills it. An error is one of this
 * process (fork, pipe, memory), or an interruption by worker_stop; all else is in *result, which
 * worker_result_free ends in any case. activity: watches meanwhile, its
 * samples are among the result's; or NULL. */
int worker_run(const struct measure_request *request, double timeout_seconds,
               struct activity *activity, struct worker_result *result, struct err *err);
void worker_result_free(struct worker_result *result);

#endif
