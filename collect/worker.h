/* A repetition in a child process of its own: a crash, a hang or a kill of it is an outcome, not a
 * lost run. */
#ifndef COLLECT_WORKER_H
#define COLLECT_WORKER_H

#include "collect/activity.h"
#include "collect/confine.h"
#include "collect/measure.h"
#include "collect/variant.h"
#include "schema/err.h"
#include "schema/record.h"

struct worker_result {
    enum record_status status;
    char reason[KERNEL_REASON_SIZE]; /* unless STATUS_OK */
    struct measure_sample *samples;  /* [n]; those that came before a failure included */
    size_t n, capacity;
    bool is_cut; /* memory ran out for samples */
};

struct worker_request {
    struct measure_request measure;
    double timeout_seconds;        /* then the child is killed */
    /* measure.live is called in this process while the child runs. */
    struct activity *activity;     /* watches meanwhile, its samples are among the result's; or NULL */
    const struct confine *confine; /* the child enters it first; or NULL */
    const struct variant *variant; /* the program that does it; NULL: this one */
};

/* Runs the request in a child. An error is one of this process (fork, pipe, memory), or an
 * interruption (stop_signal: the child is killed); all else is in *result, which worker_result_free
 * ends in any case. */
int worker_run(const struct worker_request *request, struct worker_result *result,
               struct err *err);
void worker_result_free(struct worker_result *result);

#endif
