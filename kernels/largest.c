#include "kernels/largest.h"

#include <stdlib.h>
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

/* What the last run found. */
struct largest {
    size_t memory, addresses;
};

enum kernel_outcome largest_setup(struct kernel_job *job)
{
    job->state = calloc(1, sizeof(struct largest));
    return job->state ? KERNEL_OK : kernel_reason(job, KERNEL_FAILED, "out of memory");
}

enum kernel_outcome largest_run(struct kernel_job *job, uint64_t iterations)
{
    struct largest *largest = job->state;
    for (uint64_t i = 0; i < iterations; i++) {
        largest->memory = largest_map(MEMORY);
        largest->addresses = largest_map(ADDRESSES);
    }
    kernel_report(job, "allocatable", (double)largest->memory);
    kernel_report(job, "address_space", (double)largest->addresses);
    return KERNEL_OK;
}

/* Other processes may have changed what is left, so a little less must fit, and twice as much not. */
static bool is_largest(size_t bytes, enum what what)
{
    return bytes > 0 && can_map(bytes - bytes / 8, what) &&
           (bytes > SIZE_MAX / 2 || !can_map(bytes * 2, what));
}

enum kernel_outcome largest_check(struct kernel_job *job)
{
    const struct largest *largest = job->state;
    if (!is_largest(largest->memory, MEMORY))
        return kernel_reason(job, KERNEL_WRONG, "%zu bytes are not the most that fits",
                             largest->memory);
    if (!is_largest(largest->addresses, ADDRESSES))
        return kernel_reason(job, KERNEL_WRONG, "%zu bytes are not the largest gap of addresses",
                             largest->addresses);
    return KERNEL_OK;
}
