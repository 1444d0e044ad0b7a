#include "normalize/merging.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "normalize/archive_writer.h"
#include "normalize/dropped.h"
#include "normalize/merger.h"
#include "normalize/retracted.h"
#include "normalize/settle.h"
#include "normalize/sorter.h"
#include "normalize/stream.h"
#include "schema/pool.h"

struct merging {
    struct intake *intake;
    const struct merge_settings *settings;
    struct merge_tally *tally;
    struct pool *pool;
    struct stream **streams; /* [n_streams] */
    size_t n_streams;
    bool *is_stream; /* [intake->n_files] */
    struct sorter *sorter;
    atomic_size_t next_file; /* that no thread has begun to sort */
    atomic_bool has_failed;  /* the threads need not go on */
    struct side_sum *side;   /* of the archive */
    struct archive_writer *writer;
    struct dropped *dropped;
    struct retracted retracted;
    struct settle settle;
};

void merge_limit(struct merge_settings *settings, uint64_t memory, unsigned n_threads)
{
    enum { MIB = 1 << 20, MAX_CHUNK_SHIFT = 2 };
    /* The largest row there may be fits into a chunk and a block. */
    size_t all = memory < SIZE_MAX / 2 ? (size_t)memory : SIZE_MAX / 2;
    size_t sorting = all / 8 * 5, most = sorting / (4 * MIB);
    settings->n_threads = n_threads < most ? n_threads : (unsigned)most;
    settings->chunk_bytes = sorting / settings->n_threads;
    /* Small ones, so that reading goes on evenly and the sum of the archive finds company. */
    settings->block_bytes = 64 * 1024;
    /* Of a stream: two blocks, the text in front of the reader twice, and what zlib needs. */
    size_t streams = all / 8 / (2 * MIB);
    settings->max_streams = streams < 64 ? streams : 64;
    settings->min_stream_bytes = 256 * 1024;
    settings->buffer_bytes = 128 * 1024;
    size_t fan_in = all / 8 / settings->buffer_bytes;
    settings->fan_in = fan_in < 256 ? fan_in : 256;
    /* Of a member: its text, and as much room for what it is compressed to. */
    size_t ahead = all / 8 / (4 * MIB);
    settings->n_ahead = ahead < 2 * settings->n_threads ? (unsigned)ahead : 2 * settings->n_threads;
    settings->n_ahead += settings->n_ahead == 0;
}

/* ---- streams ---- */

static bool may_be_stream(const struct merging *merging, const struct input_file *file)
{
    return file->is_rereadable && !file->is_unsorted &&
           file->size >= merging->settings->min_stream_bytes &&
           merging->n_streams < merging->settings->max_streams;
}

/* Files that are in order for a block at least. An error of one is found again when all are read. */
static int open_streams(struct merging *merging, struct err *err)
{
    const struct merge_settings *settings = merging->settings;
    for (size_t i = 0; i < merging->intake->n_files; i++) {
        struct input_file *file = &merging->intake->files[i];
        struct stream *stream;
        if (!may_be_stream(merging, file))
            continue;
        TRY(stream_open(&stream, file, merging->pool, settings->block_bytes, merging->side, err));
        if (stream_probe(stream)) {
            merging->streams[merging->n_streams++] = stream;
            merging->is_stream[i] = true;
        } else {
            stream_close(stream);
            input_file_forget(file);
        }
    }
    merging->tally->n_streams = merging->n_streams;
    return 0;
}

/* ---- sorting ---- */

struct sorting {
    struct merging *merging;
    unsigned chunk;
    struct job job;
    int result; /* of what is not the fault of a file */
    struct err err;
};

static int sort_file(struct sorting *sorting, struct input_file *file)
{
    struct sorter *sorter = sorting->merging->sorter;
    struct reader *reader;
    struct canonical canonical;
    if (input_file_open(file, &reader) < 0)
        return 0;
    int result;
    while ((result = input_file_next(file, reader, &canonical)) == READER_RECORD) {
        result = sorter_add(sorter, sorting->chunk, &canonical, file->rank, reader_line(reader),
                            &sorting->err);
        if (result < 0)
            break;
    }
    reader_close(reader);
    return file->result < 0 ? 0 : result;
}

/* A thread: files in the order given, until there are no more. After an error none is begun; those
 * before the one that failed have been. */
