/* Writing and reading a file of its own per thread in blocks of one size. */
#include "kernels/kernel.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "kernels/disk_file.h"

enum { DISK_WRITE, DISK_READ };

enum { TELL_EVERY = 256 * 1024 }; /* bytes between two looks at the clock: next to nothing of the time */

struct disk_block {
    struct disk_file file;
    uint64_t told;  /* bytes moved when progress was told last */
    uint64_t n_bad; /* blocks that were read and were not those written */
    uint64_t first_bad;
};

static uint64_t blocks_of(const struct kernel_job *job)
{
    uint64_t n = kernel_setting_number(job, "size") / job->x;
    const char *most = kernel_setting(job, "blocks");
    uint64_t n_most = strcmp(most, "any") == 0 ? n : kernel_setting_number(job, "blocks");
    n = n < n_most ? n : n_most;
    return n > 0 ? n : 1;
}

static size_t disk_block_memory(const struct kernel_job *job)
{
    return disk_file_memory(job->x, blocks_of(job));
}

static enum kernel_outcome disk_block_needs(struct kernel_job *job)
{
    uint64_t size = kernel_setting_number(job, "size");
    if (job->x == 0 || job->x > SIZE_MAX / 4)
        return kernel_reason(job, KERNEL_UNAVAILABLE, "no block has %" PRIu64 " B", job->x);
    uint64_t bytes = size == 0 ? 0 : blocks_of(job) * job->x;
    if (bytes > UINT64_MAX / job->threads)
        bytes = UINT64_MAX / job->threads;
    return disk_room(job, bytes * job->threads);
}

static enum kernel_outcome disk_block_setup(struct kernel_job *job)
{
    struct disk_block *state = calloc(1, sizeof *state);
    if (!state)
        return kernel_reason(job, KERNEL_FAILED, "out of memory");
    job->state = state;
    enum kernel_outcome outcome =
        disk_file_begin(job, &state->file, job->x, blocks_of(job), disk_is_direct(job));
    if (outcome != KERNEL_OK)
        return outcome;
    return job->test->code == DISK_READ ? disk_file_prepare(job, &state->file, false)
                                        : disk_file_create(job, &state->file);
}

static void disk_block_teardown(struct kernel_job *job)
{
    struct disk_block *state = job->state;
    if (!state)
        return;
    disk_file_end(&state->file);
    free(state);
    job->state = NULL;
}

static void progress_tell(struct kernel_job *job, uint64_t bytes)
{
    struct disk_block *state = job->state;
    if (bytes - state->told < TELL_EVERY)
        return;
    state->told = bytes;
    kernel_progress(job, bytes);
}

/* Of the first thread's file: those of the others lie near it. */
static void place_tell(struct kernel_job *job, const struct disk_file *file)
{
    uint64_t place;
    if (job->thread == 0 && disk_file_place(file, &place))
        kernel_report(job, "placement", (double)place);
}

static enum kernel_outcome write_run(struct kernel_job *job, uint64_t iterations)
{
    struct disk_block *state = job->state;
    const struct disk_file *file = &state->file;
    enum kernel_outcome outcome = KERNEL_OK;
    uint64_t n_written = 0;
    state->told = 0;
    for (uint64_t i = 0; i < iterations && outcome == KERNEL_OK; i++) {
        if ((job->n_runs > 0 || i > 0) && ftruncate(file->fd, 0) < 0)
            return disk_trouble(job, "truncation", "the test file");
        for (uint64_t index = 0; index < file->n_blocks && outcome == KERNEL_OK; index++) {
            outcome = disk_file_write(job, file, index, 0);
            progress_tell(job, ++n_written * file->block);
        }
        kernel_lap(job, NULL);
        if (outcome == KERNEL_OK)
            outcome = disk_file_sync(job, file);
        kernel_lap(job, "sync_time");
    }
    if (outcome == KERNEL_OK)
        place_tell(job, file);
    return outcome;
}

