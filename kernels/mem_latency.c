/* The time of a load that waits for the one before: pointers chased around a single cycle through
 * all lines of the memory, one pointer in each line of 64 bytes. With several chains, which walk
 * the cycle from places far apart, the time between loads that overlap.
 *
 * order=random: the cycle is random over everything (Sattolo's algorithm), so beyond what the TLB
 * covers most loads pay for a translation as well. order=page: random within 64 small pages, then on
 * to other 64: nearly every translation is there.
 *
 * A pass is one line more than the whole set, so that a chain that was not walked ends elsewhere than
 * it must. */
#include "kernels/kernel.h"

#include "kernels/sweep.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { LINE_BYTES = 64, CHAINS_MAX = 8, BLOCK_LINES = 64 * 4096 / LINE_BYTES };

struct line {
    struct line *next;
    char rest[LINE_BYTES - sizeof(struct line *)];
};

/* In job->state. */
struct mem_latency {
    size_t n_lines;
    unsigned n_chains;
    uint64_t n_steps;                     /* of each chain in one iteration */
    uint64_t done;                        /* iterations */
    struct line *start[CHAINS_MAX];       /* where the chains began */
    const struct line *now[CHAINS_MAX];   /* and where they are */
};

static size_t lines_of(const struct kernel_job *job)
{
    return (size_t)(job->x / LINE_BYTES);
}

static unsigned chains_of(const struct kernel_job *job)
{
    return (unsigned)kernel_setting_number(job, "chains");
}

static uint64_t steps_of(const struct kernel_job *job)
{
    return lines_of(job) / chains_of(job) + 1;
}

/* ---- the cycle */

/* One cycle through n lines (Sattolo, Information Processing Letters 22 (1986) 315): each line in turn
 * changes places with one before it, never with itself. */
static void cycle_make(struct line *lines, size_t n, uint64_t *random)
{
    for (size_t i = 0; i < n; i++)
        lines[i].next = &lines[i];
    for (size_t i = n - 1; i > 0; i--) {
        size_t other = (size_t)(kernel_random(random) % i);
        struct line *next = lines[i].next;
        lines[i].next = lines[other].next;
        lines[other].next = next;
    }
}

/* A cycle in each block, joined in random order: what follows the first lines of two cycles changes
 * places, and they are one. */
static bool blocks_make(struct line *lines, size_t n, uint64_t *random)
{
    size_t n_blocks = (n + BLOCK_LINES - 1) / BLOCK_LINES;
    struct line **blocks = calloc(n_blocks, sizeof *blocks);
    if (!blocks)
        return false;
    for (size_t i = 0; i < n_blocks; i++) {
        blocks[i] = lines + i * BLOCK_LINES;
        size_t left = n - i * BLOCK_LINES;
        cycle_make(blocks[i], left < BLOCK_LINES ? left : BLOCK_LINES, random);
        size_t other = (size_t)(kernel_random(random) % (i + 1));
        struct line *block = blocks[i];
        blocks[i] = blocks[other];
        blocks[other] = block;
    }
    for (size_t i = 1; i < n_blocks; i++) {
        struct line *next = blocks[i]->next;
        blocks[i]->next = blocks[i - 1]->next;
        blocks[i - 1]->next = next;
    }
    free(blocks);
    return true;
}

/* ---- the walks: a function for each number of chains, so that each pointer has a register */

typedef void walk_fn(const struct line **now, uint64_t steps);

#define STEP_1 a = a->next;
#define STEP_2 STEP_1 b = b->next;
#define STEP_4 STEP_2 c = c->next, d = d->next;
#define STEP_8 STEP_4 e = e->next, f = f->next, g = g->next, h = h->next;
#define LOAD_1 const struct line *a = now[0];
#define LOAD_2 LOAD_1 const struct line *b = now[1];
#define LOAD_4 LOAD_2 const struct line *c = now[2], *d = now[3];
#define LOAD_8                                                                                     \
    LOAD_4 const struct line *e = now[4], *f = now[5], *g = now[6], *h = now[7];
#define STORE_1 now[0] = a;
#define STORE_2 STORE_1 now[1] = b;
#define STORE_4 STORE_2 now[2] = c, now[3] = d;
#define STORE_8 STORE_4 now[4] = e, now[5] = f, now[6] = g, now[7] = h;

#define WALK(chains)                                                                               \
    static __attribute__((noinline)) void walk_##chains(const struct line **now, uint64_t steps)   \
    {                                                                                              \
        LOAD_##chains                                                                              \
        for (; steps >= 8; steps -= 8) {                                                           \
            STEP_##chains STEP_##chains STEP_##chains STEP_##chains                                \
            STEP_##chains STEP_##chains STEP_##chains STEP_##chains                                \
        }                                                                                          \
        for (; steps > 0; steps--) {                                                               \
            STEP_##chains                                                                          \
        }                                                                                          \
        STORE_##chains                                                                             \
    }
WALK(1)
WALK(2)
WALK(4)
WALK(8)

/* ---- the kernel */

static enum kernel_outcome mem_latency_needs(struct kernel_job *job)
{
    if (job->x > SIZE_MAX)
        return kernel_reason(job, KERNEL_UNAVAILABLE,
                             "%" PRIu64 " B are more than this program can address", job->x);
    if (lines_of(job) < 2 * CHAINS_MAX)
        return kernel_reason(job, KERNEL_UNAVAILABLE,
                             "%" PRIu64 " B are fewer than %d lines of %d B", job->x,
                             2 * CHAINS_MAX, LINE_BYTES);
    return KERNEL_OK;
}

