#include "schema/output.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { OUTPUT_BUFFER_BYTES = 1 << 16 };

struct output {
    char *path;      /* NULL for standard output */
    char *temporary; /* in the same folder */
    int fd;
    size_t used;
    char buffer[OUTPUT_BUFFER_BYTES];
};

static void output_free(struct output *output)
{
    free(output->path);
    free(output->temporary);
    free(output);
}

/* "folder/.name.XXXXXX", made and opened. mkstemp makes it private; the mode becomes that of any
 * new file. */
static int temporary_open(struct output *output, struct err *err)
{
    const char *slash = strrchr(output->path, '/');
    int folder = slash ? (int)(slash + 1 - output->path) : 0;
    size_t size = strlen(output->path) + sizeof "..XXXXXX";
    output->temporary = malloc(size);
    if (!output->temporary)
        return err_set(err, ERR_SYSTEM, "out of memory");
    snprintf(output->temporary, size, "%.*s.%s.XXXXXX", folder, output->path,
             output->path + folder);
    output->fd = mkstemp(output->temporary);
    if (output->fd < 0)
        return err_system(err, "%s", output->path);
    mode_t mask = umask(0);
    umask(mask);
    fchmod(output->fd, 0666 & ~mask);
    fcntl(output->fd, F_SETFD, FD_CLOEXEC);
    return 0;
}

int output_open(struct output **out, const char *path, struct err *err)
{
    struct output *output = calloc(1, sizeof *output);
    if (!output)
        return err_set(err, ERR_SYSTEM, "out of memory");
    output->fd = STDOUT_FILENO;
    if (strcmp(path, "-") != 0) {
        struct stat st;
        output->path = strdup(path);
        int result = !output->path                      ? err_set(err, ERR_SYSTEM, "out of memory")
                     : stat(path, &st) == 0 && S_ISDIR(st.st_mode)
                         ? err_set(err, ERR_SYSTEM, "%s: is a folder", path)
                         : temporary_open(output, err);
        if (result < 0) {
            output_free(output);
            return result;
        }
    }
    *out = output;
    return 0;
}

static int write_all(struct output *output, const char *bytes, size_t size, struct err *err)
{
    while (size > 0) {
        ssize_t n = write(output->fd, bytes, size);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return err_system(err, "%s", output->path ? output->path : "standard output");
        bytes += n;
        size -= (size_t)n;
    }
    return 0;
}

static int output_flush(struct output *output, struct err *err)
{
    TRY(write_all(output, output->buffer, output->used, err));
    output->used = 0;
    return 0;
}

int output_write(void *context, const void *bytes, size_t size, struct err *err)
{
    struct output *output = context;
    if (size > OUTPUT_BUFFER_BYTES - output->used)
        TRY(output_flush(output, err));
    if (size > OUTPUT_BUFFER_BYTES)
        return write_all(output, bytes, size, err);
    memcpy(output->buffer + output->used, bytes, size);
    output->used += size;
    return 0;
}

/* A rename is on the disk when its folder is. */
static int folder_sync(const char *path, struct err *err)
{
    const char *slash = strrchr(path, '/');
    char *folder = slash ? strndup(path, (size_t)(slash + 1 - path)) : strdup(".");
    if (!folder)
        return err_set(err, ERR_SYSTEM, "out of memory");
    int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    /* Some file systems cannot sync a folder (EINVAL): then there is nothing to wait for. */
    int result = fd < 0 || (fsync(fd) < 0 && errno != EINVAL) ? err_system(err, "%s", folder) : 0;
    if (fd >= 0)
        close(fd);
    free(folder);
    return result;
}

static int output_place(struct output *output, struct err *err)
{
    TRY(output_flush(output, err));
    if (fsync(output->fd) < 0)
        return err_system(err, "%s", output->path);
    int fd = output->fd;
    output->fd = -1;
    if (close(fd) < 0)
        return err_system(err, "%s", output->path);
    if (rename(output->temporary, output->path) < 0)
        return err_system(err, "%s", output->path);
    free(output->temporary);
    output->temporary = NULL;
    return folder_sync(output->path, err);
}

int output_commit(struct output *output, struct err *err)
{
    int result = output->path ? output_place(output, err) : output_flush(output, err);
    output_discard(output);
    return result;
}

void output_discard(struct output *output)
{
    if (!output)
        return;
    if (output->path && output->fd >= 0)
        close(output->fd);
    if (output->temporary)
        unlink(output->temporary);
    output_free(output);
}