static enum kernel_outcome read_run(struct kernel_job *job, uint64_t iterations)
{
    struct disk_block *state = job->state;
    const struct disk_file *file = &state->file;
    uint64_t n_read = 0;
    state->told = 0;
    for (uint64_t i = 0; i < iterations; i++) {
        for (uint64_t index = 0; index < file->n_blocks; index++) {
            enum kernel_outcome outcome = disk_file_read(job, file, index);
            if (outcome != KERNEL_OK)
                return outcome;
            if (!disk_file_has_stamp(file, index) && state->n_bad++ == 0)
                state->first_bad = index;
            progress_tell(job, ++n_read * file->block);
        }
    }
    place_tell(job, file);
    return KERNEL_OK;
}

static enum kernel_outcome disk_block_check(struct kernel_job *job)
{
    const struct disk_block *state = job->state;
    const struct disk_file *file = &state->file;
    if (state->n_bad > 0)
        return kernel_reason(job, KERNEL_WRONG,
                             "%" PRIu64 " blocks were not those written, the first was %" PRIu64,
                             state->n_bad, state->first_bad);
    enum kernel_outcome outcome = KERNEL_OK;
    if (job->test->code == DISK_READ) /* the last block is still in the buffer */
        outcome = disk_file_compare(job, file, file->n_blocks - 1, 0);
    return outcome == KERNEL_OK ? disk_file_compare_all(job, file, NULL) : outcome;
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
    static const uint64_t steps[SUITE_COUNT] = {16, 4, 2};
    const uint64_t step = steps[suite];
    size_t n = 0;
    for (uint64_t size = suite == SUITE_QUICK ? 4096 : 512; size <= last && n < capacity;
         size *= step)
        out[n++] = size;
    return n;
}

static const struct kernel_metric write_metrics[] = {{"rate", QUANTITY_BYTE_RATE},
                                                     {"sync_time", QUANTITY_LAP},
                                                     {"placement", QUANTITY_BYTES},
                                                     {"bytes", QUANTITY_MOVED},
                                                     {"sustained", QUANTITY_SUSTAINED},
                                                     {"incremental", QUANTITY_INCREMENTAL},
                                                     {0}};
static const struct kernel_metric read_metrics[] = {{"rate", QUANTITY_BYTE_RATE},
                                                    {"placement", QUANTITY_BYTES},
                                                    {"bytes", QUANTITY_MOVED},
                                                    {"sustained", QUANTITY_SUSTAINED},
                                                    {"incremental", QUANTITY_INCREMENTAL},
                                                    {0}};
static const struct kernel_setting blocks_setting = {
    .key = "blocks",
    .help = "most blocks that a file has, however small they are: one transfer may take as long as "
            "a thousand bytes or a million",
    .type = SETTING_COUNT,
    .values = {"any", "32768", "131072"},
    .allowed = "any"};
static const struct kernel_setting *const disk_settings[] = {&disk_mode_setting, &disk_size_setting,
                                                             &blocks_setting, NULL};

static const struct kernel_test tests[] = {
    {.name = "write", .summary = "writes a new file; the final fsync is part of the rate",
     .metrics = write_metrics, .settings = disk_settings, .code = DISK_WRITE, .run = write_run},
    {.name = "read", .summary = "reads a file whose page cache was dropped before",
     .metrics = read_metrics, .settings = disk_settings, .code = DISK_READ, .run = read_run},
    {0}};

const struct kernel kernel_disk_block = {
    .name = "disk_block",
    .summary = "Write and read speed of a file by block size; each second, how far it is. The data is "
               "random and does not repeat; what was written is read back and compared. Reads start "
               "with nothing of the file in the page cache of this system; a host below it may have "
               "its own",
    .source = "Mihocka, HDTEST32 (2008); Longbottom, DiskGraf",
    .needs_text = "free space; for reads a file system that is not in memory; mode=direct: O_DIRECT",
    .revision = 1,
    .flags = KERNEL_ONE_PASS | KERNEL_WANTS_FOLDER | KERNEL_UNPINNED,
    .tests = tests,
    .x_unit = "B",
    .x_key = "block",
    .sizes = disk_block_sizes,
    .threads = {"1", "1,all", "1,2,all"},
    .cost = {.seconds = {0.06, 0.4, 1}},
    .work = disk_block_work,
    .needs = disk_block_needs,
    .memory = disk_block_memory,
    .setup = disk_block_setup,
    .check = disk_block_check,
    .teardown = disk_block_teardown,
};
