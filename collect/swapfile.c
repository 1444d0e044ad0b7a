#include "collect/swapfile.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/swap.h>
#include <time.h>
#include <unistd.h>

#include "collect/lock.h"
#include "collect/stop.h"

/* One file per swap file of a run at work, locked by the run, its content the path: what a later
 * start finds here unlocked was left behind. Only root can write here, so the paths are ours. */
#define NOTES "/var/lib/collect"
#define LABEL "collect"

struct swapfile {
    char *path;
    char note[PATH_MAX];
    int note_fd;
    bool is_made, is_on;
};

/* The header of a swap area, union swap_header of the kernel's include/linux/swap.h. */
struct swap_header {
    char boot[1024];
    uint32_t version;
    uint32_t last_page;
    uint32_t n_bad_pages;
    unsigned char uuid[16];
    char label[16];
};

static int note_write(struct swapfile *swapfile, struct err *err)
{
    if (mkdir(NOTES, 0700) < 0 && errno != EEXIST)
        return err_system(err, "%s", NOTES);
    snprintf(swapfile->note, sizeof swapfile->note, NOTES "/swapfile-%ld", (long)getpid());
    int fd = swapfile->note_fd = lock_take(swapfile->note, true);
    size_t size = strlen(swapfile->path);
    if (fd < 0 || write(fd, swapfile->path, size) != (ssize_t)size || fsync(fd) < 0)
        return err_system(err, "%s", swapfile->note);
    return 0;
}

/* The header comes first: by its label a later start knows the file for ours. */
static int blocks_write(int fd, uint64_t size, uint64_t page, struct err *err, const char *path)
{
    enum { BLOCK = 1 << 20 };
    static const char magic[] = "SWAPSPACE2";
    char *block = calloc(1, BLOCK);
    int result = block ? 0 : err_set(err, ERR_SYSTEM, "out of memory");
    struct swap_header header = {
        .version = 1, .last_page = (uint32_t)(size / page - 1), .label = LABEL};
    for (uint64_t at = 0; at < size && result == 0;) {
        result = stop_check(err);
        size_t part = size - at < BLOCK ? (size_t)(size - at) : BLOCK;
        if (at == 0) {
            memcpy(block, &header, sizeof header);
            memcpy(block + page - (sizeof magic - 1), magic, sizeof magic - 1);
        } else {
            memset(block, 0, (size_t)page);
        }
        ssize_t n = result == 0 ? pwrite(fd, block, part, (off_t)at) : 0;
        if (n < 0 && errno != EINTR)
            result = err_system(err, "%s", path);
        at += n > 0 ? (uint64_t)n : 0;
    }
    free(block);
    if (result == 0 && fsync(fd) < 0)
        result = err_system(err, "%s", path);
    return result;
}

