#include "kernels/page_cache.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/magic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/statfs.h>
#include <unistd.h>

enum {
    WINDOW_BYTES = 64 * 1024 * 1024, /* of the file, mapped at a time: address space may be short */
    SMALLEST_PAGE = 4096
};

bool page_cache_is_all(int fd)
{
    struct statfs fs;
    return fstatfs(fd, &fs) == 0 && ((unsigned long)fs.f_type == TMPFS_MAGIC ||
                                     (unsigned long)fs.f_type == RAMFS_MAGIC);
}

/* How many pages of the file are in the page cache, or -1 with errno. */
static int64_t pages_resident(int fd, uint64_t bytes)
{
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    unsigned char *is_resident = malloc(WINDOW_BYTES / SMALLEST_PAGE);
    int64_t n = is_resident ? 0 : -1;
    for (uint64_t at = 0; at < bytes && n >= 0; at += WINDOW_BYTES) {
        size_t size = bytes - at < WINDOW_BYTES ? (size_t)(bytes - at) : (size_t)WINDOW_BYTES;
        void *map = mmap(NULL, size, PROT_READ, MAP_SHARED, fd, (off_t)at);
        if (map == MAP_FAILED || mincore(map, size, is_resident) < 0)
            n = -1;
        for (size_t i = 0; n >= 0 && i < (size + page - 1) / page; i++)
            n += is_resident[i] & 1;
        if (map != MAP_FAILED)
            munmap(map, size);
    }
    free(is_resident);
    return n;
}

/* Everything that the system has in its page cache: root may, and others lose no more than time. */
static bool all_drop(void)
{
    int fd = open("/proc/sys/vm/drop_caches", O_WRONLY | O_CLOEXEC);
    if (fd < 0)
        return false;
    bool is_dropped = write(fd, "1", 1) == 1;
    close(fd);
    return is_dropped;
}

enum kernel_outcome page_cache_drop(struct kernel_job *job, int fd, uint64_t bytes)
{
    if (page_cache_is_all(fd))
        return kernel_reason(job, KERNEL_UNAVAILABLE,
                             "the page cache cannot be dropped (tmpfs): reads would not reach a "
                             "device");
    int error = posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
    if (error != 0)
        return kernel_reason(job, KERNEL_UNAVAILABLE, "the page cache cannot be dropped: %s",
                             strerror(error));
    int64_t n = pages_resident(fd, bytes);
    if (n > 0 && all_drop())
        n = pages_resident(fd, bytes);
    if (n < 0)
        return kernel_reason(job, KERNEL_UNAVAILABLE,
                             "cannot tell whether the page cache was dropped: %s", strerror(errno));
    if (n > 0)
        return kernel_reason(job, KERNEL_UNAVAILABLE,
                             "%" PRId64 " pages of the file stay in the page cache", n);
    return KERNEL_OK;
}
