#include "normalize/feed.h"

#include <stdlib.h>

static int memory_next(struct feed *base, struct err *err)
{
    (void)err;
    struct memory_feed *feed = (struct memory_feed *)base;
    base->row = feed->at < feed->end ? feed->at++->row : NULL;
    return 0;
}

void memory_feed_init(struct memory_feed *feed, const struct sort_entry *entries, size_t n)
{
    *feed = (struct memory_feed){.feed.next = memory_next, .at = entries, .end = entries + n};
}

/* At least `wanted` bytes from feed->at on; the run has them. */
static int run_fill(struct run_feed *feed, size_t wanted, struct err *err)
{
    size_t left = feed->size - feed->at;
    if (left >= wanted)
        return 0;
    if (wanted > feed->capacity) {
        char *grown = realloc(feed->bytes, wanted);
        if (!grown)
            return err_set(err, ERR_SYSTEM, "out of memory");
        feed->bytes = grown;
        feed->capacity = wanted;
    }
    memmove(feed->bytes, feed->bytes + feed->at, left);
    feed->at = 0;
    size_t room = feed->capacity - left;
    uint64_t rest = feed->run.end - feed->run.start;
    size_t n = rest < room ? (size_t)rest : room;
    TRY(spill_read(feed->run.spill, feed->run.start, feed->bytes + left, n, err));
    feed->run.start += n;
    feed->size = left + n;
    return 0;
}

static int run_next(struct feed *base, struct err *err)
{
    struct run_feed *feed = (struct run_feed *)base;
    if (base->row)
        feed->at += row_stride(base->row->size);
    base->row = NULL;
    if (feed->at == feed->size && feed->run.start == feed->run.end)
        return 0;
    TRY(run_fill(feed, sizeof(struct row), err));
    const struct row *row = (const struct row *)(const void *)(feed->bytes + feed->at);
    TRY(run_fill(feed, row_stride(row->size), err));
    base->row = (const struct row *)(const void *)(feed->bytes + feed->at);
    return 0;
}

int run_feed_init(struct run_feed *feed, struct run run, size_t buffer_bytes, struct err *err)
{
    *feed = (struct run_feed){.feed.next = run_next, .run = run, .capacity = buffer_bytes};
    feed->bytes = malloc(buffer_bytes);
    return feed->bytes ? 0 : err_set(err, ERR_SYSTEM, "out of memory");
}

void run_feed_free(struct run_feed *feed)
{
    free(feed->bytes);
    feed->bytes = NULL;
}
