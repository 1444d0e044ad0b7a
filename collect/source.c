#include "collect/source.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

int source_open(struct source *source, const char *path, struct err *err)
{
    *source = (struct source){.path = path, .fd = STDIN_FILENO};
    if (strcmp(path, "-") == 0)
        source->path = "standard input";
    else
        source->fd = open(path, O_RDONLY | O_CLOEXEC);
    struct stat st;
    if (source->fd < 0 || fstat(source->fd, &st) < 0)
        return err_system(err, "%s", path);
    if (S_ISDIR(st.st_mode))
        return err_set(err, ERR_USAGE, "%s: is a folder", path);
    source->can_seek = S_ISREG(st.st_mode) || S_ISBLK(st.st_mode);
    source->can_have_holes = S_ISREG(st.st_mode);
    off_t end = source->can_seek ? lseek(source->fd, 0, SEEK_END) : -1;
    /* Files of /proc have the size 0 and more to say than that. */
    char byte;
    source->has_size = end > 0 || (end == 0 && pread(source->fd, &byte, 1, 0) == 0);
    source->size = source->has_size ? (uint64_t)end : 0;
    return 0;
}

void source_close(struct source *source)
{
    if (source->fd > STDIN_FILENO)
        close(source->fd);
    source->fd = -1;
}

int source_read(struct source *source, uint64_t offset, void *bytes, size_t size, size_t *n,
                struct err *err)
{
    *n = 0;
    while (*n < size) {
        char *place = (char *)bytes + *n;
        ssize_t got = source->can_seek
                          ? pread(source->fd, place, size - *n, (off_t)(offset + *n))
                          : read(source->fd, place, size - *n);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return err_system(err, "%s: at 0x%" PRIX64, source->path, offset + *n);
        if (got == 0)
            break;
        *n += (size_t)got;
        source->position += (uint64_t)got;
    }
    return 0;
}

int source_skip(struct source *source, uint64_t offset, struct err *err)
{
    if (source->has_size && offset > source->size)
        return err_set(err, ERR_USAGE, "%s: OFFSET 0x%" PRIX64 " lies beyond the end, 0x%" PRIX64,
                       source->path, offset, source->size);
    char skipped[65536];
    while (!source->can_seek && source->position < offset) {
        uint64_t left = offset - source->position;
        size_t n;
        TRY(source_read(source, 0, skipped, left < sizeof skipped ? (size_t)left : sizeof skipped, &n,
                        err));
        if (n == 0)
            return err_set(err, ERR_USAGE, "%s: OFFSET 0x%" PRIX64 " lies beyond the end, 0x%" PRIX64,
                           source->path, offset, source->position);
    }
    return 0;
}

uint64_t source_extent(const struct source *source, uint64_t offset, bool *is_hole)
{
    *is_hole = false;
    if (!source->can_have_holes || !source->has_size || offset >= source->size)
        return UINT64_MAX;
    off_t data = lseek(source->fd, (off_t)offset, SEEK_DATA);
    *is_hole = data > (off_t)offset || (data < 0 && errno == ENXIO);
    if (*is_hole)
        return data < 0 ? source->size - offset : (uint64_t)data - offset;
    off_t hole = data < 0 ? -1 : lseek(source->fd, (off_t)offset, SEEK_HOLE);
    return hole > (off_t)offset ? (uint64_t)hole - offset : UINT64_MAX;
}

void source_forget(const struct source *source)
{
    if (source->can_seek)
        posix_fadvise(source->fd, 0, 0, POSIX_FADV_DONTNEED);
}
