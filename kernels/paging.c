/* Writing and reading back one array, of sizes up to and beyond the memory of the machine.
 *
 * Memory is taken in units of 64 bytes, as in the historical programs: pattern=published fills half
 * of each with one bit pattern and half with its complement. pattern=random gives every word a value
 * of its own, so that neither zswap and zram nor a disk can make the data smaller. Both are swapped
 * for their complement on each pass: every bit changes, and every word is compared. The array is
 * mapped here, since that may fail, and in ordinary pages: huge ones page differently.
 *
 * With a limit in bytes collect has put this process into a control group of that size, and host
 * speaks of the limit as the memory: what is beyond is paged, and nobody else's memory is. */
#include "kernels/kernel.h"

#include "kernels/largest.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum {
    UNIT_WORDS = 8,
    UNIT_BYTES = UNIT_WORDS * sizeof(uint64_t),
    PAGE_WORDS = 512,
    PAGE_UNITS = PAGE_WORDS / UNIT_WORDS,
    RARELY = 16,     /* access=read_mostly writes one page of so many */
    SAMPLED = 64     /* check looks at one page of so many when the array does not fit in memory */
};
static const uint64_t MIB = 1024 * 1024;
static const uint64_t PUBLISHED = 0x5555555555555555;

/* In job->state; `words` comes first: tests flip a bit there. */
struct paging {
    uint64_t *words; /* mapped */
    size_t n_units;
    bool is_random;
    enum access { SEQUENTIAL, RANDOM, READ_MOSTLY } access;
    uint64_t table[PAGE_WORDS]; /* of the random pattern */
    uint64_t base;              /* of its pages */
    uint64_t flip;      /* 0, or all bits: what the latest pass had its words xored with */
    uint64_t passes;    /* without that of setup */
    uint64_t n_wrong;   /* words, in all passes */
    size_t wrong_index; /* of the first of them */
    uint64_t wrong_found, wrong_expected;
};

/* A page is the table with one random word over it, so that making the data costs little beside
 * writing it. A page does not compress, no two are alike, and gzip, bzip2 and xz find nothing in
 * many of them either. */
static uint64_t page_flip(const struct paging *p, size_t page)
{
    return p->access == READ_MOSTLY && page % RARELY != 0 ? 0 : p->flip;
}

static uint64_t page_word(const struct paging *p, size_t page)
{
    uint64_t counter = p->base + page;
    return kernel_random(&counter) ^ page_flip(p, page);
}

static uint64_t word_right(const struct paging *p, size_t index)
{
    size_t page = index / PAGE_WORDS;
    if (p->is_random)
        return p->table[index % PAGE_WORDS] ^ page_word(p, page);
    return PUBLISHED ^ page_flip(p, page) ^ (index % UNIT_WORDS < UNIT_WORDS / 2 ? 0 : UINT64_MAX);
}

static void wrong_add(struct paging *p, size_t index, uint64_t found)
{
    if (p->n_wrong++ > 0)
        return;
    p->wrong_index = index;
    p->wrong_found = found;
    p->wrong_expected = word_right(p, index);
}

static void unit_compare(struct paging *p, size_t unit)
{
    for (size_t i = unit * UNIT_WORDS; i < (unit + 1) * UNIT_WORDS; i++)
        if (p->words[i] != word_right(p, i))
            wrong_add(p, i, p->words[i]);
}

static size_t page_end(const struct paging *p, size_t unit)
{
    return p->n_units - unit < PAGE_UNITS ? p->n_units : unit + PAGE_UNITS;
}

static inline void random_write(const struct paging *p, size_t page)
{
    size_t unit = page * PAGE_UNITS, end = page_end(p, unit);
    const uint64_t *t = p->table, over = page_word(p, page);
    for (uint64_t *word = p->words + unit * UNIT_WORDS; unit < end; unit++) {
        word[0] = t[0] ^ over;
        word[1] = t[1] ^ over;
        word[2] = t[2] ^ over;
        word[3] = t[3] ^ over;
        word[4] = t[4] ^ over;
        word[5] = t[5] ^ over;
        word[6] = t[6] ^ over;
        word[7] = t[7] ^ over;
        word += UNIT_WORDS;
        t += UNIT_WORDS;
    }
}

