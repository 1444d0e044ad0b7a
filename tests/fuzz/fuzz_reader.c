/* The bytes as a record file. Whatever they are, the reader must end with records or messages, give
 * the same for small blocks as for one large one and by canonical lines as by records, and what it
 * accepts must come back unchanged from the writer. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "schema/reader.h"
#include "schema/writer.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

static void require(bool is_true, const char *what)
{
    if (is_true)
        return;
    fprintf(stderr, "fuzz_reader: %s\n", what);
    abort();
}

static int to_buffer(void *context, const void *bytes, size_t size, struct err *err)
{
    (void)err;
    buffer_add(context, bytes, size);
    return 0;
}

/* A file in memory with a name. */
static int file_make(const void *bytes, size_t size, char path[static 64])
{
    int fd = memfd_create("fuzz", MFD_CLOEXEC);
    require(fd >= 0, "no memory file");
    for (size_t at = 0; at < size;) {
        ssize_t n = write(fd, (const char *)bytes + at, size - at);
        require(n > 0, "the memory file is full");
        at += (size_t)n;
    }
    snprintf(path, 64, "/proc/self/fd/%d", fd);
    return fd;
}

/* Rows as they are written, and messages without the path. */
struct outcome {
    struct buffer rows;
    struct buffer messages;
    uint64_t n_rows;
    int result;
};

static void outcome_message(struct outcome *outcome, const char *path, const struct err *err)
{
    size_t size = strlen(path);
    require(strncmp(err->text, path, size) == 0 && err->text[size] == ':',
            "a message does not begin with the file");
    require(err->code == ERR_DATA, "an error that is not about the data");
    require(strncmp(err->text + size, ":0:", 3) != 0, "a message names line 0");
    buffer_add_format(&outcome->messages, "%s\n", err->text + size);
}

/* The next record, its canonical row appended. */
static int next_by_record(struct reader *reader, struct buffer *rows, struct err *err)
{
    struct record record;
    int result = reader_next(reader, &record, err);
    if (result != READER_RECORD)
        return result;
    struct err broken;
    require(record_check(&record, &broken) == 0, "a record breaks the rules");
    record_encode(&record, rows);
    return result;
}

static int next_by_line(struct reader *reader, struct buffer *rows, struct err *err)
{
    struct canonical row;
    int result = reader_next_line(reader, &row, err);
    if (result == READER_RECORD)
        buffer_add(rows, row.line, row.size);
    return result;
}

typedef int next_fn(struct reader *reader, struct buffer *rows, struct err *err);

static void outcome_read(struct outcome *outcome, const char *path, size_t block_bytes,
                         next_fn *next)
{
    *outcome = (struct outcome){0};
    struct reader *reader;
    struct err err;
    outcome->result = reader_open_blocks(&reader, path, block_bytes, &err);
    if (outcome->result < 0) {
        outcome_message(outcome, path, &err);
        return;
    }
    uint64_t line = 1;
    while ((outcome->result = next(reader, &outcome->rows, &err)) > 0) {
        if (outcome->result == READER_BAD_ROW) {
            outcome_message(outcome, path, &err);
            continue;
        }
        require(reader_line(reader) > line, "lines do not ascend");
        line = reader_line(reader);
        outcome->n_rows++;
    }
    if (outcome->result < 0)
        outcome_message(outcome, path, &err);
    else
        require(outcome->n_rows > 0, "the end without a record");
    reader_close(reader);
}

static void outcome_free(struct outcome *outcome)
{
    buffer_free(&outcome->rows);
    buffer_free(&outcome->messages);
}

/* Rows, each in canonical form: as a file again they read back the same, and by record_decode_line
 * too. */
static void check_round_trip(const struct outcome *first)
{
    struct buffer file = {0};
    struct writer writer;
    struct err err;
    writer_init(&writer, to_buffer, &file);
    require(writer_header(&writer, &err) == 0, "no header");
    require(writer_line(&writer, first->rows.bytes, first->rows.size, &err) == 0, "no rows");
    writer.n_rows = first->n_rows;
    require(writer_end(&writer, &err) == 0, "no end row");
    writer_free(&writer);

    char path[64];
    int fd = file_make(file.bytes, file.size, path);
    struct reader *reader;
    struct record record, decoded;
    struct buffer rows = {0}, line = {0}, again = {0};
    require(reader_open(&reader, path, &err) == 0, "what was accepted is refused once written");
    int result;
    while ((result = reader_next(reader, &record, &err)) == READER_RECORD) {
        size_t size;
        const char *bytes = reader_bytes(reader, &size);
        buffer_clear(&line);
        buffer_add(&line, bytes, size);
        require(record_decode_line(line.bytes, &decoded, &err) == 0,
                "record_decode_line disagrees");
        buffer_clear(&again);
        record_encode(&decoded, &again);
        require(again.size == size && memcmp(again.bytes, bytes, size) == 0,
                "record_decode_line reads other values");
        record_encode(&record, &rows);
    }
    require(result == READER_END && reader_is_complete(reader), "the end row does not agree");
    require(rows.size == first->rows.size && memcmp(rows.bytes, first->rows.bytes, rows.size) == 0,
            "a record changes on its way through a file");
    reader_close(reader);
    close(fd);
    buffer_free(&rows);
    buffer_free(&line);
    buffer_free(&again);
    buffer_free(&file);
}

/* Of a gzip stream that is both damaged and cut, zlib may report the one or the other, by how much
 * room it is given. */
static void check_messages(const char *large, const char *small)
{
    const char *large_gzip = strstr(large, "gzip: "), *small_gzip = strstr(small, "gzip: ");
    if (large_gzip && small_gzip && large_gzip - large == small_gzip - small &&
        memcmp(large, small, (size_t)(large_gzip - large)) == 0)
        return;
    if (strcmp(large, small) != 0)
        fprintf(stderr, "%s%s", large, small);
    require(strcmp(large, small) == 0, "the messages depend on the size of the blocks");
}

/* Another way of reading comes to the same. */
static void check_way(const struct outcome *first, const char *path, size_t block_bytes,
                      next_fn *next, const char *complaint)
{
    struct outcome other;
    outcome_read(&other, path, block_bytes, next);
    require(first->rows.size == other.rows.size &&
                strcmp(buffer_text(&first->rows), buffer_text(&other.rows)) == 0,
            complaint);
    check_messages(buffer_text(&first->messages), buffer_text(&other.messages));
    outcome_free(&other);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    char path[64];
    int fd = file_make(bytes, size, path);
    struct outcome first;
    size_t large = 256 * 1024, small = size % 61 + 1;
    outcome_read(&first, path, large, next_by_record);
    check_way(&first, path, small, next_by_record, "the records depend on the size of the blocks");
    check_way(&first, path, large, next_by_line, "the lines are not those of the records");
    check_way(&first, path, small, next_by_line, "the lines depend on the size of the blocks");
    if (first.rows.size > 0)
        check_round_trip(&first);
    outcome_free(&first);
    close(fd);
    return 0;
}
