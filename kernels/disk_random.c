/* Single transfers at random places of a file of its own per thread. */
#include "kernels/kernel.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/disk_file.h"

enum { RANDOM_READ, RANDOM_WRITE };

struct disk_random {
    struct disk_file file;
    uint64_t chance;    /* state of the random numbers that choose the places */
    uint32_t *versions; /* [n_blocks] how often each block was written; owned */
    uint64_t n_done;    /* transfers */
    uint64_t n_bad;     /* blocks that were read and were not those written */
    uint64_t first_bad;
};

static uint64_t block_of(const struct kernel_job *job)
{
    return kernel_setting_number(job, "block");
}

static uint64_t blocks_of(const struct kernel_job *job)
{
    uint64_t block = block_of(job);
    return block > 0 ? job->x / block : 0;
}

static size_t disk_random_memory(const struct kernel_job *job)
{
    return disk_file_memory(block_of(job), blocks_of(job));
}

static enum kernel_outcome disk_random_needs(struct kernel_job *job)
{
    uint64_t block = block_of(job);
    if (block == 0 || block > job->x || block > SIZE_MAX / 4 || job->x / block > UINT32_MAX)
        return kernel_reason(job, KERNEL_UNAVAILABLE, "no file of %" PRIu64 " B has blocks of %" PRIu64 " B",
                             job->x, block);
    if (kernel_setting_number(job, "count") == 0)
        return kernel_reason(job, KERNEL_UNAVAILABLE, "no transfer, nothing to measure");
    return disk_room(job, job->x > UINT64_MAX / job->threads ? UINT64_MAX : job->x * job->threads);
}

static enum kernel_outcome disk_random_setup(struct kernel_job *job)
{
    struct disk_random *state = calloc(1, sizeof *state);
    if (!state)
        return kernel_reason(job, KERNEL_FAILED, "out of memory");
    job->state = state;
    state->chance = ~job->seed;
    enum kernel_outcome outcome = disk_file_begin(job, &state->file, block_of(job), blocks_of(job),
                                                  disk_is_direct(job));
    if (outcome != KERNEL_OK)
        return outcome;
    state->versions = calloc((size_t)state->file.n_blocks, sizeof *state->versions);
    if (!state->versions)
        return kernel_reason(job, KERNEL_FAILED, "out of memory");
    return disk_file_prepare(job, &state->file, job->test->code == RANDOM_WRITE);
}

static void disk_random_teardown(struct kernel_job *job)
{
    struct disk_random *state = job->state;
    if (!state)
        return;
    disk_file_end(&state->file);
    free(state->versions);
    free(state);
    job->state = NULL;
}

static enum kernel_outcome read_one(struct kernel_job *job, uint64_t index)
{
    struct disk_random *state = job->state;
    enum kernel_outcome outcome = disk_file_read(job, &state->file, index);
    if (outcome == KERNEL_OK && !disk_file_has_stamp(&state->file, index) && state->n_bad++ == 0)
        state->first_bad = index;
    return outcome;
}

/* Each time with other bytes, so that each write is one. */
static enum kernel_outcome write_one(struct kernel_job *job, uint64_t index)
{
    struct disk_random *state = job->state;
    return disk_file_write(job, &state->file, index, ++state->versions[index]);
}

static enum kernel_outcome disk_random_run(struct kernel_job *job, uint64_t iterations)
{
    struct disk_random *state = job->state;
    uint64_t count = kernel_setting_number(job, "count") * iterations;
    enum kernel_outcome outcome = KERNEL_OK;
    for (uint64_t i = 0; i < count && outcome == KERNEL_OK; i++) {
        uint64_t index = kernel_random(&state->chance) % state->file.n_blocks;
        outcome = job->test->code == RANDOM_WRITE ? write_one(job, index) : read_one(job, index);
        kernel_tick(job);
        state->n_done++;
    }
    if (outcome != KERNEL_OK || job->test->code == RANDOM_READ)
        return outcome;
    kernel_lap(job, NULL);
    outcome = disk_file_sync(job, &state->file);
    kernel_lap(job, "sync_time");
    return outcome;
}

static enum kernel_outcome disk_random_check(struct kernel_job *job)
{
    const struct disk_random *state = job->state;
    uint64_t count = kernel_setting_number(job, "count") * job->n_iterations;
    if (state->n_done != count)
        return kernel_reason(job, KERNEL_WRONG, "%" PRIu64 " transfers of %" PRIu64, state->n_done,
                             count);
    if (state->n_bad > 0)
        return kernel_reason(job, KERNEL_WRONG,
                             "%" PRIu64 " blocks were not those written, the first was %" PRIu64,
                             state->n_bad, state->first_bad);
    return disk_file_compare_all(job, &state->file, state->versions);
}

