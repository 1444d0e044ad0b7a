#include "collect/scratch.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "collect/lock.h"

#define PREFIX ".collect-"

struct scratch {
    char *path;
    char *job;
    int lock; /* of path/lock, held as long as this process lives */
};

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
    (void)st;
    (void)type;
    (void)ftw;
    return remove(path);
}

/* Never follows a link and never leaves the file system. */
static int tree_remove(const char *path)
{
    return nftw(path, remove_one, 16, FTW_DEPTH | FTW_PHYS | FTW_MOUNT);
}

static char *path_join(const char *folder, const char *prefix, const char *name)
{
    size_t size = strlen(folder) + strlen(prefix) + strlen(name) + 2;
    char *path = malloc(size);
    if (path)
        snprintf(path, size, "%s/%s%s", folder, prefix, name);
    return path;
}

/* The descriptor of the lock of a folder of ours, or -1. */
static int folder_lock(const char *path, bool should_make)
{
    char *lock = path_join(path, "", "lock");
    int fd = lock ? lock_take(lock, should_make) : -1;
    free(lock);
    return fd;
}

enum { NEW_SECONDS = 10 };

/* True when nobody holds the folder: a run that was killed left it. Without a lock it may be of a run
 * that makes one just now, unless it is older. */
static bool is_leftover(const char *path, int *lock)
{
    struct stat st;
    *lock = folder_lock(path, false);
    return *lock >= 0 ||
           (errno == ENOENT && lstat(path, &st) == 0 && st.st_mtime < time(NULL) - NEW_SECONDS);
}

/* A folder of ours that nobody holds was left by a run that was killed. */
static void leftovers_remove(const char *dir, void (*removed)(const char *path))
{
    DIR *folder = opendir(dir);
    if (!folder)
        return;
    for (struct dirent *entry; (entry = readdir(folder));) {
        if (strncmp(entry->d_name, PREFIX, strlen(PREFIX)) != 0)
            continue;
        char *path = path_join(dir, "", entry->d_name);
        int lock = -1;
        if (path && is_leftover(path, &lock) && tree_remove(path) == 0 && removed)
            removed(path);
        if (lock >= 0)
            close(lock);
        free(path);
    }
    closedir(folder);
}

int scratch_open(struct scratch **out, const char *dir, const char *run,
                 void (*removed)(const char *path), struct err *err)
{
    leftovers_remove(dir, removed);
    struct scratch *scratch = calloc(1, sizeof *scratch);
    if (!scratch)
        return err_set(err, ERR_SYSTEM, "out of memory");
    scratch->lock = -1;
    scratch->path = path_join(dir, PREFIX, run);
    scratch->job = scratch->path ? path_join(scratch->path, "", "job") : NULL;
    if (!scratch->job) {
        scratch_close(scratch);
        return err_set(err, ERR_SYSTEM, "out of memory");
    }
    if (mkdir(scratch->path, 0700) < 0) {
        err_system(err, "--dir=%s", dir);
        free(scratch->path);
        scratch->path = NULL; /* not ours to remove */
        scratch_close(scratch);
        return err->code;
    }
    scratch->lock = folder_lock(scratch->path, true);
    if (scratch->lock < 0) {
        err_system(err, "%s", scratch->path);
        scratch_close(scratch);
        return err->code;
    }
    *out = scratch;
    return 0;
}

int scratch_job(struct scratch *scratch, const char **folder, struct err *err)
{
    if (tree_remove(scratch->job) < 0 && errno != ENOENT)
        return err_system(err, "%s", scratch->job);
    if (mkdir(scratch->job, 0700) < 0)
        return err_system(err, "%s", scratch->job);
    *folder = scratch->job;
    return 0;
}

void scratch_close(struct scratch *scratch)
{
    if (!scratch)
        return;
    if (scratch->path)
        tree_remove(scratch->path);
    if (scratch->lock >= 0)
        close(scratch->lock);
    free(scratch->job);
    free(scratch->path);
    free(scratch);
}
