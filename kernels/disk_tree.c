#include "kernels/disk_tree.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "kernels/disk_file.h"
#include "kernels/page_cache.h"

enum {
    SHAPE_SEED = 3636,
    /* Sizes of files differ by factors of two up to 2^(SIZE_STEPS - 1). With 10 steps the published
     * tree takes 28.6 MB in clusters of 4 KiB; 28.4 were published. */
    SIZE_STEPS = 10,
    FILE_SHIFT = 32, /* files are shorter than 2^32 bytes */
    COPY_BYTES = 64 * 1024,
    BYTES_LEAST = 1024 * 1024
};

static const char source_name[] = "source";

/* ---- shape */

/* The largest file has a weight of at most 2^18 of all; see sizes_draw. */
size_t disk_tree_memory(uint64_t bytes)
{
    size_t most = bytes > SIZE_MAX / 4 ? SIZE_MAX / 4 : (size_t)bytes;
    return 2 * most + BYTES_LEAST + COPY_BYTES;
}

static void folders_draw(struct disk_tree *tree, uint64_t *chance)
{
    for (uint32_t i = 1; i <= tree->n_folders; i++)
        tree->parent[i] = (uint32_t)(kernel_random(chance) % i);
    for (uint32_t i = 0; i < tree->n_files; i++)
        tree->first_file[1 + kernel_random(chance) % (tree->n_folders + 1)]++;
    for (uint32_t i = 0; i <= tree->n_folders; i++)
        tree->first_file[i + 1] += tree->first_file[i];
}

/* Many small ones and few large ones; together `bytes` exactly. */
static void sizes_draw(struct disk_tree *tree, uint64_t bytes, uint64_t *chance)
{
    uint64_t all = 0, used = 0;
    for (uint32_t i = 0; i < tree->n_files; i++) {
        uint64_t r = kernel_random(chance);
        tree->size[i] = (uint32_t)((256 + (r >> 32) % 256) << r % SIZE_STEPS);
        all += tree->size[i];
    }
    for (uint32_t i = 0; i < tree->n_files; i++) {
        tree->size[i] = (uint32_t)((double)tree->size[i] / (double)all * (double)bytes);
        used += tree->size[i];
    }
    tree->size[tree->n_files - 1] += (uint32_t)(bytes - used); /* less than one for each file */
}

enum kernel_outcome disk_tree_begin(struct kernel_job *job, struct disk_tree *tree, uint64_t bytes,
                                    uint64_t n_files, uint64_t n_folders)
{
    *tree = (struct disk_tree){.folder = job->folder, .seed = job->seed, .bytes = job->memory};
    if (n_files == 0 || n_files > 10000000 || n_folders > 1000000 || bytes >> FILE_SHIFT)
        return kernel_reason(job, KERNEL_UNAVAILABLE,
                             "a tree has 1 to 10000000 files, 1000000 folders and 4 GiB at most");
    tree->n_files = (uint32_t)n_files;
    tree->n_folders = (uint32_t)n_folders;
    tree->bytes_size = job->memory_bytes - COPY_BYTES;
    tree->parent = calloc((size_t)n_folders + 1, sizeof *tree->parent);
    tree->first_file = calloc((size_t)n_folders + 2, sizeof *tree->first_file);
    tree->size = calloc((size_t)n_files, sizeof *tree->size);
    if (!tree->parent || !tree->first_file || !tree->size)
        return kernel_reason(job, KERNEL_FAILED, "out of memory");
    uint64_t chance = SHAPE_SEED;
    folders_draw(tree, &chance);
    sizes_draw(tree, bytes, &chance);
    kernel_fill_random(tree->bytes, tree->bytes_size, job->seed);
    return KERNEL_OK;
}

void disk_tree_end(struct disk_tree *tree)
{
    free(tree->parent);
    free(tree->first_file);
    free(tree->size);
    *tree = (struct disk_tree){0};
}

/* The bytes of a file; they stay until the next call. */
static const unsigned char *file_bytes(const struct disk_tree *tree, uint32_t file)
{
    size_t room = tree->bytes_size - tree->size[file];
    /* From a multiple of the distance of stamps, so that none stays that was of another file. */
    unsigned char *bytes = tree->bytes + (uint64_t)file * 4096 % (room > 0 ? room : 1) / 4096 * 4096;
    disk_stamp(bytes, tree->size[file], tree->seed, (uint64_t)file << FILE_SHIFT);
    return bytes;
}

/* ---- paths */

