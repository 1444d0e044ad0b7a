/* Reading the start of a device, or of a file, without anything in between where possible. */
#include "kernels/kernel.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "kernels/disk_file.h"
#include "kernels/page_cache.h"

enum { ALIGNMENT = 4096 };

struct disk_raw {
    int fd; /* -1 */
    bool is_in_use; /* a device that is mounted may change meanwhile */
    uint64_t n_blocks;
    size_t block;
    unsigned char *buffer; /* [block] */
    uint64_t *first_words; /* [n_blocks] of each block, as read; owned */
    uint64_t n_done;
};

static uint64_t blocks_wanted(const struct kernel_job *job)
{
    uint64_t n = kernel_setting_number(job, "size") / job->x;
    return n > 0 ? n : 1;
}

static enum kernel_outcome disk_raw_needs(struct kernel_job *job)
{
    if (job->x < sizeof(uint64_t) || job->x > SIZE_MAX / 4)
        return kernel_reason(job, KERNEL_UNAVAILABLE, "no block has %" PRIu64 " B", job->x);
    return KERNEL_OK;
}

static size_t disk_raw_memory(const struct kernel_job *job)
{
    return ((size_t)job->x + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

/* ---- which device */

/* "/dev/sda1" of the device number, by the name that the kernel has for it. */
static bool device_path(dev_t device, char *out, size_t size)
{
    char path[64], line[256];
    snprintf(path, sizeof path, "/sys/dev/block/%u:%u/uevent", major(device), minor(device));
    FILE *file = fopen(path, "re");
    bool is_found = false;
    while (file && !is_found && fgets(line, sizeof line, file)) {
        line[strcspn(line, "\n")] = '\0';
        is_found = strncmp(line, "DEVNAME=", 8) == 0 &&
                   (size_t)snprintf(out, size, "/dev/%s", line + 8) < size;
    }
    if (file)
        fclose(file);
    return is_found;
}

/* Messages name the source as the setting does: a path is nobody's business. */
static enum kernel_outcome source_path(struct kernel_job *job, char *out, size_t size)
{
    const char *source = kernel_setting(job, "source");
    struct stat st;
    if (strcmp(source, "file") == 0) {
        if (job->source[0] == '\0')
            return kernel_reason(job, KERNEL_UNAVAILABLE,
                                 "which file is not in a record: --set=source=PATH says it");
        return (size_t)snprintf(out, size, "%s", job->source) < size
                   ? KERNEL_OK
                   : kernel_reason(job, KERNEL_UNAVAILABLE, "the path is too long");
    }
    if (strcmp(source, "device") != 0)
        return (size_t)snprintf(out, size, "/dev/%s", source) < size
                   ? KERNEL_OK
                   : kernel_reason(job, KERNEL_UNAVAILABLE, "the name is too long");
    if (stat(job->folder, &st) < 0 || !device_path(st.st_dev, out, size))
        return kernel_reason(job, KERNEL_UNAVAILABLE,
                             "the file system of the test folder has no block device of its own");
    return KERNEL_OK;
}

static enum kernel_outcome source_open(struct kernel_job *job, struct disk_raw *state)
{
    char path[512];
    struct stat st;
    enum kernel_outcome outcome = source_path(job, path, sizeof path);
    if (outcome != KERNEL_OK)
        return outcome;
    const char *source = kernel_setting(job, "source");
    state->fd = open(path, O_RDONLY | O_CLOEXEC | (disk_is_direct(job) ? O_DIRECT : 0));
    if (state->fd < 0 && errno == EINVAL)
        return kernel_reason(job, KERNEL_UNAVAILABLE, "the file system refuses O_DIRECT");
    if (state->fd < 0)
        return kernel_reason(job, KERNEL_UNAVAILABLE, "cannot open the source (%s): %s", source,
                             strerror(errno));
    if (fstat(state->fd, &st) < 0 || (!S_ISBLK(st.st_mode) && !S_ISREG(st.st_mode)))
        return kernel_reason(job, KERNEL_UNAVAILABLE,
                             "the source (%s) is neither a block device nor a file", source);
    if (S_ISBLK(st.st_mode)) {
        int alone = open(path, O_RDONLY | O_EXCL | O_CLOEXEC);
        state->is_in_use = alone < 0;
        if (alone >= 0)
            close(alone);
    }
    return disk_is_direct(job) ? disk_direct_possible(job, state->fd, job->x) : KERNEL_OK;
}

static enum kernel_outcome disk_raw_setup(struct kernel_job *job)
{
    struct disk_raw *state = calloc(1, sizeof *state);
    if (!state)
        return kernel_reason(job, KERNEL_FAILED, "out of memory");
    job->state = state;
    *state = (struct disk_raw){.fd = -1, .block = (size_t)job->x, .buffer = job->memory};
    enum kernel_outcome outcome = source_open(job, state);
    if (outcome != KERNEL_OK)
        return outcome;
    off_t end = lseek(state->fd, 0, SEEK_END);
    state->n_blocks = blocks_wanted(job);
    if (end < 0 || (uint64_t)end / state->block < state->n_blocks)
        return kernel_reason(job, KERNEL_UNAVAILABLE,
                             "the source has %jd B, fewer than are to be read; --set=size=... makes "
                             "them fewer",
                             (intmax_t)end);
    state->first_words = calloc((size_t)state->n_blocks, sizeof *state->first_words);
    if (!state->first_words)
        return kernel_reason(job, KERNEL_FAILED, "out of memory");
    fsync(state->fd); /* what was written just now could not be dropped else */
    return disk_is_direct(job)
               ? KERNEL_OK
               : page_cache_drop(job, state->fd, state->n_blocks * state->block);
}

static void disk_raw_teardown(struct kernel_job *job)
{
    struct disk_raw *state = job->state;
    if (!state)
        return;
    if (state->fd >= 0)
        close(state->fd);
    free(state->first_words);
    free(state);
    job->state = NULL;
}

static enum kernel_outcome block_read(struct kernel_job *job, uint64_t index)
{
    const struct disk_raw *state = job->state;
    for (size_t done = 0; done < state->block;) {
        ssize_t n = pread(state->fd, state->buffer + done, state->block - done,
                          (off_t)(index * state->block + done));
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0 && errno == EINVAL && disk_is_direct(job))
            return kernel_reason(job, KERNEL_UNAVAILABLE,
                                 "the source refuses direct reads of %zu B", state->block);
        if (n < 0)
            return disk_trouble(job, "reading", "the source");
        if (n == 0)
            return kernel_reason(job, KERNEL_WRONG, "the source ends in block %" PRIu64, index);
        done += (size_t)n;
    }
    return KERNEL_OK;
}

static uint64_t first_word(const struct disk_raw *state)
{
    uint64_t word;
    memcpy(&word, state->buffer, sizeof word);
    return word;
}

static enum kernel_outcome disk_raw_run(struct kernel_job *job, uint64_t iterations)
{
    struct disk_raw *state = job->state;
    for (uint64_t i = 0; i < iterations; i++) {
        for (uint64_t b = 0; b < state->n_blocks; b++) {
            enum kernel_outcome outcome = block_read(job, b);
            if (outcome != KERNEL_OK)
                return outcome;
            state->first_words[b] = first_word(state);
            state->n_done++;
        }
    }
    return KERNEL_OK;
}

/* Reads once more, backwards: each block must have come from its own place. */
static enum kernel_outcome disk_raw_check(struct kernel_job *job)
{
    const struct disk_raw *state = job->state;
    uint64_t wanted = state->n_blocks * job->n_iterations;
    if (state->n_done != wanted)
        return kernel_reason(job, KERNEL_WRONG, "%" PRIu64 " blocks of %" PRIu64, state->n_done,
                             wanted);
    for (uint64_t b = state->n_blocks; b-- > 0;) {
        enum kernel_outcome outcome = block_read(job, b);
        if (outcome != KERNEL_OK)
            return outcome;
        if (first_word(state) != state->first_words[b] && !state->is_in_use)
            return kernel_reason(job, KERNEL_WRONG, "block %" PRIu64 " has other bytes now", b);
    }
    return KERNEL_OK;
}

static void disk_raw_work(const struct kernel_job *job, struct kernel_work *work)
{
    work->bytes_read = (double)blocks_wanted(job) * (double)job->x;
}

static size_t disk_raw_sizes(const struct kernel_host *host, enum kernel_suite suite, uint64_t *out,
                             size_t capacity)
{
    (void)host;
    const uint64_t step = suite == SUITE_QUICK ? 16 : 4;
    size_t n = 0;
    for (uint64_t size = 4096; size <= 16 * 1024 * 1024 && n < capacity; size *= step)
        out[n++] = size;
    return n;
}

static const struct kernel_metric metrics[] = {{"rate", QUANTITY_BYTE_RATE}, {0}};
static const struct kernel_setting mode_setting = {
    .key = "mode",
    .help = "buffered: through the page cache, which is emptied before; direct: past it (O_DIRECT)",
    .type = SETTING_WORD,
    .values = {"direct", "buffered,direct", "buffered,direct"},
    .allowed = "buffered,direct"};
static const struct kernel_setting source_setting = {
    .key = "source",
    .help = "device: the one under --dir; a PATH with a / in it: a device, which the record names as "
            "the system does, such as sda1, or a file, which it calls file",
    .type = SETTING_WORD,
    .values = {"device", "device", "device"}};
static const struct kernel_setting size_setting = {
    .key = "size",
    .help = "bytes read, from the start of the source, rounded down to whole blocks, one at least",
    .type = SETTING_BYTES,
    .values = {"32M", "256M", "1G"}};
static const struct kernel_setting *const settings[] = {&mode_setting, &source_setting,
                                                        &size_setting, NULL};

static const struct kernel_test tests[] = {
    {.name = "read", .summary = "reads from the start on", .metrics = metrics, .settings = settings,
     .run = disk_raw_run},
    {0}};

const struct kernel kernel_disk_raw = {
    .name = "disk_raw",
    .summary = "Read speed of a device without its file system, by block size. Nothing is written. "
               "It is read twice, the second time to compare",
    .source = "Mihocka, GETBLOCK (2008)",
    .needs_text = "the right to read the device: root, as a rule",
    .revision = 1,
    .flags = KERNEL_ONE_PASS | KERNEL_WANTS_FOLDER | KERNEL_UNPINNED | KERNEL_ONE_THREAD,
    .tests = tests,
    .x_unit = "B",
    .sizes = disk_raw_sizes,
    .cost = {.seconds = {0.1, 0.5, 1}},
    .work = disk_raw_work,
    .needs = disk_raw_needs,
    .memory = disk_raw_memory,
    .setup = disk_raw_setup,
    .check = disk_raw_check,
    .teardown = disk_raw_teardown,
};
