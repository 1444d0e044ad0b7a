#include "schema/spill.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { SPILL_BUFFER_BYTES = 1 << 18 };

struct spill {
    int fd;
    uint64_t written;
    size_t used;
    char buffer[SPILL_BUFFER_BYTES];
};

static int open_in(const char *folder)
{
    int fd = open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
    if (fd >= 0 || (errno != EOPNOTSUPP && errno != EISDIR && errno != EINVAL && errno != ENOENT))
        return fd;
    /* A file system that has no files without names. */
    char path[4096];
    int size = snprintf(path, sizeof path, "%s/records.XXXXXX", folder);
    if (size < 0 || (size_t)size >= sizeof path) {
        errno = ENAMETOOLONG;
        return -1;
    }
    fd = mkostemp(path, O_CLOEXEC);
    if (fd >= 0)
        unlink(path);
    return fd;
}

int spill_open(struct spill **out, const char *folder, struct err *err)
{
    const char *tmp = getenv("TMPDIR");
    if (!folder)
        folder = tmp && tmp[0] ? tmp : "/tmp";
    struct spill *spill = malloc(sizeof *spill);
    if (!spill)
        return err_set(err, ERR_SYSTEM, "out of memory");
    spill->written = spill->used = 0;
    spill->fd = open_in(folder);
    if (spill->fd < 0) {
        err_system(err, "%s: cannot make a temporary file", folder);
        free(spill);
        return ERR_SYSTEM;
    }
    *out = spill;
    return 0;
}

void spill_close(struct spill *spill)
{
    if (!spill)
        return;
    close(spill->fd);
    free(spill);
}

uint64_t spill_size(const struct spill *spill)
{
    return spill->written + spill->used;
}

int spill_flush(struct spill *spill, struct err *err)
{
    for (size_t at = 0; at < spill->used;) {
        ssize_t n = write(spill->fd, spill->buffer + at, spill->used - at);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return err_system(err, "temporary file");
        at += (size_t)n;
        spill->written += (size_t)n;
    }
    spill->used = 0;
    return 0;
}

int spill_write(struct spill *spill, const void *bytes, size_t size, struct err *err)
{
    const char *p = bytes;
    while (size > 0) {
        if (spill->used == sizeof spill->buffer)
            TRY(spill_flush(spill, err));
        size_t room = sizeof spill->buffer - spill->used;
        size_t part = size < room ? size : room;
        memcpy(spill->buffer + spill->used, p, part);
        spill->used += part;
        p += part;
        size -= part;
    }
    return 0;
}

int spill_read(const struct spill *spill, uint64_t from, void *bytes, size_t size, struct err *err)
{
    char *p = bytes;
    while (size > 0) {
        ssize_t n = pread(spill->fd, p, size, (off_t)from);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return err_system(err, "temporary file");
        if (n == 0)
            return err_set(err, ERR_SYSTEM, "temporary file: cut short");
        p += n;
        from += (uint64_t)n;
        size -= (size_t)n;
    }
    return 0;
}

void spill_drop(struct spill *spill, uint64_t from, uint64_t to)
{
    /* It only saves room, so that it does not matter where it cannot be done. */
    int ignored = fallocate(spill->fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, (off_t)from,
                            (off_t)(to - from));
    (void)ignored;
}
