#include "schema/gzip.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <zlib.h>

#include "schema/buffer.h"

enum {
    /* Level 6 makes records about 14 % smaller and takes four times as long: longer than all the
     * rest of a merge. */
    GZIP_LEVEL = 1,
    GZIP_MEMBER_BYTES = 1 << 20 /* plain; members of this size cost 0.3 % */
};

/* A member on its way: filled, then compressed by a job, then handed on. */
struct member {
    struct buffer plain;
    struct buffer packed;
    struct job job;
    bool is_submitted;
    bool failed;
    z_stream z;
    bool has_z;
};

struct gzip_writer {
    sink_fn *sink;
    void *context;
    struct pool *pool; /* NULL: each member is compressed by the caller */
    bool has_member;   /* at least one was ended */
    unsigned n_members;
    unsigned current; /* the member that is being filled; the one behind it is the oldest */
    struct member members[];
};

static bool member_begin(struct member *member)
{
    if (member->has_z)
        return deflateReset(&member->z) == Z_OK;
    /* 15 + 16: gzip framing; zlib's own header has no name and the time 0. 8: its default memory.
     */
    member->has_z = deflateInit2(&member->z, GZIP_LEVEL, Z_DEFLATED, 15 + 16, 8,
                                 Z_DEFAULT_STRATEGY) == Z_OK;
    return member->has_z;
}

static void member_pack(void *context)
{
    struct member *member = context;
    buffer_clear(&member->packed);
    member->failed = true;
    if (member->plain.size > UINT32_MAX / 2 || !member_begin(member))
        return;
    size_t bound = deflateBound(&member->z, (uLong)member->plain.size);
    char *to = buffer_reserve(&member->packed, bound);
    if (!to)
        return;
    member->z.next_in = (Bytef *)member->plain.bytes;
    member->z.avail_in = (uInt)member->plain.size;
    member->z.next_out = (Bytef *)to;
    member->z.avail_out = (uInt)bound;
    member->failed = deflate(&member->z, Z_FINISH) != Z_STREAM_END;
    member->packed.size = bound - member->z.avail_out;
    buffer_clear(&member->plain);
}

int gzip_writer_open_pool(struct gzip_writer **out, struct pool *pool, unsigned n_ahead,
                          sink_fn *sink, void *context, struct err *err)
{
    struct gzip_writer *gzip = calloc(1, sizeof *gzip + (n_ahead + 1) * sizeof gzip->members[0]);
    if (!gzip)
        return err_set(err, ERR_SYSTEM, "out of memory");
    gzip->sink = sink;
    gzip->context = context;
    gzip->pool = pool;
    gzip->n_members = n_ahead + 1;
    for (unsigned i = 0; i < gzip->n_members; i++)
        gzip->members[i].job = (struct job){.run = member_pack, .context = &gzip->members[i]};
    *out = gzip;
    return 0;
}

int gzip_writer_open(struct gzip_writer **out, sink_fn *sink, void *context, struct err *err)
{
    return gzip_writer_open_pool(out, NULL, 0, sink, context, err);
}

/* Waits for the member and hands it on. */
static int member_put(struct gzip_writer *gzip, struct member *member, struct err *err)
{
    if (!member->is_submitted)
        return 0;
    if (gzip->pool)
        pool_wait(gzip->pool, &member->job);
    member->is_submitted = false;
    if (member->failed)
        return err_set(err, ERR_SYSTEM, "zlib: deflate failed");
    return gzip->sink(gzip->context, member->packed.bytes, member->packed.size, err);
}

/* The member is full: it goes, and the oldest one makes room for the next. */
static int member_end(struct gzip_writer *gzip, struct err *err)
{
    struct member *member = &gzip->members[gzip->current];
    member->is_submitted = true;
    if (gzip->pool)
        pool_submit(gzip->pool, &member->job);
    else
        member_pack(member);
    gzip->has_member = true;
    gzip->current = (gzip->current + 1) % gzip->n_members;
    return member_put(gzip, &gzip->members[gzip->current], err);
}

int gzip_writer_write(void *context, const void *bytes, size_t size, struct err *err)
{
    struct gzip_writer *gzip = context;
    struct buffer *plain = &gzip->members[gzip->current].plain;
    buffer_add(plain, bytes, size);
    if (plain->failed)
        return err_set(err, ERR_SYSTEM, "out of memory");
    return plain->size >= GZIP_MEMBER_BYTES ? member_end(gzip, err) : 0;
}

int gzip_writer_close(struct gzip_writer *gzip, struct err *err)
{
    int result = 0;
    if (gzip->members[gzip->current].plain.size > 0 || !gzip->has_member)
        result = member_end(gzip, err);
    for (unsigned i = 0; i < gzip->n_members && result == 0; i++)
        result = member_put(gzip, &gzip->members[(gzip->current + i) % gzip->n_members], err);
    gzip_writer_discard(gzip);
    return result;
}

void gzip_writer_discard(struct gzip_writer *gzip)
{
    if (!gzip)
        return;
    for (unsigned i = 0; i < gzip->n_members; i++) {
        struct member *member = &gzip->members[i];
        if (member->is_submitted && gzip->pool)
            pool_wait(gzip->pool, &member->job);
        if (member->has_z)
            deflateEnd(&member->z);
        buffer_free(&member->plain);
        buffer_free(&member->packed);
    }
    free(gzip);
}