static inline void random_compare(struct paging *p, size_t page)
{
    size_t unit = page * PAGE_UNITS, end = page_end(p, unit);
    const uint64_t *t = p->table, over = page_word(p, page);
    for (const uint64_t *word = p->words + unit * UNIT_WORDS; unit < end; unit++) {
        uint64_t difference = (word[0] ^ t[0] ^ over) | (word[1] ^ t[1] ^ over) |
                              (word[2] ^ t[2] ^ over) | (word[3] ^ t[3] ^ over) |
                              (word[4] ^ t[4] ^ over) | (word[5] ^ t[5] ^ over) |
                              (word[6] ^ t[6] ^ over) | (word[7] ^ t[7] ^ over);
        if (difference)
            unit_compare(p, unit);
        word += UNIT_WORDS;
        t += UNIT_WORDS;
    }
}

static inline void published_write(const struct paging *p, size_t page)
{
    size_t unit = page * PAGE_UNITS, end = page_end(p, unit);
    const uint64_t first = PUBLISHED ^ page_flip(p, page), second = ~first;
    for (uint64_t *word = p->words + unit * UNIT_WORDS; unit < end; unit++, word += UNIT_WORDS) {
        word[0] = word[1] = word[2] = word[3] = first;
        word[4] = word[5] = word[6] = word[7] = second;
    }
}

static inline void published_compare(struct paging *p, size_t page)
{
    size_t unit = page * PAGE_UNITS, end = page_end(p, unit);
    const uint64_t first = PUBLISHED ^ page_flip(p, page), second = ~first;
    for (const uint64_t *word = p->words + unit * UNIT_WORDS; unit < end;
         unit++, word += UNIT_WORDS) {
        uint64_t difference = (word[0] ^ first) | (word[1] ^ first) | (word[2] ^ first) |
                              (word[3] ^ first) | (word[4] ^ second) | (word[5] ^ second) |
                              (word[6] ^ second) | (word[7] ^ second);
        if (difference)
            unit_compare(p, unit);
    }
}

static size_t n_pages(const struct paging *p)
{
    return (p->n_units + PAGE_UNITS - 1) / PAGE_UNITS;
}

/* The page after `page` in an order without a pattern that visits each once: a linear congruential
 * generator of full period over the next power of two (Hull and Dobell, SIAM Review 4 (1962) 230),
 * what is beyond the last page skipped. */
static size_t page_after(const struct paging *p, size_t page, size_t mask)
{
    if (p->access != RANDOM)
        return page + 1;
    do
        page = (page * (size_t)0x9e3779b5 + (size_t)0x7f4a7c15) & mask;
    while (page >= n_pages(p));
    return page;
}

static size_t power_mask(size_t n)
{
    size_t mask = 1;
    while (mask < n)
        mask = mask * 2 + 1;
    return mask;
}

static __attribute__((noinline)) void pass_write(const struct paging *p, size_t step)
{
    KERNEL_BARRIER();
    size_t n = n_pages(p), mask = power_mask(n), page = 0;
    for (size_t i = 0; i < n; i++, page = page_after(p, page, mask)) {
        if (page % step != 0)
            continue;
        if (p->is_random)
            random_write(p, page);
        else
            published_write(p, page);
    }
    KERNEL_BARRIER();
}

static __attribute__((noinline)) void pass_compare(struct paging *p)
{
    size_t n = n_pages(p), mask = power_mask(n), page = 0;
    for (size_t i = 0; i < n; i++, page = page_after(p, page, mask)) {
        if (p->is_random)
            random_compare(p, page);
        else
            published_compare(p, page);
    }
}

/* What the setting `limit` allows beyond memory: nothing, all, or what the group pages out. */
enum beyond { NOTHING, GROUP, MACHINE };

static enum beyond may_page(const struct kernel_job *job)
{
    const char *limit = kernel_setting(job, "limit");
    return strcmp(limit, "available") == 0 ? NOTHING : strcmp(limit, "none") == 0 ? MACHINE : GROUP;
}

