/* One large file and many small ones; and a tree of folders, copied. */
#include "kernels/kernel.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "kernels/disk_file.h"
#include "kernels/disk_tree.h"
#include "kernels/page_cache.h"

enum { LARGE_WRITE, LARGE_READ, SMALL_WRITE, SMALL_READ, SMALL_DELETE, TREE_COPY };

enum { N_SMALL = 520 /* of CDDVDSpd */, NAME_SIZE = 24, TREE_BYTES = 18100000 };

struct disk_files {
    struct disk_file file; /* the large one; or its blocks are the small ones */
    struct disk_tree tree;
    int folder;      /* of the small files, open; -1 */
    uint32_t *order; /* [n_blocks] in which small files are read; owned */
    uint64_t n_done; /* files, or blocks of the large one */
    uint64_t n_bad;  /* of them that were read and were not those written */
    unsigned n_copies;
};

static bool is_small(const struct kernel_job *job)
{
    return job->test->code == SMALL_WRITE || job->test->code == SMALL_READ ||
           job->test->code == SMALL_DELETE;
}

/* Transfers of the large file, or small files. */
static uint64_t pieces_of(const struct kernel_job *job)
{
    return is_small(job) ? kernel_setting_number(job, "files") : N_SMALL;
}

static uint64_t piece_bytes_of(const struct kernel_job *job)
{
    return is_small(job) ? job->x : job->x / N_SMALL;
}

static size_t disk_files_memory(const struct kernel_job *job)
{
    if (job->test->code == TREE_COPY)
        return disk_tree_memory(job->x);
    return disk_file_memory(piece_bytes_of(job), pieces_of(job));
}

static enum kernel_outcome disk_files_needs(struct kernel_job *job)
{
    uint64_t n = pieces_of(job), bytes = piece_bytes_of(job);
    if (job->test->code == TREE_COPY)
        return job->x >> 32 ? kernel_reason(job, KERNEL_UNAVAILABLE, "a tree has 4 GiB at most")
                            : disk_room(job, 3 * job->x + 1);
    if (n == 0 || n > 10000000 || bytes == 0 || bytes > SIZE_MAX / 4 || bytes > UINT64_MAX / n)
        return kernel_reason(job, KERNEL_UNAVAILABLE, "no %" PRIu64 " pieces of %" PRIu64 " B", n,
                             bytes);
    return disk_room(job, n * bytes);
}

/* ---- small files */

static void name_of(uint64_t index, char out[static NAME_SIZE])
{
    snprintf(out, NAME_SIZE, "%" PRIu64, index);
}

