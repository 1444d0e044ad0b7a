#include "schema/buffer.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

char *buffer_reserve(struct buffer *buffer, size_t size)
{
    if (buffer->failed || size > SIZE_MAX / 2 - buffer->size) {
        buffer->failed = true;
        return NULL;
    }
    size_t wanted = buffer->size + size + 1;
    if (wanted > buffer->capacity) {
        size_t capacity = buffer->capacity ? buffer->capacity : 256;
        while (capacity < wanted)
            capacity *= 2;
        char *bytes = realloc(buffer->bytes, capacity);
        if (!bytes) {
            buffer->failed = true;
            return NULL;
        }
        buffer->bytes = bytes;
        buffer->capacity = capacity;
        bytes[buffer->size] = '\0';
    }
    return buffer->bytes + buffer->size;
}

void buffer_add(struct buffer *buffer, const void *bytes, size_t size)
{
    char *to = buffer_reserve(buffer, size);
    if (!to)
        return;
    if (size > 0)
        memcpy(to, bytes, size);
    to[size] = '\0';
    buffer->size += size;
}

void buffer_add_text(struct buffer *buffer, const char *text)
{
    buffer_add(buffer, text, strlen(text));
}

void buffer_add_char(struct buffer *buffer, char c)
{
    buffer_add(buffer, &c, 1);
}

void buffer_add_format(struct buffer *buffer, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    int size = vsnprintf(NULL, 0, format, args);
    va_end(args);
    char *to = size < 0 ? NULL : buffer_reserve(buffer, (size_t)size);
    if (!to) {
        buffer->failed = true;
        return;
    }
    va_start(args, format);
    vsnprintf(to, (size_t)size + 1, format, args);
    va_end(args);
    buffer->size += (size_t)size;
}

void buffer_clear(struct buffer *buffer)
{
    buffer->size = 0;
    buffer->failed = false;
    if (buffer->bytes)
        buffer->bytes[0] = '\0';
}

void buffer_free(struct buffer *buffer)
{
    free(buffer->bytes);
    *buffer = (struct buffer){0};
}

const char *buffer_text(const struct buffer *buffer)
{
    return buffer->bytes ? buffer->bytes : "";
}
