#include "schema/gzip.h"

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <zlib.h>

enum {
    /* Level 6 makes records about 14 % smaller and takes four times as long: longer than all the
     * rest of a merge. */
    GZIP_LEVEL = 1,
    GZIP_MEMBER_BYTES = 1 << 20, /* plain; members of this size cost 0.3 % */
    GZIP_BUFFER_BYTES = 1 << 16
};

struct gzip_writer {
    sink_fn *sink;
    void *context;
    z_stream z;
    bool has_member;  /* at least one was ended */
    uint64_t n_plain; /* bytes in the member that is open */
    unsigned char bytes[GZIP_BUFFER_BYTES];
};

int gzip_writer_open(struct gzip_writer **out, sink_fn *sink, void *context, struct err *err)
{
    struct gzip_writer *gzip = calloc(1, sizeof *gzip);
    if (!gzip)
        return err_set(err, ERR_SYSTEM, "out of memory");
    gzip->sink = sink;
    gzip->context = context;
    /* 15 + 16: gzip framing; zlib's own header has no name and the time 0. 8: its default memory.
     */
    if (deflateInit2(&gzip->z, GZIP_LEVEL, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY) != Z_OK) {
        free(gzip);
        return err_set(err, ERR_SYSTEM, "zlib: out of memory");
    }
    *out = gzip;
    return 0;
}

/* Runs deflate until it has taken all input and, for Z_FINISH, written the trailer. */
static int gzip_pump(struct gzip_writer *gzip, int flush, struct err *err)
{
    int result;
    do {
        gzip->z.next_out = gzip->bytes;
        gzip->z.avail_out = sizeof gzip->bytes;
        result = deflate(&gzip->z, flush);
        if (result == Z_STREAM_ERROR)
            return err_set(err, ERR_SYSTEM, "zlib: deflate failed");
        size_t n = sizeof gzip->bytes - gzip->z.avail_out;
        if (n > 0)
            TRY(gzip->sink(gzip->context, gzip->bytes, n, err));
    } while (flush == Z_FINISH ? result != Z_STREAM_END : gzip->z.avail_out == 0);
    return 0;
}

static int member_end(struct gzip_writer *gzip, struct err *err)
{
    gzip->z.avail_in = 0;
    TRY(gzip_pump(gzip, Z_FINISH, err));
    if (deflateReset(&gzip->z) != Z_OK)
        return err_set(err, ERR_SYSTEM, "zlib: deflate failed");
    gzip->has_member = true;
    gzip->n_plain = 0;
    return 0;
}

int gzip_writer_write(void *context, const void *bytes, size_t size, struct err *err)
{
    struct gzip_writer *gzip = context;
    const unsigned char *p = bytes;
    gzip->n_plain += size;
    while (size > 0) {
        uInt part = size < UINT_MAX ? (uInt)size : UINT_MAX;
        gzip->z.next_in = (z_const Bytef *)(uintptr_t)p;
        gzip->z.avail_in = part;
        TRY(gzip_pump(gzip, Z_NO_FLUSH, err));
        p += part;
        size -= part;
    }
    return gzip->n_plain >= GZIP_MEMBER_BYTES ? member_end(gzip, err) : 0;
}

int gzip_writer_close(struct gzip_writer *gzip, struct err *err)
{
    int result = gzip->n_plain > 0 || !gzip->has_member ? member_end(gzip, err) : 0;
    gzip_writer_discard(gzip);
    return result;
}

void gzip_writer_discard(struct gzip_writer *gzip)
{
    if (!gzip)
        return;
    deflateEnd(&gzip->z);
    free(gzip);
}
