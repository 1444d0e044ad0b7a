#include "normalize/archive_writer.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "schema/gzip.h"
#include "schema/output.h"
#include "schema/writer.h"

/* SLAB_BYTES: as a member of gzip, so that a slab is one. N_SLABS: one is filled, one is written,
 * and the two before may wait to be in the sum. */
enum { SLAB_BYTES = 1 << 20, N_SLABS = 4, WAITING = 2 };

struct slab {
    struct buffer lines;
    uint64_t n_rows;
    uint64_t piece; /* of the sum */
};

struct archive_writer {
    struct output *output;
    struct gzip_writer *gzip; /* NULL for a plain archive */
    struct writer writer;
    struct pool *pool;
    struct side_sum *side;
    struct slab slabs[N_SLABS];
    struct slab *current; /* that rows go to */
    struct slab *written; /* that the job writes */
    size_t header_bytes; /* that are in the first slab's member */
    bool is_writing;
    struct job job;
    int result; /* of the job */
    struct err err;
};

static void write_slab(void *context)
{
    struct archive_writer *writer = context;
    const struct slab *slab = writer->written;
    writer->result = writer_lines(&writer->writer, slab->lines.bytes, slab->lines.size,
                                  slab->n_rows, &writer->err);
    /* Where nobody reads beside it. */
    side_sum_wait(writer->side, slab->piece > WAITING ? slab->piece - WAITING : 0);
}

static bool is_gzip_name(const char *path)
{
    size_t size = strlen(path);
    return size > 3 && strcmp(path + size - 3, ".gz") == 0;
}

static int writer_start(struct archive_writer *writer, const char *path, unsigned n_ahead,
                        const char *folder, struct err *err)
{
    TRY(output_wait(writer->output, folder, err));
    sink_fn *sink = output_write;
    void *context = writer->output;
    if (is_gzip_name(path)) {
        TRY(gzip_writer_open_pool(&writer->gzip, writer->pool, n_ahead, output_write,
                                  writer->output, err));
        sink = gzip_writer_write;
        context = writer->gzip;
    }
    writer_init(&writer->writer, sink, context);
    side_sum_begin(writer->side, &writer->writer.hash);
    struct buffer header = {0};
    record_header(&header);
    writer->header_bytes = header.size;
    buffer_free(&header);
    return writer_header(&writer->writer, err);
}

int archive_writer_open(struct archive_writer **out, const char *path, struct pool *pool,
                        unsigned n_ahead, const char *folder, struct side_sum *side,
                        struct err *err)
{
    struct archive_writer *writer = calloc(1, sizeof *writer);
    if (!writer)
        return err_set(err, ERR_SYSTEM, "out of memory");
    writer->pool = pool;
    writer->side = side;
    writer->current = writer->slabs;
    writer->job = (struct job){.run = write_slab, .context = writer};
    int result = output_open(&writer->output, path, err);
    if (result == 0)
        result = writer_start(writer, path, n_ahead, folder, err);
    if (result < 0) {
        archive_writer_discard(writer);
        return result;
    }
    *out = writer;
    return 0;
}

static int wait_for_slab(struct archive_writer *writer, struct err *err)
{
    if (!writer->is_writing)
        return 0;
    writer->is_writing = false;
    pool_wait(writer->pool, &writer->job);
    if (writer->result < 0)
        *err = writer->err;
    return writer->result;
}

static int submit_slab(struct archive_writer *writer, struct err *err)
{
    TRY(wait_for_slab(writer, err));
    struct slab *slab = writer->current;
    slab->piece = side_sum_offer(writer->side, slab->lines.bytes, slab->lines.size);
    writer->header_bytes = 0;
    writer->written = slab;
    writer->is_writing = true;
    pool_submit(writer->pool, &writer->job);
    writer->current = slab + 1 < writer->slabs + N_SLABS ? slab + 1 : writer->slabs;
    side_sum_wait(writer->side, writer->current->piece);
    buffer_clear(&writer->current->lines);
    writer->current->n_rows = 0;
    return 0;
}

int archive_writer_put(struct archive_writer *writer, const struct row *row, struct err *err)
{
    struct slab *slab = writer->current;
    char *to = buffer_reserve(&slab->lines, row->size);
    if (!to)
        return err_set(err, ERR_SYSTEM, "out of memory");
    row_unpack(row, to);
    slab->lines.size += row->size;
    slab->n_rows++;
    return writer->header_bytes + slab->lines.size >= SLAB_BYTES ? submit_slab(writer, err) : 0;
}

static int finish(struct archive_writer *writer, struct err *err)
{
    if (writer->current->n_rows > 0)
        TRY(submit_slab(writer, err));
    TRY(wait_for_slab(writer, err));
    side_sum_wait(writer->side, SIDE_SUM_ALL);
    TRY(writer_end(&writer->writer, err));
    struct gzip_writer *gzip = writer->gzip;
    writer->gzip = NULL;
    return gzip ? gzip_writer_close(gzip, err) : 0;
}

int archive_writer_commit(struct archive_writer *writer, struct err *err)
{
    int result = finish(writer, err);
    if (result == 0) {
        struct output *output = writer->output;
        writer->output = NULL;
        result = output_commit(output, err);
    }
    archive_writer_discard(writer);
    return result;
}

void archive_writer_discard(struct archive_writer *writer)
{
    struct err ignored;
    if (!writer)
        return;
    wait_for_slab(writer, &ignored);
    gzip_writer_discard(writer->gzip);
    output_discard(writer->output);
    writer_free(&writer->writer);
    side_sum_end(writer->side);
    for (int i = 0; i < N_SLABS; i++)
        buffer_free(&writer->slabs[i].lines);
    free(writer);
}
