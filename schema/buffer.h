/* A growable string of bytes. `struct buffer b = {0}` is an empty one; buffer_free ends it.
 * Growth that fails sets `failed` and drops what is appended from then on, so that a writer checks
 * once, at the end, instead of after every piece. */
#ifndef SCHEMA_BUFFER_H
#define SCHEMA_BUFFER_H

#include <stdbool.h>
#include <stddef.h>

struct buffer {
    char *bytes; /* NUL-terminated whenever capacity > 0; owned */
    size_t size; /* without the NUL */
    size_t capacity;
    bool failed;
};

void buffer_add(struct buffer *buffer, const void *bytes, size_t size);
void buffer_add_text(struct buffer *buffer, const char *text);
void buffer_add_char(struct buffer *buffer, char c);
void buffer_add_format(struct buffer *buffer, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* Room for at least `size` more bytes; returns where they go, or NULL. The caller adds to
 * ->size, and a NUL where it wants one. */
char *buffer_reserve(struct buffer *buffer, size_t size);
void buffer_clear(struct buffer *buffer); /* empty, memory kept, `failed` reset */
void buffer_free(struct buffer *buffer);  /* back to {0} */
/* The content as a string; "" when nothing was ever added. Borrowed until the next change. */
const char *buffer_text(const struct buffer *buffer);

#endif
