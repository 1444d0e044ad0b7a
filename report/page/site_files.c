#include "report/page/site_files.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

/* All that a site has at its top; anything else in the target is somebody's own. */
static const char *const top_level[] = {"index.html", "generations.html", "downloads.html",
                                        "variants.html",
                                        "style.css",  "site.js",          "kernels",
                                        "machines",   "samples",          "figures",
                                        "data",       "publications"};

#define TEMPORARY_END ".tmp-XXXXXX"

enum { FOLDERS_OPEN = 16, HEAD_BYTES = 4096, TEMPORARY_X = 6, TRIES = 100 };

/* Of a folder that is being written or removed. Nobody else sets the bit on a folder of files that are not
 * for all to write to, so that a copy of a site is not taken for a leftover, whatever its name is. */
static const mode_t unfinished_mode = S_ISVTX | S_IRWXU;

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
    (void)st;
    (void)type;
    (void)ftw;
    return remove(path);
}

static int remove_tree(const char *path, struct err *err)
{
    if (nftw(path, remove_one, FOLDERS_OPEN, FTW_DEPTH | FTW_PHYS) != 0)
        return err_system(err, "%s", path);
    return 0;
}

/* True when index.html of the folder says that a site of ours is in it. */
static bool has_our_index(const char *folder)
{
    struct buffer path = {0};
    char head[HEAD_BYTES + 1] = "";
    buffer_add_format(&path, "%s/index.html", folder);
    FILE *stream = path.failed ? NULL : fopen(buffer_text(&path), "re");
    buffer_free(&path);
    if (!stream)
        return false;
    head[fread(head, 1, HEAD_BYTES, stream)] = '\0';
    fclose(stream);
    return strstr(head, "<meta name=\"generator\" content=\"" SITE_GENERATOR) != NULL;
}

static bool is_top_level(const char *name)
{
    for (size_t i = 0; i < sizeof top_level / sizeof top_level[0]; i++)
        if (strcmp(top_level[i], name) == 0)
            return true;
    return false;
}

/* Whether a folder is empty, and the name of something in it that is no part of a site ("": there is
 * nothing such). */
struct contents {
    bool is_empty;
    char foreign[256];
};

static int contents_look(const char *path, struct contents *contents, struct err *err)
{
    *contents = (struct contents){.is_empty = true};
    DIR *folder = opendir(path);
    if (!folder)
        return err_system(err, "%s", path);
    for (const struct dirent *entry; !contents->foreign[0] && (entry = readdir(folder));) {
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
            continue;
        contents->is_empty = false;
        if (!is_top_level(entry->d_name))
            snprintf(contents->foreign, sizeof contents->foreign, "%s", entry->d_name);
    }
    closedir(folder);
    return 0;
}

/* 0 when the target may be replaced: it is not there, is empty, or is a site and nothing more. */
static int target_check(const char *target, struct err *err)
{
    struct stat st;
    struct contents contents;
    if (lstat(target, &st) < 0)
        return errno == ENOENT ? 0 : err_system(err, "%s", target);
    if (!S_ISDIR(st.st_mode))
        return err_set(err, ERR_USAGE, "%s: is there and is no folder", target);
    TRY(contents_look(target, &contents, err));
    if (contents.foreign[0])
        return err_set(err, ERR_USAGE,
                       "%s: holds %s, which is no part of a site; it is not overwritten", target,
                       contents.foreign);
    if (!contents.is_empty && !has_our_index(target))
        return err_set(err, ERR_USAGE,
                       "%s: is a folder that was not made by report site; it is not overwritten",
                       target);
    return 0;
}

/* ---- the temporary folder ---- */

/* A lock on a folder, which ends with the process: -1 when another has it or it cannot be had. */
static int folder_lock(const char *path)
{
    int fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (fd >= 0 && flock(fd, LOCK_EX | LOCK_NB) < 0) {
        close(fd);
        return -1;
    }
    return fd;
}

static void folder_unlock(int fd)
{
    if (fd >= 0)
        close(fd);
}

/* True for "name.tmp-??????". */
static bool is_temporary_of(const char *entry, const char *name)
{
    size_t size = strlen(name), kept = sizeof TEMPORARY_END - 1 - TEMPORARY_X;
    return strlen(entry) == size + kept + TEMPORARY_X && memcmp(entry, name, size) == 0 &&
           memcmp(entry + size, TEMPORARY_END, kept) == 0;
}

