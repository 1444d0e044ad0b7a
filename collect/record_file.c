#include "collect/record_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int bytes_read(struct buffer *out, const char *path, struct err *err)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return err_system(err, "%s", path);
    ssize_t n;
    do {
        char block[1 << 16];
        n = read(fd, block, sizeof block);
        if (n > 0)
            buffer_add(out, block, (size_t)n);
    } while (n > 0 || (n < 0 && errno == EINTR));
    int result = n < 0 ? err_system(err, "%s", path) : 0;
    close(fd);
    if (result == 0 && out->failed)
        return err_set(err, ERR_SYSTEM, "%s: out of memory", path);
    return result;
}

/* Behind the line end of the row that starts at p, or NULL: a line end between quotes is text. */
static char *row_end(char *p, char *end)
{
    bool in_quotes = false;
    for (; p < end; p++) {
        if (*p == '"')
            in_quotes = !in_quotes;
        if (*p == '\n' && !in_quotes)
            return p + 1;
    }
    return NULL;
}

static int record_add(struct record_file *file, const struct record *record, size_t end,
                      struct err *err)
{
    if (file->n == file->capacity) {
        size_t capacity = file->capacity ? file->capacity * 2 : 256;
        if (capacity > SIZE_MAX / sizeof *file->records)
            return err_set(err, ERR_SYSTEM, "out of memory");
        struct record *records = realloc(file->records, capacity * sizeof *records);
        file->records = records ? records : file->records;
        size_t *ends = realloc(file->ends, capacity * sizeof *ends);
        file->ends = ends ? ends : file->ends;
        if (!records || !ends)
            return err_set(err, ERR_SYSTEM, "out of memory");
        file->capacity = capacity;
    }
    file->records[file->n] = *record;
    file->ends[file->n++] = end;
    return 0;
}

static int header_check(struct record_file *file, const char *path, struct err *err)
{
    struct buffer header = {0};
    record_header(&header);
    bool is_ours = !header.failed && file->bytes.size >= header.size &&
                   memcmp(file->bytes.bytes, header.bytes, header.size) == 0;
    file->header_size = header.size;
    buffer_free(&header);
    return is_ours ? 0
                   : err_set(err, ERR_DATA, "%s:1: not a record file as collect writes it", path);
}

int record_file_read(struct record_file *file, const char *path, struct err *err)
{
    *file = (struct record_file){0};
    TRY(bytes_read(&file->bytes, path, err));
    TRY(header_check(file, path, err));
    buffer_add(&file->copy, file->bytes.bytes, file->bytes.size);
    if (file->copy.failed)
        return err_set(err, ERR_SYSTEM, "%s: out of memory", path);
    char *start = file->copy.bytes, *end = start + file->copy.size;
    char *row = start + file->header_size;
    size_t line = 2;
    while (row < end) {
        char *next = row_end(row, end);
        if (!next) {
            file->is_torn = true;
            break;
        }
        size_t n_lines = 0;
        for (const char *p = row; p < next; p++)
            n_lines += *p == '\n';
        next[-1] = '\0';
        struct record record;
        int result = record_decode_line(row, &record, err);
        if (result >= 0)
            result = record_check(&record, err);
        if (result < 0)
            return err_wrap(err, "%s:%zu", path, line);
        TRY(record_add(file, &record, (size_t)(next - start), err));
        row = next;
        line += n_lines;
    }
    return 0;
}

void record_file_free(struct record_file *file)
{
    buffer_free(&file->bytes);
    buffer_free(&file->copy);
    free(file->records);
    free(file->ends);
    *file = (struct record_file){0};
}

const struct record *record_file_fact(const struct record_file *file, const char *name)
{
    for (size_t i = 0; i < file->n; i++)
        if (file->records[i].kind == KIND_FACT && strcmp(file->records[i].metric, name) == 0)
            return &file->records[i];
    return NULL;
}
