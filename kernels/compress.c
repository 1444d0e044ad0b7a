/* Installed compressors on one file of text like the source of a program. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "kernels/program.h"
#include "kernels/source_text.h"

enum { CHUNK = 1 << 16, EXPANDING = 16 };

/* By test->code, with EXPANDING for the way back. Levels are those of each program itself. */
static const struct {
    const char *name;
    const char *const *pack, *const *unpack;
} programs[] = {
    {"gzip", (const char *const[]){"gzip", "-c", NULL}, (const char *const[]){"gzip", "-dc", NULL}},
    {"bzip2", (const char *const[]){"bzip2", "-c", NULL},
     (const char *const[]){"bzip2", "-dc", NULL}},
    {"pigz", (const char *const[]){"pigz", "-c", NULL}, (const char *const[]){"pigz", "-dc", NULL}},
    {"zstd", (const char *const[]){"zstd", "-q", "-c", NULL},
     (const char *const[]){"zstd", "-q", "-dc", NULL}},
    {"xz", (const char *const[]){"xz", "-c", NULL}, (const char *const[]){"xz", "-dc", NULL}}};
enum { GZIP, BZIP2, PIGZ, ZSTD, XZ };

struct compress {
    int plain, packed, back; /* files without a name in the folder of the job; -1: not made */
    uint64_t bytes;          /* of text */
    struct source_text source;
    char ours[CHUNK], theirs[CHUNK];
};

static int program_of(const struct kernel_job *job)
{
    return job->test->code % EXPANDING;
}

static bool is_expanding(const struct kernel_job *job)
{
    return job->test->code >= EXPANDING;
}

static enum kernel_outcome needs(struct kernel_job *job)
{
    uint64_t bytes = kernel_setting_number(job, "bytes"), free_bytes = job->host->disk_free_bytes;
    if (free_bytes > 0 && free_bytes / 4 < bytes)
        return kernel_reason(job, KERNEL_UNAVAILABLE,
                             "%" PRIu64 " bytes are free on the disk, three files of %" PRIu64
                             " are wanted",
                             free_bytes, bytes);
    return program_needs(job, programs[program_of(job)].name);
}

/* A file that is gone when it is closed. */
static int file_make(const struct kernel_job *job)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/XXXXXX", job->folder);
    int fd = mkostemp(path, O_CLOEXEC);
    if (fd >= 0)
        unlink(path);
    return fd;
}

static enum kernel_outcome failed(struct kernel_job *job, const char *what)
{
    return kernel_reason(job, KERNEL_FAILED, "%s: %s", what, strerror(errno));
}

static bool write_all(int fd, const char *bytes, size_t size)
{
    while (size > 0) {
        ssize_t n = write(fd, bytes, size);
        if (n < 0 && errno != EINTR)
            return false;
        bytes += n > 0 ? n : 0;
        size -= n > 0 ? (size_t)n : 0;
    }
    return true;
}

static enum kernel_outcome program_pass(struct kernel_job *job, const char *const *argv, int from,
                                        int to, struct program_usage *usage)
{
    if (lseek(from, 0, SEEK_SET) < 0 || lseek(to, 0, SEEK_SET) < 0 || ftruncate(to, 0) < 0)
        return failed(job, "file");
    return program_run(job, argv, from, to, usage);
}

static enum kernel_outcome setup(struct kernel_job *job)
{
    struct compress *state = malloc(sizeof *state);
    if (!state)
        return kernel_reason(job, KERNEL_FAILED, "out of memory");
    job->state = state;
    state->bytes = kernel_setting_number(job, "bytes");
    state->plain = file_make(job);
    state->packed = file_make(job);
    state->back = file_make(job);
    if (state->plain < 0 || state->packed < 0 || state->back < 0)
        return failed(job, "file");
    source_text_begin(&state->source, job->seed);
    for (uint64_t at = 0; at < state->bytes; at += CHUNK) {
        size_t size = state->bytes - at < CHUNK ? (size_t)(state->bytes - at) : CHUNK;
        source_text_next(&state->source, state->ours, size);
        if (!write_all(state->plain, state->ours, size))
            return failed(job, "write");
    }
    return is_expanding(job) ? program_pass(job, programs[program_of(job)].pack, state->plain,
                                            state->packed, NULL)
                             : KERNEL_OK;
}

static enum kernel_outcome pass_once(struct kernel_job *job, struct program_usage *usage)
{
    const struct compress *state = job->state;
    return is_expanding(job) ? program_pass(job, programs[program_of(job)].unpack, state->packed,
                                            state->back, usage)
                             : program_pass(job, programs[program_of(job)].pack, state->plain,
                                            state->packed, usage);
}

