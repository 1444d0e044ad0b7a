#include "collect/done.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "build.h"
#include "collect/journal.h"
#include "schema/buffer.h"

/* What tells one job of a plan from another, as a text. */
static char *job_key(const char *kernel, const char *test, const char *variant, uint64_t threads,
                     uint64_t x, const char *params, uint64_t rep)
{
    struct buffer key = {0};
    buffer_add_format(&key, "%s.%s,%s,%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%s", kernel, test,
                      variant, threads, x, rep, params);
    if (key.failed)
        buffer_free(&key);
    return key.bytes;
}

static int compare_keys(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

int done_read(struct done_jobs *done, const struct record_file *file, size_t n_records,
              struct err *err)
{
    *done = (struct done_jobs){.keys = calloc(n_records + 1, sizeof *done->keys)};
    if (!done->keys)
        return err_set(err, ERR_SYSTEM, "out of memory");
    for (size_t i = 0; i < n_records; i++) {
        const struct record *row = &file->records[i];
        if (row->kind != KIND_SAMPLE || row->rep == 0) /* a sample over time matches no job */
            continue;
        char *key =
            job_key(row->kernel, row->test, row->variant, row->threads,
                    RECORD_HAS(row, x) ? (uint64_t)row->x : 0, row->params, row->rep);
        if (!key)
            return err_set(err, ERR_SYSTEM, "out of memory");
        done->keys[done->n++] = key;
    }
    qsort(done->keys, done->n, sizeof *done->keys, compare_keys);
    return 0;
}

int done_has(const struct done_jobs *done, const struct plan_job *job, struct err *err)
{
    if (done->n == 0)
        return 0;
    const struct plan_cell *cell = job->cell;
    struct buffer params = {0};
    int result = journal_params(job, &params, err);
    char *key = job_key(cell->kernel->name, cell->test->name,
                        cell->variant ? cell->variant->name : BUILD_VARIANT, cell->threads, cell->x,
                        buffer_text(&params), job->rep);
    buffer_free(&params);
    if (result >= 0 && !key)
        result = err_set(err, ERR_SYSTEM, "out of memory");
    if (result >= 0)
        result = bsearch(&key, done->keys, done->n, sizeof key, compare_keys) != NULL;
    free(key);
    return result;
}

void done_free(struct done_jobs *done)
{
    for (size_t i = 0; i < done->n; i++)
        free(done->keys[i]);
    free(done->keys);
    *done = (struct done_jobs){0};
}