static void disk_random_work(const struct kernel_job *job, struct kernel_work *work)
{
    work->steps = (double)kernel_setting_number(job, "count");
    double bytes = work->steps * (double)block_of(job);
    if (job->test->code == RANDOM_WRITE)
        work->bytes_written = bytes;
    else
        work->bytes_read = bytes;
}

/* Files that rise from a fraction of what a disk's own cache holds to beyond it. */
static size_t disk_random_sizes(const struct kernel_host *host, enum kernel_suite suite,
                                uint64_t *out, size_t capacity)
{
    static const struct {
        uint64_t first, last, step;
    } ranges[SUITE_COUNT] = {{4, 32, 8}, {4, 256, 4}, {2, 1024, 2}}; /* MiB, MiB, factor */
    const uint64_t mib = 1024 * 1024, threads = host->n_cpus > 0 ? host->n_cpus : 1;
    size_t n = 0;
    for (uint64_t size = ranges[suite].first; size <= ranges[suite].last && n < capacity;
         size *= ranges[suite].step)
        if (n == 0 || host->disk_free_bytes == 0 ||
            size * mib * threads <= host->disk_free_bytes / 10)
            out[n++] = size * mib;
    return n;
}

static const struct kernel_metric read_metrics[] = {
    {"time", QUANTITY_STEP_TIME}, {"time_median", QUANTITY_MEDIAN}, {"time_p95", QUANTITY_P95},
    {"time_p99", QUANTITY_P99},   {"rate", QUANTITY_STEP_RATE},     {0}};
static const struct kernel_metric write_metrics[] = {
    {"time", QUANTITY_STEP_TIME}, {"time_median", QUANTITY_MEDIAN}, {"time_p95", QUANTITY_P95},
    {"time_p99", QUANTITY_P99},   {"rate", QUANTITY_STEP_RATE},     {"sync_time", QUANTITY_LAP},
    {0}};
static const struct kernel_setting mode_setting = {
    .key = "mode",
    .help = "buffered: through the page cache, which is empty at the start; direct: past it "
            "(O_DIRECT)",
    .type = SETTING_WORD,
    .values = {"direct", "direct", "buffered,direct"},
    .allowed = "buffered,direct"};
static const struct kernel_setting block_setting = {
    .key = "block",
    .help = "bytes of one transfer, at a multiple of that",
    .type = SETTING_BYTES,
    .values = {"4K", "1K,4K,16K,64K", "1K,4K,16K,64K"}};
static const struct kernel_setting count_setting = {
    .key = "count",
    .help = "transfers of each thread; its percentiles are taken over them",
    .type = SETTING_COUNT,
    .values = {"500", "1000", "5000"}};
static const struct kernel_setting *const settings[] = {&mode_setting, &block_setting,
                                                        &count_setting, NULL};

static const struct kernel_test tests[] = {
    {.name = "read", .summary = "reads at random places", .metrics = read_metrics,
     .settings = settings, .code = RANDOM_READ, .run = disk_random_run},
    {.name = "write", .summary = "writes at random places; the final fsync is part of time and rate, "
                                 "not of the percentiles",
     .metrics = write_metrics, .settings = settings, .code = RANDOM_WRITE, .run = disk_random_run},
    {0}};

const struct kernel kernel_disk_random = {
    .name = "disk_random",
    .summary = "Time of single reads and writes at random places of a file, by its size; one after "
               "the other in each thread, so that the queue is as deep as there are threads, each "
               "with its own file. What was read and written is compared",
    .source = "Longbottom, DriveSpeed (random reading and writing) and DiskGraf",
    .needs_text = "free space and a file system that is not in memory; mode=direct: O_DIRECT",
    .revision = 1,
    .flags = KERNEL_ONE_PASS | KERNEL_WANTS_FOLDER | KERNEL_UNPINNED,
    .tests = tests,
    .x_unit = "B",
    .sizes = disk_random_sizes,
    .threads = {"1", "1,all", "1,2,all"},
    .cost = {.seconds = {0.05, 0.3, 1}},
    .work = disk_random_work,
    .needs = disk_random_needs,
    .memory = disk_random_memory,
    .setup = disk_random_setup,
    .check = disk_random_check,
    .teardown = disk_random_teardown,
};
