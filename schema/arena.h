/* Bulk memory with one owner: many small pieces, freed at once. `struct arena a = {0}` is an empty
 * one; arena_free ends it. Pieces never move. */
#ifndef SCHEMA_ARENA_H
#define SCHEMA_ARENA_H

#include <stddef.h>

struct arena_block;

struct arena {
    struct arena_block *last;
    size_t used; /* bytes handed out, all blocks */
};

/* `size` bytes aligned for any object, not cleared; NULL when memory is out. */
void *arena_alloc(struct arena *arena, size_t size);
/* A NUL-terminated copy, without alignment; NULL when memory is out. */
char *arena_copy(struct arena *arena, const char *bytes, size_t size);
void arena_free(struct arena *arena);

#endif
