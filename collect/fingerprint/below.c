#include "collect/fingerprint/below.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* openat2 with RESOLVE_IN_ROOT does this in one call, but valgrind, sandboxes and Linux before 5.6
 * do not know it. */

enum { LINKS_MAX = 40 }; /* as many as the kernel follows (path_resolution(7)) */

struct walk {
    char done[PATH_MAX];  /* the root and components that are no links */
    size_t root_size;     /* of the root in it */
    size_t size;          /* of done */
    char ahead[PATH_MAX]; /* still to go */
    int n_links;
};

/* The link at the end of done: its target goes ahead of the rest. */
static int follow_link(struct walk *walk, size_t size_before)
{
    char target[PATH_MAX], rest[PATH_MAX];
    ssize_t size = readlink(walk->done, target, sizeof target - 1);
    if (size < 0)
        return -1;
    target[size] = '\0';
    if (++walk->n_links > LINKS_MAX) {
        errno = ELOOP;
        return -1;
    }
    walk->size = target[0] == '/' ? walk->root_size : size_before;
    walk->done[walk->size] = '\0';
    memcpy(rest, walk->ahead, strlen(walk->ahead) + 1);
    int length = snprintf(walk->ahead, sizeof walk->ahead, "%s/%s", target, rest);
    if (length < 0 || (size_t)length >= sizeof walk->ahead) {
        errno = ENAMETOOLONG;
        return -1;
    }
    return 0;
}

/* Takes the next component; 1 when there was none left, 0, or -1. */
static int step(struct walk *walk)
{
    char *name = walk->ahead + strspn(walk->ahead, "/");
    size_t size = strcspn(name, "/");
    if (size == 0)
        return 1;
    size_t before = walk->size;
    if (size == 2 && memcmp(name, "..", 2) == 0) {
        while (walk->size > walk->root_size && walk->done[--walk->size] != '/')
            continue;
        walk->done[walk->size] = '\0';
    } else if (size != 1 || name[0] != '.') {
        if (walk->size + 1 + size >= sizeof walk->done) {
            errno = ENAMETOOLONG;
            return -1;
        }
        walk->done[walk->size++] = '/';
        memcpy(walk->done + walk->size, name, size);
        walk->size += size;
        walk->done[walk->size] = '\0';
    }
    memmove(walk->ahead, name + size, strlen(name + size) + 1);
    struct stat st;
    if (lstat(walk->done, &st) < 0)
        return -1;
    return S_ISLNK(st.st_mode) && walk->size > before ? follow_link(walk, before) : 0;
}

int below_open(const char *root, const char *path, int flags)
{
    if (root[0] == '\0')
        return open(path, flags | O_CLOEXEC);
    struct walk walk = {.n_links = 0};
    walk.root_size = walk.size = strlen(root);
    if (walk.size >= sizeof walk.done || strlen(path) >= sizeof walk.ahead) {
        errno = ENAMETOOLONG;
        return -1;
    }
    memcpy(walk.done, root, walk.size + 1);
    memcpy(walk.ahead, path, strlen(path) + 1);
    int result;
    do
        result = step(&walk);
    while (result == 0);
    return result < 0 ? -1 : open(walk.done, flags | O_CLOEXEC | O_NOFOLLOW);
}