/* What an array may take while nothing need be paged out: a sixteenth of the available memory stays
 * free for everybody else. Where that is not known, half of the machine's; 0: nothing is known. */
static uint64_t room(const struct kernel_host *host)
{
    return host->available_bytes ? host->available_bytes - host->available_bytes / 16
                                 : host->memory_bytes / 2;
}

static enum kernel_outcome paging_needs(struct kernel_job *job)
{
    const struct kernel_host *host = job->host;
    if (job->test->has_no_x)
        return KERNEL_OK;
    if (job->x < UNIT_BYTES)
        return kernel_reason(job, KERNEL_UNAVAILABLE, "the array is smaller than %d B", UNIT_BYTES);
    if (job->x > SIZE_MAX)
        return kernel_reason(job, KERNEL_UNAVAILABLE,
                             "%" PRIu64 " MiB are more than this program can address", job->x / MIB);
    enum beyond beyond = may_page(job);
    if (job->x > room(host) && host->swap_bytes == 0 && beyond != MACHINE)
        return kernel_reason(job, KERNEL_UNAVAILABLE,
                             "%" PRIu64 " MiB do not fit in the %" PRIu64
                             " MiB of memory that may be used, and there is no swap",
                             job->x / MIB, room(host) / MIB);
    if (job->x > room(host) && beyond == NOTHING)
        return kernel_reason(job, KERNEL_UNAVAILABLE,
                             "%" PRIu64 " MiB do not fit in the %" PRIu64
                             " MiB of memory that may be used; --set=limit=256M pages within a "
                             "control group, --set=limit=none in the whole machine",
                             job->x / MIB, room(host) / MIB);
    if (host->memory_bytes > 0 && job->x > host->memory_bytes &&
        job->x - host->memory_bytes > host->swap_bytes)
        return kernel_reason(job, KERNEL_UNAVAILABLE,
                             "%" PRIu64 " MiB are more than %" PRIu64 " MiB of memory and %" PRIu64
                             " MiB of swap together",
                             job->x / MIB, host->memory_bytes / MIB, host->swap_bytes / MIB);
    return KERNEL_OK;
}

