#include "normalize/import/importing.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "schema/input.h"
#include "schema/text.h"

static int read_bytes(struct import *import, struct buffer *bytes, struct err *err)
{
    struct input *input;
    TRY(input_open(&input, import->path, err));
    size_t n = 0;
    int result = 0;
    do {
        char *to = buffer_reserve(bytes, 64 * 1024);
        if (!to)
            result = err_set(err, ERR_SYSTEM, "out of memory");
        else
            result = input_read(input, to, 64 * 1024 - 1, &n, err);
        if (result == 0)
            bytes->size += n;
        if (result == 0 && bytes->size > IMPORT_SIZE_MAX)
            result = err_set(err, ERR_DATA, "larger than %d MiB", IMPORT_SIZE_MAX >> 20);
    } while (result == 0 && n > 0);
    input_close(input);
    return result;
}

static size_t count_lines(const char *bytes, size_t size)
{
    size_t n = 0;
    for (size_t i = 0; i < size; i++)
        n += bytes[i] == '\n';
    return n + (size > 0 && bytes[size - 1] != '\n');
}

static int check_bytes(const struct import *import, struct err *err)
{
    const unsigned char *p = (const unsigned char *)import->bytes;
    if (import->size == 0)
        return err_set(err, ERR_DATA, "%s:1: the file is empty", import->path);
    if (import->size >= 2 && ((p[0] == 0xff && p[1] == 0xfe) || (p[0] == 0xfe && p[1] == 0xff)))
        return err_set(err, ERR_DATA, "%s:1: UTF-16 text is not read", import->path);
    const char *nul = memchr(import->bytes, '\0', import->size);
    if (nul)
        return err_set(err, ERR_DATA, "%s:%zu: a NUL byte: this is no text", import->path,
                       count_lines(import->bytes, (size_t)(nul - import->bytes) + 1));
    return 0;
}

static int split_lines(struct import *import, struct err *err)
{
    size_t n = count_lines(import->bytes, import->size);
    char *copy = arena_copy(&import->arena, import->bytes, import->size);
    import->lines = arena_alloc(&import->arena, (n + 1) * sizeof *import->lines);
    import->is_used = arena_alloc(&import->arena, n + 1);
    if (!copy || !import->lines || !import->is_used)
        return err_set(err, ERR_SYSTEM, "out of memory");
    memset(import->is_used, 0, n + 1);
    import->n_lines = n;
    for (size_t i = 0; i < n; i++) {
        size_t length = strcspn(copy, "\n");
        import->lines[i] = copy;
        char *end = copy + length;
        copy = end + (*end == '\n');
        *end = '\0';
        if (length > 0 && end[-1] == '\r')
            end[-1] = '\0';
    }
    return 0;
}

int import_open(struct import *import, const char *path, struct err *err)
{
    struct buffer bytes = {0};
    *import = (struct import){.path = path};
    int result = read_bytes(import, &bytes, err);
    if (result < 0) {
        buffer_free(&bytes);
        return err_wrap(err, "%s", path);
    }
    size_t mark = bytes.size >= 3 && memcmp(bytes.bytes, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
    import->bytes = arena_copy(&import->arena, bytes.bytes + mark, bytes.size - mark);
    import->size = bytes.size - mark;
    buffer_free(&bytes);
    if (!import->bytes)
        return err_set(err, ERR_SYSTEM, "out of memory");
    TRY(check_bytes(import, err));
    return split_lines(import, err);
}

int import_error(const struct import *import, size_t line, struct err *err, const char *format, ...)
{
    char text[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    struct buffer clean = {0};
    text_clean(text, strlen(text), 400, &clean);
    int result = err_set(err, ERR_DATA, "%s:%zu: %s", import->path, line + 1, buffer_text(&clean));
    buffer_free(&clean);
    return result;
}

const char *import_text(struct import *import, const char *format, ...)
{
    struct buffer text = {0};
    char small[1024];
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(small, sizeof small, format, arguments);
    va_end(arguments);
    const char *copy = NULL;
    if (length >= 0 && (size_t)length < sizeof small) {
        copy = arena_copy(&import->arena, small, (size_t)length);
    } else if (length >= 0) {
        char *to = buffer_reserve(&text, (size_t)length + 1);
        va_start(arguments, format);
        if (to)
            vsnprintf(to, (size_t)length + 1, format, arguments);
        va_end(arguments);
        copy = to ? arena_copy(&import->arena, to, (size_t)length) : NULL;
        buffer_free(&text);
    }
    import->failed |= !copy;
    return copy ? copy : "";
}

const char *import_name(struct import *import, const char *text)
{
    struct buffer name = {0};
    for (; *text; text++) {
        char c = (char)tolower((unsigned char)*text);
        bool is_plain = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
        if (is_plain)
            buffer_add_char(&name, c);
        else if (name.size > 0 && name.bytes[name.size - 1] != '_')
            buffer_add_char(&name, '_');
    }
    while (name.size > 0 && name.bytes[name.size - 1] == '_')
        name.bytes[--name.size] = '\0';
    const char *copy = import_text(import, "%s", buffer_text(&name));
    buffer_free(&name);
    return copy;
}

void import_use(struct import *import, size_t first, size_t end)
{
    for (size_t i = first; i < end && i < import->n_lines; i++)
        import->is_used[i] = 1;
}

bool import_begins(const char *line, const char *prefix)
{
    line += strspn(line, " \t");
    return strncmp(line, prefix, strlen(prefix)) == 0;
}

const char *import_after(const char *line, const char *part)
{
    const char *found = strstr(line, part);
    return found ? found + strlen(part) : NULL;
}

size_t import_words(struct import *import, const char *line, const char **words, size_t n)
{
    size_t found = 0;
    for (line += strspn(line, " \t"); *line; line += strspn(line, " \t")) {
        size_t length = strcspn(line, " \t");
        if (found < n)
            words[found] = import_text(import, "%.*s", (int)(length < 4096 ? length : 4096), line);
        found++;
        line += length;
    }
    return found;
}

size_t import_find(const struct import *import, size_t line, const char *prefix)
{
    while (line < import->n_lines && !import_begins(import->lines[line], prefix))
        line++;
    return line;
}
