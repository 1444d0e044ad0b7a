#include "collect/worker.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "collect/clock.h"
#include "collect/message.h"
#include "collect/remote.h"
#include "collect/stop.h"
#include "schema/buffer.h"

static void send_sample(void *context, const struct measure_sample *sample)
{
    struct message message = {.kind = MESSAGE_SAMPLE, .sample = *sample};
    message_send(*(const int *)context, &message);
}

static void send_progress(void *context, const struct measure_progress *progress)
{
    struct message message = {.kind = MESSAGE_PROGRESS, .progress = *progress};
    message_send(*(const int *)context, &message);
}

/* Out of memory, this is the process to kill, not the rest of the machine. */
static void volunteer_for_oom(void)
{
    int fd = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);
    if (fd < 0)
        return;
    ssize_t n = write(fd, "1000", 4);
    (void)n; /* refused: then the kernel chooses as it does for all */
    close(fd);
}

/* This process becomes the variant's; returns when it cannot. */
static void remote_run(const struct worker_request *request, int fd)
{
    struct arena arena = {0};
    char *const *command = remote_command(request->variant, &request->measure, &arena);
    if (fd == REMOTE_FD)
        fcntl(fd, F_SETFD, 0);
    else if (dup2(fd, REMOTE_FD) < 0)
        return;
    if (command)
        execv(command[0], command);
}

_Noreturn static void child_main(const struct worker_request *request, int fd, pid_t parent)
{
    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent)
        _exit(1);
    signal(SIGINT, SIG_IGN); /* the parent hears it and kills the group */
    signal(SIGTERM, SIG_DFL);
    signal(SIGHUP, SIG_DFL);
    struct rlimit none = {0, 0};
    setrlimit(RLIMIT_CORE, &none);
    volunteer_for_oom();
    int null = open("/dev/null", O_RDWR);
    if (null >= 0) {
        dup2(null, STDIN_FILENO);
        dup2(null, STDOUT_FILENO);
    }
    struct message message = {.kind = MESSAGE_OUTCOME};
    struct measure_request measure = request->measure;
    if (measure.live) {
        measure.live = send_progress;
        measure.live_context = &fd;
    }
    struct err err;
    if (request->confine && confine_enter(request->confine, &err) < 0) {
        message.outcome = KERNEL_UNAVAILABLE;
        snprintf(message.reason, sizeof message.reason, "%.*s", KERNEL_REASON_SIZE - 1, err.text);
    } else if (request->variant && request->variant->path) {
        message.outcome = KERNEL_FAILED;
        remote_run(request, fd);
        snprintf(message.reason, sizeof message.reason, "the variant: %s", strerror(errno));
    } else {
        message.outcome = measure_cell(&measure, send_sample, &fd, message.reason);
    }
    message_send(fd, &message);
    _exit(0);
}

static void result_add(void *context, const struct measure_sample *sample)
{
    struct worker_result *result = context;
    if (result->n == result->capacity) {
        size_t capacity = result->capacity ? result->capacity * 2 : 8;
        struct measure_sample *samples =
            realloc(result->samples, capacity * sizeof *result->samples);
        if (!samples) {
            result->is_cut = true;
            return;
        }
        result->samples = samples;
        result->capacity = capacity;
    }
    result->samples[result->n++] = *sample;
}

static enum record_status status_of(enum kernel_outcome outcome)
{
    static const enum record_status statuses[] = {[KERNEL_OK] = STATUS_OK,
                                                  [KERNEL_UNAVAILABLE] = STATUS_UNAVAILABLE,
                                                  [KERNEL_FAILED] = STATUS_FAILED,
                                                  [KERNEL_WRONG] = STATUS_WRONG};
    return statuses[outcome];
}

/* Takes one line; false when it is no message. */
static bool line_take(char *line, const struct worker_request *request,
                      struct worker_result *result, bool *has_outcome)
{
    struct message message;
    if (!message_parse(line, &message))
        return false;
    switch (message.kind) {
    case MESSAGE_SAMPLE:
        result_add(result, &message.sample);
        break;
    case MESSAGE_PROGRESS:
        if (request->measure.live)
            request->measure.live(request->measure.live_context, &message.progress);
        break;
    case MESSAGE_OUTCOME:
        *has_outcome = true;
        result->status = status_of(message.outcome);
        memcpy(result->reason, message.reason, sizeof result->reason);
    }
    return true;
}

