#include "collect/gang.h"

#include <errno.h>
#include <inttypes.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "collect/clock.h"

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
    static const struct mark none;
    struct member *member = job->harness;
    struct gang *gang = member->gang;
    atomic_store_explicit(&member->progress_bytes, bytes, memory_order_relaxed);
    if (job->thread != 0 || gang->n_marks == MARKS_MAX)
        return;
    uint64_t ns = clock_now_ns() - member->start_ns;
    const struct mark *before = gang->n_marks > 0 ? &gang->marks[gang->n_marks - 1] : &none;
    if (ns < (before->interval + 1) * gang->mark_interval_ns)
        return;
    if (!gang->marks && !(gang->marks = calloc(MARKS_MAX, sizeof *gang->marks)))
        return;
    uint64_t total = 0;
    for (unsigned i = 0; i < gang->n; i++)
        total += atomic_load_explicit(&gang->members[i].progress_bytes, memory_order_relaxed);
    struct mark mark = {ns / gang->mark_interval_ns, ns, total};
    if (gang->request->live)
        gang->request->live(gang->request->live_context,
                            &(struct measure_progress){.ns = ns,
                                                       .bytes = total,
                                                       .last_ns = ns - before->ns,
                                                       .last_bytes = total - before->bytes});
    gang->marks[gang->n_marks++] = mark;
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
    if (gang->n > (unsigned)CPU_COUNT(&gang->cpus) || member->job.kernel->flags & KERNEL_UNPINNED)
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
        member->outcome = job->test->run(job, member->gang->meeting->iterations);
    member->end_ns = clock_now_ns();
    job->n_runs++;
    job->n_iterations += member->gang->meeting->iterations;
}

/* Touching is left to the thread that will use the memory: so it lies near its processor. */
static void member_setup(struct member *member)
{
    struct kernel_job *job = &member->job;
    struct memory *memory = &member->memory;
    member_pin(member);
    if (memory->map && !memory_touch(memory))
        member->outcome = kernel_reason(job, KERNEL_UNAVAILABLE,
                                        "wanted %zu bytes of memory in huge pages, got %zu of them so",
                                        memory->bytes, memory->huge_bytes);
}

static void member_begin(struct member *member)
{
    member_setup(member);
    /* The kernel may look at memory that another thread touches. */
    if (member->gang->n > 1)
        pthread_barrier_wait(&member->gang->meeting->barrier);
    if (member->outcome == KERNEL_OK && member->job.kernel->setup)
        member->outcome = member->job.kernel->setup(&member->job);
    if (member->gang->n > 1)
        pthread_barrier_wait(&member->gang->meeting->barrier);
}

static void member_check(struct member *member)
{
    if (member->outcome == KERNEL_OK)
        member->outcome = member->job.kernel->check(&member->job);
}

/* The life of every member but the first, which leads. */
static void *member_main(void *context)
{
    struct member *member = context;
    struct meeting *meeting = member->gang->meeting;
    member_begin(member);
    for (;;) {
        pthread_barrier_wait(&meeting->barrier);
        if (meeting->phase == PHASE_END)
            return NULL;
        if (meeting->phase == PHASE_RUN)
            member_run(member);
        else
            member_check(member);
        pthread_barrier_wait(&meeting->barrier);
    }
}

static void member_teardown(struct member *member)
{
    if (member->gang->is_set_up && member->job.kernel->teardown)
        member->job.kernel->teardown(&member->job);
    memory_close(&member->memory);
    free(member->ticks);
}

/* The others would wait at the barrier for ever for a process that is gone. */
static void process_died(int signal_number)
{
    (void)signal_number;
    int status;
    if (waitpid(-1, &status, WNOHANG) <= 0)
        return;
    if (WIFSIGNALED(status)) {
        signal(WTERMSIG(status), SIG_DFL);
        raise(WTERMSIG(status));
    }
    _exit(WIFEXITED(status) ? WEXITSTATUS(status) : 1);
}

/* Returns an error number. */
static int process_start(struct member *member)
{
    pid_t parent = getpid();
    member->process = fork();
    if (member->process < 0)
        return errno;
    if (member->process > 0)
        return 0;
    signal(SIGCHLD, SIG_DFL);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent)
        _exit(1);
    member_main(member);
    member_teardown(member);
    _exit(0);
}

/* Every member does what is next, this thread as the first of them. */
static void gang_do(struct gang *gang, enum phase phase, void (*action)(struct member *member))
{
    gang->meeting->phase = phase;
    if (gang->n > 1)
        pthread_barrier_wait(&gang->meeting->barrier);
    if (action)
        action(&gang->members[0]);
    if (gang->n > 1 && phase != PHASE_END)
        pthread_barrier_wait(&gang->meeting->barrier);
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
    gang->meeting->iterations = iterations;
    gang->n_marks = 0;
    for (unsigned i = 0; i < gang->n; i++)
        atomic_store_explicit(&gang->members[i].progress_bytes, 0, memory_order_relaxed);
    gang_do(gang, PHASE_RUN, member_run);
    uint64_t start = UINT64_MAX, end = 0;
    for (unsigned i = 0; i < gang->n; i++) {
        const struct member *member = &gang->members[i];
        start = member->start_ns < start ? member->start_ns : start;
        end = member->end_ns > end ? member->end_ns : end;
    }
    return end > start ? end - start : 0;
}

