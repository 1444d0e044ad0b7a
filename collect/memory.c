#include "collect/memory.h"

#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static size_t huge_page_size(void)
{
    size_t bytes = 0;
    FILE *file = fopen("/sys/kernel/mm/transparent_hugepage/hpage_pmd_size", "re");
    if (!file)
        return 0;
    if (fscanf(file, "%zu", &bytes) != 1)
        bytes = 0;
    fclose(file);
    return bytes & (bytes - 1) ? 0 : bytes;
}

bool memory_open(struct memory *memory, size_t bytes, enum kernel_pages pages)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    *memory = (struct memory){.pages = pages, .huge_page = huge_page_size()};
    size_t unit = pages == KERNEL_PAGES_HUGE && memory->huge_page ? memory->huge_page : page;
    if (bytes > SIZE_MAX - 3 * unit)
        return false;
    memory->bytes = (bytes + unit - 1) / unit * unit;
    /* A page at least behind it stays without access: it catches what reads on, and keeps the system
     * from joining this with the next mapping, whose pages would be counted as ours. */
    memory->map_bytes = memory->bytes + unit;
    void *map =
        mmap(NULL, memory->map_bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (map == MAP_FAILED)
        return false;
    memory->map = map;
    size_t past = (uintptr_t)map % unit;
    memory->start = (char *)map + (past ? unit - past : 0);
    return mprotect(memory->start, memory->bytes, PROT_READ | PROT_WRITE) == 0;
}

/* Of the mapping that begins there, as /proc/self/smaps has it; 0 where it cannot be read. */
static size_t huge_bytes_at(const void *start)
{
    FILE *file = fopen("/proc/self/smaps", "re");
    if (!file)
        return 0;
    char line[512];
    bool is_ours = false;
    size_t kib = 0;
    while (fgets(line, sizeof line, file)) {
        uintptr_t from, to;
        size_t value;
        if (sscanf(line, "%" SCNxPTR "-%" SCNxPTR " ", &from, &to) == 2)
            is_ours = from == (uintptr_t)start;
        else if (is_ours && sscanf(line, "AnonHugePages: %zu kB", &value) == 1)
            kib += value;
    }
    fclose(file);
    return kib * 1024;
}

bool memory_touch(struct memory *memory)
{
    /* Where these are refused there are no huge pages at all. */
    if (memory->pages == KERNEL_PAGES_SMALL)
        madvise(memory->start, memory->bytes, MADV_NOHUGEPAGE);
    if (memory->pages == KERNEL_PAGES_HUGE)
        madvise(memory->start, memory->bytes, MADV_HUGEPAGE);
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    for (size_t at = 0; at < memory->bytes; at += page)
        ((volatile char *)memory->start)[at] = 0;
    if (memory->huge_page == 0 || memory->bytes < memory->huge_page)
        return memory->pages != KERNEL_PAGES_HUGE;
    memory->huge_bytes = huge_bytes_at(memory->start);
#ifdef MADV_COLLAPSE
    if (memory->pages == KERNEL_PAGES_HUGE && memory->huge_bytes < memory->bytes &&
        madvise(memory->start, memory->bytes, MADV_COLLAPSE) == 0)
        memory->huge_bytes = huge_bytes_at(memory->start);
#endif
    return memory->pages != KERNEL_PAGES_HUGE || memory->huge_bytes == memory->bytes;
}

void memory_close(struct memory *memory)
{
    if (memory->map)
        munmap(memory->map, memory->map_bytes);
    memory->map = NULL;
}
