#include "normalize/settle.h"

#include <inttypes.h>

#include "schema/record.h"

static const struct row *row_of(const struct buffer *buffer)
{
    return (const struct row *)(const void *)buffer->bytes;
}

static int out_of_memory(struct err *err)
{
    return err_set(err, ERR_SYSTEM, "out of memory");
}

static int copy_row(struct buffer *to, const struct row *row, struct err *err)
{
    buffer_clear(to);
    buffer_add(to, row, sizeof *row + row->size);
    return to->failed ? out_of_memory(err) : 0;
}

static struct place place_of(const struct row *row)
{
    return (struct place){.rank = row->rank, .line = row->line};
}

void settle_free(struct settle *settle)
{
    buffer_free(&settle->problem);
    buffer_free(&settle->version);
    buffer_free(&settle->first);
    buffer_free(&settle->second);
    buffer_free(&settle->chosen);
    buffer_free(&settle->places);
}

/* ---- open conflicts ---- */

static bool unpack(const struct row *row, struct buffer *bytes, struct canonical *out)
{
    char *to = buffer_reserve(bytes, row->size);
    if (!to)
        return false;
    row_unpack(row, to);
    bytes->size += row->size;
    return canonical_split(out, bytes->bytes, row->size);
}

/* Names the first two versions of the record, the earlier place first. */
static int describe_conflict(struct settle *settle, struct err *err)
{
    const struct row *a = row_of(&settle->first), *b = row_of(&settle->second);
    if (a->rank > b->rank || (a->rank == b->rank && a->line > b->line)) {
        const struct row *swap = a;
        a = b;
        b = swap;
    }
    struct buffer a_bytes = {0}, b_bytes = {0};
    struct canonical a_row, b_row;
    bool is_good = unpack(a, &a_bytes, &a_row) && unpack(b, &b_bytes, &b_row);
    buffer_add_format(&settle->problem,
                      "%s:%" PRIu64 ": conflict with %s:%" PRIu64 ": the same record, but ",
                      settle->intake->paths[a->rank], a->line, settle->intake->paths[b->rank],
                      b->line);
    if (is_good)
        canonical_add_difference(&a_row, &b_row, &settle->problem);
    buffer_free(&a_bytes);
    buffer_free(&b_bytes);
    return is_good && !settle->problem.failed ? 0 : out_of_memory(err);
}

/* ---- groups of rows of one record ---- */

static int version_begin(struct settle *settle, const struct row *row, struct err *err)
{
    if (settle->n_versions == 1) {
        struct buffer swap = settle->first;
        settle->first = settle->version;
        settle->version = swap;
        TRY(copy_row(&settle->second, row, err));
    }
    settle->n_versions++;
    settle->is_preferred = row->rank == settle->prefer;
    if (settle->dropped) {
        struct place place = place_of(row);
        buffer_add(&settle->places, &place, sizeof place);
        if (settle->places.failed)
            return out_of_memory(err);
    }
    return copy_row(&settle->version, row, err);
}

static int version_end(struct settle *settle, struct err *err)
{
    if (!settle->is_preferred || settle->n_preferred++ > 0)
        return 0;
    return copy_row(&settle->chosen, row_of(&settle->version), err);
}

static int report_losers(struct settle *settle, struct err *err)
{
    struct place kept = place_of(row_of(&settle->chosen));
    for (size_t at = 0; at < settle->places.size; at += sizeof(struct place)) {
        struct place place;
        memcpy(&place, settle->places.bytes + at, sizeof place);
        if (place.rank != kept.rank || place.line != kept.line)
            TRY(dropped_conflict(settle->dropped, place, kept, err));
    }
    return 0;
}

static int group_end(struct settle *settle, struct err *err)
{
    if (settle->n_versions == 0)
        return 0;
    const struct row *row = row_of(&settle->version);
    if (settle->n_versions > 1) {
        TRY(version_end(settle, err));
        settle->n_conflicts += settle->n_versions - 1;
        row = row_of(&settle->chosen);
        if (settle->n_preferred != 1) {
            if (settle->n_open++ == 0)
                TRY(describe_conflict(settle, err));
        } else if (settle->dropped) {
            TRY(report_losers(settle, err));
        }
    }
    if (settle->n_open == 0)
        TRY(settle->put(settle->context, row, err));
    settle->n_versions = settle->n_preferred = 0;
    buffer_clear(&settle->places);
    return 0;
}

int settle_add(struct settle *settle, const struct row *row, uint32_t shared, struct err *err)
{
    if (settle->n_versions == 0 || shared < row_identity_size(row)) {
        TRY(group_end(settle, err));
        return version_begin(settle, row, err);
    }
    if (shared == row->size) {
        settle->n_duplicates++;
        settle->is_preferred |= row->rank == settle->prefer;
        return dropped_duplicate(settle->dropped, place_of(row),
                                 place_of(row_of(&settle->version)), err);
    }
    TRY(version_end(settle, err));
    return version_begin(settle, row, err);
}

int settle_end(struct settle *settle, struct err *err)
{
    TRY(group_end(settle, err));
    if (settle->n_open == 0)
        return 0;
    return err_set(err, ERR_DATA, "%s (%" PRIu64 " conflict%s in all)",
                   buffer_text(&settle->problem), settle->n_open, settle->n_open == 1 ? "" : "s");
}
