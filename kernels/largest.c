#include "kernels/largest.h"

#include <inttypes.h>
#include <sys/mman.h>
#include <unistd.h>

const struct kernel_metric largest_metrics[] = {
    {"allocatable", QUANTITY_BYTES}, {"address_space", QUANTITY_BYTES}, {0}};

/* Memory to use, which the system must be willing to promise, or mere addresses. */
enum what { MEMORY, ADDRESSES };

static bool can_map(size_t bytes, enum what what)
{
    int protection = what == MEMORY ? PROT_READ | PROT_WRITE : PROT_NONE;
    int flags = MAP_PRIVATE | MAP_ANONYMOUS | (what == MEMORY ? 0 : MAP_NORESERVE);
    void *map = mmap(NULL, bytes, protection, flags, -1, 0);
    if (map == MAP_FAILED)
        return false;
    munmap(map, bytes);
    return true;
}

/* To the page, by bisection: what fits, so does what is smaller. */
static size_t largest_map(enum what what)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    size_t fits = 0, too_much = SIZE_MAX / 2 / page + 1; /* pages */
    while (too_much - fits > 1) {
        size_t middle = fits + (too_much - fits) / 2;
        if (can_map(middle * page, what))
            fits = middle;
        else
            too_much = middle;
    }
    return fits * page;
}

enum kernel_outcome largest_run(struct kernel_job *job, uint64_t iterations)
{
    size_t memory = 0, addresses = 0;
    for (uint64_t i = 0; i < iterations; i++) {
        memory = largest_map(MEMORY);
        addresses = largest_map(ADDRESSES);
    }
    kernel_report(job, "allocatable", (double)memory);
    kernel_report(job, "address_space", (double)addresses);
    return memory == 0 ? kernel_reason(job, KERNEL_FAILED, "not even one page can be allocated")
                       : KERNEL_OK;
}

/* Other processes may have changed what is left, so a little less must fit and twice as much not. */
enum kernel_outcome largest_check(struct kernel_job *job)
{
    size_t memory = largest_map(MEMORY);
    if (memory < SIZE_MAX / 4 && can_map(memory * 2, MEMORY))
        return kernel_reason(job, KERNEL_WRONG, "%zu bytes were the most, yet twice as much fits",
                             memory);
    if (!can_map(memory / 8 * 7, MEMORY))
        return kernel_reason(job, KERNEL_WRONG, "%zu bytes fitted, yet 7/8 of it does not", memory);
    return KERNEL_OK;
}
