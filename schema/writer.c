#include "schema/writer.h"

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

int writer_record(struct writer *writer, const struct record *record, struct err *err)
{
    TRY(record_check(record, err));
    buffer_clear(&writer->line);
    record_encode(record, &writer->line);
    if (writer->line.size > RECORD_ROW_MAX)
        return err_set(err, ERR_DATA, "a row of %zu bytes is too long", writer->line.size);
    TRY(put_line(writer, err));
    sha256_add(&writer->hash, writer->line.bytes, writer->line.size);
    writer->n_rows++;
    return 0;
}

int writer_line(struct writer *writer, const char *line, size_t size, struct err *err)
{
    TRY(writer->sink(writer->context, line, size, err));
    sha256_add(&writer->hash, line, size);
    writer->n_rows++;
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
