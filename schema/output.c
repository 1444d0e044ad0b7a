#include "schema/output.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "schema/spill.h"

enum { OUTPUT_BUFFER_BYTES = 1 << 16 };

/* What a temporary name ends with, the X replaced. */
static const char TEMPORARY_END[] = ".XXXXXX.part";
enum { TEMPORARY_X = 1, TEMPORARY_N_X = 6, TEMPORARY_KEPT = 5 };

struct output {
    char *path;      /* as given, for messages; NULL for standard output */
    char *target;    /* where its links lead */
    char *temporary; /* in the same folder; NULL for what cannot be replaced, such as a device */
    bool is_unnamed; /* the temporary file gets its name with output_commit */
    bool waits;      /* what cannot be replaced gets nothing before output_commit */
    char *folder;    /* where it waits; NULL for the default of spill_open */
    struct spill *waiting; /* NULL as long as the buffer is enough */
    int fd;
    uint64_t n_written; /* bytes of a temporary file */
    uint64_t n_begun;   /* that the system was told to write to the disk */
    size_t used;
    char buffer[OUTPUT_BUFFER_BYTES];
};

static void output_free(struct output *output)
{
    free(output->path);
    free(output->target);
    free(output->temporary);
    free(output->folder);
    spill_close(output->waiting);
    free(output);
}

/* The length of "folder/" in a path, 0 without one. */
static int folder_size(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? (int)(slash + 1 - path) : 0;
}

/* True for ".name.??????.part". */
static bool is_temporary_of(const char *entry, const char *name)
{
    size_t size = strlen(name), end_size = sizeof TEMPORARY_END - 1;
    return strlen(entry) == 1 + size + end_size && entry[0] == '.' &&
           memcmp(entry + 1, name, size) == 0 && entry[1 + size] == '.' &&
           strcmp(entry + 1 + size + end_size - TEMPORARY_KEPT,
                  TEMPORARY_END + end_size - TEMPORARY_KEPT) == 0;
}

/* Who writes a temporary file holds a lock on it. One without was left by a process that was killed. */
static void remove_stale(int folder, const char *name)
{
    int fd = openat(folder, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0)
        return;
    struct stat st;
    if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && flock(fd, LOCK_EX | LOCK_NB) == 0)
        unlinkat(folder, name, 0);
    close(fd);
}

static void remove_all_stale(const struct output *output)
{
    int size = folder_size(output->target);
    char *path = size ? strndup(output->target, (size_t)size) : strdup(".");
    DIR *folder = path ? opendir(path) : NULL;
    free(path);
    if (!folder)
        return; /* whether the file can be made is found out soon */
    for (const struct dirent *entry; (entry = readdir(folder));)
        if (is_temporary_of(entry->d_name, output->target + size))
            remove_stale(dirfd(folder), entry->d_name);
    closedir(folder);
}

/* "/proc/self/fd/N", through which a file without a name can be given one. */
enum { PROC_PATH_SIZE = 32 };

static void proc_path(char out[static PROC_PATH_SIZE], int fd)
{
    snprintf(out, PROC_PATH_SIZE, "/proc/self/fd/%d", fd);
}

/* A file without a name, of which a kill leaves nothing. -1 where there is no such thing. */
static int unnamed_open(const struct output *output)
{
    int size = folder_size(output->target);
    char *folder = size ? strndup(output->target, (size_t)size) : strdup(".");
    int fd = folder ? open(folder, O_TMPFILE | O_WRONLY | O_CLOEXEC, 0600) : -1;
    free(folder);
    char proc[PROC_PATH_SIZE];
    proc_path(proc, fd);
    if (fd >= 0 && access(proc, F_OK) < 0) {
        close(fd);
        fd = -1;
    }
    return fd;
}

/* Opens "folder/.name.XXXXXX.part" with these permissions, or what will be it. */
static int temporary_open(struct output *output, mode_t mode, struct err *err)
{
    int folder = folder_size(output->target);
    size_t size = strlen(output->target) + sizeof "." + sizeof TEMPORARY_END;
    output->temporary = malloc(size);
    if (!output->temporary)
        return err_set(err, ERR_SYSTEM, "out of memory");
    snprintf(output->temporary, size, "%.*s.%s%s", folder, output->target, output->target + folder,
             TEMPORARY_END);
    remove_all_stale(output);
    output->fd = unnamed_open(output);
    output->is_unnamed = output->fd >= 0;
    if (!output->is_unnamed)
        output->fd = mkostemps(output->temporary, TEMPORARY_KEPT, O_CLOEXEC); /* private until here */
    if (output->fd < 0) {
        int saved = errno;
        free(output->temporary); /* it is not there */
        output->temporary = NULL;
        errno = saved;
        return err_system(err, "%s", output->path);
    }
    /* Where it cannot be locked nobody else can lock and remove it. */
    flock(output->fd, LOCK_EX | LOCK_NB);
    fchmod(output->fd, mode);
    return 0;
}

