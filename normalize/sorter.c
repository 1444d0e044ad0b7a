#include "normalize/sorter.h"

#include <stdlib.h>
#include <sys/mman.h>

/* Rows grow from the front of the memory, entries from its end. */
struct chunk {
    char *bytes; /* [limits.chunk_bytes], mapped with the first row; pages come when they are touched */
    size_t used;
    size_t n; /* entries, the last one first until they are sorted */
    struct spill *spill;
    struct run *runs; /* [n_runs] in the spill */
    size_t n_runs;
    struct memory_feed feed;
};

struct sorter {
    struct sorter_limits limits;
    struct chunk *chunks;       /* [limits.n_chunks] */
    struct run_feed *run_feeds; /* [n_run_feeds] */
    size_t n_run_feeds;
    struct feed **feeds;
    uint64_t n_runs;
};

static int out_of_memory(struct err *err)
{
    return err_set(err, ERR_SYSTEM, "out of memory");
}

int sorter_new(struct sorter **out, const struct sorter_limits *limits, struct err *err)
{
    struct sorter *sorter = calloc(1, sizeof *sorter);
    if (!sorter)
        return out_of_memory(err);
    sorter->limits = *limits;
    /* Entries stand at the end, on a boundary of theirs. */
    sorter->limits.chunk_bytes -= sorter->limits.chunk_bytes % sizeof(struct sort_entry);
    sorter->chunks = calloc(limits->n_chunks, sizeof *sorter->chunks);
    if (!sorter->chunks) {
        free(sorter);
        return out_of_memory(err);
    }
    *out = sorter;
    return 0;
}

void sorter_free(struct sorter *sorter)
{
    if (!sorter)
        return;
    for (size_t i = 0; i < sorter->n_run_feeds; i++)
        run_feed_free(&sorter->run_feeds[i]);
    for (unsigned i = 0; i < sorter->limits.n_chunks; i++) {
        struct chunk *chunk = &sorter->chunks[i];
        if (chunk->bytes)
            munmap(chunk->bytes, sorter->limits.chunk_bytes);
        spill_close(chunk->spill);
        free(chunk->runs);
    }
    free(sorter->run_feeds);
    free(sorter->feeds);
    free(sorter->chunks);
    free(sorter);
}

static struct sort_entry *chunk_entries(const struct sorter *sorter, const struct chunk *chunk)
{
    void *end = chunk->bytes + sorter->limits.chunk_bytes;
    return (struct sort_entry *)end - chunk->n;
}

/* ---- runs ---- */

static int add_run(struct chunk *chunk, struct run run, struct err *err)
{
    struct run *runs = realloc(chunk->runs, (chunk->n_runs + 1) * sizeof *runs);
    if (!runs)
        return out_of_memory(err);
    chunk->runs = runs;
    runs[chunk->n_runs++] = run;
    return 0;
}

/* shared: with the row that was written before it */
static int write_row(struct spill *spill, const struct row *row, uint32_t shared, struct err *err)
{
    static const char zeros[8];
    struct row head = *row;
    head.shared = shared;
    TRY(spill_write(spill, &head, sizeof head, err));
    TRY(spill_write(spill, row->text, row->size, err));
    return spill_write(spill, zeros, row_stride(row->size) - sizeof head - row->size, err);
}

static void chunk_sort(struct sort_entry *entries, size_t n)
{
    sort_rows(entries, n);
    for (size_t i = 1; i < n; i++)
        entries[i].row->shared = row_shared(entries[i - 1].row, entries[i].row, 0);
}

static int chunk_spill(struct sorter *sorter, struct chunk *chunk, struct err *err)
{
    struct sort_entry *entries = chunk_entries(sorter, chunk);
    chunk_sort(entries, chunk->n);
    if (!chunk->spill)
        TRY(spill_open(&chunk->spill, sorter->limits.folder, err));
    struct run run = {.spill = chunk->spill, .start = spill_size(chunk->spill)};
    for (size_t i = 0; i < chunk->n; i++)
        TRY(write_row(chunk->spill, entries[i].row, entries[i].row->shared, err));
    TRY(spill_flush(chunk->spill, err));
    run.end = spill_size(chunk->spill);
    chunk->used = chunk->n = 0;
    return add_run(chunk, run, err);
}