/* "FOLDER/TOP/f3/f17": false when it is too long. */
static bool folder_path(const struct disk_tree *tree, const char *top, uint32_t folder,
                        char out[static PATH_MAX])
{
    uint32_t chain[64];
    size_t depth = 0;
    for (uint32_t f = folder; f > 0; f = tree->parent[f]) {
        if (depth == sizeof chain / sizeof chain[0])
            return false;
        chain[depth++] = f;
    }
    int size = snprintf(out, PATH_MAX, "%s/%s", tree->folder, top);
    while (size > 0 && size < PATH_MAX && depth > 0)
        size += snprintf(out + size, (size_t)(PATH_MAX - size), "/f%" PRIu32, chain[--depth]);
    return size > 0 && size < PATH_MAX;
}

/* Opens a folder, made first where asked; -1 with errno. */
static int folder_open(const struct disk_tree *tree, const char *top, uint32_t folder, bool is_new)
{
    char path[PATH_MAX];
    if (!folder_path(tree, top, folder, path)) {
        errno = ENAMETOOLONG;
        return -1;
    }
    if (is_new && mkdir(path, 0700) < 0)
        return -1;
    return open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
}

static void file_name(uint32_t file, char out[static 16])
{
    snprintf(out, 16, "%" PRIu32, file);
}

/* ---- making */

static bool write_whole(int fd, const unsigned char *bytes, size_t size)
{
    while (size > 0) {
        ssize_t n = write(fd, bytes, size);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return false;
        bytes += n;
        size -= (size_t)n;
    }
    return true;
}