static void sort_files(void *context)
{
    struct sorting *sorting = context;
    struct merging *merging = sorting->merging;
    struct intake *intake = merging->intake;
    size_t i;
    while (!atomic_load(&merging->has_failed) &&
           (i = atomic_fetch_add(&merging->next_file, 1)) < intake->n_files) {
        if (merging->is_stream[i])
            continue;
        sorting->result = sort_file(sorting, &intake->files[i]);
        if (sorting->result < 0 || intake->files[i].result < 0)
            atomic_store(&merging->has_failed, true);
    }
    if (!atomic_load(&merging->has_failed))
        sorter_finish_chunk(merging->sorter, sorting->chunk);
}

static int sort_rest(struct merging *merging, struct err *err)
{
    const struct merge_settings *settings = merging->settings;
    const struct sorter_limits limits = {
        .chunk_bytes = settings->chunk_bytes,
        .buffer_bytes = settings->buffer_bytes,
        .fan_in = settings->fan_in,
        .n_chunks = settings->n_threads,
        .folder = settings->folder,
    };
    TRY(sorter_new(&merging->sorter, &limits, err));
    struct sorting *threads = calloc(settings->n_threads, sizeof *threads);
    if (!threads)
        return err_set(err, ERR_SYSTEM, "out of memory");
    for (unsigned i = 0; i < settings->n_threads; i++) {
        threads[i] = (struct sorting){
            .merging = merging, .chunk = i, .job = {.run = sort_files, .context = &threads[i]}};
        pool_submit(merging->pool, &threads[i].job);
    }
    int result = 0;
    for (unsigned i = 0; i < settings->n_threads; i++) {
        pool_wait(merging->pool, &threads[i].job);
        if (result == 0 && threads[i].result < 0) {
            result = threads[i].result;
            *err = threads[i].err;
        }
    }
    free(threads);
    for (size_t i = 0; i < merging->intake->n_files && result == 0; i++)
        result = merging->intake->files[i].result < 0 ? (int)ERR_DATA : 0;
    return result;
}

/* ---- merging ---- */

static int put_settled(void *context, const struct row *row, struct err *err)
{
    struct merging *merging = context;
    if (merging->settings->without_retracted) {
        struct place by;
        TRY(retracted_note(&merging->retracted, row, err));
        if (retracted_find(&merging->retracted, row, &by)) {
            merging->tally->n_retracted++;
            struct place place = {.rank = row->rank, .line = row->line};
            return dropped_retracted(merging->dropped, place, by, err);
        }
    }
    merging->tally->n_written++;
    const struct merge_settings *settings = merging->settings;
    return settings->put ? settings->put(settings->context, row, err)
                         : archive_writer_put(merging->writer, row, err);
}

static int merge_feeds(struct merging *merging, struct feed **feeds, size_t n, struct err *err)
{
    struct merger merger;
    int result = merger_init(&merger, feeds, n, err);
    const struct row *row;
    while (result == 0 && (row = merger_row(&merger))) {
        merging->tally->n_read++;
        intake_show(merging->intake);
        result = settle_add(&merging->settle, row, merger_shared(&merger), err);
        if (result == 0)
            result = merger_next(&merger, err);
    }
    merger_free(&merger);
    if (result == 0)
        result = settle_end(&merging->settle, err);
    merging->tally->n_open = merging->settle.n_open;
    return result;
}

static uint64_t count_records(const struct intake *intake)
{
    uint64_t n = 0;
    for (size_t i = 0; i < intake->n_files; i++)
        n += intake->files[i].n_records;
    return n;
}

static int merge_all(struct merging *merging, struct err *err)
{
    struct feed **sorted, **feeds;
    size_t n_sorted, n = 0;
    TRY(sorter_feeds(merging->sorter, &sorted, &n_sorted, err));
    merging->tally->n_runs = sorter_count_runs(merging->sorter);
    feeds = calloc(n_sorted + merging->n_streams + 1, sizeof(struct feed *));
    if (!feeds)
        return err_set(err, ERR_SYSTEM, "out of memory");
    for (size_t i = 0; i < n_sorted; i++)
        feeds[n++] = sorted[i];
    for (size_t i = 0; i < merging->n_streams; i++)
        feeds[n++] = stream_feed(merging->streams[i]);
    if (merging->n_streams == 0)
        intake_begin_merge(merging->intake, count_records(merging->intake));
    int result = merge_feeds(merging, feeds, n, err);
    free(feeds);
    return result;
}

