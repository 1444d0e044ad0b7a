/* Streaming two arrays through the processor: dot sums x * y, triad is x = x + s * y, add x = x + y,
 * copy x = y. With integers s is added, as in the historical programs.
 *
 * All values are small whole numbers, and s and the sign of add alternate from pass to pass, so that
 * every result is exact whatever the order of the additions and the width of the registers, and is
 * compared exactly. */
#include "kernels/mem_speed.h"

#include "kernels/kernel.h"
#include "kernels/sweep.h"
#include "kernels/vector.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { DOT, TRIAD, ADD, COPY }; /* codes of the tests */
enum { ALIGNMENT = 64, APART = 2048 };

/* In job->state. */
struct mem_speed {
    enum mem_speed_type type;
    const struct mem_speed_loops *loops;
    mem_speed_stream_fn *stream; /* NULL: copy stores as usual */
    void *x, *y;
    size_t n;
    int64_t sum;
    uint64_t done;
};

static enum mem_speed_type type_of(const struct kernel_job *job)
{
    const char *type = kernel_setting(job, "type");
    return strcmp(type, "double") == 0  ? MEM_SPEED_DOUBLE
           : strcmp(type, "float") == 0 ? MEM_SPEED_FLOAT
                                        : MEM_SPEED_INT32;
}

static size_t element_size(const struct kernel_job *job)
{
    return type_of(job) == MEM_SPEED_DOUBLE ? sizeof(double) : sizeof(float);
}

static size_t elements_of(const struct kernel_job *job)
{
    return (size_t)(job->x / 2) / element_size(job);
}

/* 0: scalars; -1: wanted are vectors of this machine, which has none. */
static int bits_of(const struct kernel_job *job)
{
    const char *code = kernel_setting(job, "code");
    if (strcmp(code, "scalar") == 0)
        return 0;
    if (strcmp(code, "vector") == 0)
        return vector_widest() ? vector_widest() : -1;
    return atoi(code + strlen("vector"));
}

/* From x to y: not a multiple of 4096, where a load behind a store to the same offset in another page
 * waits for it on many processors. */
static size_t distance_of(const struct kernel_job *job)
{
    return (elements_of(job) * element_size(job) + 4095) / 4096 * 4096 + APART;
}

static bool is_streaming(const struct kernel_job *job)
{
    const char *store = kernel_setting(job, "store");
    return store && strcmp(store, "streaming") == 0;
}

static enum kernel_outcome mem_speed_needs(struct kernel_job *job)
{
    int bits = bits_of(job);
    const char *missing = bits == 0 ? NULL : vector_missing(bits < 0 ? 128 : bits);
    if (missing)
        return kernel_reason(job, KERNEL_UNAVAILABLE, "%s", missing);
    if (is_streaming(job) && bits == 0)
        return kernel_reason(job, KERNEL_UNAVAILABLE, "streaming stores are made of vectors only");
    if (is_streaming(job) && !mem_speed_stream(bits))
        return kernel_reason(job, KERNEL_UNAVAILABLE,
                             "no streaming stores are known for this architecture");
    if (job->x > SIZE_MAX / 2)
        return kernel_reason(job, KERNEL_UNAVAILABLE,
                             "%" PRIu64 " B are more than this program can address", job->x);
    if (elements_of(job) == 0)
        return kernel_reason(job, KERNEL_UNAVAILABLE,
                             "%" PRIu64 " B are fewer than two elements of %zu B", job->x,
                             element_size(job));
    return KERNEL_OK;
}

static size_t mem_speed_memory(const struct kernel_job *job)
{
    return distance_of(job) + elements_of(job) * element_size(job);
}

/* ---- what the elements are */

/* -2, -1, 1 or 2: two bits each of a random number are x and y of 16 elements. */
struct values {
    uint64_t random;
    int x, y;
};

/* The values before the first pass; i rises by one from call to call, from 0. */
static void values_next(struct values *values, size_t i)
{
    static const int all[] = {-2, -1, 1, 2};
    uint64_t counter = i / 16;
    if (i % 16 == 0)
        values->random = kernel_random(&counter);
    values->x = all[values->random & 3];
    values->y = all[values->random >> 2 & 3];
    values->random >>= 4;
}

