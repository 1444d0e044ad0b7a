#include "normalize/each_record.h"

#include "normalize/intake.h"
#include "normalize/merging.h"
#include "schema/pool.h"

struct each {
    each_record_fn *fn;
    void *context;
    struct buffer line;
};

static int put_row(void *context, const struct row *row, struct err *err)
{
    struct each *each = context;
    struct record record;
    buffer_clear(&each->line);
    char *to = buffer_reserve(&each->line, row->size);
    if (!to)
        return err_set(err, ERR_SYSTEM, "out of memory");
    row_unpack(row, to);
    to[row->size] = '\0';
    TRY(record_decode_line(to, &record, err));
    return each->fn(each->context, &record, err);
}

int each_record(char *const *paths, size_t n, each_record_fn *fn, void *context, struct err *err)
{
    struct each each = {.fn = fn, .context = context};
    struct merge_settings settings = {.put = put_row, .context = &each};
    struct merge_tally tally;
    struct intake intake;
    merge_limit(&settings, UINT64_C(1) << 30, pool_processors());
    settings.max_streams = 0; /* a stream may turn out not to be one when rows are given already */
    int result = intake_init(&intake, paths, n, BAD_ROWS_FAIL, NULL, err);
    if (result == 0)
        result = merge_files(&intake, &settings, &tally, err);
    intake_free(&intake);
    buffer_free(&each.line);
    return result;
}
