#include "collect/gang.h"

#include <inttypes.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "collect/clock.h"

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
    member->lap_ns = member->tick_ns = now;
}

static void report_take(struct kernel_job *job, const char *metric, double value)
{
    struct member *member = job->harness;
    if (member->n_reports < REPORTS_MAX)
        member->reports[member->n_reports++] = (struct report){metric, value};
}

static void progress_take(struct kernel_job *job, uint64_t bytes)
{
    struct member *member = job->harness;
    struct gang *gang = member->gang;
    atomic_store_explicit(&member->progress_bytes, bytes, memory_order_relaxed);
    if (job->thread != 0 || gang->n_marks == MARKS_MAX)
        return;
    uint64_t ns = clock_now_ns() - member->start_ns;
    if (ns < (gang->n_marks + 1) * gang->mark_interval_ns)
        return;
    if (!gang->marks && !(gang->marks = calloc(MARKS_MAX, sizeof *gang->marks)))
        return;
    uint64_t total = 0;
    for (unsigned i = 0; i < gang->n; i++)
        total += atomic_load_explicit(&gang->members[i].progress_bytes, memory_order_relaxed);
    gang->marks[gang->n_marks++] = (struct mark){ns, total};
}

static void tick_take(struct kernel_job *job)
{
    struct member *member = job->harness;
    uint64_t now = clock_now_ns();
    if (member->n_ticks == member->ticks_capacity) {
        size_t capacity = member->ticks_capacity ? member->ticks_capacity * 2 : 4096;
        uint64_t *ticks = realloc(member->ticks, capacity * sizeof *ticks);
        if (!ticks)
            return;
        member->ticks = ticks;
        member->ticks_capacity = capacity;
    }
    member->ticks[member->n_ticks++] = now - member->tick_ns;
    member->tick_ns = clock_now_ns();
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
    member->n_ticks = 0;
    member->n_reports = 0;
    member->start_ns = member->lap_ns = member->tick_ns = clock_now_ns();
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

const struct member *gang_trouble(const struct gang *gang)
{
    for (unsigned i = 0; i < gang->n; i++)
        if (gang->members[i].outcome != KERNEL_OK)
            return &gang->members[i];
    return NULL;
}

uint64_t gang_call(struct gang *gang, uint64_t iterations)
{
    gang->iterations = iterations;
    gang->n_marks = 0;
    for (unsigned i = 0; i < gang->n; i++)
        atomic_store_explicit(&gang->members[i].progress_bytes, 0, memory_order_relaxed);
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

bool gang_check(struct gang *gang)
{
    for (unsigned i = 0; i < gang->n && !gang_trouble(gang); i++)
        gang->members[i].outcome = gang->members[i].job.kernel->check(&gang->members[i].job);
    return !gang_trouble(gang);
}

bool gang_start(struct gang *gang)
{
    struct member *leader = &gang->members[0];
    gang->is_set_up = true;
    gang->n_started = 1;
    int error = gang->n > 1 ? pthread_barrier_init(&gang->barrier, NULL, gang->n) : 0;
    while (error == 0 && gang->n_started < gang->n) {
        struct member *member = &gang->members[gang->n_started];
        error = pthread_create(&member->thread, NULL, member_main, member);
        gang->n_started += error == 0;
    }
    if (error != 0) {
        leader->outcome = kernel_reason(&leader->job, KERNEL_UNAVAILABLE, "thread %u of %u: %s",
                                        gang->n_started + 1, gang->n, strerror(error));
        return false;
    }
    member_setup(leader);
    if (gang->n > 1)
        pthread_barrier_wait(&gang->barrier);
    return !gang_trouble(gang);
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

enum kernel_outcome gang_open(struct gang *gang, const struct measure_request *request)
{
    const struct plan_cell *cell = request->cell;
    *gang = (struct gang){.request = request, .n = cell->threads};
    double interval = request->progress_seconds > 0 ? request->progress_seconds : 1;
    gang->mark_interval_ns = (uint64_t)(interval * 1e9);
    gang->members = calloc(gang->n, sizeof *gang->members);
    if (!gang->members)
        return KERNEL_FAILED;
    if (sched_getaffinity(0, sizeof gang->cpus, &gang->cpus) < 0)
        CPU_ZERO(&gang->cpus); /* more than CPU_SETSIZE processors: threads stay unpinned */
    for (unsigned i = 0; i < gang->n; i++) {
        struct member *member = &gang->members[i];
        member->gang = gang;
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
                                          .progress = progress_take,
                                          .tick = tick_take,
                                          .report = report_take,
                                          .harness = member};
    }
    gang->members[0].outcome = gang_prepare(gang);
    return gang->members[0].outcome;
}

/* Threads that wait for others that could not be made wait for ever: they end with the process. */
static void gang_end(struct gang *gang)
{
    if (gang->n < 2 || gang->n_started == 0)
        return;
    bool is_whole = gang->n_started == gang->n;
    gang->is_over = true;
    if (is_whole)
        pthread_barrier_wait(&gang->barrier);
    for (unsigned i = 1; i < gang->n_started; i++) {
        if (is_whole)
            pthread_join(gang->members[i].thread, NULL);
        else
            pthread_detach(gang->members[i].thread);
    }
    if (is_whole)
        pthread_barrier_destroy(&gang->barrier);
}

void gang_close(struct gang *gang)
{
    gang_end(gang);
    if (gang->n_started > 1 && gang->n_started < gang->n)
        return; /* their memory is in use until this process ends, which is what comes next */
    for (unsigned i = 0; i < gang->n && gang->members; i++) {
        struct member *member = &gang->members[i];
        if (gang->is_set_up && member->job.kernel->teardown)
            member->job.kernel->teardown(&member->job);
        if (member->map)
            munmap(member->map, member->map_bytes);
        free(member->ticks);
    }
    free(gang->marks);
    free(gang->members);
}
