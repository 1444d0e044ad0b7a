/* A few threads that do jobs in the order in which they are handed over. */
#ifndef SCHEMA_POOL_H
#define SCHEMA_POOL_H

#include <stdbool.h>

#include "schema/err.h"

struct pool; /* from pool_new, ended by pool_free */

/* The caller's, part of what the job works on; `struct job job = {.run = f, .context = p}`. Not to be
 * touched between pool_submit and the return of pool_wait. */
struct job {
    void (*run)(void *context);
    void *context;
    struct job *before, *next; /* the pool's own from here on */
    enum { JOB_IDLE, JOB_QUEUED, JOB_RUNNING, JOB_DONE } state;
};

/* n_threads >= 1 */
int pool_new(struct pool **out, unsigned n_threads, struct err *err);
/* Ends the threads. Every job was waited for. NULL is fine. */
void pool_free(struct pool *pool);

void pool_submit(struct pool *pool, struct job *job);
/* Returns when the job is done; one that no thread has begun is done by the caller. A job may
 * submit and wait for others. A job that is idle is done already. */
void pool_wait(struct pool *pool, struct job *job);

/* How many threads are of use on this machine: the processors that this process may use, at most 64. */
unsigned pool_processors(void);

#endif
