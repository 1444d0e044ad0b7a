/* Data reached through an index, in order or at random: the same code for both, and only the index
 * differs. The first half of the memory is the index, the second half the data, both of 32-bit words.
 * All threads work on one array, each beginning at its own part and going around once in a pass; rw
 * adds one to each word, and what threads do to each other thereby is what is measured.
 *
 * Data are read and written by relaxed atomic operations, which are ordinary loads and stores: two
 * threads may read the same value and add one to it each, and one of the two is lost. So with several
 * threads the count in a word is between one and the passes of all; with one thread it is exact. What
 * was read is summed and compared exactly.
 *
 * The historical program had index and data in one array, and its random rw wrote over the index,
 * which changed the order from pass to pass; it read words 2 by 2 with AND and OR and did not verify
 * them. Here the index stays. */
#include "kernels/kernel.h"

#include "kernels/sweep.h"

#include <inttypes.h>
#include <stdatomic.h>
#include <stdlib.h>

enum { SERIAL = 0, RANDOM = 1, READ = 0, WRITE = 2 }; /* bits of a test's code */
enum { ELEMENT_BYTES = 2 * sizeof(uint32_t) };

_Static_assert(sizeof(_Atomic uint32_t) == sizeof(uint32_t), "atomic words are plain words");

/* In job->state, one for each thread. */
struct rand_mem {
    size_t n;
    const uint32_t *index;   /* [n] */
    _Atomic uint32_t *data;  /* [n] */
    uint32_t sum;            /* of all that was read */
    uint64_t done;           /* passes */
};

/* What a word of the data holds before the first pass. */
static uint32_t datum(size_t i)
{
    uint64_t state = i;
    return (uint32_t)kernel_random(&state);
}

#define EACH_8(do) do(0, a) do(1, b) do(2, c) do(3, d) do(4, a) do(5, b) do(6, c) do(7, d)
#define READ_ONE(i, sum)                                                                           \
    sum += atomic_load_explicit(&data[index[i]], memory_order_relaxed);                            \
    KERNEL_KEEP(sum);
#define WRITE_ONE(i, sum)                                                                          \
    {                                                                                              \
        _Atomic uint32_t *word = &data[index[i]];                                                  \
        uint32_t value = atomic_load_explicit(word, memory_order_relaxed);                         \
        atomic_store_explicit(word, value + 1, memory_order_relaxed);                              \
    }

static __attribute__((noinline)) uint32_t part_read(_Atomic uint32_t *data, const uint32_t *index,
                                                    size_t n)
{
    uint32_t a = 0, b = 0, c = 0, d = 0;
    for (; n >= 8; n -= 8, index += 8) {
        EACH_8(READ_ONE)
    }
    for (; n > 0; n--, index++) {
        READ_ONE(0, a)
    }
    return a + b + c + d;
}

static __attribute__((noinline)) void part_write(_Atomic uint32_t *data, const uint32_t *index,
                                                 size_t n)
{
    for (; n >= 8; n -= 8, index += 8) {
        EACH_8(WRITE_ONE)
    }
    for (; n > 0; n--, index++) {
        WRITE_ONE(0, a)
    }
}

static size_t elements_of(const struct kernel_job *job)
{
    return (size_t)(job->x / ELEMENT_BYTES);
}

static enum kernel_outcome rand_mem_needs(struct kernel_job *job)
{
    if (job->x > SIZE_MAX || job->x / ELEMENT_BYTES > UINT32_MAX)
        return kernel_reason(job, KERNEL_UNAVAILABLE,
                             "%" PRIu64 " B are more than an index of 32 bits reaches", job->x);
    if (elements_of(job) < job->threads || job->x < ELEMENT_BYTES)
        return kernel_reason(job, KERNEL_UNAVAILABLE,
                             "%" PRIu64 " B are fewer than %d for each of %u threads", job->x,
                             ELEMENT_BYTES, job->threads);
    return KERNEL_OK;
}

static size_t rand_mem_memory(const struct kernel_job *job)
{
    return elements_of(job) * ELEMENT_BYTES;
}

/* The random order: Fisher and Yates, in the form of Durstenfeld (CACM 7 (1964) 420). */
static enum kernel_outcome rand_mem_setup(struct kernel_job *job)
{
    struct rand_mem *state = calloc(1, sizeof *state);
    if (!state)
        return kernel_reason(job, KERNEL_FAILED, "out of memory");
    job->state = state;
    uint32_t *index = job->memory;
    state->n = elements_of(job);
    state->index = index;
    state->data = (_Atomic uint32_t *)index + state->n;
    if (job->thread != 0)
        return KERNEL_OK;
    for (size_t i = 0; i < state->n; i++) {
        index[i] = (uint32_t)i;
        atomic_store_explicit(&state->data[i], datum(i), memory_order_relaxed);
    }
    uint64_t random = job->seed;
    for (size_t i = state->n; i > 1 && (job->test->code & RANDOM); i--) {
        size_t other = (size_t)(kernel_random(&random) % i);
        uint32_t swapped = index[i - 1];
        index[i - 1] = index[other];
        index[other] = swapped;
    }
    return KERNEL_OK;
}

static void rand_mem_teardown(struct kernel_job *job)
{
    free(job->state);
    job->state = NULL;
}

static enum kernel_outcome rand_mem_run(struct kernel_job *job, uint64_t iterations)
{
    struct rand_mem *state = job->state;
    const size_t start = (size_t)((uint64_t)state->n * job->thread / job->threads);
    const uint32_t *const index = state->index;
    for (uint64_t i = 0; i < iterations; i++) {
        if (job->test->code & WRITE) {
            part_write(state->data, index + start, state->n - start);
            part_write(state->data, index, start);
        } else {
            state->sum += part_read(state->data, index + start, state->n - start);
            state->sum += part_read(state->data, index, start);
        }
        state->done++;
    }
    return KERNEL_OK;
}