static enum kernel_outcome small_write_one(struct kernel_job *job, uint64_t index, bool with_sync)
{
    const struct disk_files *state = job->state;
    struct disk_file one = state->file;
    char name[NAME_SIZE];
    name_of(index, name);
    one.fd = openat(state->folder, name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (one.fd < 0)
        return disk_trouble(job, "making", "a small file");
    /* Written from the start, with the bytes of its number. */
    const unsigned char *bytes = disk_file_bytes(&one, index, 0);
    enum kernel_outcome outcome = KERNEL_OK;
    for (size_t done = 0; done < one.block && outcome == KERNEL_OK;) {
        ssize_t n = write(one.fd, bytes + done, one.block - done);
        if (n < 0 && errno != EINTR)
            outcome = disk_trouble(job, "writing", "a small file");
        done += n > 0 ? (size_t)n : 0;
    }
    if (outcome == KERNEL_OK && with_sync)
        outcome = disk_file_sync(job, &one);
    if (close(one.fd) < 0 && outcome == KERNEL_OK)
        outcome = disk_trouble(job, "closing", "a small file");
    return outcome;
}

static enum kernel_outcome small_write_all(struct kernel_job *job, bool with_sync)
{
    struct disk_files *state = job->state;
    enum kernel_outcome outcome = KERNEL_OK;
    for (uint64_t i = 0; i < state->file.n_blocks && outcome == KERNEL_OK; i++)
        outcome = small_write_one(job, i, with_sync);
    return outcome;
}

/* Into the buffer; the file has one byte less or more: that counts as bad. */
static enum kernel_outcome small_read_one(struct kernel_job *job, uint64_t index, bool *is_whole)
{
    const struct disk_files *state = job->state;
    char name[NAME_SIZE];
    name_of(index, name);
    int fd = openat(state->folder, name, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return errno == ENOENT ? kernel_reason(job, KERNEL_WRONG, "small file %s is missing", name)
                               : disk_trouble(job, "opening", "a small file");
    size_t done = 0;
    ssize_t n = 1;
    while (done < state->file.block && n != 0) {
        n = read(fd, state->file.buffer + done, state->file.block - done);
        if (n < 0 && errno != EINTR)
            break;
        done += n > 0 ? (size_t)n : 0;
    }
    enum kernel_outcome outcome = n < 0 ? disk_trouble(job, "reading", "a small file") : KERNEL_OK;
    close(fd);
    *is_whole = done == state->file.block;
    return outcome;
}

static enum kernel_outcome small_forget(struct kernel_job *job)
{
    const struct disk_files *state = job->state;
    enum kernel_outcome outcome = KERNEL_OK;
    for (uint64_t i = 0; i < state->file.n_blocks && outcome == KERNEL_OK; i++) {
        char name[NAME_SIZE];
        name_of(i, name);
        int fd = openat(state->folder, name, O_RDONLY | O_CLOEXEC);
        if (fd < 0)
            return disk_trouble(job, "opening", "a small file");
        outcome = page_cache_drop(job, fd, state->file.block);
        close(fd);
    }
    return outcome;
}

/* Fisher and Yates, in the form of Durstenfeld (CACM 7 (1964) 420). */
static enum kernel_outcome order_draw(struct kernel_job *job)
{
    struct disk_files *state = job->state;
    size_t n = (size_t)state->file.n_blocks;
    uint64_t chance = ~job->seed;
    state->order = calloc(n, sizeof *state->order);
    if (!state->order)
        return kernel_reason(job, KERNEL_FAILED, "out of memory");
    for (size_t i = 0; i < n; i++) {
        size_t other = (size_t)(kernel_random(&chance) % (i + 1));
        state->order[i] = state->order[other];
        state->order[other] = (uint32_t)i;
    }
    return KERNEL_OK;
}

static enum kernel_outcome small_setup(struct kernel_job *job)
{
    struct disk_files *state = job->state;
    state->folder = open(job->folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (state->folder < 0)
        return disk_trouble(job, "opening", "the test folder");
    enum kernel_outcome outcome = KERNEL_OK;
    if (job->test->code == SMALL_READ && page_cache_is_all(state->folder))
        return page_cache_drop(job, state->folder, 0);
    if (job->test->code != SMALL_WRITE)
        outcome = small_write_all(job, false);
    if (outcome == KERNEL_OK)
        outcome = disk_sync_all(job, job->folder);
    if (outcome == KERNEL_OK && job->test->code == SMALL_READ)
        outcome = small_forget(job);
    return outcome == KERNEL_OK && job->test->code == SMALL_READ ? order_draw(job) : outcome;
}

static enum kernel_outcome sync_and_lap(struct kernel_job *job)
{
    kernel_lap(job, NULL);
    enum kernel_outcome outcome = disk_sync_all(job, job->folder);
    kernel_lap(job, "sync_time");
    return outcome;
}

static enum kernel_outcome small_write_run(struct kernel_job *job, uint64_t iterations)
{
    bool with_sync = strcmp(kernel_setting(job, "sync"), "each") == 0;
    enum kernel_outcome outcome = KERNEL_OK;
    for (uint64_t i = 0; i < iterations && outcome == KERNEL_OK; i++) {
        outcome = small_write_all(job, with_sync);
        if (outcome == KERNEL_OK)
            outcome = sync_and_lap(job);
    }
    return outcome;
}

static enum kernel_outcome small_read_run(struct kernel_job *job, uint64_t iterations)
{
    struct disk_files *state = job->state;
    for (uint64_t i = 0; i < iterations * state->file.n_blocks; i++) {
        uint64_t index = state->order[i % state->file.n_blocks];
        bool is_whole;
        enum kernel_outcome outcome = small_read_one(job, index, &is_whole);
        if (outcome != KERNEL_OK)
            return outcome;
        state->n_bad += !is_whole || !disk_file_has_stamp(&state->file, index);
        state->n_done++;
    }
    return KERNEL_OK;
}

static enum kernel_outcome small_delete_run(struct kernel_job *job, uint64_t iterations)
{
    const struct disk_files *state = job->state;
    enum kernel_outcome outcome = KERNEL_OK;
    for (uint64_t i = 0; i < iterations && outcome == KERNEL_OK; i++) {
        if (job->n_runs > 0 || i > 0)
            outcome = small_write_all(job, false);
        for (uint64_t f = 0; f < state->file.n_blocks && outcome == KERNEL_OK; f++) {
            char name[NAME_SIZE];
            name_of(f, name);
            if (unlinkat(state->folder, name, 0) < 0)
                outcome = disk_trouble(job, "deleting", "a small file");
        }
        if (outcome == KERNEL_OK)
            outcome = sync_and_lap(job);
    }
    return outcome;
}

static enum kernel_outcome small_compare(struct kernel_job *job)
{
    const struct disk_files *state = job->state;
    enum kernel_outcome outcome = KERNEL_OK;
    for (uint64_t i = 0; i < state->file.n_blocks && outcome == KERNEL_OK; i++) {
        char name[NAME_SIZE];
        struct stat st;
        bool is_whole;
        name_of(i, name);
        outcome = small_read_one(job, i, &is_whole);
        if (outcome != KERNEL_OK)
            return outcome;
        if (!is_whole || fstatat(state->folder, name, &st, 0) < 0 ||
            (uint64_t)st.st_size != state->file.block ||
            disk_file_compare(job, &state->file, i, 0) != KERNEL_OK)
            return kernel_reason(job, KERNEL_WRONG, "small file %s is not what was written", name);
    }
    return outcome;
}

static enum kernel_outcome small_check_deleted(struct kernel_job *job)
{
    const struct disk_files *state = job->state;
    for (uint64_t i = 0; i < state->file.n_blocks; i++) {
        char name[NAME_SIZE];
        name_of(i, name);
        if (faccessat(state->folder, name, F_OK, 0) == 0)
            return kernel_reason(job, KERNEL_WRONG, "small file %s is still there", name);
    }
    return KERNEL_OK;
}

/* ---- the large file */

static enum kernel_outcome large_run(struct kernel_job *job, uint64_t iterations)
{
    struct disk_files *state = job->state;
    const struct disk_file *file = &state->file;
    bool is_write = job->test->code == LARGE_WRITE;
    enum kernel_outcome outcome = KERNEL_OK;
    for (uint64_t i = 0; i < iterations && outcome == KERNEL_OK; i++) {
        for (uint64_t b = 0; b < file->n_blocks && outcome == KERNEL_OK; b++) {
            outcome = is_write ? disk_file_write(job, file, b, 0) : disk_file_read(job, file, b);
            state->n_bad += !is_write && !disk_file_has_stamp(file, b);
            state->n_done++;
        }
        if (!is_write || outcome != KERNEL_OK)
            continue;
        kernel_lap(job, NULL);
        outcome = disk_file_sync(job, file);
        kernel_lap(job, "sync_time");
    }
    return outcome;
}

/* ---- the tree */

static enum kernel_outcome tree_run(struct kernel_job *job, uint64_t iterations)
{
    struct disk_files *state = job->state;
    enum disk_copy how = strcmp(kernel_setting(job, "copy"), "read_write") == 0
                             ? DISK_COPY_READ_WRITE
                             : DISK_COPY_FILE_RANGE;
    enum kernel_outcome outcome = KERNEL_OK;
    for (uint64_t i = 0; i < iterations && outcome == KERNEL_OK; i++) {
        outcome = disk_tree_copy(job, &state->tree, state->n_copies++, how);
        if (outcome == KERNEL_OK)
            outcome = sync_and_lap(job);
    }
    return outcome;
}

static enum kernel_outcome tree_check(struct kernel_job *job)
{
    const struct disk_files *state = job->state;
    return state->n_copies == 0 ? kernel_reason(job, KERNEL_WRONG, "there is no copy")
                                : disk_tree_compare(job, &state->tree, state->n_copies - 1);
}

/* ---- the kernel */

static enum kernel_outcome disk_files_setup(struct kernel_job *job)
{
    struct disk_files *state = calloc(1, sizeof *state);
    if (!state)
        return kernel_reason(job, KERNEL_FAILED, "out of memory");
    job->state = state;
    state->folder = state->file.fd = -1;
    if (job->test->code == TREE_COPY) {
        enum kernel_outcome outcome =
            disk_tree_begin(job, &state->tree, job->x, kernel_setting_number(job, "files"),
                            kernel_setting_number(job, "folders"));
        return outcome == KERNEL_OK ? disk_tree_make(job, &state->tree) : outcome;
    }
    enum kernel_outcome outcome =
        disk_file_begin(job, &state->file, piece_bytes_of(job), pieces_of(job), false);
    if (outcome != KERNEL_OK)
        return outcome;
    if (is_small(job))
        return small_setup(job);
    return job->test->code == LARGE_WRITE ? disk_file_create(job, &state->file)
                                          : disk_file_prepare(job, &state->file, false);
}

static void disk_files_teardown(struct kernel_job *job)
{
    struct disk_files *state = job->state;
    if (!state)
        return;
    disk_file_end(&state->file);
    disk_tree_end(&state->tree);
    if (state->folder >= 0)
        close(state->folder);
    disk_empty(job->folder);
    free(state->order);
    free(state);
    job->state = NULL;
}

static enum kernel_outcome disk_files_check(struct kernel_job *job)
{
    const struct disk_files *state = job->state;
    uint64_t wanted = state->file.n_blocks * job->n_iterations;
    if (job->test->code == TREE_COPY)
        return tree_check(job);
    if (job->test->code == SMALL_DELETE)
        return small_check_deleted(job);
    if (job->test->code != SMALL_WRITE && state->n_done != wanted)
        return kernel_reason(job, KERNEL_WRONG, "%" PRIu64 " transfers of %" PRIu64, state->n_done,
                             wanted);
    if (state->n_bad > 0)
        return kernel_reason(job, KERNEL_WRONG, "%" PRIu64 " were not what was written",
                             state->n_bad);
    return is_small(job) ? small_compare(job) : disk_file_compare_all(job, &state->file, NULL);
}

static void disk_files_work(const struct kernel_job *job, struct kernel_work *work)
{
    double bytes = (double)pieces_of(job) * (double)piece_bytes_of(job);
    work->steps = is_small(job) ? (double)pieces_of(job) : 1;
    switch (job->test->code) {
    case TREE_COPY: /* what arrives counts, not twice what was read too */
        work->bytes_written = (double)job->x;
        break;
    case LARGE_WRITE:
    case SMALL_WRITE:
        work->bytes_written = bytes;
        break;
    case LARGE_READ:
    case SMALL_READ:
        work->bytes_read = bytes;
        break;
    }
}

static size_t small_sizes(const struct kernel_host *host, enum kernel_suite suite, uint64_t *out,
                          size_t capacity)
{
    (void)host;
    const uint64_t last = suite == SUITE_QUICK ? 8192 : 65536;
    size_t n = 0;
    for (uint64_t size = suite == SUITE_QUICK ? 8192 : 2048; size <= last && n < capacity; size *= 2)
        out[n++] = size;
    return n;
}

/* As much as the small files. */
static size_t large_sizes(const struct kernel_host *host, enum kernel_suite suite, uint64_t *out,
                          size_t capacity)
{
    size_t n = small_sizes(host, suite, out, capacity);
    for (size_t i = 0; i < n; i++)
        out[i] *= N_SMALL;
    return n;
}

static size_t tree_sizes(const struct kernel_host *host, enum kernel_suite suite, uint64_t *out,
                         size_t capacity)
{
    (void)host;
    (void)suite;
    out[0] = TREE_BYTES;
    return capacity > 0;
}

static const struct kernel_metric write_metrics[] = {{"rate", QUANTITY_BYTE_RATE},
                                                     {"time", QUANTITY_STEP_TIME},
                                                     {"sync_time", QUANTITY_LAP},
                                                     {0}};
static const struct kernel_metric read_metrics[] = {
    {"rate", QUANTITY_BYTE_RATE}, {"time", QUANTITY_STEP_TIME}, {0}};
static const struct kernel_metric delete_metrics[] = {
    {"time", QUANTITY_STEP_TIME}, {"sync_time", QUANTITY_LAP}, {0}};
static const struct kernel_setting files_setting = {
    .key = "files", .help = "number of small files", .type = SETTING_COUNT,
    .values = {"520", "520", "520"}};
static const struct kernel_setting sync_setting = {
    .key = "sync",
    .help = "end: when all are written, the file system is synced; each: each file is, too",
    .type = SETTING_WORD,
    .values = {"end", "end,each", "end,each"},
    .allowed = "end,each"};
static const struct kernel_setting copy_setting = {
    .key = "copy",
    .help = "how: read and write, or the system call copy_file_range, which on some file systems "
            "copies no byte",
    .type = SETTING_WORD,
    .values = {"read_write", "read_write,copy_file_range", "read_write,copy_file_range"},
    .allowed = "read_write,copy_file_range"};
static const struct kernel_setting tree_files_setting = {
    .key = "files", .help = "number of files in the tree", .type = SETTING_COUNT,
    .values = {"3636", "3636", "3636"}};
static const struct kernel_setting folders_setting = {
    .key = "folders", .help = "number of folders in the tree", .type = SETTING_COUNT,
    .values = {"277", "277", "277"}};
static const struct kernel_setting *const small_settings[] = {&files_setting, NULL};
static const struct kernel_setting *const small_write_settings[] = {&files_setting, &sync_setting,
                                                                    NULL};
static const struct kernel_setting *const tree_settings[] = {&copy_setting, &tree_files_setting,
                                                             &folders_setting, NULL};

static const struct kernel_test tests[] = {
    {.name = "large_write", .summary = "writes one file of x bytes in 520 transfers, and its fsync",
     .metrics = write_metrics, .code = LARGE_WRITE, .sizes = large_sizes, .run = large_run},
    {.name = "large_read", .summary = "reads one file of x bytes in 520 transfers",
     .metrics = read_metrics, .code = LARGE_READ, .sizes = large_sizes, .run = large_run},
    {.name = "small_write", .summary = "makes and writes files of x bytes, and syncs the file system",
     .metrics = write_metrics, .settings = small_write_settings, .code = SMALL_WRITE,
     .run = small_write_run},
    {.name = "small_read", .summary = "opens and reads files of x bytes in random order",
     .metrics = read_metrics, .settings = small_settings, .code = SMALL_READ, .run = small_read_run},
    {.name = "small_delete", .summary = "deletes files of x bytes, and syncs the file system",
     .from = SUITE_STANDARD, .metrics = delete_metrics, .settings = small_settings, .code = SMALL_DELETE,
     .run = small_delete_run},
    {.name = "tree_copy", .summary = "copies a tree of folders with x bytes in small files, and syncs "
                                     "the file system; time is that of the tree",
     .from = SUITE_STANDARD, .metrics = write_metrics, .settings = tree_settings, .code = TREE_COPY, .sizes = tree_sizes,
     .run = tree_run},
    {0}};

const struct kernel kernel_disk_files = {
    .name = "disk_files",
    .summary = "One large file beside 520 small ones of the same total: rate, and time per file. "
               "Everything is compared. Reads start with nothing of the files in the page cache; "
               "what the system knows of folders and names stays",
    .source = "Longbottom, CDDVDSpd; the tree: Longbottom, 64-Bit Windows Vista (2007), 3636 files in "
              "277 folders, 18.1 MB",
    .needs_text = "free space; for reads a file system that is not in memory",
    .revision = 1,
    .flags = KERNEL_ONE_PASS | KERNEL_WANTS_FOLDER | KERNEL_UNPINNED | KERNEL_ONE_THREAD,
    .tests = tests,
    .x_unit = "B",
    .sizes = small_sizes,
    .cost = {.seconds = {0.3, 0.8, 0.8}},
    .work = disk_files_work,
    .needs = disk_files_needs,
    .memory = disk_files_memory,
    .setup = disk_files_setup,
    .check = disk_files_check,
    .teardown = disk_files_teardown,
};