static enum kernel_outcome run(struct kernel_job *job, uint64_t iterations)
{
    const struct compress *state = job->state;
    enum kernel_outcome outcome = program_repeat(job, iterations, pass_once);
    struct stat packed;
    if (fstat(state->packed, &packed) == 0)
        kernel_report(job, "size", (double)packed.st_size);
    return outcome;
}

/* What came back is the text made anew from the seed, to its last byte. */
static enum kernel_outcome check(struct kernel_job *job)
{
    struct compress *state = job->state;
    if (!is_expanding(job)) {
        enum kernel_outcome outcome = program_pass(job, programs[program_of(job)].unpack,
                                                   state->packed, state->back, NULL);
        if (outcome != KERNEL_OK)
            return kernel_reason(job, KERNEL_WRONG, "%s does not expand what it made",
                                 programs[program_of(job)].name);
    }
    struct stat status;
    if (fstat(state->back, &status) < 0 || (uint64_t)status.st_size != state->bytes)
        return kernel_reason(job, KERNEL_WRONG, "%lld bytes came back of %" PRIu64,
                             (long long)status.st_size, state->bytes);
    source_text_begin(&state->source, job->seed);
    for (uint64_t at = 0; at < state->bytes; at += CHUNK) {
        size_t size = state->bytes - at < CHUNK ? (size_t)(state->bytes - at) : CHUNK;
        source_text_next(&state->source, state->ours, size);
        if (pread(state->back, state->theirs, size, (off_t)at) != (ssize_t)size)
            return failed(job, "read");
        if (memcmp(state->ours, state->theirs, size) != 0)
            return kernel_reason(job, KERNEL_WRONG,
                                 "what came back differs within %d bytes from byte %" PRIu64, CHUNK,
                                 at);
    }
    return KERNEL_OK;
}

static void teardown(struct kernel_job *job)
{
    struct compress *state = job->state;
    const int files[] = {state ? state->plain : -1, state ? state->packed : -1,
                         state ? state->back : -1};
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++)
        if (files[i] >= 0)
            close(files[i]);
    free(state);
    job->state = NULL;
}

/* Of text, whichever way. */
static void work(const struct kernel_job *job, struct kernel_work *work)
{
    work->bytes_read = (double)kernel_setting_number(job, "bytes");
    work->steps = 1;
}

static void facts(kernel_tell_fn *tell, void *context)
{
    static const struct program_version list[] = {
        {"gzip", "--version"}, {"bzip2", "--help"}, {"pigz", "--version"}, {"zstd", "--version"},
        {"xz", "--version"},   {0}};
    program_tell(list, tell, context);
}

static const struct kernel_metric metrics[] = {
    {"rate", QUANTITY_BYTE_RATE}, PROGRAM_TIMES, {"size", QUANTITY_BYTES}, {0}};
static const struct kernel_setting bytes = {.key = "bytes",
                                            .help = "size of the text",
                                            .type = SETTING_BYTES,
                                            .values = {"8M", "8M", "200M"}};
static const struct kernel_setting *const settings[] = {&bytes, NULL};

#define TEST(NAME, SUMMARY, FROM, CODE) \
    {.name = NAME, .summary = SUMMARY, .from = FROM, .metrics = metrics, .settings = settings, \
     .code = CODE, .run = run}

static const struct kernel_test tests[] = {
    TEST("gzip", "gzip", SUITE_QUICK, GZIP),
    TEST("gunzip", "gzip -d", SUITE_QUICK, EXPANDING + GZIP),
    TEST("bzip2", "bzip2", SUITE_STANDARD, BZIP2),
    TEST("bunzip2", "bzip2 -d", SUITE_STANDARD, EXPANDING + BZIP2),
    TEST("pigz", "pigz, gzip in threads", SUITE_STANDARD, PIGZ),
    TEST("unpigz", "pigz -d", SUITE_STANDARD, EXPANDING + PIGZ),
    TEST("zstd", "zstd", SUITE_STANDARD, ZSTD),
    TEST("unzstd", "zstd -d", SUITE_STANDARD, EXPANDING + ZSTD),
    TEST("xz", "xz", SUITE_FULL, XZ),
    TEST("unxz", "xz -d", SUITE_FULL, EXPANDING + XZ),
    {0}};

const struct kernel kernel_compress = {
    .name = "compress",
    .summary = "Installed compressors, each at its own level, on a file like the source of a program",
    .source = "Daniel, gzip and bzip2 on gcc-4.1.1.tar (opensolaris-discuss)",
    .needs_text = "the program that the test names",
    .revision = 1,
    .flags = KERNEL_ONE_THREAD | KERNEL_ONE_PASS | KERNEL_WANTS_FOLDER | KERNEL_UNPINNED,
    .tests = tests,
    .cost = {.seconds = {0.4, 0.4, 1}},
    .work = work,
    .needs = needs,
    .setup = setup,
    .check = check,
    .teardown = teardown,
    .facts = facts,
};