static enum kernel_outcome array_map(struct kernel_job *job, struct paging *p, uint64_t bytes)
{
    p->n_units = (size_t)bytes / UNIT_BYTES;
    void *map = mmap(NULL, p->n_units * UNIT_BYTES, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (map == MAP_FAILED)
        return kernel_reason(job, KERNEL_UNAVAILABLE, "cannot allocate %" PRIu64 " MiB: %s",
                             bytes / MIB, strerror(errno));
    p->words = map;
    madvise(map, p->n_units * UNIT_BYTES, MADV_NOHUGEPAGE); /* refused: there are none */
    return KERNEL_OK;
}

static void array_unmap(struct paging *p)
{
    if (p->words)
        munmap(p->words, p->n_units * UNIT_BYTES);
    p->words = NULL;
}

/* What runs before: arrays that grow towards this one, or a larger one, each written and read. */
static enum kernel_outcome history_make(struct kernel_job *job, struct paging *p)
{
    const char *order = kernel_setting(job, "order");
    bool is_rising = strcmp(order, "rising") == 0;
    if (!is_rising && strcmp(order, "falling") != 0)
        return KERNEL_OK;
    uint64_t most = room(job->host) + (may_page(job) == NOTHING ? 0 : job->host->swap_bytes / 2);
    for (uint64_t quarters = is_rising ? 1 : 6; quarters < 4 || quarters == 6; quarters++) {
        uint64_t bytes = job->x / 4 * quarters;
        bytes = bytes > most ? most : bytes;
        if (bytes < UNIT_BYTES)
            continue;
        enum kernel_outcome outcome = array_map(job, p, bytes);
        if (outcome != KERNEL_OK)
            return outcome;
        pass_write(p, 1);
        pass_compare(p);
        array_unmap(p);
    }
    return KERNEL_OK;
}

static enum kernel_outcome paging_setup(struct kernel_job *job)
{
    if (job->test->has_no_x)
        return largest_setup(job);
    struct paging *p = calloc(1, sizeof *p);
    if (!p)
        return kernel_reason(job, KERNEL_FAILED, "out of memory");
    job->state = p;
    const char *access = kernel_setting(job, "access");
    p->access = strcmp(access, "random") == 0        ? RANDOM
                : strcmp(access, "read_mostly") == 0 ? READ_MOSTLY
                                                     : SEQUENTIAL;
    p->is_random = strcmp(kernel_setting(job, "pattern"), "random") == 0;
    uint64_t random = job->seed;
    p->base = kernel_random(&random);
    kernel_fill_random(p->table, sizeof p->table, random);
    enum kernel_outcome outcome = history_make(job, p);
    if (outcome == KERNEL_OK)
        outcome = array_map(job, p, job->x);
    if (outcome == KERNEL_OK)
        pass_write(p, 1);
    return outcome;
}

static void paging_teardown(struct kernel_job *job)
{
    struct paging *p = job->state;
    if (p && !job->test->has_no_x)
        array_unmap(p);
    free(p);
    job->state = NULL;
}

static enum kernel_outcome paging_run(struct kernel_job *job, uint64_t iterations)
{
    struct paging *p = job->state;
    for (uint64_t i = 0; i < iterations; i++) {
        p->flip = ~p->flip;
        pass_write(p, p->access == READ_MOSTLY ? RARELY : 1);
        pass_compare(p);
        p->passes++;
    }
    return KERNEL_OK;
}

/* Looks at the array again, word by word and without the loops that were timed. */
static enum kernel_outcome paging_check(struct kernel_job *job)
{
    struct paging *p = job->state;
    if (job->test->has_no_x)
        return largest_check(job);
    bool is_sampled = job->x > room(job->host);
    for (size_t unit = 0; unit < p->n_units; unit++)
        if (!is_sampled || unit / PAGE_UNITS % SAMPLED == 0)
            unit_compare(p, unit);
    if (p->n_wrong == 0 && p->passes == job->n_iterations)
        return KERNEL_OK;
    if (p->n_wrong == 0)
        return kernel_reason(job, KERNEL_WRONG, "did %" PRIu64 " passes of %" PRIu64, p->passes,
                             job->n_iterations);
    return kernel_reason(job, KERNEL_WRONG,
                         "at byte %zu of the array: expected %016" PRIx64 ", found %016" PRIx64
                         "; %" PRIu64 " words were wrong in all",
                         p->wrong_index * sizeof *p->words, p->wrong_expected, p->wrong_found,
                         p->n_wrong);
}

static void paging_work(const struct kernel_job *job, struct kernel_work *work)
{
    const char *access = kernel_setting(job, "access");
    work->bytes_read = work->bytes_written = (double)(job->x / UNIT_BYTES * UNIT_BYTES);
    if (access && strcmp(access, "read_mostly") == 0)
        work->bytes_written /= RARELY;
}

/* Keeps out[] ascending and without duplicates. */
static void size_insert(uint64_t *out, size_t *n, size_t capacity, uint64_t size)
{
    size_t at = *n;
    while (at > 0 && out[at - 1] >= size)
        at--;
    if (*n == capacity || size == 0 || (at < *n && out[at] == size))
        return;
    memmove(out + at + 1, out + at, (*n - at) * sizeof *out);
    out[at] = size;
    ++*n;
}

/* Sizes that fit everywhere, and shares of the machine's memory, dense where the speed falls. To fill
 * half of a large memory takes minutes: that is for the full suite. */
static size_t paging_sizes(const struct kernel_host *host, enum kernel_suite suite, uint64_t *out,
                           size_t capacity)
{
    static const struct {
        unsigned percent;
        enum kernel_suite from;
    } shares[] = {{50, SUITE_STANDARD},  {80, SUITE_STANDARD},  {90, SUITE_FULL},
                  {95, SUITE_STANDARD},  {100, SUITE_STANDARD}, {106, SUITE_STANDARD},
                  {110, SUITE_FULL},     {125, SUITE_QUICK},    {150, SUITE_STANDARD},
                  {175, SUITE_FULL},     {200, SUITE_STANDARD}, {300, SUITE_FULL}};
    const bool is_large = host->memory_bytes == 0 || host->memory_bytes > 4096 * MIB;
    const uint64_t last = suite == SUITE_QUICK ? 256 * MIB
                          : is_large && (suite == SUITE_STANDARD || host->memory_bytes == 0)
                              ? 1024 * MIB
                              : host->memory_bytes / 4;
    size_t n = 0;
    for (uint64_t size = 4 * MIB; size <= last || n == 0; size *= suite == SUITE_QUICK ? 4 : 2)
        size_insert(out, &n, capacity, size);
    for (size_t i = 0; i < sizeof shares / sizeof shares[0]; i++)
        if (shares[i].from <= suite &&
            (suite == SUITE_FULL || !is_large || shares[i].percent > 100))
            size_insert(out, &n, capacity,
                        host->memory_bytes / 100 * shares[i].percent / MIB * MIB);
    return n;
}

static const struct kernel_metric paging_metrics[] = {
    {"rate", QUANTITY_BYTE_RATE}, {"time", QUANTITY_TIME}, {0}};
static const struct kernel_setting pattern_setting = {
    .key = "pattern",
    .help = "random: does not compress; published: the historical bit patterns",
    .type = SETTING_WORD,
    .values = {"random", "random", "random"},
    .allowed = "random,published"};
/* Real paging where that costs nobody else anything, else what fits. */
static const char *limit_automatic(const struct kernel_host *host, enum kernel_suite suite)
{
    if (!host->can_confine || host->swap_bytes == 0)
        return "available";
    return suite == SUITE_FULL ? "1G" : "256M";
}

static const struct kernel_setting limit_setting = {
    .key = "limit",
    .help = "available: no array that does not fit in free memory; a size: a control group of that "
            "much memory, pages beyond; none: the whole machine pages (with --yes)",
    .type = SETTING_BYTES,
    .values = {"available, or with swap 256M", "available, or with swap 256M",
               "available, or with swap 1G"},
    .allowed = "available,none",
    .automatic = limit_automatic};
static const struct kernel_setting order_setting = {
    .key = "order",
    .help = "what ran before in the process: nothing (cold), arrays of 1/4, 1/2 and 3/4 of the size "
            "(rising), or one of 3/2 (falling)",
    .type = SETTING_WORD,
    .values = {"cold", "cold", "cold,rising,falling"},
    .allowed = "cold,rising,falling"};
static const struct kernel_setting access_setting = {
    .key = "access",
    .help = "pages in order (sequential, as published), without order (random), or in order with "
            "one page of 16 written (read_mostly)",
    .type = SETTING_WORD,
    .values = {"sequential", "sequential,random", "sequential,random,read_mostly"},
    .allowed = "sequential,random,read_mostly"};
static const struct kernel_setting *const paging_settings[] = {
    &pattern_setting, &limit_setting, &order_setting, &access_setting, NULL};

static const struct kernel_test tests[] = {
    {.name = "write_read", .summary = "writes the array, then reads and compares every word of it",
     .metrics = paging_metrics, .settings = paging_settings, .run = paging_run},
    {.name = "max_alloc", .summary = "the largest array that can be allocated, and the largest gap "
                                     "in the address space; nothing is touched",
     .metrics = largest_metrics, .has_no_x = true, .run = largest_run},
    {0}};

const struct kernel kernel_paging = {
    .name = "paging",
    .summary = "Write and read speed of one array up to and beyond the size of memory, in bytes "
               "written and read; the array was written once before the clock starts",
    .source = "Longbottom, BusSpd2K and IntBurn64 paging test (2007)",
    .needs_text = "swap, and the right to make a control group (or limit=none), for arrays beyond "
                  "the memory that is available",
    .revision = 1,
    .flags = KERNEL_ONE_THREAD,
    .tests = tests,
    .x_unit = "B",
    .sizes = paging_sizes,
    .cost = {.seconds = {0.2, 0.4, 8}},
    .work = paging_work,
    .needs = paging_needs,
    .setup = paging_setup,
    .check = paging_check,
    .teardown = paging_teardown,
};
