/* What this process takes of the machine's memory, and what is left of it, by /proc. */
#ifndef KERNELS_PROCESS_MEMORY_H
#define KERNELS_PROCESS_MEMORY_H

#include <stdbool.h>
#include <stdint.h>

struct process_memory {
    uint64_t resident_bytes, virtual_bytes;
    uint64_t available_bytes;           /* of the machine, without paging */
    uint64_t faults_major, faults_minor; /* of this thread since it began */
};

/* False where /proc does not say. */
bool process_memory_look(struct process_memory *out);

#endif