static uint32_t rank_of(const struct intake *intake, const char *path)
{
    for (uint32_t i = 0; path && i < intake->n_paths; i++)
        if (strcmp(intake->paths[i], path) == 0)
            return i;
    return RANK_NONE;
}

static int open_outputs(struct merging *merging, struct err *err)
{
    const struct merge_settings *settings = merging->settings;
    if (settings->dropped)
        TRY(dropped_open(&merging->dropped, settings->dropped, merging->intake, err));
    merging->settle = (struct settle){
        .put = put_settled,
        .context = merging,
        .prefer = rank_of(merging->intake, settings->prefer),
        .dropped = merging->dropped,
        .intake = merging->intake,
    };
    if (settings->put)
        return 0;
    return archive_writer_open(&merging->writer, settings->output, merging->pool, settings->n_ahead,
                               settings->folder, merging->side, err);
}

static int commit_outputs(struct merging *merging, struct err *err)
{
    struct archive_writer *writer = merging->writer;
    merging->writer = NULL;
    if (writer)
        TRY(archive_writer_commit(writer, err));
    if (!merging->dropped)
        return 0;
    struct dropped *dropped = merging->dropped;
    TRY(dropped_refused(dropped, merging->intake, err));
    merging->dropped = NULL;
    return dropped_commit(dropped, err);
}

static void count(struct merging *merging)
{
    struct merge_tally *tally = merging->tally;
    tally->n_duplicates = merging->settle.n_duplicates;
    tally->n_conflicts = merging->settle.n_conflicts;
    for (size_t i = 0; i < merging->intake->n_files; i++)
        tally->n_refused += merging->intake->files[i].refused.n;
}

static void close_streams(struct merging *merging)
{
    for (size_t i = 0; i < merging->n_streams; i++)
        stream_close(merging->streams[i]);
    merging->n_streams = 0;
}

static int merge_once(struct merging *merging, struct err *err)
{
    TRY(open_streams(merging, err));
    TRY(sort_rest(merging, err));
    TRY(open_outputs(merging, err));
    TRY(merge_all(merging, err));
    /* Bad rows of a stream are all known when its thread has ended. */
    close_streams(merging);
    count(merging);
    return commit_outputs(merging, err);
}

static void close_all(struct merging *merging)
{
    close_streams(merging);
    sorter_free(merging->sorter);
    archive_writer_discard(merging->writer);
    dropped_discard(merging->dropped);
    settle_free(&merging->settle);
    retracted_free(&merging->retracted);
    pool_free(merging->pool);
    side_sum_free(merging->side);
    free(merging->streams);
    free(merging->is_stream);
}

/* *is_over: false when a stream was not in order, so that it has to begin anew. */
static int merge_start(struct intake *intake, const struct merge_settings *settings,
                       struct merge_tally *tally, bool *is_over, struct err *err)
{
    struct merging merging = {.intake = intake, .settings = settings, .tally = tally};
    merging.streams = calloc(settings->max_streams + 1, sizeof(struct stream *));
    merging.is_stream = calloc(intake->n_files + 1, sizeof(bool));
    int result = merging.streams && merging.is_stream ? side_sum_new(&merging.side, err)
                                                      : err_set(err, ERR_SYSTEM, "out of memory");
    if (result == 0)
        result = pool_new(&merging.pool, settings->n_threads, err);
    size_t n_unsorted = 0;
    if (result == 0) {
        result = merge_once(&merging, err);
        close_streams(&merging); /* now nobody reads any more */
        for (size_t i = 0; i < intake->n_files; i++)
            n_unsorted += merging.is_stream[i] && intake->files[i].is_unsorted;
    }
    close_all(&merging);
    *is_over = result == 0 || n_unsorted == 0;
    return result;
}

int merge_files(struct intake *intake, const struct merge_settings *settings,
                struct merge_tally *tally, struct err *err)
{
    if (settings->prefer && rank_of(intake, settings->prefer) == RANK_NONE)
        return err_set(err, ERR_USAGE, "%s: is preferred, but not among the files",
                       settings->prefer);
    unsigned n_starts = 0;
    bool is_over;
    int result;
    do {
        intake_restart(intake);
        *tally = (struct merge_tally){.n_starts = ++n_starts};
        result = merge_start(intake, settings, tally, &is_over, err);
    } while (!is_over);
    intake_hide(intake);
    return result < 0 ? intake_first_error(intake, result, err) : 0;
}
