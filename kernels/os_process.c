/* Threads and processes of the kernel os_latency: made and ended, and switched between. */
#include "kernels/os_latency.h"

#include <errno.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static void *thread_main(void *context)
{
    ++*(uint64_t *)context;
    return NULL;
}

enum kernel_outcome os_thread_share(struct kernel_job *job, struct os_latency *state)
{
    for (int i = 0; i < THREADS; i++) {
        pthread_t thread;
        int error = pthread_create(&thread, NULL, thread_main, &state->done);
        error = error ? error : pthread_join(thread, NULL);
        if (error != 0)
            return kernel_reason(job, KERNEL_FAILED, "thread: %s", strerror(error));
    }
    return KERNEL_OK;
}

enum kernel_outcome os_process_share(struct kernel_job *job, struct os_latency *state)
{
    enum { CODE = 7 };
    for (int i = 0; i < PROCESSES; i++) {
        int status = 0;
        pid_t child = fork();
        if (child == 0)
            _exit(CODE);
        if (child < 0 || waitpid(child, &status, 0) != child)
            return kernel_reason(job, KERNEL_FAILED, "process: %s", strerror(errno));
        state->done += WIFEXITED(status) && WEXITSTATUS(status) == CODE;
    }
    return KERNEL_OK;
}

/* ---- context switches */

static void close_one(int *fd)
{
    if (*fd >= 0)
        close(*fd);
    *fd = -1;
}

/* Until the pipe is closed. */
static void answer(int in, int out)
{
    char byte;
    while (read(in, &byte, 1) == 1)
        if (write(out, &byte, 1) != 1)
            return;
}

static void *answer_thread(void *context)
{
    struct os_latency *state = context;
    answer(state->to[0], state->from[1]);
    return NULL;
}

static enum kernel_outcome partner_make(struct kernel_job *job, struct os_latency *state)
{
    if (strcmp(kernel_setting(job, "mode"), "thread") == 0) {
        int error = pthread_create(&state->thread, NULL, answer_thread, state);
        state->has_thread = error == 0;
        return error == 0 ? KERNEL_OK
                          : kernel_reason(job, KERNEL_FAILED, "thread: %s", strerror(error));
    }
    state->partner = fork();
    if (state->partner < 0) {
        state->partner = 0;
        return kernel_reason(job, KERNEL_FAILED, "fork: %s", strerror(errno));
    }
    if (state->partner == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        close(state->to[1]);
        close(state->from[0]);
        answer(state->to[0], state->from[1]);
        _exit(0);
    }
    return KERNEL_OK;
}

/* Both sides on one processor: else each would wait on its own for the other. */
enum kernel_outcome os_switch_begin(struct kernel_job *job, struct os_latency *state)
{
    cpu_set_t one;
    int cpu = sched_getcpu();
    CPU_ZERO(&one);
    if (cpu < 0 || cpu >= CPU_SETSIZE ||
        sched_getaffinity(0, sizeof state->old_cpus, &state->old_cpus) < 0)
        return kernel_reason(job, KERNEL_UNAVAILABLE, "cannot tell the processors: %s",
                             strerror(errno));
    CPU_SET((size_t)cpu, &one);
    if (sched_setaffinity(0, sizeof one, &one) < 0)
        return kernel_reason(job, KERNEL_UNAVAILABLE, "cannot stay on one processor: %s",
                             strerror(errno));
    state->is_pinned = true;
    if (pipe(state->to) < 0 || pipe(state->from) < 0)
        return kernel_reason(job, KERNEL_FAILED, "pipe: %s", strerror(errno));
    return partner_make(job, state);
}

void os_switch_end(struct os_latency *state)
{
    close_one(&state->to[1]);
    if (state->has_thread)
        pthread_join(state->thread, NULL);
    if (state->partner > 0)
        waitpid(state->partner, NULL, 0);
    close_one(&state->to[0]);
    close_one(&state->from[0]);
    close_one(&state->from[1]);
    if (state->is_pinned)
        sched_setaffinity(0, sizeof state->old_cpus, &state->old_cpus);
}

/* There and back: two switches. */
enum kernel_outcome os_switch_share(struct kernel_job *job, struct os_latency *state)
{
    for (int i = 0; i < SWITCHES; i += 2) {
        char byte = (char)i, back = (char)~byte;
        if (write(state->to[1], &byte, 1) != 1 || read(state->from[0], &back, 1) != 1)
            return kernel_reason(job, KERNEL_FAILED, "pipe: %s", strerror(errno));
        state->done += back == byte ? 2 : 0;
    }
    return KERNEL_OK;
}