/* Who writes a temporary folder marks it and holds a lock on it. One without a lock was left by a process
 * that was killed. */
static void remove_stale(const char *path)
{
    struct err ignored;
    struct contents contents;
    struct stat st;
    int lock = folder_lock(path);
    if (lock >= 0 && fstat(lock, &st) == 0 && st.st_uid == geteuid() &&
        (st.st_mode & 07777) == unfinished_mode &&
        contents_look(path, &contents, &ignored) == 0 && !contents.foreign[0])
        remove_tree(path, &ignored);
    folder_unlock(lock);
}

static void remove_all_stale(const char *target)
{
    const char *slash = strrchr(target, '/');
    size_t size = slash ? (size_t)(slash + 1 - target) : 0;
    struct buffer path = {0};
    buffer_add(&path, target, size);
    DIR *folder = path.failed ? NULL : opendir(size > 0 ? buffer_text(&path) : ".");
    /* Without it, whether the site can be written is found out soon. */
    for (const struct dirent *entry; folder && (entry = readdir(folder));) {
        if (!is_temporary_of(entry->d_name, target + size))
            continue;
        buffer_clear(&path);
        buffer_add(&path, target, size);
        buffer_add_text(&path, entry->d_name);
        if (!path.failed)
            remove_stale(buffer_text(&path));
    }
    if (folder)
        closedir(folder);
    buffer_free(&path);
}

/* Makes the folder and locks it. Between the two another process may take it for a leftover and remove
 * it; then there is no lock to be had, or one on a folder without a name, and it is made again. */
static int temporary_make(struct site_files *files, struct err *err)
{
    char *x = files->temporary + strlen(files->temporary) - TEMPORARY_X;
    for (int i = 0; i < TRIES; i++) {
        struct stat made, there;
        memset(x, 'X', TEMPORARY_X);
        if (!mkdtemp(files->temporary))
            break;
        files->lock = folder_lock(files->temporary);
        if (files->lock >= 0 && fstat(files->lock, &made) == 0 &&
            lstat(files->temporary, &there) == 0 && made.st_ino == there.st_ino)
            return 0;
        if (files->lock < 0 && errno != EWOULDBLOCK && errno != ENOENT)
            return 0; /* where it cannot be locked nobody else can lock and remove it */
        folder_unlock(files->lock);
        files->lock = -1;
    }
    return err_system(err, "%s", files->target);
}

/* The target without slashes at its end, a link followed to what it points to. */
static char *target_name(const char *target)
{
    struct stat st;
    char *name = lstat(target, &st) == 0 && S_ISLNK(st.st_mode) ? realpath(target, NULL) : NULL;
    if (!name)
        name = strdup(target);
    for (size_t size = name ? strlen(name) : 0; size > 1 && name[size - 1] == '/'; size--)
        name[size - 1] = '\0';
    return name;
}

/* Where a file system keeps no such bit, what is left when the process is killed stays. */
static void mark(const char *folder)
{
    (void)chmod(folder, unfinished_mode);
}

/* Makes it one for others to read. */
static int unmark(const char *folder, struct err *err)
{
    mode_t mask = umask(0);
    umask(mask);
    return chmod(folder, 0777 & ~mask) < 0 ? err_system(err, "%s", folder) : 0;
}

static void files_end(struct site_files *files)
{
    free(files->target);
    free(files->temporary);
    folder_unlock(files->lock);
    *files = (struct site_files){.lock = -1};
}

int site_files_open(struct site_files *files, const char *target, struct err *err)
{
    *files = (struct site_files){.lock = -1};
    if (target[0] == '\0' || strcmp(target, "-") == 0)
        return err_set(err, ERR_USAGE, "the site needs the name of a folder");
    files->target = target_name(target);
    struct buffer temporary = {0};
    buffer_add_format(&temporary, "%s" TEMPORARY_END, files->target ? files->target : "");
    files->temporary = temporary.bytes;
    int result = 0;
    if (!files->target || temporary.failed)
        result = err_set(err, ERR_SYSTEM, "out of memory");
    if (result == 0)
        result = target_check(files->target, err);
    if (result == 0) {
        remove_all_stale(files->target);
        result = temporary_make(files, err);
    }
    if (result == 0)
        mark(files->temporary);
    if (result < 0)
        files_end(files);
    return result;
}