static size_t mem_latency_memory(const struct kernel_job *job)
{
    return lines_of(job) * LINE_BYTES;
}

static enum kernel_outcome mem_latency_setup(struct kernel_job *job)
{
    struct mem_latency *state = calloc(1, sizeof *state);
    if (!state)
        return kernel_reason(job, KERNEL_FAILED, "out of memory");
    job->state = state;
    state->n_lines = lines_of(job);
    state->n_chains = chains_of(job);
    state->n_steps = steps_of(job);
    struct line *lines = job->memory;
    uint64_t random = job->seed;
    if (strcmp(kernel_setting(job, "order"), "random") == 0)
        cycle_make(lines, state->n_lines, &random);
    else if (!blocks_make(lines, state->n_lines, &random))
        return kernel_reason(job, KERNEL_FAILED, "out of memory");
    struct line *at = lines;
    for (unsigned chain = 0; chain < state->n_chains; chain++) {
        state->now[chain] = state->start[chain] = at;
        for (size_t i = 0; chain + 1 < state->n_chains && i < state->n_lines / state->n_chains; i++)
            at = at->next;
    }
    return KERNEL_OK;
}

static void mem_latency_teardown(struct kernel_job *job)
{
    free(job->state);
    job->state = NULL;
}

static enum kernel_outcome mem_latency_run(struct kernel_job *job, uint64_t iterations)
{
    struct mem_latency *state = job->state;
    uint64_t steps = state->n_steps * iterations;
    if (state->n_chains == 1)
        walk_1(state->now, steps);
    else if (state->n_chains == 2)
        walk_2(state->now, steps);
    else if (state->n_chains == 4)
        walk_4(state->now, steps);
    else
        walk_8(state->now, steps);
    state->done += iterations;
    return KERNEL_OK;
}

/* The pointers make one cycle through all lines, and each chain is where it must be on it. A walk
 * that comes back to its first line for the first time after n steps saw n different lines. */
static enum kernel_outcome mem_latency_check(struct kernel_job *job)
{
    const struct mem_latency *state = job->state;
    const struct line *lines = job->memory;
    const size_t n = state->n_lines;
    if (state->done != job->n_iterations)
        return kernel_reason(job, KERNEL_WRONG, "did %" PRIu64 " passes of %" PRIu64, state->done,
                             job->n_iterations);
    uint64_t steps = (state->n_steps % n) * (state->done % n) % n, place[CHAINS_MAX];
    for (unsigned chain = 0; chain < state->n_chains; chain++)
        place[chain] = (chain * (n / state->n_chains) + steps) % n;
    const struct line *at = state->start[0];
    size_t found = 0;
    for (size_t i = 0; i < n; i++) {
        for (unsigned chain = 0; chain < state->n_chains; chain++)
            if (place[chain] == i && state->now[chain] != at)
                return kernel_reason(job, KERNEL_WRONG, "chain %u did not make %" PRIu64 " steps",
                                     chain, state->n_steps * state->done);
        uintptr_t offset = (uintptr_t)at->next - (uintptr_t)lines;
        if (offset % LINE_BYTES != 0 || offset / LINE_BYTES >= n)
            return kernel_reason(job, KERNEL_WRONG, "line %zu points out of the memory",
                                 (size_t)(at - lines));
        at = at->next;
        found++;
        if (at == state->start[0])
            break;
    }
    if (found != n || at != state->start[0])
        return kernel_reason(job, KERNEL_WRONG, "a cycle of %zu lines, not of %zu", found, n);
    return KERNEL_OK;
}

static void mem_latency_work(const struct kernel_job *job, struct kernel_work *work)
{
    work->steps = (double)steps_of(job) * chains_of(job);
    work->bytes_read = work->steps * sizeof(struct line *);
}

static const struct kernel_metric time_metric[] = {{"time", QUANTITY_STEP_TIME}, {0}};
static const struct kernel_setting order_setting = {
    .key = "order",
    .help = "of the lines: random over all, or within 64 pages at a time (page)",
    .type = SETTING_WORD,
    .values = {"random", "random", "random,page"},
    .allowed = "random,page"};
static const struct kernel_setting chains_setting = {.key = "chains",
                                                     .help = "loads that may overlap",
                                                     .type = SETTING_WORD,
                                                     .values = {"1", "1,4", "1,2,4,8"},
                                                     .allowed = "1,2,4,8"};
static const struct kernel_setting *const settings[] = {&chains_setting, &order_setting,
                                                        &sweep_pages_compared, NULL};

static const struct kernel_test tests[] = {
    {.name = "chase", .summary = "a pointer in each line of 64 bytes, one after the other",
     .metrics = time_metric, .settings = settings, .run = mem_latency_run},
    {0}};

const struct kernel kernel_mem_latency = {
    .name = "mem_latency",
    .summary = "Latency of caches and memory: time per load of a pointer that the load before gave; "
               "with several chains, time between loads that overlap",
    .source = "McVoy and Staelin, lmbench, USENIX 1996, section 6.2; cycle: Sattolo, Information "
              "Processing Letters 22 (1986) 315",
    .needs_text = "pages=huge: transparent huge pages",
    .revision = 1,
    .tests = tests,
    .x_unit = "B",
    .sizes = sweep_sizes,
    .threads = {"1", "1", "1,all"},
    .cost = {.ns_per_byte = 6},
    .work = mem_latency_work,
    .needs = mem_latency_needs,
    .memory = mem_latency_memory,
    .pages = sweep_pages_of,
    .setup = mem_latency_setup,
    .check = mem_latency_check,
    .teardown = mem_latency_teardown,
};
