/* The page cache of a file, for kernels that want to read from the device. */
#ifndef KERNELS_PAGE_CACHE_H
#define KERNELS_PAGE_CACHE_H

#include <stdbool.h>
#include <stdint.h>

#include "kernels/kernel.h"

/* The file lies in memory alone (tmpfs, ramfs): there is no device to measure. */
bool page_cache_is_all(int fd);

/* Empties the page cache of a file of so many bytes, which fsync has put on the device before, and
 * looks whether it is empty: what is still there would be read at the speed of memory. Where advice is
 * not enough, all of the page cache is dropped, if this process may.
 * KERNEL_UNAVAILABLE with the reason when it is not, or when that cannot be told. */
enum kernel_outcome page_cache_drop(struct kernel_job *job, int fd, uint64_t bytes);

#endif
