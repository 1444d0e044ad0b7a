#include "kernels/sweep.h"

#include <string.h>

static const uint64_t KIB = 1024, MIB = 1024 * 1024;

struct levels {
    uint64_t first, second, last; /* bytes of caches; where there are two, the second is the last */
    uint64_t memory;              /* of an array that no cache holds */
};

/* Where sizes are not known: those of an ordinary processor. The array in memory is four times the
 * last cache (McCalpin, STREAM: each array), or, where a suite has no time to fill that, as large as it
 * has, but twice the cache at least. Every thread may have two of them in a quarter of the memory. */
static struct levels levels_of(const struct kernel_host *host, enum kernel_suite suite)
{
    static const uint64_t most_mib[SUITE_COUNT] = {384, 512, 1024};
    struct levels levels = {.first = host->l1d_bytes ? host->l1d_bytes : 32 * KIB,
                            .second = host->l2_bytes ? host->l2_bytes : 512 * KIB};
    levels.last = host->l3_bytes ? host->l3_bytes : host->l2_bytes ? host->l2_bytes : 32 * MIB;
    levels.memory = 4 * levels.last;
    if (levels.memory < 64 * MIB)
        levels.memory = 64 * MIB;
    uint64_t most = most_mib[suite] * MIB;
    if (most < 2 * levels.last)
        most = 2 * levels.last;
    if (levels.memory > most)
        levels.memory = most;
    uint64_t threads = host->n_cpus ? host->n_cpus : 1;
    uint64_t limit = host->available_bytes / 8 / threads / (64 * KIB) * (64 * KIB);
    if (limit > 0 && levels.memory > limit)
        levels.memory = limit;
    return levels;
}

/* Keeps out[] ascending; what does not fit is left out. */
static void size_add(uint64_t *out, size_t *n, size_t capacity, uint64_t size)
{
    if (*n < capacity && (*n == 0 || size > out[*n - 1]))
        out[(*n)++] = size;
}

size_t sweep_levels(const struct kernel_host *host, enum kernel_suite suite, uint64_t *out,
                    size_t capacity)
{
    struct levels levels = levels_of(host, suite);
    const uint64_t sizes[] = {levels.first / 2, levels.second / 2, levels.last / 2};
    size_t n = 0;
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++)
        if (sizes[i] < levels.memory)
            size_add(out, &n, capacity, sizes[i]);
    size_add(out, &n, capacity, levels.memory);
    return n;
}

size_t sweep_sizes(const struct kernel_host *host, enum kernel_suite suite, uint64_t *out,
                   size_t capacity)
{
    if (suite == SUITE_QUICK)
        return sweep_levels(host, suite, out, capacity);
    struct levels levels = levels_of(host, suite);
    size_t n = 0;
    /* One close to the array in memory would take as long and tell the same. */
    for (uint64_t size = levels.first / 2; size <= levels.memory / 2;
         size *= suite == SUITE_STANDARD ? 4 : 2)
        size_add(out, &n, capacity, size);
    size_add(out, &n, capacity, levels.memory);
    return n;
}

#define PAGES_HELP                                                                                 \
    "pages of the memory: as the system does it, small ones, or transparent huge ones"
const struct kernel_setting sweep_pages = {.key = "pages",
                                           .help = PAGES_HELP,
                                           .type = SETTING_WORD,
                                           .values = {"default", "default", "small,huge"},
                                           .allowed = "default,small,huge"};
const struct kernel_setting sweep_pages_compared = {.key = "pages",
                                                    .help = PAGES_HELP,
                                                    .type = SETTING_WORD,
                                                    .values = {"default", "small,huge",
                                                               "small,huge"},
                                                    .allowed = "default,small,huge"};

enum kernel_pages sweep_pages_of(const struct kernel_job *job)
{
    const char *pages = kernel_setting(job, "pages");
    return strcmp(pages, "small") == 0  ? KERNEL_PAGES_SMALL
           : strcmp(pages, "huge") == 0 ? KERNEL_PAGES_HUGE
                                        : KERNEL_PAGES_DEFAULT;
}
