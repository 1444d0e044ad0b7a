/* Writing and reading a file of its own per thread in blocks of one size.
 *
 * The bytes of a file are defined by the seed: a pool of random bytes as long as 16 MiB or one
 * block, over and over, but with a stamp at every 4096 bytes of each block that differs from all
 * others. So no page of the file is like another and none compresses, while what must be made
 * inside the timed loop is 8 bytes in 4096. */
#include "kernels/kernel.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "kernels/page_cache.h"

enum { DISK_WRITE, DISK_READ };

enum {
    POOL_BYTES = 16 * 1024 * 1024,
    STAMP_EVERY = 4096,
    FREE_SHARE = 10 /* files take at most a tenth of the free space */
};

struct disk_block {
    char *path; /* owned */
    int fd;     /* -1: not open */
    uint64_t n_blocks;
    size_t block;
    size_t pool_blocks;
    unsigned char *pool;   /* [pool_blocks * block] */
    unsigned char *buffer; /* [block], aligned as the pool is: to a page */
    uint64_t n_bad;        /* blocks that were read and were not those written */
    uint64_t first_bad;
};

static bool is_direct(const struct kernel_job *job)
{
    return strcmp(kernel_setting(job, "mode"), "direct") == 0;
}

static uint64_t blocks_of(const struct kernel_job *job)
{
    uint64_t n = kernel_setting_number(job, "size") / job->x;
    return n > 0 ? n : 1;
}

static size_t pool_blocks_of(const struct kernel_job *job)
{
    uint64_t n = POOL_BYTES / job->x;
    n = n < blocks_of(job) ? n : blocks_of(job);
    return n > 0 ? (size_t)n : 1;
}

static size_t pool_bytes_of(const struct kernel_job *job)
{
    size_t bytes = pool_blocks_of(job) * (size_t)job->x;
    return (bytes + STAMP_EVERY - 1) / STAMP_EVERY * STAMP_EVERY;
}

static size_t disk_block_memory(const struct kernel_job *job)
{
    return pool_bytes_of(job) + (size_t)job->x;
}

/* ---- the bytes of a file */

static uint64_t stamp_of(const struct kernel_job *job, uint64_t position)
{
    uint64_t seed = job->seed ^ position;
    return kernel_random(&seed);
}

/* The bytes that belong into a block of the file; they stay until the next call. */
static const unsigned char *block_make(const struct kernel_job *job, uint64_t index)
{
    const struct disk_block *state = job->state;
    unsigned char *block = state->pool + index % state->pool_blocks * state->block;
    for (size_t at = 0; at + sizeof(uint64_t) <= state->block; at += STAMP_EVERY) {
        uint64_t stamp = stamp_of(job, index * state->block + at);
        memcpy(block + at, &stamp, sizeof stamp);
    }
    return block;
}

/* ---- blocks to and from the disk */

static enum kernel_outcome io_trouble(struct kernel_job *job, const char *verb, uint64_t index)
{
    if (errno == EINVAL && is_direct(job))
        return kernel_reason(job, KERNEL_UNAVAILABLE,
                             "the file system refuses direct %ss of %" PRIu64 " B", verb, job->x);
    if (errno == ENOSPC || errno == EDQUOT)
        return kernel_reason(job, KERNEL_FAILED,
                             "no space: after %" PRIu64 " of %" PRIu64 " blocks of %" PRIu64 " B",
                             index, blocks_of(job), job->x);
    return kernel_reason(job, KERNEL_FAILED, "%s of block %" PRIu64 ": %s", verb, index,
                         strerror(errno));
}

static enum kernel_outcome block_write(struct kernel_job *job, uint64_t index)
{
    const struct disk_block *state = job->state;
    const unsigned char *block = block_make(job, index);
    for (size_t done = 0; done < state->block;) {
        ssize_t n = pwrite(state->fd, block + done, state->block - done,
                           (off_t)(index * state->block + done));
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return io_trouble(job, "write", index);
        done += (size_t)n;
    }
    return KERNEL_OK;
}

static enum kernel_outcome block_read(struct kernel_job *job, int fd, uint64_t index)
{
    const struct disk_block *state = job->state;
    for (size_t done = 0; done < state->block;) {
        ssize_t n = pread(fd, state->buffer + done, state->block - done,
                          (off_t)(index * state->block + done));
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return io_trouble(job, "read", index);
        if (n == 0)
            return kernel_reason(job, KERNEL_WRONG, "the file ends in block %" PRIu64, index);
        done += (size_t)n;
    }
    return KERNEL_OK;
}

