#include "report/chart/chart.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "schema/buffer.h"

enum { TIME_LIMIT_MS = 20000 };

/* The first gnuplot on the path, as a shell would take it. */
static bool program_find(struct buffer *out)
{
    const char *path = getenv("PATH");
    for (const char *p = path ? path : ""; *p;) {
        size_t size = strcspn(p, ":");
        struct stat st;
        buffer_clear(out);
        buffer_add(out, p, size);
        buffer_add_text(out, "/gnuplot");
        /* The child runs in another folder, where a relative path means another file. */
        if (!out->failed && p[0] == '/' && stat(out->bytes, &st) == 0 && S_ISREG(st.st_mode) &&
            access(out->bytes, X_OK) == 0)
            return true;
        p += size + (p[size] == ':');
    }
    return false;
}

static long now_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (long)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

/* What it says until it ends or the time is up. */
static void messages_read(int fd, long deadline_ms, char *out, size_t size)
{
    size_t used = 0;
    for (;;) {
        long left = deadline_ms - now_ms();
        struct pollfd ready = {fd, POLLIN, 0};
        int n = left > 0 ? poll(&ready, 1, (int)left) : 0;
        if (n < 0 && errno == EINTR)
            continue;
        char bytes[512];
        ssize_t got = n > 0 ? read(fd, bytes, sizeof bytes) : 0;
        if (got <= 0)
            break;
        for (ssize_t i = 0; i < got && used + 1 < size; i++)
            out[used++] = bytes[i] >= ' ' && bytes[i] < 0x7f ? bytes[i] : ' ';
    }
    out[used] = '\0';
}

static int process_end(pid_t pid, long deadline_ms, const char *messages, struct err *err)
{
    int status;
    for (;;) {
        pid_t ended = waitpid(pid, &status, WNOHANG);
        if (ended == pid)
            break;
        if (ended < 0 && errno != EINTR)
            return err_system(err, "gnuplot");
        if (now_ms() >= deadline_ms) {
            kill(pid, SIGKILL);
            while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
                ;
            return err_set(err, ERR_SYSTEM, "gnuplot: stopped after %d s", TIME_LIMIT_MS / 1000);
        }
        nanosleep(&(struct timespec){0, 1000000}, NULL);
    }
    if (WIFSIGNALED(status))
        return err_set(err, ERR_SYSTEM, "gnuplot: killed by signal %d", WTERMSIG(status));
    if (WEXITSTATUS(status) != 0)
        return err_set(err, ERR_SYSTEM, "gnuplot: status %d: %s", WEXITSTATUS(status), messages);
    return 0;
}

static int process_spawn(const char *program, const char *folder, const char *script, int messages,
                         pid_t *pid)
{
    char home[] = "LC_ALL=C", path[] = "PATH=/usr/bin:/bin";
    char *const environment[] = {home, path, NULL};
    char *argument = strdup(script), *first = strdup("gnuplot"), option[] = "-d";
    char *const arguments[] = {first, option, argument, NULL};
    posix_spawn_file_actions_t actions;
    int result = argument && first ? posix_spawn_file_actions_init(&actions) : ENOMEM;
    if (result == 0) {
        result = posix_spawn_file_actions_addchdir_np(&actions, folder);
        if (result == 0)
            result = posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
        if (result == 0)
            result = posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0);
        if (result == 0)
            result = posix_spawn_file_actions_adddup2(&actions, messages, 2);
        if (result == 0)
            result = posix_spawn(pid, program, &actions, NULL, arguments, environment);
        posix_spawn_file_actions_destroy(&actions);
    }
    free(argument);
    free(first);
    return result;
}

static int script_run(const char *program, const char *folder, const char *script, struct err *err)
{
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) < 0)
        return err_system(err, "gnuplot");
    pid_t pid;
    long deadline = now_ms() + TIME_LIMIT_MS;
    int code = process_spawn(program, folder, script, ends[1], &pid);
    close(ends[1]);
    if (code != 0) {
        close(ends[0]);
        errno = code;
        return err_system(err, "%s", program);
    }
    char messages[400];
    messages_read(ends[0], deadline, messages, sizeof messages);
    close(ends[0]);
    return process_end(pid, deadline, messages, err);
}

/* gnuplot says nothing of a full disk: the file itself must show that it was written to its end. */
static int drawing_check(const char *path, struct err *err)
{
    static const char end[] = "</svg>";
    char tail[64];
    FILE *file = fopen(path, "re");
    if (!file)
        return err_system(err, "%s", path);
    size_t size = 0;
    if (fseek(file, 0, SEEK_END) == 0) {
        long length = ftell(file);
        if (length > 0 && fseek(file, length > 32 ? length - 32 : 0, SEEK_SET) == 0)
            size = fread(tail, 1, 32, file);
    }
    fclose(file);
    while (size > 0 && (tail[size - 1] == '\n' || tail[size - 1] == '\r' || tail[size - 1] == ' '))
        size--;
    if (size < sizeof end - 1 || memcmp(tail + size - (sizeof end - 1), end, sizeof end - 1) != 0)
        return err_set(err, ERR_SYSTEM, "%s: gnuplot did not write all of it", path);
    return 0;
}

int chart_run_gnuplot(const char *folder, const char *name, struct err *err)
{
    struct buffer program = {0}, script = {0}, drawing = {0};
    bool is_there = program_find(&program);
    buffer_add_format(&script, "%s.gp", name);
    buffer_add_format(&drawing, "%s/%s-gnuplot.svg", folder, name);
    int result = 0;
    if (program.failed || script.failed || drawing.failed)
        result = err_set(err, ERR_SYSTEM, "out of memory");
    else if (unlink(drawing.bytes) < 0 && errno != ENOENT) /* one of an earlier chart */
        result = err_system(err, "%s", drawing.bytes);
    else if (is_there) {
        result = script_run(program.bytes, folder, script.bytes, err);
        if (result >= 0)
            result = drawing_check(drawing.bytes, err);
        if (result < 0) {
            unlink(drawing.bytes);
            result = err_wrap(err, "%s/%s", folder, script.bytes);
        }
    }
    buffer_free(&drawing);
    buffer_free(&script);
    buffer_free(&program);
    return result < 0 ? result : is_there;
}
