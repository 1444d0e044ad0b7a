#include "schema/arena.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* Large enough that the allocator hands out whole mappings, small enough for a small report. */
enum { BLOCK_BYTES = 1 << 18 };

struct arena_block {
    struct arena_block *before;
    size_t capacity;
    size_t used;
    max_align_t bytes[];
};

static char *block_take(struct arena *arena, size_t size, size_t alignment)
{
    struct arena_block *block = arena->last;
    size_t start = block ? (block->used + alignment - 1) / alignment * alignment : 0;
    if (!block || start > block->capacity || block->capacity - start < size) {
        size_t capacity = size > BLOCK_BYTES ? size : BLOCK_BYTES;
        if (capacity > SIZE_MAX - sizeof *block)
            return NULL;
        block = malloc(sizeof *block + capacity);
        if (!block)
            return NULL;
        block->capacity = capacity;
        block->before = arena->last;
        arena->last = block;
        start = 0;
    }
    block->used = start + size;
    arena->used += size;
    return (char *)block->bytes + start;
}

void *arena_alloc(struct arena *arena, size_t size)
{
    return block_take(arena, size, sizeof(max_align_t));
}

char *arena_copy(struct arena *arena, const char *bytes, size_t size)
{
    if (size == SIZE_MAX)
        return NULL;
    char *copy = block_take(arena, size + 1, 1);
    if (!copy)
        return NULL;
    if (size > 0)
        memcpy(copy, bytes, size);
    copy[size] = '\0';
    return copy;
}

void arena_free(struct arena *arena)
{
    for (struct arena_block *block = arena->last; block;) {
        struct arena_block *before = block->before;
        free(block);
        block = before;
    }
    *arena = (struct arena){0};
}