static enum kernel_outcome write_all(struct kernel_job *job)
{
    const struct disk_block *state = job->state;
    enum kernel_outcome outcome = KERNEL_OK;
    for (uint64_t i = 0; i < state->n_blocks && outcome == KERNEL_OK; i++)
        outcome = block_write(job, i);
    return outcome;
}

static enum kernel_outcome sync_all(struct kernel_job *job)
{
    const struct disk_block *state = job->state;
    return fsync(state->fd) < 0 ? io_trouble(job, "fsync", state->n_blocks) : KERNEL_OK;
}

/* ---- opening */

static enum kernel_outcome file_open(struct kernel_job *job, int flags)
{
    struct disk_block *state = job->state;
    state->fd = open(state->path, flags | O_CLOEXEC, 0600);
    if (state->fd >= 0)
        return KERNEL_OK;
    if (errno == EINVAL && (flags & O_DIRECT))
        return kernel_reason(job, KERNEL_UNAVAILABLE, "the file system refuses O_DIRECT");
    return kernel_reason(job, KERNEL_FAILED, "cannot open a file in the test folder: %s",
                         strerror(errno));
}

static enum kernel_outcome file_close(struct kernel_job *job)
{
    struct disk_block *state = job->state;
    int fd = state->fd;
    state->fd = -1;
    if (fd >= 0 && close(fd) < 0)
        return kernel_reason(job, KERNEL_FAILED, "cannot close the test file: %s", strerror(errno));
    return KERNEL_OK;
}

/* Whether blocks of this size can bypass the page cache, as far as the system tells. */
static enum kernel_outcome direct_possible(struct kernel_job *job)
{
    const struct disk_block *state = job->state;
    if (page_cache_is_all(state->fd))
        return kernel_reason(job, KERNEL_UNAVAILABLE,
                             "files of this file system are in memory (tmpfs): nothing is direct");
#ifdef STATX_DIOALIGN
    struct statx facts;
    if (statx(state->fd, "", AT_EMPTY_PATH, STATX_DIOALIGN, &facts) == 0 &&
        (facts.stx_mask & STATX_DIOALIGN)) {
        if (facts.stx_dio_offset_align == 0)
            return kernel_reason(job, KERNEL_UNAVAILABLE,
                                 "the file system has no direct transfers");
        if (job->x % facts.stx_dio_offset_align != 0)
            return kernel_reason(job, KERNEL_UNAVAILABLE,
                                 "direct transfers must be multiples of %" PRIu32 " B",
                                 (uint32_t)facts.stx_dio_offset_align);
    }
#endif
    return KERNEL_OK;
}

/* ---- the kernel */

static enum kernel_outcome disk_block_needs(struct kernel_job *job)
{
    if (job->x == 0 || job->x > SIZE_MAX / 4)
        return kernel_reason(job, KERNEL_UNAVAILABLE, "no block has %" PRIu64 " B", job->x);
    struct statvfs fs;
    if (statvfs(job->folder, &fs) < 0)
        return kernel_reason(job, KERNEL_FAILED, "cannot ask for the free space: %s",
                             strerror(errno));
    const uint64_t mib = 1024 * 1024;
    uint64_t allowed = (uint64_t)fs.f_bavail * fs.f_frsize / FREE_SHARE / job->threads;
    if (blocks_of(job) * job->x > allowed)
        return kernel_reason(job, KERNEL_UNAVAILABLE,
                             "%u files of %" PRIu64 " MiB are more than a tenth of the free space, "
                             "%" PRIu64 " MiB; --set=size=... makes them smaller",
                             job->threads, blocks_of(job) * job->x / mib,
                             (uint64_t)fs.f_bavail * fs.f_frsize / mib);
    return KERNEL_OK;
}