static int swap_make(struct swapfile *swapfile, uint64_t size, struct err *err)
{
    uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
    size = size / page * page;
    if (size < 16 * page || size / page > UINT32_MAX)
        return err_set(err, ERR_USAGE, "--set=swapfile: a size of 64K to 16T");
    int fd = open(swapfile->path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (fd < 0)
        return err_system(err, "%s", swapfile->path);
    swapfile->is_made = true;
    int result = blocks_write(fd, size, page, err, swapfile->path);
    close(fd);
    TRY(result);
    if (swapon(swapfile->path, 0) < 0)
        return err_system(err, "%s: cannot swap to it", swapfile->path);
    swapfile->is_on = true;
    return 0;
}

int swapfile_open(struct swapfile **out, const char *path, uint64_t size, struct err *err)
{
    if (geteuid() != 0)
        return err_set(err, ERR_SYSTEM, "--set=swapfile: only root may add swap");
    struct swapfile *swapfile = calloc(1, sizeof *swapfile);
    if (!swapfile)
        return err_set(err, ERR_SYSTEM, "out of memory");
    swapfile->note_fd = -1;
    char *folder = strdup(path), *slash = folder ? strrchr(folder, '/') : NULL;
    if (slash)
        *(slash == folder ? slash + 1 : slash) = '\0';
    char *real = folder ? realpath(slash ? folder : ".", NULL) : NULL;
    const char *name = strrchr(path, '/') ? strrchr(path, '/') + 1 : path;
    size_t length = real ? strlen(real) + strlen(name) + 2 : 0;
    swapfile->path = length > 0 ? malloc(length) : NULL;
    if (swapfile->path)
        snprintf(swapfile->path, length, "%s/%s", real, name);
    free(folder);
    free(real);
    struct stat st;
    int result = !swapfile->path ? err_system(err, "%s", path)
                 : lstat(swapfile->path, &st) == 0
                     ? err_set(err, ERR_USAGE, "--set=swapfile: %s exists", path)
                     : note_write(swapfile, err);
    if (result >= 0)
        result = swap_make(swapfile, size, err);
    if (result < 0) {
        struct err ignored;
        swapfile_close(swapfile, &ignored);
        return result;
    }
    *out = swapfile;
    return 0;
}

/* ENOMEM is what the system says as long as a process of a full group is still dying. */
static int swap_stop(const char *path)
{
    for (int tries = 0; swapoff(path) < 0; tries++) {
        if (errno != ENOMEM || tries == 200)
            return -1;
        nanosleep(&(struct timespec){.tv_nsec = 50000000}, NULL);
    }
    return 0;
}

int swapfile_close(struct swapfile *swapfile, struct err *err)
{
    if (!swapfile)
        return 0;
    int result = 0;
    if (swapfile->is_on && swap_stop(swapfile->path) < 0)
        result = err_system(err, "%s: cannot stop swapping to it", swapfile->path);
    if (swapfile->is_made && result == 0 && unlink(swapfile->path) < 0)
        result = err_system(err, "%s", swapfile->path);
    if (swapfile->note_fd >= 0) {
        if (result == 0)
            unlink(swapfile->note); /* else the next start tries again */
        close(swapfile->note_fd);
        rmdir(NOTES); /* goes when nothing is in it */
    }
    free(swapfile->path);
    free(swapfile);
    return result;
}

/* A swap file of ours, or one that was not even begun. */
static bool is_ours(const char *path)
{
    struct swap_header header;
    int fd = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
    ssize_t size = fd < 0 ? -1 : pread(fd, &header, sizeof header, 0);
    if (fd >= 0)
        close(fd);
    return size == 0 ||
           (size == (ssize_t)sizeof header && memcmp(header.label, LABEL, sizeof LABEL) == 0);
}

/* True when nothing is left of it. */
static bool leftover_remove(const char *note, void (*removed)(const char *path))
{
    int fd = lock_take(note, false);
    if (fd < 0)
        return false;
    char path[PATH_MAX];
    ssize_t size = read(fd, path, sizeof path - 1);
    path[size > 0 ? size : 0] = '\0';
    bool is_named = path[0] == '/' && is_ours(path);
    bool is_off = !is_named || swap_stop(path) == 0 || errno == EINVAL || errno == ENOENT;
    if (is_off && is_named && unlink(path) == 0 && removed)
        removed(path);
    if (is_off)
        unlink(note);
    close(fd);
    return is_off;
}

void swapfile_tidy(void (*removed)(const char *path))
{
    if (geteuid() != 0)
        return;
    DIR *notes = opendir(NOTES);
    for (struct dirent *entry; notes && (entry = readdir(notes));) {
        char note[PATH_MAX];
        if (strncmp(entry->d_name, "swapfile-", 9) != 0)
            continue;
        snprintf(note, sizeof note, NOTES "/%s", entry->d_name);
        leftover_remove(note, removed);
    }
    if (notes) {
        closedir(notes);
        rmdir(NOTES);
    }
}
