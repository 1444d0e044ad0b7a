/* Moving bytes: one after the other upwards (Forth's CMOVE) and downwards (CMOVE>), and by memmove to
 * higher and to lower addresses.
 *
 * Without overlap source and destination are apart. With overlap they share about half of their bytes,
 * the destination above the source for cmove and move_up, below it for cmove_up and move_down. In
 * that position ANS Forth (X3.215-1994, 17.6.1.0910 and .0920) lets cmove and cmove_up propagate:
 * what is not overwritten before it is read fills the destination again and again. memmove moves what
 * was there. Both are checked, byte for byte.
 *
 * Places are counted from the end that is not overwritten, in words, so that one description fits
 * both directions: place 0 is the first word of the lower region, or the last one of the higher. Each
 * pass writes its number there before it moves. */
#include "kernels/kernel.h"

#include "kernels/sweep.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { WORD = sizeof(uint64_t), SMALLEST = 4 * WORD, APART = 2048 };
enum { BYTES_UP, BYTES_DOWN, MOVE_UP, MOVE_DOWN }; /* codes of the tests */

/* In job->state. */
struct mem_move {
    unsigned char *memory;
    size_t bytes;    /* that are moved; whole words */
    size_t distance; /* between source and destination; whole words */
    bool is_mirrored; /* the destination is the lower region */
    uint64_t done;
};

static size_t bytes_of(const struct kernel_job *job)
{
    return (size_t)job->x / WORD * WORD;
}

/* Not a multiple of 4096 where that can be: a load behind a store to the same offset in another page
 * waits for it on many processors. */
static size_t distance_of(const struct kernel_job *job)
{
    size_t bytes = bytes_of(job);
    if (strcmp(kernel_setting(job, "overlap"), "yes") != 0)
        return (bytes + 4095) / 4096 * 4096 + APART;
    size_t half = bytes / 2 / WORD * WORD;
    return half > 4 * APART && half % 4096 == 0 ? half - APART : half;
}

/* An empty assembly statement for each byte: else both compilers make this a call of memmove. */
static __attribute__((noinline)) void bytes_up(unsigned char *to, const unsigned char *from,
                                               size_t n)
{
    for (size_t i = 0; i < n; i++) {
        to[i] = from[i];
        KERNEL_BARRIER();
    }
}

static __attribute__((noinline)) void bytes_down(unsigned char *to, const unsigned char *from,
                                                 size_t n)
{
    for (size_t i = n; i > 0; i--) {
        to[i - 1] = from[i - 1];
        KERNEL_BARRIER();
    }
}

static size_t memory_of(const struct kernel_job *job)
{
    return distance_of(job) + bytes_of(job);
}

/* ---- what must be where */

static unsigned char *place(const struct mem_move *state, size_t i)
{
    size_t last = (state->bytes + state->distance) / WORD - 1;
    return state->memory + (state->is_mirrored ? last - i : i) * WORD;
}

static uint64_t word_before(size_t i)
{
    uint64_t counter = i;
    return kernel_random(&counter);
}

/* The word at a place after so many passes, at least one. Blocks of `distance`: the first holds the
 * pass and the words from before; block q of a move what the first one was q - 1 passes ago, or
 * if there were fewer, what was there before, shifted; propagated, all are like the first. */
static uint64_t word_right(const struct mem_move *state, size_t i, uint64_t passes,
                           bool is_propagated)
{
    size_t distance = state->distance / WORD, block = i / distance, offset = i % distance;
    uint64_t pass = passes;
    if (block > 0 && !is_propagated) {
        if (block > passes)
            return word_before(i - (size_t)passes * distance);
        pass = passes - block + 1;
    }
    return offset == 0 ? pass : word_before(offset);
}

/* ---- the kernel */

static enum kernel_outcome mem_move_needs(struct kernel_job *job)
{
    if (job->x > SIZE_MAX / 2 - 8192)
        return kernel_reason(job, KERNEL_UNAVAILABLE,
                             "twice %" PRIu64 " B are more than this program can address", job->x);
    if (job->x < SMALLEST)
        return kernel_reason(job, KERNEL_UNAVAILABLE, "%" PRIu64 " B are fewer than %d", job->x,
                             SMALLEST);
    return KERNEL_OK;
}

static enum kernel_outcome mem_move_setup(struct kernel_job *job)
{
    struct mem_move *state = calloc(1, sizeof *state);
    if (!state)
        return kernel_reason(job, KERNEL_FAILED, "out of memory");
    job->state = state;
    state->memory = job->memory;
    state->bytes = bytes_of(job);
    state->distance = distance_of(job);
    state->is_mirrored = job->test->code == BYTES_DOWN || job->test->code == MOVE_DOWN;
    for (size_t i = 0; i < (state->bytes + state->distance) / WORD; i++) {
        uint64_t word = word_before(i);
        memcpy(place(state, i), &word, WORD);
    }
    return KERNEL_OK;
}