static enum kernel_outcome file_make(struct kernel_job *job, const struct disk_tree *tree, int folder,
                                     uint32_t file)
{
    char name[16];
    file_name(file, name);
    int fd = openat(folder, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (fd < 0)
        return disk_trouble(job, "making", "a file of the tree");
    bool is_written = write_whole(fd, file_bytes(tree, file), tree->size[file]);
    enum kernel_outcome outcome =
        is_written ? KERNEL_OK : disk_trouble(job, "writing", "a file of the tree");
    if (close(fd) < 0 && outcome == KERNEL_OK)
        outcome = disk_trouble(job, "closing", "a file of the tree");
    return outcome;
}

static enum kernel_outcome file_forget(struct kernel_job *job, const struct disk_tree *tree,
                                       int folder, uint32_t file)
{
    char name[16];
    file_name(file, name);
    int fd = openat(folder, name, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return disk_trouble(job, "opening", "a file of the tree");
    enum kernel_outcome outcome = page_cache_drop(job, fd, tree->size[file]);
    close(fd);
    return outcome;
}

/* Does something with each file of the tree at the top of that name. */
static enum kernel_outcome each_file(struct kernel_job *job, const struct disk_tree *tree,
                                     const char *top, bool is_new,
                                     enum kernel_outcome (*act)(struct kernel_job *job,
                                                                const struct disk_tree *tree,
                                                                int folder, uint32_t file))
{
    enum kernel_outcome outcome = KERNEL_OK;
    for (uint32_t f = 0; f <= tree->n_folders && outcome == KERNEL_OK; f++) {
        int folder = folder_open(tree, top, f, is_new);
        if (folder < 0 && errno == ENOENT && !is_new)
            return kernel_reason(job, KERNEL_WRONG, "a folder is missing: number %" PRIu32, f);
        if (folder < 0)
            return disk_trouble(job, "opening", "a folder of the tree");
        for (uint32_t i = tree->first_file[f]; i < tree->first_file[f + 1] && outcome == KERNEL_OK;
             i++)
            outcome = act(job, tree, folder, i);
        close(folder);
    }
    return outcome;
}

enum kernel_outcome disk_sync_all(struct kernel_job *job, const char *folder)
{
    int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0 || syncfs(fd) < 0) {
        enum kernel_outcome outcome = disk_trouble(job, "syncfs", "the file system");
        if (fd >= 0)
            close(fd);
        return outcome;
    }
    close(fd);
    return KERNEL_OK;
}

enum kernel_outcome disk_tree_make(struct kernel_job *job, const struct disk_tree *tree)
{
    enum kernel_outcome outcome = each_file(job, tree, source_name, true, file_make);
    if (outcome == KERNEL_OK)
        outcome = disk_sync_all(job, tree->folder);
    return outcome == KERNEL_OK ? each_file(job, tree, source_name, false, file_forget) : outcome;
}

/* ---- copying */

static enum kernel_outcome range_copy(struct kernel_job *job, int from, int to, uint64_t size)
{
    while (size > 0) {
        ssize_t n = copy_file_range(from, NULL, to, NULL, (size_t)size, 0);
        if (n < 0 && (errno == ENOSYS || errno == EXDEV || errno == EOPNOTSUPP || errno == EINVAL))
            return kernel_reason(job, KERNEL_UNAVAILABLE, "copy_file_range: %s", strerror(errno));
        if (n < 0)
            return disk_trouble(job, "copying", "a file of the tree");
        if (n == 0)
            break;
        size -= (uint64_t)n;
    }
    return KERNEL_OK;
}

static enum kernel_outcome bytes_copy(struct kernel_job *job, const struct disk_tree *tree, int from,
                                      int to)
{
    unsigned char *buffer = tree->bytes + tree->bytes_size;
    for (;;) {
        ssize_t n = read(from, buffer, COPY_BYTES);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return disk_trouble(job, "reading", "a file of the tree");
        if (n == 0)
            return KERNEL_OK;
        if (!write_whole(to, buffer, (size_t)n))
            return disk_trouble(job, "writing", "a file of the copy");
    }
}

static enum kernel_outcome file_copy(struct kernel_job *job, const struct disk_tree *tree, int source,
                                     int target, uint32_t file, enum disk_copy how)
{
    char name[16];
    file_name(file, name);
    int from = openat(source, name, O_RDONLY | O_CLOEXEC);
    int to = openat(target, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    enum kernel_outcome outcome = from < 0 || to < 0 ? disk_trouble(job, "opening", "a file to copy")
                                  : how == DISK_COPY_FILE_RANGE
                                      ? range_copy(job, from, to, tree->size[file])
                                      : bytes_copy(job, tree, from, to);
    if (from >= 0)
        close(from);
    if (to >= 0 && close(to) < 0 && outcome == KERNEL_OK)
        outcome = disk_trouble(job, "closing", "a file of the copy");
    return outcome;
}

enum kernel_outcome disk_tree_copy(struct kernel_job *job, const struct disk_tree *tree, unsigned n,
                                   enum disk_copy how)
{
    char top[24];
    snprintf(top, sizeof top, "copy%u", n);
    enum kernel_outcome outcome = KERNEL_OK;
    for (uint32_t f = 0; f <= tree->n_folders && outcome == KERNEL_OK; f++) {
        int source = folder_open(tree, source_name, f, false);
        int target = folder_open(tree, top, f, true);
        if (source < 0 || target < 0)
            outcome = disk_trouble(job, "making", "a folder of the copy");
        for (uint32_t i = tree->first_file[f]; i < tree->first_file[f + 1] && outcome == KERNEL_OK;
             i++)
            outcome = file_copy(job, tree, source, target, i, how);
        if (source >= 0)
            close(source);
        if (target >= 0)
            close(target);
    }
    return outcome;
}

/* ---- comparing */

static enum kernel_outcome file_compare(struct kernel_job *job, const struct disk_tree *tree,
                                        int folder, uint32_t file)
{
    char name[16];
    file_name(file, name);
    int fd = openat(folder, name, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return kernel_reason(job, KERNEL_WRONG, "file %" PRIu32 " of the copy: %s", file,
                             strerror(errno));
    const unsigned char *right = file_bytes(tree, file);
    unsigned char *found = tree->bytes + tree->bytes_size;
    uint64_t at = 0;
    ssize_t n;
    while ((n = read(fd, found, COPY_BYTES)) > 0 && at + (uint64_t)n <= tree->size[file] &&
           memcmp(found, right + at, (size_t)n) == 0)
        at += (uint64_t)n;
    close(fd);
    return n == 0 && at == tree->size[file]
               ? KERNEL_OK
               : kernel_reason(job, KERNEL_WRONG, "file %" PRIu32 " of the copy differs", file);
}

/* nftw has no context; there is one thread in this process that counts. */
static _Thread_local uint64_t n_entries;

static int entry_count(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
    (void)path;
    (void)st;
    (void)type;
    (void)ftw;
    n_entries++;
    return 0;
}

enum kernel_outcome disk_tree_compare(struct kernel_job *job, const struct disk_tree *tree,
                                      unsigned n)
{
    char top[24], path[PATH_MAX];
    snprintf(top, sizeof top, "copy%u", n);
    enum kernel_outcome outcome = each_file(job, tree, top, false, file_compare);
    if (outcome != KERNEL_OK)
        return outcome;
    n_entries = 0;
    uint64_t wanted = (uint64_t)tree->n_files + tree->n_folders + 1;
    if (!folder_path(tree, top, 0, path) || nftw(path, entry_count, 16, FTW_PHYS) != 0 ||
        n_entries != wanted)
        return kernel_reason(job, KERNEL_WRONG, "the copy has %" PRIu64 " files and folders, not %" PRIu64,
                             n_entries, wanted);
    return KERNEL_OK;
}

static int entry_remove(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
    (void)st;
    (void)type;
    return ftw->level == 0 ? 0 : remove(path);
}

void disk_empty(const char *folder)
{
    nftw(folder, entry_remove, 16, FTW_DEPTH | FTW_PHYS | FTW_MOUNT);
}