/* Every place once; in order, or not. */
static enum kernel_outcome index_check(struct kernel_job *job)
{
    const struct rand_mem *state = job->state;
    unsigned char *seen = calloc(state->n / 8 + 1, 1);
    if (!seen)
        return kernel_reason(job, KERNEL_FAILED, "out of memory");
    size_t n_seen = 0;
    bool is_serial = true;
    for (size_t i = 0; i < state->n; i++) {
        size_t at = state->index[i];
        is_serial = is_serial && at == i;
        if (at < state->n && !(seen[at / 8] & 1 << at % 8)) {
            seen[at / 8] = (unsigned char)(seen[at / 8] | 1 << at % 8);
            n_seen++;
        }
    }
    free(seen);
    if (n_seen != state->n || (!(job->test->code & RANDOM) && !is_serial))
        return kernel_reason(job, KERNEL_WRONG, "the index has changed");
    return KERNEL_OK;
}

static enum kernel_outcome data_check(struct kernel_job *job)
{
    const struct rand_mem *state = job->state;
    bool is_written = job->test->code & WRITE;
    uint64_t most = is_written ? job->n_iterations * job->threads : 0;
    uint64_t least = job->threads == 1 ? most : is_written && most > 0;
    for (size_t i = 0; i < state->n; i++) {
        uint32_t found = atomic_load_explicit(&state->data[i], memory_order_relaxed);
        uint32_t count = found - datum(i);
        if (most <= UINT32_MAX ? count < least || count > most
                               : job->threads == 1 && count != (uint32_t)most)
            return kernel_reason(job, KERNEL_WRONG,
                                 "word %zu of the data was written %" PRIu32
                                 " times, not %" PRIu64 " to %" PRIu64,
                                 i, count, least, most);
    }
    return KERNEL_OK;
}

static enum kernel_outcome rand_mem_check(struct kernel_job *job)
{
    const struct rand_mem *state = job->state;
    if (state->done != job->n_iterations)
        return kernel_reason(job, KERNEL_WRONG, "did %" PRIu64 " passes of %" PRIu64, state->done,
                             job->n_iterations);
    uint32_t sum = 0;
    for (size_t i = 0; i < state->n && !(job->test->code & WRITE); i++)
        sum += datum(i);
    sum *= (uint32_t)state->done;
    if (state->sum != sum)
        return kernel_reason(job, KERNEL_WRONG,
                             "the sum of all that was read is %" PRIx32 ", not %" PRIx32, state->sum,
                             sum);
    if (job->thread != 0)
        return KERNEL_OK;
    enum kernel_outcome outcome = index_check(job);
    return outcome == KERNEL_OK ? data_check(job) : outcome;
}

static void rand_mem_work(const struct kernel_job *job, struct kernel_work *work)
{
    work->bytes_read = (double)elements_of(job) * ELEMENT_BYTES;
    work->bytes_written = job->test->code & WRITE ? work->bytes_read / 2 : 0;
}

/* In the quick suite one size in the first cache, and one in memory. */
static size_t rand_mem_sizes(const struct kernel_host *host, enum kernel_suite suite, uint64_t *out,
                             size_t capacity)
{
    if (suite == SUITE_FULL)
        return sweep_sizes(host, suite, out, capacity);
    size_t n = sweep_levels(host, suite, out, capacity);
    if (suite == SUITE_QUICK && n > 2) {
        out[1] = out[n - 1];
        n = 2;
    }
    return n;
}

static const struct kernel_metric rate_metric[] = {{"rate", QUANTITY_BYTE_RATE}, {0}};
static const struct kernel_setting *const settings[] = {&sweep_pages, NULL};

static const struct kernel_test tests[] = {
    {.name = "serial_read", .summary = "reads words in order through an index",
     .from = SUITE_STANDARD, .metrics = rate_metric, .settings = settings, .code = SERIAL | READ,
     .run = rand_mem_run},
    {.name = "serial_rw", .summary = "reads and writes words in order through an index",
     .from = SUITE_STANDARD, .metrics = rate_metric, .settings = settings, .code = SERIAL | WRITE,
     .run = rand_mem_run},
    {.name = "random_read", .summary = "reads words at random through an index",
     .metrics = rate_metric, .settings = settings, .code = RANDOM | READ, .run = rand_mem_run},
    {.name = "random_rw", .summary = "reads and writes words at random through an index",
     .from = SUITE_STANDARD, .metrics = rate_metric, .settings = settings, .code = RANDOM | WRITE,
     .run = rand_mem_run},
    {0}};

const struct kernel kernel_rand_mem = {
    .name = "rand_mem",
    .summary = "Reading, and reading and writing, in order and at random through an index, all threads "
               "on one array. Counts bytes of index and data; B/s where the historical programs "
               "gave MiB/s. Index and data apart, so that writing does not change the order",
    .source = "Longbottom, RandMem (2007, Linux 2010), RandMP (2007)",
    .needs_text = "pages=huge: transparent huge pages",
    .revision = 1,
    .flags = KERNEL_SHARED_MEMORY,
    .tests = tests,
    .x_unit = "B",
    .sizes = rand_mem_sizes,
    .threads = {"1", "1,all", "1,all"},
    .cost = {.ns_per_byte = 4},
    .work = rand_mem_work,
    .needs = rand_mem_needs,
    .memory = rand_mem_memory,
    .pages = sweep_pages_of,
    .setup = rand_mem_setup,
    .check = rand_mem_check,
    .teardown = rand_mem_teardown,
};
