#include "normalize/retracted.h"

#include <string.h>

void retracted_free(struct retracted *retracted)
{
    buffer_free(&retracted->runs);
}

/* A fact is kind,run, and then empty columns, params, its name, an empty rep. */
static bool is_retraction(const struct row *row)
{
    static const char end[] = ",retracted,,";
    size_t size = sizeof end - 1;
    return row->text[0] == 'f' && row->time_at - row->run_end >= size &&
           memcmp(row->text + row->time_at - size, end, size) == 0;
}

int retracted_note(struct retracted *retracted, const struct row *row, struct err *err)
{
    if (!is_retraction(row))
        return 0;
    size_t stride = row_stride(row->size);
    char *to = buffer_reserve(&retracted->runs, stride);
    if (!to)
        return err_set(err, ERR_SYSTEM, "out of memory");
    memcpy(to, row, sizeof *row + row->size);
    retracted->runs.size += stride;
    return 0;
}

/* The run behind "fact," or "sample,", its comma included. */
static const char *run_of(const struct row *row, size_t *size)
{
    size_t start = row->text[0] == 'f' ? sizeof "fact," - 1 : sizeof "sample," - 1;
    *size = row->run_end - start;
    return row->text + start;
}

static int compare_runs(const struct row *a, const struct row *b)
{
    size_t a_size, b_size;
    const char *a_run = run_of(a, &a_size), *b_run = run_of(b, &b_size);
    int order = memcmp(a_run, b_run, a_size < b_size ? a_size : b_size);
    return order ? order : (a_size > b_size) - (a_size < b_size);
}

bool retracted_find(struct retracted *retracted, const struct row *row, struct place *by)
{
    if (row->text[0] != 's')
        return false;
    while (retracted->at < retracted->runs.size) {
        const struct row *retraction =
            (const struct row *)(const void *)(retracted->runs.bytes + retracted->at);
        int order = compare_runs(retraction, row);
        if (order >= 0) {
            *by = (struct place){.rank = retraction->rank, .line = retraction->line};
            return order == 0;
        }
        retracted->at += row_stride(retraction->size);
    }
    return false;
}
