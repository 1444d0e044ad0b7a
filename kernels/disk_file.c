#include "kernels/disk_file.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/fiemap.h>
#include <linux/fs.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "kernels/page_cache.h"

enum {
    POOL_BYTES = 1024 * 1024, /* no compressor of a file system looks back further; and what is written
                                should come from the cache, as it does where a program makes it */
    STAMP_EVERY = 4096,
    FREE_SHARE = 10, /* files take at most a tenth of the free space, unless their size was chosen */
    VERSION_SHIFT = 48 /* files are shorter than 2^48 bytes */
};

/* ---- settings */

static const char *size_automatic(const struct kernel_host *host, enum kernel_suite suite)
{
    static const struct {
        uint64_t mib;
        const char *text;
    } sizes[] = {{1024, "1G"}, {256, "256M"}, {128, "128M"}, {64, "64M"}, {32, "32M"}, {16, "16M"},
                 {8, "8M"},    {4, "4M"},     {2, "2M"},     {1, "1M"},   {0, "0"}};
    static const uint64_t most_mib[SUITE_COUNT] = {32, 256, 1024};
    uint64_t threads = host->n_cpus > 0 ? host->n_cpus : 1;
    size_t i = 0;
    while (sizes[i].mib > most_mib[suite] ||
           (host->disk_free_bytes > 0 &&
            sizes[i].mib * 1024 * 1024 * threads > host->disk_free_bytes / FREE_SHARE))
        i++;
    return sizes[i].text;
}

const struct kernel_setting disk_size_setting = {
    .key = "size",
    .help = "bytes of each thread's file, rounded down to whole blocks, one at least. The default "
            "depends on the free space: a tenth of it for the files of all threads at most",
    .type = SETTING_BYTES,
    .automatic = size_automatic};

const struct kernel_setting disk_mode_setting = {
    .key = "mode",
    .help = "buffered: through the page cache; direct: past it (O_DIRECT)",
    .type = SETTING_WORD,
    .values = {"buffered,direct", "buffered,direct", "buffered,direct"},
    .allowed = "buffered,direct"};

bool disk_is_direct(const struct kernel_job *job)
{
    return strcmp(kernel_setting(job, "mode"), "direct") == 0;
}

enum kernel_outcome disk_room(struct kernel_job *job, uint64_t bytes)
{
    struct statvfs fs;
    if (statvfs(job->folder, &fs) < 0)
        return kernel_reason(job, KERNEL_FAILED, "cannot ask for the free space: %s",
                             strerror(errno));
    const uint64_t mib = 1024 * 1024, free_bytes = (uint64_t)fs.f_bavail * fs.f_frsize;
    if (bytes == 0)
        return kernel_reason(job, KERNEL_UNAVAILABLE,
                             "1 MiB for each thread would be more than a tenth of the free space, "
                             "%" PRIu64 " MiB; --set=size=... is for those who want it yet",
                             free_bytes / mib);
    if (bytes > free_bytes)
        return kernel_reason(job, KERNEL_UNAVAILABLE,
                             "%" PRIu64 " MiB of files do not fit into the free space, %" PRIu64
                             " MiB; --set=size=... makes them smaller",
                             (bytes + mib - 1) / mib, free_bytes / mib);
    return KERNEL_OK;
}

/* ---- bytes */

static uint64_t stamp_of(uint64_t seed, uint64_t position)
{
    seed ^= position;
    return kernel_random(&seed);
}

void disk_stamp(void *bytes, size_t size, uint64_t seed, uint64_t position)
{
    for (size_t at = 0; at < size; at += STAMP_EVERY) {
        uint64_t stamp = stamp_of(seed, position + at);
        size_t n = size - at < sizeof stamp ? size - at : sizeof stamp;
        memcpy((unsigned char *)bytes + at, &stamp, n);
    }
}

const unsigned char *disk_file_bytes(const struct disk_file *file, uint64_t index,
                                     uint64_t version)
{
    unsigned char *block = file->pool + index % file->pool_blocks * file->block;
    disk_stamp(block, file->block, file->seed ^ version << VERSION_SHIFT, index * file->block);
    return block;
}

bool disk_file_has_stamp(const struct disk_file *file, uint64_t index)
{
    uint64_t stamp = stamp_of(file->seed, index * file->block);
    return file->block < sizeof stamp || memcmp(file->buffer, &stamp, sizeof stamp) == 0;
}

static size_t pool_blocks_of(uint64_t block, uint64_t n_blocks)
{
    uint64_t n = block > 0 ? POOL_BYTES / block : 0;
    n = n < n_blocks ? n : n_blocks;
    return n > 0 ? (size_t)n : 1;
}

