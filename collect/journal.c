#include "collect/journal.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "build.h"
#include "schema/params.h"

enum { PARAMS_MAX = 16 };

static int rows_hold(void *context, const void *bytes, size_t size, struct err *err)
{
    struct journal *journal = context;
    buffer_add(&journal->pending, bytes, size);
    return journal->pending.failed ? err_set(err, ERR_SYSTEM, "out of memory") : 0;
}

int journal_flush(struct journal *journal, struct err *err)
{
    const char *p = journal->pending.bytes;
    size_t size = journal->pending.size;
    while (size > 0) {
        ssize_t n = write(journal->fd, p, size);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return err_system(err, "%s", journal->path);
        p += n;
        size -= (size_t)n;
    }
    buffer_clear(&journal->pending);
    return 0;
}

/* What was measured once is not to be had again: an older file of that name stays, with a tilde. */
static int old_file_keep(const char *path, struct err *err)
{
    struct stat st;
    if (stat(path, &st) < 0 || !S_ISREG(st.st_mode))
        return 0;
    size_t size = strlen(path) + 2;
    char *backup = malloc(size);
    if (!backup)
        return err_set(err, ERR_SYSTEM, "out of memory");
    snprintf(backup, size, "%s~", path);
    int result = rename(path, backup) < 0 ? err_system(err, "%s", backup) : 0;
    free(backup);
    return result;
}

int journal_open(struct journal *journal, const char *path, const struct run_identity *identity,
                 struct err *err)
{
    *journal = (struct journal){.path = path, .fd = -1, .identity = identity};
    writer_init(&journal->writer, rows_hold, journal);
    if (strcmp(path, "-") == 0) {
        journal->path = "standard output";
        journal->fd = STDOUT_FILENO;
    } else {
        TRY(old_file_keep(path, err));
        journal->fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
        if (journal->fd < 0)
            return err_system(err, "%s", path);
    }
    TRY(writer_header(&journal->writer, err));
    return journal_flush(journal, err);
}

int journal_reopen(struct journal *journal, const char *path, const struct run_identity *identity,
                   const struct record_file *file, size_t n_kept, struct err *err)
{
    *journal = (struct journal){.path = path, .fd = -1, .identity = identity};
    writer_init(&journal->writer, rows_hold, journal);
    size_t size = n_kept > 0 ? file->ends[n_kept - 1] : file->header_size;
    journal->fd = open(path, O_WRONLY | O_CLOEXEC);
    if (journal->fd < 0 || ftruncate(journal->fd, (off_t)size) < 0 ||
        lseek(journal->fd, 0, SEEK_END) < 0)
        return err_system(err, "%s", path);
    /* The end row will speak for the old rows too. */
    sha256_add(&journal->writer.hash, file->bytes.bytes + file->header_size,
               size - file->header_size);
    journal->writer.n_rows = n_kept;
    return 0;
}

/* sample: NULL for a job's own. Where a sample's x is the time, the cell's x goes to params. lost_at: when an
 * attempt failed that is made once more, else NULL. */
static int params_make(const struct plan_job *job, const struct measure_sample *sample,
                       const char *lost_at, struct buffer *out, struct err *err)
{
    struct param params[PARAMS_MAX];
    size_t n = 0;
    for (const struct kernel_value *value = job->cell->settings; value->key; value++) {
        if (n == PARAMS_MAX - 5)
            return err_set(err, ERR_SYSTEM, "too many settings");
        params[n++] = (struct param){value->key, value->value};
    }
    char rep[16], x[24];
    if (sample && sample->has_time && job->cell->has_x) {
        snprintf(x, sizeof x, "%" PRIu64, job->cell->x);
        const char *key = job->cell->kernel->x_key;
        params[n++] = (struct param){key ? key : "x", x};
    }
    const struct variant *variant = job->cell->variant;
    if (variant && variant->emulator) {
        const char *slash = strrchr(variant->emulator, '/');
        params[n++] = (struct param){"emulated", slash ? slash + 1 : variant->emulator};
    }
    if (sample && sample->is_activity)
        params[n++] = (struct param){"of", job->cell->test->name};
    if (sample && sample->is_warmup) {
        /* Each repetition has a warm-up of its own, and all of them are repetition 0. */
        snprintf(rep, sizeof rep, "%u", job->rep);
        params[n++] = (struct param){"warmup_of", rep};
    }
    if (lost_at) /* the next attempt has a warm-up too, and may be lost in a run that is resumed */
        params[n++] = (struct param){"lost_at", lost_at};
    params_format(params, n, out);
    return out->failed ? err_set(err, ERR_SYSTEM, "out of memory") : 0;
}