static void element_set(enum mem_speed_type type, void *array, size_t i, int value)
{
    if (type == MEM_SPEED_DOUBLE)
        ((double *)array)[i] = value;
    else if (type == MEM_SPEED_FLOAT)
        ((float *)array)[i] = (float)value;
    else
        ((uint32_t *)array)[i] = (uint32_t)value;
}

/* Integers modulo 2^32. */
static double element_get(enum mem_speed_type type, const void *array, size_t i)
{
    return type == MEM_SPEED_DOUBLE  ? ((const double *)array)[i]
           : type == MEM_SPEED_FLOAT ? (double)((const float *)array)[i]
                                     : (double)((const uint32_t *)array)[i];
}

static double whole(enum mem_speed_type type, int64_t value)
{
    return type == MEM_SPEED_INT32 ? (double)(uint32_t)value : (double)value;
}

/* After the passes that were made; x, y: before. */
static double x_right(const struct mem_speed *state, int test, int64_t x, int64_t y)
{
    uint64_t done = state->done;
    if (test == DOT || done == 0)
        return whole(state->type, x);
    if (test == COPY)
        return whole(state->type, y);
    if (state->type == MEM_SPEED_INT32) {
        uint32_t each = (uint32_t)(test == TRIAD ? MEM_SPEED_FACTOR + y : y);
        return (double)(uint32_t)((uint32_t)x + (uint32_t)done * each);
    }
    return whole(state->type, done % 2 == 0 ? x : x + (test == TRIAD ? MEM_SPEED_FACTOR * y : y));
}

/* ---- the kernel */

static enum kernel_outcome mem_speed_setup(struct kernel_job *job)
{
    struct mem_speed *state = calloc(1, sizeof *state);
    if (!state)
        return kernel_reason(job, KERNEL_FAILED, "out of memory");
    job->state = state;
    int bits = bits_of(job);
    state->type = type_of(job);
    state->loops = mem_speed_loops(state->type, bits);
    state->stream = is_streaming(job) ? mem_speed_stream(bits) : NULL;
    state->x = job->memory;
    state->y = (char *)job->memory + distance_of(job);
    state->n = elements_of(job);
    struct values before = {0};
    for (size_t i = 0; i < state->n; i++) {
        values_next(&before, i);
        element_set(state->type, state->x, i, before.x);
        element_set(state->type, state->y, i, before.y);
    }
    return KERNEL_OK;
}

static void mem_speed_teardown(struct kernel_job *job)
{
    free(job->state);
    job->state = NULL;
}

static enum kernel_outcome mem_speed_run(struct kernel_job *job, uint64_t iterations)
{
    struct mem_speed *state = job->state;
    const struct mem_speed_loops *loops = state->loops;
    uint64_t left = iterations;
    switch (job->test->code) {
    case DOT:
        for (; left > 0; left -= left < MEM_SPEED_SUMMED ? left : MEM_SPEED_SUMMED)
            state->sum += loops->dot(state->x, state->y, state->n,
                                     left < MEM_SPEED_SUMMED ? left : MEM_SPEED_SUMMED);
        break;
    case TRIAD:
        loops->triad(state->x, state->y, state->n, iterations, state->done);
        break;
    case ADD:
        loops->add(state->x, state->y, state->n, iterations, state->done);
        break;
    default:
        if (state->stream)
            state->stream(state->x, state->y, state->n * element_size(job), iterations);
        else
            loops->copy(state->x, state->y, state->n, iterations);
    }
    state->done += iterations;
    return KERNEL_OK;
}

static enum kernel_outcome mem_speed_check(struct kernel_job *job)
{
    const struct mem_speed *state = job->state;
    if (state->done != job->n_iterations)
        return kernel_reason(job, KERNEL_WRONG, "did %" PRIu64 " passes of %" PRIu64, state->done,
                             job->n_iterations);
    int64_t sum = 0;
    struct values before = {0};
    for (size_t i = 0; i < state->n; i++) {
        values_next(&before, i);
        int64_t x = before.x, y = before.y;
        sum += state->type == MEM_SPEED_INT32 ? x + y : x * y;
        double found = element_get(state->type, state->x, i);
        double right = x_right(state, job->test->code, x, y);
        if (found != right)
            return kernel_reason(job, KERNEL_WRONG, "x[%zu] is %.17g, not %.17g", i, found, right);
        found = element_get(state->type, state->y, i);
        if (found != whole(state->type, y))
            return kernel_reason(job, KERNEL_WRONG, "y[%zu] is %.17g, not %.17g", i, found,
                                 whole(state->type, y));
    }
    sum *= job->test->code == DOT ? (int64_t)state->done : 0;
    if (whole(state->type, sum) != whole(state->type, state->sum))
        return kernel_reason(job, KERNEL_WRONG, "the sum of x * y is %.17g, not %.17g",
                             whole(state->type, state->sum), whole(state->type, sum));
    return KERNEL_OK;
}