static size_t pool_bytes_of(uint64_t block, uint64_t n_blocks)
{
    size_t bytes = pool_blocks_of(block, n_blocks) * (size_t)block;
    return (bytes + STAMP_EVERY - 1) / STAMP_EVERY * STAMP_EVERY;
}

size_t disk_file_memory(uint64_t block, uint64_t n_blocks)
{
    return pool_bytes_of(block, n_blocks) + (size_t)block;
}

/* ---- blocks to and from the disk */

enum kernel_outcome disk_trouble(struct kernel_job *job, const char *verb, const char *place)
{
    if (errno == ENOSPC || errno == EDQUOT)
        return kernel_reason(job, KERNEL_FAILED, "no space: %s of %s", verb, place);
    return kernel_reason(job, KERNEL_FAILED, "%s of %s: %s", verb, place, strerror(errno));
}

static enum kernel_outcome block_trouble(struct kernel_job *job, const struct disk_file *file,
                                         const char *verb, uint64_t index)
{
    if (errno == EINVAL && file->is_direct)
        return kernel_reason(job, KERNEL_UNAVAILABLE,
                             "the file system refuses direct %ss of %zu B", verb, file->block);
    char place[96];
    snprintf(place, sizeof place, "block %" PRIu64 " of %" PRIu64 ", %zu B each", index,
             file->n_blocks, file->block);
    return disk_trouble(job, verb, place);
}

enum kernel_outcome disk_file_write(struct kernel_job *job, const struct disk_file *file,
                                    uint64_t index, uint64_t version)
{
    const unsigned char *block = disk_file_bytes(file, index, version);
    for (size_t done = 0; done < file->block;) {
        ssize_t n = pwrite(file->fd, block + done, file->block - done,
                           (off_t)(index * file->block + done));
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return block_trouble(job, file, "write", index);
        done += (size_t)n;
    }
    return KERNEL_OK;
}

static enum kernel_outcome block_read(struct kernel_job *job, const struct disk_file *file, int fd,
                                      uint64_t index)
{
    for (size_t done = 0; done < file->block;) {
        ssize_t n = pread(fd, file->buffer + done, file->block - done,
                          (off_t)(index * file->block + done));
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return block_trouble(job, file, "read", index);
        if (n == 0)
            return kernel_reason(job, KERNEL_WRONG, "the file ends in block %" PRIu64, index);
        done += (size_t)n;
    }
    return KERNEL_OK;
}

enum kernel_outcome disk_file_read(struct kernel_job *job, const struct disk_file *file,
                                   uint64_t index)
{
    return block_read(job, file, file->fd, index);
}

enum kernel_outcome disk_file_sync(struct kernel_job *job, const struct disk_file *file)
{
    return fsync(file->fd) < 0 ? disk_trouble(job, "fsync", "the test file") : KERNEL_OK;
}

enum kernel_outcome disk_file_compare(struct kernel_job *job, const struct disk_file *file,
                                      uint64_t index, uint64_t version)
{
    const unsigned char *right = disk_file_bytes(file, index, version);
    size_t at = 0;
    if (memcmp(file->buffer, right, file->block) == 0)
        return KERNEL_OK;
    while (file->buffer[at] == right[at])
        at++;
    return kernel_reason(job, KERNEL_WRONG,
                         "byte %" PRIu64 " of the file: expected %02x, found %02x",
                         index * file->block + at, right[at], file->buffer[at]);
}

/* What the device has is compared, not what the page cache remembers; where the cache cannot be
 * emptied, that has to do. */