int journal_params(const struct plan_job *job, struct buffer *out, struct err *err)
{
    return params_make(job, NULL, NULL, out, err);
}

/* sample: NULL where there is none to write, but why. */
static int row_write(struct journal *journal, const struct plan_job *job, struct record *row,
                     const struct measure_sample *sample, const char *date, struct err *err)
{
    bool is_warmup = sample && sample->is_warmup, is_timed = sample && sample->has_time;
    const struct plan_cell *cell = job->cell;
    struct buffer params = {0};
    const char *lost_at = is_warmup && row->status != STATUS_OK ? date : NULL;
    TRY(params_make(job, sample, lost_at, &params, err));
    row->run = journal->identity->run;
    row->machine = journal->identity->machine;
    row->time = date;
    row->kernel = cell->kernel->name;
    RECORD_SET(row, revision, cell->kernel->revision);
    row->test = sample && sample->is_activity ? "activity" : cell->test->name;
    row->variant = cell->variant ? cell->variant->name : BUILD_VARIANT;
    RECORD_SET(row, threads, cell->threads);
    if (is_timed) {
        RECORD_SET(row, x, sample->at);
        row->x_unit = "s";
    } else if (cell->has_x) {
        RECORD_SET(row, x, (double)cell->x);
        row->x_unit = cell->kernel->x_unit;
    }
    row->params = buffer_text(&params);
    RECORD_SET(row, rep, is_warmup ? 0 : job->rep);
    int result = writer_record(&journal->writer, row, err);
    buffer_free(&params);
    return result;
}

/* For each metric of the test why there is no value. */
static int reasons_write(struct journal *journal, const struct plan_job *job,
                         const struct worker_result *result, const struct measure_sample *sample,
                         const char *date, struct err *err)
{
    const struct kernel_metric *metric = job->cell->test->metrics;
    for (; metric->name; metric++) {
        if (measure_is_over_time(metric->quantity))
            continue; /* there is no time to say it of; the other metrics say why */
        struct record row = record_new(KIND_SAMPLE);
        row.metric = metric->name;
        row.status = result->status;
        row.text = result->reason;
        TRY(row_write(journal, job, &row, sample, date, err));
    }
    return 0;
}

int journal_job(struct journal *journal, const struct plan_job *job,
                const struct worker_result *result, const char *date, struct err *err)
{
    bool is_ok = result->status == STATUS_OK;
    for (size_t i = 0; i < result->n; i++) {
        const struct measure_sample *sample = &result->samples[i];
        if (!is_ok && !sample->is_activity)
            continue;
        struct record row = record_new(KIND_SAMPLE);
        row.metric = sample->metric;
        RECORD_SET(&row, value, sample->value);
        row.unit = sample->unit;
        RECORD_SET(&row, iterations, sample->iterations);
        RECORD_SET(&row, elapsed_ns, sample->elapsed_ns);
        TRY(row_write(journal, job, &row, sample, date, err));
    }
    if (!is_ok)
        TRY(reasons_write(journal, job, result, NULL, date, err));
    return journal_flush(journal, err);
}

int journal_lost(struct journal *journal, const struct plan_job *job,
                 const struct worker_result *result, const char *date, struct err *err)
{
    const struct measure_sample warmup = {.is_warmup = true};
    TRY(reasons_write(journal, job, result, &warmup, date, err));
    return journal_flush(journal, err);
}

int journal_end(struct journal *journal, struct err *err)
{
    TRY(writer_end(&journal->writer, err));
    TRY(journal_flush(journal, err));
    /* A pipe or a terminal cannot be synced, and need not be. */
    if (fsync(journal->fd) < 0 && errno != EINVAL && errno != EROFS && errno != ENOTSUP)
        return err_system(err, "%s", journal->path);
    return 0;
}

void journal_close(struct journal *journal)
{
    if (journal->fd >= 0 && journal->fd != STDOUT_FILENO)
        close(journal->fd);
    writer_free(&journal->writer);
    buffer_free(&journal->pending);
    journal->fd = -1;
}