static void mem_move_teardown(struct kernel_job *job)
{
    free(job->state);
    job->state = NULL;
}

static enum kernel_outcome mem_move_run(struct kernel_job *job, uint64_t iterations)
{
    struct mem_move *state = job->state;
    unsigned char *low = state->memory, *high = low + state->distance, *first = place(state, 0);
    const size_t bytes = state->bytes;
    for (uint64_t i = 0; i < iterations; i++) {
        uint64_t pass = ++state->done;
        memcpy(first, &pass, WORD);
        KERNEL_BARRIER();
        switch (job->test->code) {
        case BYTES_UP:
            bytes_up(high, low, bytes);
            break;
        case BYTES_DOWN:
            bytes_down(low, high, bytes);
            break;
        case MOVE_UP:
            memmove(high, low, bytes);
            break;
        default:
            memmove(low, high, bytes);
        }
        KERNEL_BARRIER();
    }
    return KERNEL_OK;
}

static enum kernel_outcome mem_move_check(struct kernel_job *job)
{
    const struct mem_move *state = job->state;
    if (state->done != job->n_iterations)
        return kernel_reason(job, KERNEL_WRONG, "did %" PRIu64 " moves of %" PRIu64, state->done,
                             job->n_iterations);
    bool is_propagated = job->test->code == BYTES_UP || job->test->code == BYTES_DOWN;
    for (size_t i = 0; i < (state->bytes + state->distance) / WORD && state->done > 0; i++) {
        uint64_t found, right = word_right(state, i, state->done, is_propagated);
        memcpy(&found, place(state, i), WORD);
        if (found != right)
            return kernel_reason(job, KERNEL_WRONG,
                                 "byte %zu of the memory: expected %016" PRIx64
                                 ", found %016" PRIx64,
                                 (size_t)(place(state, i) - state->memory), right, found);
    }
    return KERNEL_OK;
}

/* Each byte once, as those who move them count; what is read is not counted again. */
static void mem_move_work(const struct kernel_job *job, struct kernel_work *work)
{
    work->bytes_written = (double)bytes_of(job);
}

static const struct kernel_metric rate_metric[] = {{"rate", QUANTITY_BYTE_RATE}, {0}};
static const struct kernel_setting overlap_setting = {
    .key = "overlap",
    .help = "source and destination share about half of their bytes",
    .type = SETTING_WORD,
    .values = {"no,yes", "no,yes", "no,yes"},
    .allowed = "no,yes"};
static const struct kernel_setting *const settings[] = {&overlap_setting, &sweep_pages, NULL};

static const struct kernel_test tests[] = {
    {.name = "cmove", .summary = "byte by byte to higher addresses, upwards",
     .from = SUITE_STANDARD, .metrics = rate_metric, .settings = settings, .code = BYTES_UP,
     .run = mem_move_run},
    {.name = "cmove_up", .summary = "byte by byte to lower addresses, downwards",
     .from = SUITE_STANDARD, .metrics = rate_metric, .settings = settings, .code = BYTES_DOWN,
     .run = mem_move_run},
    {.name = "move_up", .summary = "memmove to higher addresses", .from = SUITE_STANDARD,
     .metrics = rate_metric, .settings = settings, .code = MOVE_UP, .run = mem_move_run},
    {.name = "move_down", .summary = "memmove to lower addresses", .from = SUITE_STANDARD,
     .metrics = rate_metric, .settings = settings, .code = MOVE_DOWN, .run = mem_move_run},
    {0}};

const struct kernel kernel_mem_move = {
    .name = "mem_move",
    .summary = "Moving bytes: CMOVE and CMOVE> byte by byte, with their propagation where regions "
               "overlap, and memmove of the C library. Each byte is counted once",
    .source = "Windows NT versus Linux, iForth 1.07 (1996), memory moves; ANS Forth, X3.215-1994, "
              "17.6.1.0910, 17.6.1.0920, 6.1.1900",
    .needs_text = "pages=huge: transparent huge pages",
    .revision = 1,
    .tests = tests,
    .x_unit = "B",
    .sizes = sweep_levels,
    .threads = {"1", "1", "1,all"},
    .work = mem_move_work,
    .needs = mem_move_needs,
    .memory = memory_of,
    .pages = sweep_pages_of,
    .setup = mem_move_setup,
    .check = mem_move_check,
    .teardown = mem_move_teardown,
};