enum kernel_outcome disk_file_compare_all(struct kernel_job *job, const struct disk_file *file,
                                          const uint32_t *versions)
{
    int fd = open(file->path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return kernel_reason(job, KERNEL_FAILED, "cannot open the test file again: %s",
                             strerror(errno));
    posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
    enum kernel_outcome outcome = KERNEL_OK;
    for (uint64_t i = 0; i < file->n_blocks && outcome == KERNEL_OK; i++) {
        outcome = block_read(job, file, fd, i);
        if (outcome == KERNEL_OK)
            outcome = disk_file_compare(job, file, i, versions ? versions[i] : 0);
    }
    close(fd);
    return outcome;
}

/* ---- opening */

/* Documentation/filesystems/fiemap.rst of the kernel. */
bool disk_file_place(const struct disk_file *file, uint64_t *place)
{
    union {
        struct fiemap map;
        char bytes[sizeof(struct fiemap) + sizeof(struct fiemap_extent)];
    } ask = {.map = {.fm_length = file->block, .fm_extent_count = 1}};
    struct fiemap_extent extent;
    if (ioctl(file->fd, FS_IOC_FIEMAP, &ask.map) < 0 || ask.map.fm_mapped_extents != 1)
        return false;
    memcpy(&extent, ask.bytes + sizeof(struct fiemap), sizeof extent);
    if (extent.fe_flags &
        (FIEMAP_EXTENT_UNKNOWN | FIEMAP_EXTENT_DELALLOC | FIEMAP_EXTENT_DATA_INLINE))
        return false;
    *place = extent.fe_physical;
    return true;
}

static enum kernel_outcome file_open(struct kernel_job *job, struct disk_file *file, int flags)
{
    file->fd = open(file->path, flags | O_CLOEXEC, 0600);
    if (file->fd >= 0)
        return KERNEL_OK;
    if (errno == EINVAL && (flags & O_DIRECT))
        return kernel_reason(job, KERNEL_UNAVAILABLE, "the file system refuses O_DIRECT");
    return disk_trouble(job, "opening", "a file in the test folder");
}

static enum kernel_outcome file_close(struct kernel_job *job, struct disk_file *file)
{
    int fd = file->fd;
    file->fd = -1;
    if (fd >= 0 && close(fd) < 0)
        return disk_trouble(job, "closing", "the test file");
    return KERNEL_OK;
}

enum kernel_outcome disk_direct_possible(struct kernel_job *job, int fd, uint64_t bytes)
{
    if (page_cache_is_all(fd))
        return kernel_reason(job, KERNEL_UNAVAILABLE,
                             "files of this file system are in memory (tmpfs): nothing is direct");
#ifdef STATX_DIOALIGN
    struct statx facts;
    if (statx(fd, "", AT_EMPTY_PATH, STATX_DIOALIGN, &facts) == 0 &&
        (facts.stx_mask & STATX_DIOALIGN)) {
        if (facts.stx_dio_offset_align == 0)
            return kernel_reason(job, KERNEL_UNAVAILABLE,
                                 "the file system has no direct transfers");
        if (bytes % facts.stx_dio_offset_align != 0)
            return kernel_reason(job, KERNEL_UNAVAILABLE,
                                 "direct transfers must be multiples of %" PRIu32 " B",
                                 (uint32_t)facts.stx_dio_offset_align);
    }
#else
    (void)bytes;
#endif
    return KERNEL_OK;
}

enum kernel_outcome disk_file_create(struct kernel_job *job, struct disk_file *file)
{
    enum kernel_outcome outcome =
        file_open(job, file, O_RDWR | O_CREAT | O_EXCL | (file->is_direct ? O_DIRECT : 0));
    return outcome == KERNEL_OK && file->is_direct
               ? disk_direct_possible(job, file->fd, file->block)
               : outcome;
}

enum kernel_outcome disk_file_prepare(struct kernel_job *job, struct disk_file *file, bool writable)
{
    enum kernel_outcome outcome = file_open(job, file, O_RDWR | O_CREAT | O_EXCL);
    if (outcome == KERNEL_OK && file->is_direct)
        outcome = disk_direct_possible(job, file->fd, file->block);
    if (outcome == KERNEL_OK && page_cache_is_all(file->fd))
        return page_cache_drop(job, file->fd, 0);
    for (uint64_t i = 0; i < file->n_blocks && outcome == KERNEL_OK; i++)
        outcome = disk_file_write(job, file, i, 0);
    if (outcome == KERNEL_OK)
        outcome = disk_file_sync(job, file);
    if (outcome == KERNEL_OK)
        outcome = page_cache_drop(job, file->fd, file->n_blocks * file->block);
    if (outcome == KERNEL_OK)
        outcome = file_close(job, file);
    if (outcome == KERNEL_OK)
        outcome = file_open(job, file,
                            (writable ? O_RDWR : O_RDONLY) | (file->is_direct ? O_DIRECT : 0));
    return outcome;
}

enum kernel_outcome disk_file_begin(struct kernel_job *job, struct disk_file *file, uint64_t block,
                                    uint64_t n_blocks, bool is_direct)
{
    *file = (struct disk_file){.fd = -1,
                               .is_direct = is_direct,
                               .n_blocks = n_blocks,
                               .block = (size_t)block,
                               .seed = job->seed,
                               .pool_blocks = pool_blocks_of(block, n_blocks),
                               .pool = job->memory};
    file->buffer = file->pool + pool_bytes_of(block, n_blocks);
    if (asprintf(&file->path, "%s/%u", job->folder, job->thread) < 0) {
        file->path = NULL;
        return kernel_reason(job, KERNEL_FAILED, "out of memory");
    }
    kernel_fill_random(file->pool, pool_bytes_of(block, n_blocks), job->seed);
    return KERNEL_OK;
}

void disk_file_end(struct disk_file *file)
{
    if (file->fd >= 0)
        close(file->fd);
    if (file->path)
        unlink(file->path);
    free(file->path);
}
