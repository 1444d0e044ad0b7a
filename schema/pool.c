#include "schema/pool.h"

#include <pthread.h>
#include <sched.h>
#include <stdlib.h>

struct pool {
    pthread_mutex_t mutex;
    pthread_cond_t has_work; /* or is closing */
    pthread_cond_t has_done; /* a job is done */
    struct job *first, *last; /* queued */
    bool is_closing;
    unsigned n_threads;
    pthread_t threads[];
};

static void queue_remove(struct pool *pool, struct job *job)
{
    *(job->before ? &job->before->next : &pool->first) = job->next;
    *(job->next ? &job->next->before : &pool->last) = job->before;
    job->before = job->next = NULL;
}

/* Called with the mutex held, which is free while the job runs. */
static void run_queued(struct pool *pool, struct job *job)
{
    queue_remove(pool, job);
    job->state = JOB_RUNNING;
    pthread_mutex_unlock(&pool->mutex);
    job->run(job->context);
    pthread_mutex_lock(&pool->mutex);
    job->state = JOB_DONE;
    pthread_cond_broadcast(&pool->has_done);
}

static void *work(void *context)
{
    struct pool *pool = context;
    pthread_mutex_lock(&pool->mutex);
    while (pool->first || !pool->is_closing) {
        if (pool->first)
            run_queued(pool, pool->first);
        else
            pthread_cond_wait(&pool->has_work, &pool->mutex);
    }
    pthread_mutex_unlock(&pool->mutex);
    return NULL;
}

int pool_new(struct pool **out, unsigned n_threads, struct err *err)
{
    struct pool *pool = calloc(1, sizeof *pool + n_threads * sizeof pool->threads[0]);
    if (!pool)
        return err_set(err, ERR_SYSTEM, "out of memory");
    pthread_mutex_init(&pool->mutex, NULL);
    pthread_cond_init(&pool->has_work, NULL);
    pthread_cond_init(&pool->has_done, NULL);
    while (pool->n_threads < n_threads &&
           pthread_create(&pool->threads[pool->n_threads], NULL, work, pool) == 0)
        pool->n_threads++;
    /* Fewer threads are slower, and none is no harm either: who waits for a job does it. */
    *out = pool;
    return 0;
}

void pool_free(struct pool *pool)
{
    if (!pool)
        return;
    pthread_mutex_lock(&pool->mutex);
    pool->is_closing = true;
    pthread_cond_broadcast(&pool->has_work);
    pthread_mutex_unlock(&pool->mutex);
    for (unsigned i = 0; i < pool->n_threads; i++)
        pthread_join(pool->threads[i], NULL);
    pthread_cond_destroy(&pool->has_done);
    pthread_cond_destroy(&pool->has_work);
    pthread_mutex_destroy(&pool->mutex);
    free(pool);
}

void pool_submit(struct pool *pool, struct job *job)
{
    pthread_mutex_lock(&pool->mutex);
    job->state = JOB_QUEUED;
    job->next = NULL;
    job->before = pool->last;
    *(pool->last ? &pool->last->next : &pool->first) = job;
    pool->last = job;
    pthread_cond_signal(&pool->has_work);
    pthread_mutex_unlock(&pool->mutex);
}

void pool_wait(struct pool *pool, struct job *job)
{
    pthread_mutex_lock(&pool->mutex);
    if (job->state == JOB_QUEUED)
        run_queued(pool, job);
    while (job->state == JOB_RUNNING)
        pthread_cond_wait(&pool->has_done, &pool->mutex);
    job->state = JOB_IDLE;
    pthread_mutex_unlock(&pool->mutex);
}

unsigned pool_processors(void)
{
    enum { MOST = 64 };
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof set, &set) < 0)
        return 1;
    int n = CPU_COUNT(&set);
    return n < 1 ? 1 : n > MOST ? MOST : (unsigned)n;
}
