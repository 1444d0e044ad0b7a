#include "schema/writer.h"

#include <string.h>

#include "schema/text.h"

void writer_init(struct writer *writer, sink_fn *sink, void *context)
{
    *writer = (struct writer){.sink = sink, .context = context};
    sha256_init(&writer->hash);
}

void writer_free(struct writer *writer)
{
    buffer_free(&writer->line);
}

static int put_line(struct writer *writer, struct err *err)
{
    if (writer->line.failed)
        return err_set(err, ERR_SYSTEM, "out of memory");
    return writer->sink(writer->context, writer->line.bytes, writer->line.size, err);
}

int writer_header(struct writer *writer, struct err *err)
{
    buffer_clear(&writer->line);
    record_header(&writer->line);
    return put_line(writer, err);
}

/* What no reader would take back. */
static int check_readable(const struct record *record, const struct buffer *line, struct err *err)
{
#define CHECK_TEXT(name)                                                                           \
    if (strlen(record->name) > RECORD_FIELD_MAX)                                                   \
        return err_set(err, ERR_DATA, #name ": a text of %zu bytes, more than %d",                 \
                       strlen(record->name), RECORD_FIELD_MAX);
#define CHECK_COUNT(name)
#define CHECK_NUMBER(name)
#define CHECK_KIND(name)
#define CHECK_STATUS(name)
#define CHECK(name, type, ...) CHECK_##type(name)
    SCHEMA_COLUMNS(CHECK)
#undef CHECK
    if (line->size > RECORD_ROW_MAX)
        return err_set(err, ERR_DATA, "a row of %zu bytes, more than %d", line->size,
                       RECORD_ROW_MAX);
    size_t good = text_utf8_prefix(buffer_text(line), line->size);
    if (good < line->size)
        return err_set(err, ERR_DATA, "byte %zu of the row (0x%02x) is not UTF-8", good + 1,
                       (unsigned)(unsigned char)line->bytes[good]);
    return 0;
}

int writer_record(struct writer *writer, const struct record *record, struct err *err)
{
    TRY(record_check(record, err));
    buffer_clear(&writer->line);
    record_encode(record, &writer->line);
    TRY(check_readable(record, &writer->line, err));
    TRY(put_line(writer, err));
    sha256_add(&writer->hash, writer->line.bytes, writer->line.size);
    writer->n_rows++;
    return 0;
}

int writer_lines(struct writer *writer, const char *lines, size_t size, uint64_t n_rows,
                 struct err *err)
{
    TRY(writer->sink(writer->context, lines, size, err));
    writer->n_rows += n_rows;
    return 0;
}

int writer_line(struct writer *writer, const char *line, size_t size, struct err *err)
{
    TRY(writer_lines(writer, line, size, 1, err));
    sha256_add(&writer->hash, line, size);
    return 0;
}

int writer_end(struct writer *writer, struct err *err)
{
    char digest[SHA256_HEX_SIZE];
    sha256_finish(&writer->hash, digest);
    struct record end = record_new(KIND_END);
    end.metric = "records";
    RECORD_SET(&end, value, (double)writer->n_rows);
    end.unit = "1";
    end.text = digest;
    buffer_clear(&writer->line);
    record_encode(&end, &writer->line);
    TRY(put_line(writer, err));
    sha256_init(&writer->hash);
    writer->n_rows = 0;
    return 0;
}
