/* The memory of one thread of a repetition: mapped afresh, in small or huge pages as was asked, and
 * touched before anything is timed. */
#ifndef COLLECT_MEMORY_H
#define COLLECT_MEMORY_H

#include <stdbool.h>
#include <stddef.h>

#include "kernels/kernel.h"

struct memory {
    void *map; /* owned; NULL: nothing is mapped */
    size_t map_bytes;
    void *start; /* aligned to a page, or a huge page where these were asked for */
    size_t bytes; /* whole pages */
    size_t huge_bytes; /* of them in transparent huge pages, once touched */
    size_t huge_page;  /* bytes; 0: the system has none */
    enum kernel_pages pages;
};

/* Reserves addresses; false when there are none so long. memory_close ends it, whatever came out. */
bool memory_open(struct memory *memory, size_t bytes, enum kernel_pages pages);
/* Writes every page, by the thread that will use them, and sees what they are. False when huge
 * pages were asked for and not got. */
bool memory_touch(struct memory *memory);
void memory_close(struct memory *memory);

#endif