void site_files_path(const struct site_files *files, const char *path, struct buffer *out)
{
    buffer_add_format(out, "%s/%s", files->temporary, path);
}

int site_files_folder(const struct site_files *files, const char *path, struct err *err)
{
    struct buffer whole = {0};
    site_files_path(files, path, &whole);
    int result = whole.failed ? err_set(err, ERR_SYSTEM, "out of memory") : 0;
    if (result == 0 && mkdir(buffer_text(&whole), 0777) < 0 && errno != EEXIST)
        result = err_system(err, "%s", buffer_text(&whole));
    buffer_free(&whole);
    return result;
}

static int file_create(const char *path, const char *bytes, size_t size, struct err *err)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (fd < 0)
        return err_system(err, "%s", path);
    int result = 0;
    while (size > 0 && result == 0) {
        ssize_t n = write(fd, bytes, size);
        if (n < 0 && errno != EINTR)
            result = err_system(err, "%s", path);
        bytes += n > 0 ? n : 0;
        size -= n > 0 ? (size_t)n : 0;
    }
    if (close(fd) < 0 && result == 0)
        result = err_system(err, "%s", path);
    return result;
}

/* Without syncing each of thousands of files: see folder_sync. */
int site_files_write(const struct site_files *files, const char *path, const char *bytes,
                     size_t size, struct err *err)
{
    struct buffer whole = {0};
    site_files_path(files, path, &whole);
    int result = whole.failed ? err_set(err, ERR_SYSTEM, "out of memory")
                              : file_create(buffer_text(&whole), bytes, size, err);
    buffer_free(&whole);
    return result;
}

/* All files of the new folder are on the disk before it takes its place. */
static int folder_sync(const char *path, struct err *err)
{
    int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    int result = fd < 0 || syncfs(fd) < 0 ? err_system(err, "%s", path) : 0;
    if (fd >= 0)
        close(fd);
    return result;
}

/* Puts the new folder in the target's place in one step where the file system can swap two names,
 * else by two renames. The old one is then under the temporary name, or *old. */
static int swap(const struct site_files *files, const char *old, bool *is_old_aside, struct err *err)
{
    *is_old_aside = false;
    if (renameat2(AT_FDCWD, files->temporary, AT_FDCWD, files->target, RENAME_EXCHANGE) == 0)
        return 0;
    if (errno != EINVAL && errno != ENOSYS)
        return err_system(err, "%s", files->target);
    if (rename(files->target, old) < 0)
        return err_system(err, "%s", files->target);
    *is_old_aside = true;
    if (rename(files->temporary, files->target) < 0) {
        int result = err_system(err, "%s", files->target);
        rename(old, files->target);
        *is_old_aside = false;
        return result;
    }
    return 0;
}

int site_files_place(struct site_files *files, struct err *err)
{
    struct stat st;
    struct buffer old = {0};
    bool is_old_aside = false;
    int result = unmark(files->temporary, err);
    if (result == 0)
        result = folder_sync(files->temporary, err);
    if (result < 0) {
        site_files_discard(files);
        return result;
    }
    if (lstat(files->target, &st) < 0) {
        if (rename(files->temporary, files->target) < 0)
            result = err_system(err, "%s", files->target);
    } else {
        buffer_add_format(&old, "%s.old", files->temporary);
        /* Held while it is removed under the name of a temporary one. */
        int old_lock = folder_lock(files->target);
        result = old.failed ? err_set(err, ERR_SYSTEM, "out of memory")
                            : swap(files, buffer_text(&old), &is_old_aside, err);
        if (result == 0 && !is_old_aside)
            mark(files->temporary);
        if (result == 0)
            result = remove_tree(is_old_aside ? buffer_text(&old) : files->temporary, err);
        folder_unlock(old_lock);
    }
    buffer_free(&old);
    if (result < 0) {
        site_files_discard(files);
        return result;
    }
    files_end(files);
    return 0;
}

void site_files_discard(struct site_files *files)
{
    struct err ignored;
    if (files->temporary && access(files->temporary, F_OK) == 0)
        remove_tree(files->temporary, &ignored);
    files_end(files);
}