/* Threads are checked one after the other, since they may share what is checked; what a process has
 * only itself can check. */
bool gang_check(struct gang *gang)
{
    if (gang->has_processes)
        gang_do(gang, PHASE_CHECK, member_check);
    for (unsigned i = 0; i < gang->n && !gang->has_processes && !gang_trouble(gang); i++)
        member_check(&gang->members[i]);
    return !gang_trouble(gang);
}

static int barrier_init(struct gang *gang)
{
    pthread_barrierattr_t shared;
    int error = pthread_barrierattr_init(&shared);
    if (error == 0 && gang->has_processes)
        error = pthread_barrierattr_setpshared(&shared, PTHREAD_PROCESS_SHARED);
    if (error == 0)
        error = pthread_barrier_init(&gang->meeting->barrier, &shared, gang->n);
    pthread_barrierattr_destroy(&shared);
    return error;
}

bool gang_start(struct gang *gang)
{
    struct member *leader = &gang->members[0];
    gang->is_set_up = true;
    gang->n_started = 1;
    int error = gang->n > 1 ? barrier_init(gang) : 0;
    if (gang->has_processes) {
        struct sigaction action = {.sa_handler = process_died, .sa_flags = SA_NOCLDSTOP | SA_RESTART};
        sigaction(SIGCHLD, &action, &gang->child_before);
    }
    while (error == 0 && gang->n_started < gang->n) {
        struct member *member = &gang->members[gang->n_started];
        error = gang->has_processes ? process_start(member)
                                    : pthread_create(&member->thread, NULL, member_main, member);
        gang->n_started += error == 0;
    }
    if (error != 0) {
        leader->outcome = kernel_reason(&leader->job, KERNEL_UNAVAILABLE, "%s %u of %u: %s",
                                        gang->has_processes ? "process" : "thread",
                                        gang->n_started + 1, gang->n, strerror(error));
        return false;
    }
    member_begin(leader);
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
    enum kernel_pages pages = kernel->pages ? kernel->pages(job) : KERNEL_PAGES_DEFAULT;
    for (unsigned i = 0; i < gang->n; i++) {
        struct member *member = &gang->members[i];
        if (i < n_maps && !memory_open(&member->memory, bytes, pages))
            return kernel_reason(job, KERNEL_UNAVAILABLE, "cannot allocate %zu bytes of memory",
                                 bytes);
        if (pages == KERNEL_PAGES_HUGE && gang->members[0].memory.huge_page == 0)
            return kernel_reason(job, KERNEL_UNAVAILABLE,
                                 "the system has no transparent huge pages");
        member->job.memory = gang->members[is_shared ? 0 : i].memory.start;
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
    gang->has_processes = gang->n > 1 && (cell->kernel->flags & KERNEL_PROCESSES);
    gang->meeting_bytes = sizeof *gang->meeting + gang->n * sizeof *gang->members;
    void *map = mmap(NULL, gang->meeting_bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
                     -1, 0);
    if (map == MAP_FAILED)
        return KERNEL_FAILED;
    gang->meeting = map;
    gang->members = gang->meeting->members;
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
                                          .source = request->source ? request->source : "",
                                          .save = request->save ? request->save : "",
                                          .lap = lap_take,
                                          .progress = progress_take,
                                          .tick = gang->has_processes ? NULL : tick_take,
                                          .report = report_take,
                                          .harness = member};
    }
    gang->members[0].outcome = gang_prepare(gang);
    return gang->members[0].outcome;
}

/* Threads that wait for others that could not be made wait for ever: they end with the process. */
static void gang_end(struct gang *gang)
{
    if (gang->has_processes && gang->n_started > 0)
        sigaction(SIGCHLD, &gang->child_before, NULL);
    if (gang->n < 2 || gang->n_started == 0)
        return;
    bool is_whole = gang->n_started == gang->n;
    if (is_whole)
        gang_do(gang, PHASE_END, NULL);
    for (unsigned i = 1; i < gang->n_started; i++) {
        const struct member *member = &gang->members[i];
        if (gang->has_processes) {
            if (!is_whole)
                kill(member->process, SIGKILL);
            while (waitpid(member->process, NULL, 0) < 0 && errno == EINTR)
                ;
        } else if (is_whole) {
            pthread_join(member->thread, NULL);
        } else {
            pthread_detach(member->thread);
        }
    }
    if (is_whole)
        pthread_barrier_destroy(&gang->meeting->barrier);
}

void gang_close(struct gang *gang)
{
    gang_end(gang);
    if (!gang->has_processes && gang->n_started > 1 && gang->n_started < gang->n)
        return; /* their memory is in use until this process ends, which is what comes next */
    for (unsigned i = 0; i < gang->n && gang->members; i++) {
        if (gang->has_processes && i > 0)
            memory_close(&gang->members[i].memory); /* the rest was that process's own */
        else
            member_teardown(&gang->members[i]);
    }
    free(gang->marks);
    if (gang->meeting)
        munmap(gang->meeting, gang->meeting_bytes);
}