/* The file to read: written, on the disk, and not in memory any more. */
static enum kernel_outcome read_setup(struct kernel_job *job)
{
    const struct disk_block *state = job->state;
    enum kernel_outcome outcome = file_open(job, O_RDWR | O_CREAT | O_EXCL);
    if (outcome == KERNEL_OK && page_cache_is_all(state->fd))
        return page_cache_drop(job, state->fd, 0);
    if (outcome == KERNEL_OK)
        outcome = write_all(job);
    if (outcome == KERNEL_OK)
        outcome = sync_all(job);
    if (outcome == KERNEL_OK)
        outcome = page_cache_drop(job, state->fd, state->n_blocks * state->block);
    if (outcome == KERNEL_OK)
        outcome = file_close(job);
    return outcome == KERNEL_OK ? file_open(job, O_RDONLY | (is_direct(job) ? O_DIRECT : 0))
                                : outcome;
}

static enum kernel_outcome disk_block_setup(struct kernel_job *job)
{
    struct disk_block *state = calloc(1, sizeof *state);
    if (!state)
        return kernel_reason(job, KERNEL_FAILED, "out of memory");
    job->state = state;
    state->fd = -1;
    state->n_blocks = blocks_of(job);
    state->block = (size_t)job->x;
    state->pool_blocks = pool_blocks_of(job);
    state->pool = job->memory;
    state->buffer = state->pool + pool_bytes_of(job);
    if (asprintf(&state->path, "%s/%u", job->folder, job->thread) < 0) {
        state->path = NULL;
        return kernel_reason(job, KERNEL_FAILED, "out of memory");
    }
    kernel_fill_random(state->pool, pool_bytes_of(job), job->seed);
    enum kernel_outcome outcome =
        job->test->code == DISK_READ
            ? read_setup(job)
            : file_open(job, O_RDWR | O_CREAT | O_EXCL | (is_direct(job) ? O_DIRECT : 0));
    return outcome == KERNEL_OK && is_direct(job) ? direct_possible(job) : outcome;
}

static void disk_block_teardown(struct kernel_job *job)
{
    struct disk_block *state = job->state;
    if (!state)
        return;
    if (state->fd >= 0)
        close(state->fd);
    if (state->path)
        unlink(state->path);
    free(state->path);
    free(state);
    job->state = NULL;
}

static enum kernel_outcome write_run(struct kernel_job *job, uint64_t iterations)
{
    const struct disk_block *state = job->state;
    enum kernel_outcome outcome = KERNEL_OK;
    for (uint64_t i = 0; i < iterations && outcome == KERNEL_OK; i++) {
        if ((job->n_runs > 0 || i > 0) && ftruncate(state->fd, 0) < 0)
            return io_trouble(job, "truncation", 0);
        outcome = write_all(job);
        kernel_lap(job, NULL);
        if (outcome == KERNEL_OK)
            outcome = sync_all(job);
        kernel_lap(job, "sync_time");
    }
    return outcome;
}

/* Each block must begin with its stamp: that costs next to nothing, and shows that this block was
 * read and no other. */
static enum kernel_outcome read_run(struct kernel_job *job, uint64_t iterations)
{
    struct disk_block *state = job->state;
    const bool has_stamp = state->block >= sizeof(uint64_t);
    for (uint64_t i = 0; i < iterations; i++) {
        for (uint64_t index = 0; index < state->n_blocks; index++) {
            enum kernel_outcome outcome = block_read(job, state->fd, index);
            if (outcome != KERNEL_OK)
                return outcome;
            uint64_t stamp = stamp_of(job, index * state->block);
            if (has_stamp && memcmp(state->buffer, &stamp, sizeof stamp) != 0 &&
                state->n_bad++ == 0)
                state->first_bad = index;
        }
    }
    return KERNEL_OK;
}

static enum kernel_outcome block_compare(struct kernel_job *job, uint64_t index)
{
    const struct disk_block *state = job->state;
    const unsigned char *right = block_make(job, index);
    size_t at = 0;
    if (memcmp(state->buffer, right, state->block) == 0)
        return KERNEL_OK;
    while (state->buffer[at] == right[at])
        at++;
    return kernel_reason(job, KERNEL_WRONG,
                         "byte %" PRIu64 " of the file: expected %02x, found %02x",
                         index * state->block + at, right[at], state->buffer[at]);
}

