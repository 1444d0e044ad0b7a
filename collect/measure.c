#include "collect/measure.h"

#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "collect/clock.h"

enum { LAPS_MAX = 4 };

/* One thread of a repetition. */
struct member {
    struct kernel_job job;
    struct gang *gang;
    pthread_t thread;
    void *map; /* owned, when the memory is this thread's own */
    size_t map_bytes;
    uint64_t start_ns, end_ns;
    uint64_t lap_ns; /* when the current lap began */
    struct lap {
        const char *metric;
        uint64_t ns;
    } laps[LAPS_MAX];
    size_t n_laps;
    enum kernel_outcome outcome;
};

/* The threads of a repetition, started together for each call of run. */
struct gang {
    const struct measure_request *request;
    struct member *members; /* [n] */
    unsigned n;
    pthread_barrier_t barrier;
    cpu_set_t cpus; /* this process may use */
    uint64_t iterations;
    bool is_over;
};

static size_t page_round(size_t bytes)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    return bytes > SIZE_MAX - page ? 0 : (bytes + page - 1) / page * page;
}

/* Every page is written once from here: neither a zero page shared by all nor the first touch may
 * be what is measured. */
static enum kernel_outcome memory_map(struct kernel_job *job, size_t bytes, void **map,
                                      size_t *map_bytes)
{
    *map_bytes = page_round(bytes);
    *map = *map_bytes == 0 ? MAP_FAILED
                           : mmap(NULL, *map_bytes, PROT_READ | PROT_WRITE,
                                  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (*map == MAP_FAILED) {
        *map = NULL;
        return kernel_reason(job, KERNEL_UNAVAILABLE, "cannot allocate %zu bytes of memory", bytes);
    }
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    for (size_t at = 0; at < *map_bytes; at += page)
        ((volatile char *)*map)[at] = 0;
    return KERNEL_OK;
}

static void lap_take(struct kernel_job *job, const char *metric)
{
    struct member *member = job->harness;
    uint64_t now = clock_now_ns();
    if (metric) {
        size_t i = 0;
        while (i < member->n_laps && strcmp(member->laps[i].metric, metric) != 0)
            i++;
        if (i == member->n_laps && i < LAPS_MAX)
            member->laps[member->n_laps++] = (struct lap){metric, 0};
        if (i < LAPS_MAX)
            member->laps[i].ns += now - member->lap_ns;
    }
    member->lap_ns = now;
}

/* Thread i on the i-th processor that may be used; one thread stays where it is. Where there are
 * more threads than processors, the system places them. */
static void member_pin(const struct member *member)
{
    cpu_set_t one;
    CPU_ZERO(&one);
    const struct gang *gang = member->gang;
    if (gang->n > (unsigned)CPU_COUNT(&gang->cpus))
        return;
    int current = sched_getcpu();
    size_t cpu = current < 0 ? CPU_SETSIZE : (size_t)current;
    if (gang->n > 1) {
        unsigned left = member->job.thread;
        for (cpu = 0; cpu < CPU_SETSIZE; cpu++)
            if (CPU_ISSET(cpu, &gang->cpus) && left-- == 0)
                break;
    }
    if (cpu < CPU_SETSIZE) {
        CPU_SET(cpu, &one);
        sched_setaffinity(0, sizeof one, &one); /* refused in some containers: then unpinned */
    }
}

static void member_run(struct member *member)
{
    struct kernel_job *job = &member->job;
    member->n_laps = 0;
    member->start_ns = member->lap_ns = clock_now_ns();
    if (member->outcome == KERNEL_OK)
        member->outcome = job->test->run(job, member->gang->iterations);
    member->end_ns = clock_now_ns();
    job->n_runs++;
    job->n_iterations += member->gang->iterations;
}

static void member_setup(struct member *member)
{
    member_pin(member);
    if (member->job.kernel->setup)
        member->outcome = member->job.kernel->setup(&member->job);
}

/* The life of every thread but the first, which leads. */
static void *member_main(void *context)
{
    struct member *member = context;
    member_setup(member);
    pthread_barrier_wait(&member->gang->barrier);
    for (;;) {
        pthread_barrier_wait(&member->gang->barrier);
        if (member->gang->is_over)
            return NULL;
        member_run(member);
        pthread_barrier_wait(&member->gang->barrier);
    }
}

/* The first thread that is not well, or NULL. */
static const struct member *gang_trouble(const struct gang *gang)
{
    for (unsigned i = 0; i < gang->n; i++)
        if (gang->members[i].outcome != KERNEL_OK)
            return &gang->members[i];
    return NULL;
}

/* One call of run in every thread; the time from the common start to the last end, ns. */
static uint64_t gang_call(struct gang *gang, uint64_t iterations)
{
    gang->iterations = iterations;
    if (gang->n > 1)
        pthread_barrier_wait(&gang->barrier);
    member_run(&gang->members[0]);
    if (gang->n > 1)
        pthread_barrier_wait(&gang->barrier);
    uint64_t start = UINT64_MAX, end = 0;
    for (unsigned i = 0; i < gang->n; i++) {
        const struct member *member = &gang->members[i];
        start = member->start_ns < start ? member->start_ns : start;
        end = member->end_ns > end ? member->end_ns : end;
    }
    return end > start ? end - start : 0;
}

/* Iterations for a call of at least min_ns, from a call that took elapsed_ns: tenfold while that
 * was too short to extrapolate, else with a quarter to spare (Longbottom's rule of calibration). */
static uint64_t next_iterations(uint64_t iterations, uint64_t elapsed_ns, double min_ns)
{
    double wanted = (double)elapsed_ns < min_ns / 8
                        ? (double)iterations * 10
                        : (double)iterations * min_ns * 1.25 / (double)elapsed_ns + 1;
    return wanted > 1e18 ? UINT64_C(1000000000000000000) : (uint64_t)wanted;
}

const char *measure_unit(enum kernel_quantity quantity)
{
    static const char *const units[] = {
        [QUANTITY_TIME] = "s",          [QUANTITY_STEP_TIME] = "s",
        [QUANTITY_BYTE_RATE] = "B/s",   [QUANTITY_FLOP_RATE] = "flop/s",
        [QUANTITY_STEP_RATE] = "op/s",  [QUANTITY_LAP] = "s"};
    return units[quantity];
}

/* False when the metric was not seen in this call (a lap that was not taken). */
static bool quantity_value(const struct gang *gang, const struct kernel_metric *metric,
                           uint64_t iterations, uint64_t elapsed_ns, double *value)
{
    struct kernel_work total = {0}, one = {0};
    for (unsigned i = 0; i < gang->n; i++) {
        struct kernel_work work = {0};
        gang->members[i].job.kernel->work(&gang->members[i].job, &work);
        total.flops += work.flops;
        total.bytes_read += work.bytes_read;
        total.bytes_written += work.bytes_written;
        total.steps += work.steps;
        one = i == 0 ? work : one;
    }
    double n = (double)iterations, seconds = (double)elapsed_ns * 1e-9;
    uint64_t lap = 0;
    bool has_lap = false;
    switch (metric->quantity) {
    case QUANTITY_TIME:
        *value = seconds / n;
        return true;
    case QUANTITY_STEP_TIME:
        *value = seconds / (n * one.steps);
        return true;
    case QUANTITY_BYTE_RATE:
        *value = n * (total.bytes_read + total.bytes_written) / seconds;
        return true;
    case QUANTITY_FLOP_RATE:
        *value = n * total.flops / seconds;
        return true;
    case QUANTITY_STEP_RATE:
        *value = n * total.steps / seconds;
        return true;
    case QUANTITY_LAP:
        for (unsigned i = 0; i < gang->n; i++) {
            const struct member *member = &gang->members[i];
            for (size_t k = 0; k < member->n_laps; k++) {
                if (strcmp(member->laps[k].metric, metric->name) == 0) {
                    lap = member->laps[k].ns > lap ? member->laps[k].ns : lap;
                    has_lap = true;
                }
            }
        }
        *value = (double)lap * 1e-9;
        return has_lap;
    }
    return false;
}

/* A timed call, kept until its result has checked. */
struct call {
    uint64_t iterations, elapsed_ns;
    struct measure_sample samples[LAPS_MAX + 4];
    size_t n_samples;
};

static void call_add(struct call *call, const char *metric, const char *unit, double value)
{
    if (call->n_samples == sizeof call->samples / sizeof call->samples[0])
        return;
    struct measure_sample *sample = &call->samples[call->n_samples++];
    *sample = (struct measure_sample){
        .value = value, .iterations = call->iterations, .elapsed_ns = call->elapsed_ns};
    snprintf(sample->metric, sizeof sample->metric, "%s", metric);
    snprintf(sample->unit, sizeof sample->unit, "%s", unit);
}

static void call_time(struct gang *gang, uint64_t iterations, struct call *call)
{
    call->n_samples = 0;
    call->iterations = iterations;
    call->elapsed_ns = gang_call(gang, iterations);
    if (call->elapsed_ns == 0)
        return;
    const struct kernel_test *test = gang->members[0].job.test;
    for (const struct kernel_metric *metric = test->metrics; metric->name; metric++) {
        double value;
        if (quantity_value(gang, metric, iterations, call->elapsed_ns, &value))
            call_add(call, metric->name, measure_unit(metric->quantity), value);
    }
    if (gang->n > 1) {
        uint64_t first = UINT64_MAX, last = 0;
        for (unsigned i = 0; i < gang->n; i++) {
            uint64_t end = gang->members[i].end_ns;
            first = end < first ? end : first;
            last = end > last ? end : last;
        }
        call_add(call, "finish_spread", "s", (double)(last - first) * 1e-9);
    }
}

/* Calibrates, measures; false when a thread is in trouble. */
static bool gang_measure(struct gang *gang, struct call *warmup, struct call *sample)
{
    double min_ns = gang->request->min_seconds * 1e9;
    warmup->n_samples = 0;
    if (gang->request->cell->kernel->flags & KERNEL_ONE_PASS) {
        call_time(gang, 1, sample);
        return !gang_trouble(gang);
    }
    uint64_t iterations = 1;
    for (;;) {
        call_time(gang, iterations, warmup);
        if (gang_trouble(gang))
            return false;
        if ((double)warmup->elapsed_ns >= min_ns || iterations >= UINT64_C(1000000000000000000))
            break;
        iterations = next_iterations(iterations, warmup->elapsed_ns, min_ns);
    }
    call_time(gang, iterations, sample);
    return !gang_trouble(gang);
}

static void gang_check(struct gang *gang)
{
    for (unsigned i = 0; i < gang->n && !gang_trouble(gang); i++)
        gang->members[i].outcome = gang->members[i].job.kernel->check(&gang->members[i].job);
}

/* With the threads running: the calls, the checks. */
static void gang_lead(struct gang *gang, measure_sample_fn *emit, void *context)
{
    struct call warmup = {0}, sample = {0};
    if (gang_trouble(gang) || !gang_measure(gang, &warmup, &sample))
        return;
    gang_check(gang);
    if (gang_trouble(gang))
        return;
    if (sample.elapsed_ns == 0) {
        gang->members[0].outcome = kernel_reason(&gang->members[0].job, KERNEL_FAILED,
                                                 "the clock did not advance during the call");
        return;
    }
    for (size_t i = 0; i < warmup.n_samples; i++) {
        warmup.samples[i].is_warmup = true;
        emit(context, &warmup.samples[i]);
    }
    for (size_t i = 0; i < sample.n_samples; i++)
        emit(context, &sample.samples[i]);
}

static void gang_run(struct gang *gang, measure_sample_fn *emit, void *context)
{
    struct member *leader = &gang->members[0];
    if (gang->n == 1) {
        member_setup(leader);
        gang_lead(gang, emit, context);
        return;
    }
    int error = pthread_barrier_init(&gang->barrier, NULL, gang->n);
    unsigned started = 1;
    while (error == 0 && started < gang->n) {
        struct member *member = &gang->members[started];
        error = pthread_create(&member->thread, NULL, member_main, member);
        started += error == 0;
    }
    if (error != 0) {
        /* Threads that wait at the barrier end with this process, which does nothing more. */
        leader->outcome = kernel_reason(&leader->job, KERNEL_UNAVAILABLE, "thread %u of %u: %s",
                                        started + 1, gang->n, strerror(error));
        return;
    }
    member_setup(leader);
    pthread_barrier_wait(&gang->barrier);
    gang_lead(gang, emit, context);
    gang->is_over = true;
    pthread_barrier_wait(&gang->barrier);
    for (unsigned i = 1; i < gang->n; i++)
        pthread_join(gang->members[i].thread, NULL);
    pthread_barrier_destroy(&gang->barrier);
}

/* needs, then the memory: all of it at once, so that a refusal comes before anything is touched. */
static enum kernel_outcome gang_prepare(struct gang *gang)
{
    struct kernel_job *job = &gang->members[0].job;
    const struct kernel *kernel = job->kernel;
    if (kernel->needs) {
        enum kernel_outcome outcome = kernel->needs(job);
        if (outcome != KERNEL_OK)
            return outcome;
    }
    if (!kernel->memory)
        return KERNEL_OK;
    bool is_shared = kernel->flags & KERNEL_SHARED_MEMORY;
    unsigned n_maps = is_shared ? 1 : gang->n;
    size_t bytes = kernel->memory(job);
    uint64_t available = gang->request->host->available_bytes;
    if (bytes > SIZE_MAX / n_maps || (available > 0 && (uint64_t)bytes * n_maps > available))
        return kernel_reason(job, KERNEL_UNAVAILABLE,
                             "needs %zu bytes of memory, %" PRIu64 " are available",
                             bytes > SIZE_MAX / n_maps ? SIZE_MAX : bytes * n_maps, available);
    for (unsigned i = 0; i < gang->n; i++) {
        struct member *member = &gang->members[i];
        if (i < n_maps) {
            enum kernel_outcome outcome =
                memory_map(job, bytes, &member->map, &member->map_bytes);
            if (outcome != KERNEL_OK)
                return outcome;
        }
        member->job.memory = is_shared ? gang->members[0].map : member->map;
        member->job.memory_bytes = bytes;
    }
    return KERNEL_OK;
}

static void gang_teardown(struct gang *gang, bool was_set_up)
{
    for (unsigned i = 0; i < gang->n; i++) {
        struct member *member = &gang->members[i];
        if (was_set_up && member->job.kernel->teardown)
            member->job.kernel->teardown(&member->job);
        if (member->map)
            munmap(member->map, member->map_bytes);
    }
}

enum kernel_outcome measure_cell(const struct measure_request *request, measure_sample_fn *emit,
                                 void *context, char *reason)
{
    const struct plan_cell *cell = request->cell;
    struct gang gang = {.request = request, .n = cell->threads};
    gang.members = calloc(gang.n, sizeof *gang.members);
    if (!gang.members) {
        snprintf(reason, KERNEL_REASON_SIZE, "out of memory for %u threads", gang.n);
        return KERNEL_FAILED;
    }
    if (sched_getaffinity(0, sizeof gang.cpus, &gang.cpus) < 0)
        CPU_ZERO(&gang.cpus); /* more than CPU_SETSIZE processors: threads stay unpinned */
    for (unsigned i = 0; i < gang.n; i++) {
        struct member *member = &gang.members[i];
        member->gang = &gang;
        member->job = (struct kernel_job){.kernel = cell->kernel,
                                          .test = cell->test,
                                          .host = request->host,
                                          .x = cell->x,
                                          .threads = cell->threads,
                                          .thread = i,
                                          .seed = request->seed + i,
                                          .settings = cell->settings,
                                          .folder = request->folder,
                                          .lap = lap_take,
                                          .harness = member};
    }
    enum kernel_outcome outcome = gang_prepare(&gang);
    bool is_prepared = outcome == KERNEL_OK;
    snprintf(reason, KERNEL_REASON_SIZE, "%s", gang.members[0].job.reason);
    if (is_prepared) {
        gang_run(&gang, emit, context);
        const struct member *trouble = gang_trouble(&gang);
        if (trouble) {
            outcome = trouble->outcome;
            snprintf(reason, KERNEL_REASON_SIZE, "%s", trouble->job.reason);
        }
    }
    if (outcome != KERNEL_OK && reason[0] == '\0')
        snprintf(reason, KERNEL_REASON_SIZE, "%s.%s gave no reason", cell->kernel->name,
                 cell->test->name);
    gang_teardown(&gang, is_prepared);
    free(gang.members);
    return outcome;
}