/* Takes the whole lines out of text; false when one is no message. */
static bool lines_take(struct buffer *text, const struct worker_request *request,
                       struct worker_result *result, bool *has_outcome)
{
    char *line = text->bytes, *end = line ? line + text->size : line;
    for (char *next; line && (next = memchr(line, '\n', (size_t)(end - line))); line = next + 1) {
        *next = '\0';
        if (!line_take(line, request, result, has_outcome))
            return false;
    }
    if (line)
        memmove(text->bytes, line, (size_t)(end - line));
    text->size = line ? (size_t)(end - line) : 0;
    return !text->failed;
}

/* Reads the child's messages until it closes the pipe, or sends what is none. 0; 1 when the time is
 * over or a signal came. */
static int messages_read(int fd, const struct worker_request *request,
                         struct worker_result *result, bool *has_outcome)
{
    uint64_t start = clock_now_ns();
    struct activity *activity = request->activity;
    struct buffer text = {0};
    int outcome = -1;
    while (outcome < 0) {
        double left = request->timeout_seconds - (double)(clock_now_ns() - start) * 1e-9;
        if (stop_signal || left <= 0) {
            outcome = 1;
            break;
        }
        struct pollfd wait = {.fd = fd, .events = POLLIN};
        /* Short waits: a signal that comes between the test above and poll is seen soon. */
        int longest = activity ? 20 : 200;
        int n = poll(&wait, 1, left * 1000 < longest ? (int)(left * 1000) + 1 : longest);
        if (activity)
            activity_poll(activity, result_add, result);
        if (n <= 0)
            continue;
        char bytes[4096];
        ssize_t got = read(fd, bytes, sizeof bytes);
        if (got < 0 && errno == EINTR)
            continue;
        buffer_add(&text, bytes, got > 0 ? (size_t)got : 0);
        if (got <= 0 || !lines_take(&text, request, result, has_outcome))
            outcome = 0;
    }
    buffer_free(&text);
    return outcome;
}

static void death_describe(int status, struct worker_result *result)
{
    result->status = STATUS_FAILED;
    if (WIFSIGNALED(status))
        snprintf(result->reason, sizeof result->reason, "the process was killed by signal %d (%s)%s",
                 WTERMSIG(status), strsignal(WTERMSIG(status)),
                 WTERMSIG(status) == SIGKILL ? ", perhaps for lack of memory" : "");
    else
        snprintf(result->reason, sizeof result->reason,
                 "the process ended with status %d and without a result", WEXITSTATUS(status));
}

static int child_watch(pid_t child, int fd, const struct worker_request *request,
                       struct worker_result *result, struct err *err)
{
    bool has_outcome = false;
    int outcome = messages_read(fd, request, result, &has_outcome);
    if (outcome != 0)
        kill(-child, SIGKILL);
    int status;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR)
        ;
    kill(-child, SIGKILL); /* whatever it may have started */
    if (result->is_cut)
        return err_set(err, ERR_SYSTEM, "out of memory");
    TRY(stop_check(err));
    if (outcome == 1) {
        result->status = STATUS_TIMEOUT;
        snprintf(result->reason, sizeof result->reason, "not done after %g s",
                 request->timeout_seconds);
    } else if (!has_outcome) {
        death_describe(status, result);
    }
    return 0;
}

int worker_run(const struct worker_request *request, struct worker_result *result,
               struct err *err)
{
    *result = (struct worker_result){.status = STATUS_FAILED};
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) < 0)
        return err_system(err, "pipe");
    pid_t parent = getpid();
    pid_t child = fork();
    if (child < 0) {
        err_system(err, "fork");
        close(ends[0]);
        close(ends[1]);
        return err->code;
    }
    if (child == 0) {
        close(ends[0]);
        child_main(request, ends[1], parent);
    }
    setpgid(child, child); /* here too, whoever comes first */
    close(ends[1]);
    if (request->activity)
        activity_begin(request->activity, child);
    int outcome = child_watch(child, ends[0], request, result, err);
    close(ends[0]);
    return outcome;
}

void worker_result_free(struct worker_result *result)
{
    free(result->samples);
    *result = (struct worker_result){0};
}