int sorter_add(struct sorter *sorter, unsigned index, const struct canonical *canonical,
               uint32_t rank, uint64_t line, struct err *err)
{
    struct chunk *chunk = &sorter->chunks[index];
    size_t limit = sorter->limits.chunk_bytes;
    size_t needed = row_stride(canonical->size) + sizeof(struct sort_entry);
    if (!chunk->bytes) {
        chunk->bytes = mmap(NULL, limit, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (chunk->bytes == MAP_FAILED) {
            chunk->bytes = NULL;
            return out_of_memory(err);
        }
        /* Fewer faults; as good without. */
        madvise(chunk->bytes, limit, MADV_HUGEPAGE);
    }
    if (limit - chunk->used - chunk->n * sizeof(struct sort_entry) < needed) {
        if (needed > limit)
            return out_of_memory(err);
        TRY(chunk_spill(sorter, chunk, err));
    }
    struct row *row = (struct row *)(void *)(chunk->bytes + chunk->used);
    row_pack(row, canonical, rank, line);
    chunk->used += row_stride(canonical->size);
    chunk->n++;
    chunk_entries(sorter, chunk)->row = row;
    return 0;
}

void sorter_finish_chunk(struct sorter *sorter, unsigned index)
{
    struct chunk *chunk = &sorter->chunks[index];
    if (chunk->n > 0)
        chunk_sort(chunk_entries(sorter, chunk), chunk->n);
}

/* ---- merging them ---- */

static int open_runs(struct sorter *sorter, const struct run *runs, size_t n, struct err *err)
{
    for (size_t i = 0; i < n; i++) {
        TRY(run_feed_init(&sorter->run_feeds[sorter->n_run_feeds], runs[i],
                          sorter->limits.buffer_bytes, err));
        sorter->n_run_feeds++;
    }
    return 0;
}

static void close_runs(struct sorter *sorter)
{
    for (size_t i = 0; i < sorter->n_run_feeds; i++)
        run_feed_free(&sorter->run_feeds[i]);
    sorter->n_run_feeds = 0;
}

/* Writes what the merger gives behind the end of the spill. */
static int write_merged(struct merger *merger, struct spill *spill, struct run *out, struct err *err)
{
    out->spill = spill;
    out->start = spill_size(spill);
    for (const struct row *row; (row = merger_row(merger));) {
        TRY(write_row(spill, row, merger_shared(merger), err));
        TRY(merger_next(merger, err));
    }
    TRY(spill_flush(spill, err));
    out->end = spill_size(spill);
    return 0;
}

/* The first n of the runs become one, in the spill of the first; feeds: [n]. */
static int join_runs(struct sorter *sorter, const struct run *runs, size_t n, struct feed **feeds,
                     struct run *out, struct err *err)
{
    struct merger merger = {0};
    int result = open_runs(sorter, runs, n, err);
    for (size_t i = 0; i < n; i++)
        feeds[i] = &sorter->run_feeds[i].feed;
    if (result == 0)
        result = merger_init(&merger, feeds, n, err);
    if (result == 0)
        result = write_merged(&merger, runs[0].spill, out, err);
    merger_free(&merger);
    close_runs(sorter);
    for (size_t i = 0; i < n && result == 0; i++)
        spill_drop(runs[i].spill, runs[i].start, runs[i].end);
    return result;
}

/* All runs of all chunks, the first ones joined until there are few enough. runs: room for all;
 * *n_runs of them from *first on are left. */
static int join_until_few(struct sorter *sorter, struct run *runs, size_t *first, size_t *n_runs,
                          struct err *err)
{
    size_t fan_in = sorter->limits.fan_in, at = 0, n = *n_runs;
    while (n > fan_in) {
        /* As many as make the rest fit, if that is enough: early runs are read once more. */
        size_t part = n - fan_in + 1 < fan_in ? n - fan_in + 1 : fan_in;
        struct run joined;
        TRY(join_runs(sorter, runs + at, part, sorter->feeds, &joined, err));
        at += part;
        n -= part;
        runs[at + n++] = joined;
    }
    *first = at;
    *n_runs = n;
    return 0;
}

int sorter_feeds(struct sorter *sorter, struct feed ***feeds, size_t *n, struct err *err)
{
    size_t n_runs = 0;
    for (unsigned i = 0; i < sorter->limits.n_chunks; i++)
        n_runs += sorter->chunks[i].n_runs;
    sorter->n_runs = n_runs;
    /* A join uses up two runs at least and makes one, so that there are fewer than n_runs joins. */
    struct run *runs = calloc(2 * n_runs + 1, sizeof *runs);
    sorter->run_feeds = calloc(n_runs + 1, sizeof *sorter->run_feeds);
    sorter->feeds = calloc(n_runs + sorter->limits.n_chunks, sizeof(struct feed *));
    if (!runs || !sorter->run_feeds || !sorter->feeds) {
        free(runs);
        return out_of_memory(err);
    }
    size_t used = 0, first = 0;
    for (unsigned i = 0; i < sorter->limits.n_chunks; i++)
        for (size_t j = 0; j < sorter->chunks[i].n_runs; j++)
            runs[used++] = sorter->chunks[i].runs[j];
    int result = join_until_few(sorter, runs, &first, &used, err);
    if (result == 0)
        result = open_runs(sorter, runs + first, used, err);
    free(runs);
    TRY(result);
    *n = 0;
    for (size_t i = 0; i < sorter->n_run_feeds; i++)
        sorter->feeds[(*n)++] = &sorter->run_feeds[i].feed;
    for (unsigned i = 0; i < sorter->limits.n_chunks; i++) {
        struct chunk *chunk = &sorter->chunks[i];
        if (chunk->n == 0)
            continue;
        memory_feed_init(&chunk->feed, chunk_entries(sorter, chunk), chunk->n);
        sorter->feeds[(*n)++] = &chunk->feed.feed;
    }
    *feeds = sorter->feeds;
    return 0;
}

uint64_t sorter_count_runs(const struct sorter *sorter)
{
    return sorter->n_runs;
}
