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
    char *path;      /* as given, for messages; NULL for standard output */
    char *target;    /* where its links lead */
    char *temporary; /* in the same folder; NULL for what cannot be replaced, such as a device */
    int fd;
    size_t used;
    char buffer[OUTPUT_BUFFER_BYTES];
};

static void output_free(struct output *output)
{
    free(output->path);
    free(output->target);
    free(output->temporary);
    free(output);
}

/* "folder/.name.XXXXXX", made and opened with these permissions. */
static int temporary_open(struct output *output, mode_t mode, struct err *err)
{
    const char *slash = strrchr(output->target, '/');
    int folder = slash ? (int)(slash + 1 - output->target) : 0;
    size_t size = strlen(output->target) + sizeof "..XXXXXX";
    output->temporary = malloc(size);
    if (!output->temporary)
        return err_set(err, ERR_SYSTEM, "out of memory");
    snprintf(output->temporary, size, "%.*s.%s.XXXXXX", folder, output->target,
             output->target + folder);
    output->fd = mkostemp(output->temporary, O_CLOEXEC); /* private until here */
    if (output->fd < 0)
        return err_system(err, "%s", output->path);
    fchmod(output->fd, mode);
    return 0;
}

/* Where a name leads decides: a link stays and its file is replaced; a device or pipe is written
 * to, since a rename would put a file in the place of /dev/null. */
static int file_open(struct output *output, const char *path, struct err *err)
{
    char *real = realpath(path, NULL); /* NULL for a new file */
    output->target = real ? real : strdup(path);
    output->path = strdup(path);
    if (!output->path || !output->target)
        return err_set(err, ERR_SYSTEM, "out of memory");
    struct stat st;
    if (stat(path, &st) < 0) {
        mode_t mask = umask(0);
        umask(mask);
        return temporary_open(output, 0666 & ~mask, err);
    }
    if (S_ISREG(st.st_mode))
        return temporary_open(output, st.st_mode & 0777, err);
    output->fd = open(path, O_WRONLY | O_CLOEXEC);
    return output->fd < 0 ? err_system(err, "%s", path) : 0;
}

int output_open(struct output **out, const char *path, struct err *err)
{
    struct output *output = calloc(1, sizeof *output);
    if (!output)
        return err_set(err, ERR_SYSTEM, "out of memory");
    output->fd = STDOUT_FILENO;
    int result = strcmp(path, "-") == 0 ? 0 : file_open(output, path, err);
    if (result < 0) {
        output_free(output);
        return result;
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

int output_skip(struct output *output, uint64_t size, struct err *err)
{
    static const char zeros[4096];
    for (; !output->temporary && size > 0; size -= size < sizeof zeros ? size : sizeof zeros)
        TRY(output_write(output, zeros, size < sizeof zeros ? (size_t)size : sizeof zeros, err));
    if (size == 0)
        return 0;
    TRY(output_flush(output, err));
    /* The length too, since nothing may follow. */
    off_t at = size > INT64_MAX ? -1 : lseek(output->fd, (off_t)size, SEEK_CUR);
    return at < 0 || ftruncate(output->fd, at) < 0 ? err_system(err, "%s", output->path) : 0;
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
    /* A pipe has nothing to sync, a disk has. */
    if (fsync(output->fd) < 0 && (output->temporary || (errno != EINVAL && errno != ENOTSUP)))
        return err_system(err, "%s", output->path);
    int fd = output->fd;
    output->fd = -1;
    if (close(fd) < 0)
        return err_system(err, "%s", output->path);
    if (!output->temporary)
        return 0;
    if (rename(output->temporary, output->target) < 0)
        return err_system(err, "%s", output->path);
    free(output->temporary);
    output->temporary = NULL;
    return folder_sync(output->target, err);
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