static void mem_speed_work(const struct kernel_job *job, struct kernel_work *work)
{
    static const double flops[] = {[DOT] = 2, [TRIAD] = 2, [ADD] = 1, [COPY] = 0};
    double n = (double)elements_of(job), bytes = n * (double)element_size(job);
    work->bytes_read = job->test->code == COPY ? bytes : 2 * bytes;
    work->bytes_written = job->test->code == DOT ? 0 : bytes;
    work->flops = type_of(job) == MEM_SPEED_INT32 ? 0 : flops[job->test->code] * n;
}

static const struct kernel_metric both_metrics[] = {
    {"rate", QUANTITY_BYTE_RATE}, {"flops", QUANTITY_FLOP_RATE}, {0}};
static const struct kernel_metric rate_metric[] = {{"rate", QUANTITY_BYTE_RATE}, {0}};
static const struct kernel_setting type_setting = {
    .key = "type",
    .help = "of the elements",
    .type = SETTING_WORD,
    .values = {"double", "double,float", "double,float,int32"},
    .allowed = "double,float,int32"};
static const struct kernel_setting code_setting = {
    .key = "code",
    .help = "instructions: scalar, the widest vectors of the machine, or vectors of so many bits",
    .type = SETTING_WORD,
    .values = {"vector", "scalar,vector", "scalar,vector128,vector256,vector512"},
    .allowed = "scalar,vector,vector128,vector256,vector512"};
static const struct kernel_setting store_setting = {
    .key = "store",
    .help = "stores into the caches, or past them (streaming)",
    .type = SETTING_WORD,
    .values = {"normal", "normal,streaming", "normal,streaming"},
    .allowed = "normal,streaming"};
static const struct kernel_setting *const settings[] = {&code_setting, &sweep_pages,
                                                        &type_setting, NULL};
static const struct kernel_setting *const copy_settings[] = {&code_setting, &sweep_pages,
                                                             &store_setting, &type_setting, NULL};

static const struct kernel_test tests[] = {
    {.name = "dot", .summary = "s = s + x * y; s + x + y for integers", .from = SUITE_STANDARD,
     .metrics = both_metrics, .settings = settings, .code = DOT, .run = mem_speed_run},
    {.name = "triad", .summary = "x = x + s * y; x + s + y for integers", .metrics = both_metrics,
     .settings = settings, .code = TRIAD, .run = mem_speed_run},
    {.name = "add", .summary = "x = x + y", .from = SUITE_STANDARD, .metrics = both_metrics,
     .settings = settings, .code = ADD, .run = mem_speed_run},
    {.name = "copy", .summary = "x = y", .from = SUITE_STANDARD, .metrics = rate_metric,
     .settings = copy_settings, .code = COPY, .run = mem_speed_run},
    {0}};

const struct kernel kernel_mem_speed = {
    .name = "mem_speed",
    .summary = "Streaming two arrays, of x bytes together: counts bytes read and bytes written (the "
               "historical programs did not count writes). Each thread has arrays of its own",
    .source = "Longbottom, MemSpd2K (2002), SSE3DNow (2007), MemSpeed version 4; bytes: McCalpin, "
              "STREAM (1995)",
    .needs_text = "code=vector: SSE2 or NEON; vector256: AVX2; vector512: AVX-512; pages=huge: "
                  "transparent huge pages",
    .revision = 1,
    .tests = tests,
    .x_unit = "B",
    .sizes = sweep_levels,
    .threads = {"1", "1,all", "1,all"},
    .work = mem_speed_work,
    .needs = mem_speed_needs,
    .memory = mem_speed_memory,
    .pages = sweep_pages_of,
    .setup = mem_speed_setup,
    .check = mem_speed_check,
    .teardown = mem_speed_teardown,
};