/* Gives the file without a name its temporary one. */
static int temporary_link(struct output *output, struct err *err)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyz0123456789";
    char proc[PROC_PATH_SIZE];
    char *x = output->temporary + strlen(output->temporary) - (sizeof TEMPORARY_END - 1) +
              TEMPORARY_X;
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    uint64_t chance = (uint64_t)now.tv_nsec * 1000003 + (uint64_t)getpid();
    proc_path(proc, output->fd);
    for (int i = 0; i < 100; i++) {
        for (int j = 0; j < TEMPORARY_N_X; j++, chance = chance * 6364136223846793005U + 1)
            x[j] = letters[(chance >> 33) % (sizeof letters - 1)]; /* Knuth's MMIX generator */
        if (linkat(AT_FDCWD, proc, AT_FDCWD, output->temporary, AT_SYMLINK_FOLLOW) == 0) {
            output->is_unnamed = false;
            return 0;
        }
        if (errno != EEXIST)
            break;
    }
    return err_system(err, "%s", output->path);
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

int output_wait(struct output *output, const char *folder, struct err *err)
{
    output->waits = !output->temporary;
    output->folder = folder ? strdup(folder) : NULL;
    return folder && !output->folder ? err_set(err, ERR_SYSTEM, "out of memory") : 0;
}

/* The disk begins early, so that fsync has less to wait for at the end. */
static void begin_sync(struct output *output, size_t size)
{
    enum { PART_BYTES = 8 << 20 };
    if (!output->temporary)
        return;
    output->n_written += size;
    if (output->n_written - output->n_begun < PART_BYTES)
        return;
    sync_file_range(output->fd, (off_t)output->n_begun, (off_t)(output->n_written - output->n_begun),
                    SYNC_FILE_RANGE_WRITE);
    output->n_begun = output->n_written;
}

static int put_through(struct output *output, const char *bytes, size_t size, struct err *err)
{
    if (!output->waits) {
        TRY(write_all(output, bytes, size, err));
        begin_sync(output, size);
        return 0;
    }
    if (!output->waiting)
        TRY(spill_open(&output->waiting, output->folder, err));
    return spill_write(output->waiting, bytes, size, err);
}

static int output_flush(struct output *output, struct err *err)
{
    TRY(put_through(output, output->buffer, output->used, err));
    output->used = 0;
    return 0;
}

/* What has waited goes out. */
static int output_release(struct output *output, struct err *err)
{
    output->waits = false;
    if (!output->waiting)
        return 0;
    TRY(spill_write(output->waiting, output->buffer, output->used, err));
    TRY(spill_flush(output->waiting, err));
    output->used = 0;
    uint64_t size = spill_size(output->waiting);
    for (uint64_t at = 0; at < size;) {
        size_t part = size - at < sizeof output->buffer ? (size_t)(size - at) : sizeof output->buffer;
        TRY(spill_read(output->waiting, at, output->buffer, part, err));
        TRY(write_all(output, output->buffer, part, err));
        at += part;
    }
    return 0;
}

int output_write(void *context, const void *bytes, size_t size, struct err *err)
{
    struct output *output = context;
    if (size > OUTPUT_BUFFER_BYTES - output->used)
        TRY(output_flush(output, err));
    if (size > OUTPUT_BUFFER_BYTES)
        return put_through(output, bytes, size, err);
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
    /* A pipe has nothing to sync, a disk has. */
    if (fsync(output->fd) < 0 && (output->temporary || (errno != EINVAL && errno != ENOTSUP)))
        return err_system(err, "%s", output->path);
    if (output->temporary && output->is_unnamed)
        TRY(temporary_link(output, err));
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
    int result = output_release(output, err);
    if (result == 0)
        result = output_flush(output, err);
    if (result == 0 && output->path)
        result = output_place(output, err);
    output_discard(output);
    return result;
}

void output_discard(struct output *output)
{
    if (!output)
        return;
    if (output->path && output->fd >= 0)
        close(output->fd);
    if (output->temporary && !output->is_unnamed)
        unlink(output->temporary);
    output_free(output);
}