/* Compares every byte of the file, read through the page cache in whatever mode was timed. */
static enum kernel_outcome file_compare(struct kernel_job *job)
{
    const struct disk_block *state = job->state;
    int fd = open(state->path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return kernel_reason(job, KERNEL_FAILED, "cannot open the test file again: %s",
                             strerror(errno));
    enum kernel_outcome outcome = KERNEL_OK;
    for (uint64_t i = 0; i < state->n_blocks && outcome == KERNEL_OK; i++) {
        outcome = block_read(job, fd, i);
        if (outcome == KERNEL_OK)
            outcome = block_compare(job, i);
    }
    close(fd);
    return outcome;
}

static enum kernel_outcome disk_block_check(struct kernel_job *job)
{
    const struct disk_block *state = job->state;
    if (job->test->code == DISK_WRITE) {
        /* What the device has is compared, not what the page cache remembers; where the cache cannot
         * be emptied, that has to do. */
        posix_fadvise(state->fd, 0, 0, POSIX_FADV_DONTNEED);
        return file_compare(job);
    }
    if (state->n_bad > 0)
        return kernel_reason(job, KERNEL_WRONG,
                             "%" PRIu64 " blocks were not those written, the first was %" PRIu64,
                             state->n_bad, state->first_bad);
    enum kernel_outcome outcome = block_compare(job, state->n_blocks - 1); /* still in the buffer */
    return outcome == KERNEL_OK ? file_compare(job) : outcome;
}

static void disk_block_work(const struct kernel_job *job, struct kernel_work *work)
{
    double bytes = (double)blocks_of(job) * (double)job->x;
    if (job->test->code == DISK_WRITE)
        work->bytes_written = bytes;
    else
        work->bytes_read = bytes;
}

static size_t disk_block_sizes(const struct kernel_host *host, enum kernel_suite suite,
                               uint64_t *out, size_t capacity)
{
    (void)host;
    const uint64_t last = suite == SUITE_QUICK ? 16 * 1024 * 1024 : 64 * 1024 * 1024;
    const uint64_t step = suite == SUITE_QUICK ? 4 : 2;
    size_t n = 0;
    for (uint64_t size = suite == SUITE_QUICK ? 4096 : 512; size <= last && n < capacity;
         size *= step)
        out[n++] = size;
    return n;
}

static const struct kernel_metric write_metrics[] = {
    {"rate", QUANTITY_BYTE_RATE}, {"sync_time", QUANTITY_LAP}, {0}};
static const struct kernel_metric read_metrics[] = {{"rate", QUANTITY_BYTE_RATE}, {0}};
static const struct kernel_setting mode_setting = {
    .key = "mode",
    .help = "buffered: through the page cache; direct: past it (O_DIRECT)",
    .type = SETTING_WORD,
    .values = {"buffered,direct", "buffered,direct", "buffered,direct"},
    .allowed = "buffered,direct"};
static const struct kernel_setting size_setting = {
    .key = "size",
    .help = "bytes of each thread's file, rounded down to whole blocks, one at least",
    .type = SETTING_BYTES,
    .values = {"32M", "256M", "1G"}};
static const struct kernel_setting *const disk_settings[] = {&mode_setting, &size_setting, NULL};

static const struct kernel_test tests[] = {
    {.name = "write", .summary = "writes a new file; the final fsync is part of the rate",
     .metrics = write_metrics, .settings = disk_settings, .code = DISK_WRITE, .run = write_run},
    {.name = "read", .summary = "reads a file whose page cache was dropped before",
     .metrics = read_metrics, .settings = disk_settings, .code = DISK_READ, .run = read_run},
    {0}};

const struct kernel kernel_disk_block = {
    .name = "disk_block",
    .summary = "Write and read speed of a file by block size. The data is random and does not "
               "repeat; what was written is read back and compared. Reads start with nothing of "
               "the file in the page cache of this system; a host below it may have its own",
    .source = "Mihocka, HDTEST32 (2008); Longbottom, DiskGraf",
    .needs_text = "ten times the size of the files as free space; for reads a file system that is "
                  "not in memory; mode=direct: O_DIRECT",
    .revision = 1,
    .flags = KERNEL_ONE_PASS | KERNEL_WANTS_FOLDER,
    .tests = tests,
    .x_unit = "B",
    .sizes = disk_block_sizes,
    .threads = {"1", "1", "1,all"},
    .work = disk_block_work,
    .needs = disk_block_needs,
    .memory = disk_block_memory,
    .setup = disk_block_setup,
    .check = disk_block_check,
    .teardown = disk_block_teardown,
};
