#include "normalize/stream.h"

#include <stdlib.h>

struct block {
    struct buffer rows; /* one behind the other, row_stride() apart */
    bool is_last;       /* no block comes behind it: the end of the file, or an error */
};

struct stream {
    struct feed feed;
    struct input_file *input;
    struct pool *pool;
    struct reader *reader;
    size_t block_bytes;
    struct block blocks[2];
    unsigned current; /* the block that is merged; the job fills the other one */
    size_t at;        /* of the current row in it */
    bool is_filling;  /* the job was submitted */
    struct job job;
    struct buffer before; /* the last row of the block that was filled before */
};

enum { NO_ROW = -1 };

static const struct row *row_at(const struct buffer *rows, size_t at)
{
    return (const struct row *)(const void *)(rows->bytes + at);
}

/* The row goes to the end of the rows. last: where the row in front of it is, if there is one. */
static int append(struct stream *stream, struct buffer *rows, const struct canonical *canonical,
                  size_t *last)
{
    struct input_file *input = stream->input;
    size_t stride = row_stride(canonical->size);
    struct row *row = (struct row *)(void *)buffer_reserve(rows, stride);
    if (!row)
        return err_set(&input->err, ERR_SYSTEM, "out of memory");
    row_pack(row, canonical, input->rank, reader_line(stream->reader));
    const struct row *before = rows->size > 0            ? row_at(rows, *last)
                               : stream->before.size > 0 ? row_at(&stream->before, 0)
                                                         : NULL;
    if (before)
        row->shared = row_shared(before, row, 0);
    /* No text is the beginning of another. */
    if (before && row->shared < row->size &&
        (unsigned char)before->text[row->shared] > (unsigned char)row->text[row->shared]) {
        input->is_unsorted = true;
        return err_set(&input->err, ERR_DATA, "%s: the rows are not in order", input->path);
    }
    *last = rows->size;
    rows->size += stride;
    return 0;
}

/* Negative when nothing comes behind these rows, by an error or since the file is over. */
static int fill_rows(struct stream *stream, struct buffer *rows)
{
    struct input_file *input = stream->input;
    size_t last = 0;
    buffer_clear(rows);
    while (rows->size < stream->block_bytes) {
        struct canonical canonical;
        if (input_file_next(input, stream->reader, &canonical) != READER_RECORD)
            return NO_ROW;
        int result = append(stream, rows, &canonical, &last);
        if (result < 0) {
            input->result = input->is_unsorted ? 0 : result;
            return NO_ROW;
        }
    }
    buffer_clear(&stream->before);
    buffer_add(&stream->before, rows->bytes + last, rows->size - last);
    if (stream->before.failed) {
        input->result = err_set(&input->err, ERR_SYSTEM, "out of memory");
        return NO_ROW;
    }
    return 0;
}

static void fill(void *context)
{
    struct stream *stream = context;
    struct block *block = &stream->blocks[1 - stream->current];
    block->is_last = fill_rows(stream, &block->rows) < 0;
}

static void begin_fill(struct stream *stream)
{
    stream->is_filling = true;
    pool_submit(stream->pool, &stream->job);
}

static void end_fill(struct stream *stream)
{
    if (stream->is_filling)
        pool_wait(stream->pool, &stream->job);
    stream->is_filling = false;
}

static int next_block(struct stream *stream, struct err *err)
{
    struct input_file *input = stream->input;
    if (!stream->blocks[stream->current].is_last) {
        end_fill(stream);
        stream->current = 1 - stream->current;
        stream->at = 0;
        if (!stream->blocks[stream->current].is_last)
            begin_fill(stream);
        if (stream->blocks[stream->current].rows.size > 0)
            return 0;
    }
    if (input->result >= 0 && !input->is_unsorted)
        return 0;
    *err = input->err;
    return input->is_unsorted ? (int)ERR_DATA : input->result;
}

static int stream_next(struct feed *base, struct err *err)
{
    struct stream *stream = (struct stream *)base;
    if (base->row)
        stream->at += row_stride(base->row->size);
    if (stream->at == stream->blocks[stream->current].rows.size)
        TRY(next_block(stream, err));
    const struct buffer *rows = &stream->blocks[stream->current].rows;
    base->row = stream->at < rows->size ? row_at(rows, stream->at) : NULL;
    return 0;
}

int stream_open(struct stream **out, struct input_file *input, struct pool *pool,
                size_t block_bytes, struct side_sum *side, struct err *err)
{
    struct stream *stream = calloc(1, sizeof *stream);
    if (!stream)
        return err_set(err, ERR_SYSTEM, "out of memory");
    *stream = (struct stream){
        .feed.next = stream_next,
        .input = input,
        .pool = pool,
        .block_bytes = block_bytes,
        .job = {.run = fill, .context = stream},
    };
    int result = input_file_open(input, &stream->reader);
    if (result < 0) {
        *err = input->err;
        free(stream);
        return result;
    }
    reader_add_with(stream->reader, side_sum_add_beside, side);
    begin_fill(stream);
    *out = stream;
    return 0;
}

bool stream_probe(struct stream *stream)
{
    end_fill(stream);
    return !stream->input->is_unsorted;
}

struct feed *stream_feed(struct stream *stream)
{
    return &stream->feed;
}

void stream_close(struct stream *stream)
{
    if (!stream)
        return;
    end_fill(stream);
    reader_close(stream->reader);
    for (int i = 0; i < 2; i++)
        buffer_free(&stream->blocks[i].rows);
    buffer_free(&stream->before);
    free(stream);
}
