#include "kernels/program.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

bool program_find(const char *name, char *path, size_t size)
{
    const char *list = getenv("PATH");
    for (const char *at = list ? list : ""; *at;) {
        size_t n = strcspn(at, ":");
        char candidate[4096];
        if (n > 0 && snprintf(candidate, sizeof candidate, "%.*s/%s", (int)n, at, name) <
                         (int)sizeof candidate &&
            access(candidate, X_OK) == 0) {
            if (path)
                snprintf(path, size, "%s", candidate);
            return true;
        }
        at += n + (at[n] == ':');
    }
    return false;
}

enum kernel_outcome program_needs(struct kernel_job *job, const char *name)
{
    return program_find(name, NULL, 0)
               ? KERNEL_OK
               : kernel_reason(job, KERNEL_UNAVAILABLE, "%s is not installed", name);
}

/* 0, or an errno. */
static int spawn(const char *const *argv, int in, int out, int err, pid_t *child)
{
    /* posix_spawnp changes nothing, but says it might. */
    const union {
        const char *const *in;
        char *const *out;
    } arguments = {argv};
    posix_spawn_file_actions_t actions;
    int error = posix_spawn_file_actions_init(&actions);
    if (error != 0)
        return error;
    if (in >= 0)
        error = posix_spawn_file_actions_adddup2(&actions, in, STDIN_FILENO);
    else
        error = posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    if (error == 0 && out >= 0)
        error = posix_spawn_file_actions_adddup2(&actions, out, STDOUT_FILENO);
    else if (error == 0)
        error = posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    if (error == 0)
        error = posix_spawn_file_actions_adddup2(&actions, err, STDERR_FILENO);
    if (error == 0)
        error = posix_spawnp(child, argv[0], &actions, NULL, arguments.out, environ);
    posix_spawn_file_actions_destroy(&actions);
    return error;
}

/* The text in a file without a name, cut to size - 1 bytes. */
static void text_read(int fd, char *text, size_t size)
{
    size_t n = 0;
    ssize_t got;
    while (n < size - 1 && (got = pread(fd, text + n, size - 1 - n, (off_t)n)) > 0)
        n += (size_t)got;
    text[n] = '\0';
}

static double seconds(struct timeval time)
{
    return (double)time.tv_sec + (double)time.tv_usec * 1e-6;
}

enum kernel_outcome program_run(struct kernel_job *job, const char *const *argv, int in, int out,
                                struct program_usage *usage)
{
    int err = memfd_create("errors", MFD_CLOEXEC);
    if (err < 0)
        return kernel_reason(job, KERNEL_FAILED, "memfd_create: %s", strerror(errno));
    pid_t child;
    int error = spawn(argv, in, out, err, &child), status = 0;
    struct rusage used;
    memset(&used, 0, sizeof used);
    while (error == 0 && wait4(child, &status, 0, &used) < 0)
        error = errno == EINTR ? 0 : errno;
    char said[KERNEL_REASON_SIZE / 2];
    text_read(err, said, sizeof said);
    said[strcspn(said, "\n")] = '\0';
    close(err);
    if (error != 0)
        return kernel_reason(job, KERNEL_FAILED, "%s: %s", argv[0], strerror(error));
    if (WIFSIGNALED(status))
        return kernel_reason(job, KERNEL_FAILED, "%s was ended by signal %d", argv[0],
                             WTERMSIG(status));
    if (WEXITSTATUS(status) != 0)
        return kernel_reason(job, KERNEL_FAILED, "%s exited with %d: %s", argv[0],
                             WEXITSTATUS(status), said);
    if (usage) {
        usage->user_seconds += seconds(used.ru_utime);
        usage->system_seconds += seconds(used.ru_stime);
    }
    return KERNEL_OK;
}

enum kernel_outcome program_read(struct kernel_job *job, const char *const *argv, int in, char *text,
                                 size_t size, struct program_usage *usage)
{
    text[0] = '\0';
    int out = memfd_create("output", MFD_CLOEXEC);
    if (out < 0)
        return kernel_reason(job, KERNEL_FAILED, "memfd_create: %s", strerror(errno));
    enum kernel_outcome outcome = program_run(job, argv, in, out, usage);
    text_read(out, text, size);
    close(out);
    return outcome;
}

void program_report(struct kernel_job *job, const struct program_usage *usage)
{
    kernel_report(job, "user_time", usage->user_seconds);
    kernel_report(job, "system_time", usage->system_seconds);
}

enum kernel_outcome program_repeat(struct kernel_job *job, uint64_t iterations,
                                   enum kernel_outcome (*one)(struct kernel_job *job,
                                                              struct program_usage *usage))
{
    struct program_usage usage = {0};
    enum kernel_outcome outcome = KERNEL_OK;
    for (uint64_t i = 0; i < iterations && outcome == KERNEL_OK; i++)
        outcome = one(job, &usage);
    program_report(job, &usage);
    return outcome;
}

/* The first line of what a program prints, to standard output or standard error; false without. */
static bool line_read(const char *const *argv, char *text, size_t size)
{
    pid_t child;
    int out = memfd_create("output", MFD_CLOEXEC), status;
    if (out < 0)
        return false;
    bool is_done = spawn(argv, -1, out, out, &child) == 0 && waitpid(child, &status, 0) == child;
    text_read(out, text, size);
    close(out);
    text[strcspn(text, "\n")] = '\0';
    return is_done && text[0] != '\0';
}

void program_tell(const struct program_version *list, kernel_tell_fn *tell, void *context)
{
    for (; list->name; list++) {
        const char *argv[] = {list->name, list->option, NULL};
        char text[256];
        if (!program_find(list->name, NULL, 0))
            tell(context, list->name, NULL, "absent: not in PATH");
        else if (!line_read(argv, text, sizeof text))
            tell(context, list->name, NULL, "unparsable: it printed nothing");
        else
            tell(context, list->name, text, NULL);
    }
}
