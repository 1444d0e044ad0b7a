#include "schema/archive.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "schema/arena.h"
#include "schema/buffer.h"
#include "schema/canonical.h"
#include "schema/reader.h"

struct entry {
    struct canonical row; /* its line is in the arena */
    const char *path;     /* in the arena; one copy for each archive_add */
    uint64_t line;
};

struct archive {
    struct arena arena;
    struct entry *entries; /* [n_entries]; after archive_seal in order, one for each record */
    size_t n_entries;
    size_t capacity;
    struct record *records; /* [n_entries], made by archive_seal */
    const char **paths;     /* [n_paths] */
    size_t n_paths;
    const char **warnings;  /* [n_warnings] */
    size_t n_warnings;
    struct buffer scratch;
    struct archive_tally tally;
};

static int out_of_memory(struct err *err)
{
    return err_set(err, ERR_SYSTEM, "out of memory");
}

int archive_new(struct archive **out, struct err *err)
{
    *out = calloc(1, sizeof **out);
    return *out ? 0 : out_of_memory(err);
}

void archive_free(struct archive *archive)
{
    if (!archive)
        return;
    free(archive->entries);
    free(archive->records);
    free(archive->paths);
    free(archive->warnings);
    buffer_free(&archive->scratch);
    arena_free(&archive->arena);
    free(archive);
}

/* ---- reading ---- */

/* Room for one more of n things of `size` bytes; capacity doubles. */
static int grow(void **array, size_t n, size_t *capacity, size_t size, struct err *err)
{
    if (n < *capacity)
        return 0;
    size_t wanted = *capacity ? *capacity * 2 : 1024;
    if (wanted > SIZE_MAX / 2 / size)
        return out_of_memory(err);
    void *grown = realloc(*array, wanted * size);
    if (!grown)
        return out_of_memory(err);
    *array = grown;
    *capacity = wanted;
    return 0;
}

static int add_record(struct archive *archive, const char *path, uint64_t line,
                      const struct record *record, struct err *err)
{
    void *entries = archive->entries;
    TRY(grow(&entries, archive->n_entries, &archive->capacity, sizeof *archive->entries, err));
    archive->entries = entries;
    buffer_clear(&archive->scratch);
    record_encode(record, &archive->scratch);
    if (archive->scratch.failed)
        return out_of_memory(err);
    const char *copy = arena_copy(&archive->arena, archive->scratch.bytes, archive->scratch.size);
    if (!copy)
        return out_of_memory(err);
    struct entry *entry = &archive->entries[archive->n_entries];
    if (!canonical_split(&entry->row, copy, archive->scratch.size))
        return err_set(err, ERR_DATA, "%s:%" PRIu64 ": is no record", path, line);
    entry->path = path;
    entry->line = line;
    archive->n_entries++;
    archive->tally.n_read++;
    return 0;
}

static int add_warning(struct archive *archive, const char *path, const char *text, struct err *err)
{
    const char **warnings =
        realloc(archive->warnings, (archive->n_warnings + 1) * sizeof *warnings);
    if (!warnings)
        return out_of_memory(err);
    archive->warnings = warnings;
    buffer_clear(&archive->scratch);
    buffer_add_format(&archive->scratch, "%s: %s", path, text);
    const char *copy =
        arena_copy(&archive->arena, buffer_text(&archive->scratch), archive->scratch.size);
    if (archive->scratch.failed || !copy)
        return out_of_memory(err);
    warnings[archive->n_warnings++] = copy;
    return 0;
}

static int add_rows(struct archive *archive, const char *path, struct reader *reader,
                    struct err *err)
{
    struct record record;
    int result;
    while ((result = reader_next(reader, &record, err)) == READER_RECORD)
        TRY(add_record(archive, path, reader_line(reader), &record, err));
    if (result == READER_BAD_ROW)
        return ERR_DATA;
    if (result < 0 || reader_is_complete(reader))
        return result;
    archive->tally.n_incomplete++;
    return add_warning(archive, path, "no end row: the run may be incomplete", err);
}

int archive_add(struct archive *archive, const char *path, struct err *err)
{
    size_t n = archive->n_paths;
    const char **paths = realloc(archive->paths, (n + 1) * sizeof *paths);
    if (!paths)
        return out_of_memory(err);
    archive->paths = paths;
    paths[n] = arena_copy(&archive->arena, path, strlen(path));
    if (!paths[n])
        return out_of_memory(err);
    archive->n_paths++;
    archive->tally.n_files++;
    struct reader *reader;
    TRY(reader_open(&reader, path, err));
    int result = add_rows(archive, paths[n], reader, err);
    reader_close(reader);
    return result;
}

/* ---- settling ---- */

static int compare_places(const struct entry *a, const struct entry *b)
{
    int order = strcmp(a->path, b->path);
    return order ? order : (a->line > b->line) - (a->line < b->line);
}

/* Equal lines come in the order of their places, so that the first of them does not depend on the
 * order of the arguments. */
static int compare_entries(const void *a, const void *b)
{
    const struct entry *x = a, *y = b;
    int order = canonical_compare(&x->row, &y->row);
    return order ? order : compare_places(x, y);
}

static int compare_texts(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* In the order of their texts, each once: a file may be given twice. */
static void sort_warnings(struct archive *archive)
{
    const char **warnings = archive->warnings;
    size_t n = 0;
    if (archive->n_warnings > 0)
        qsort(warnings, archive->n_warnings, sizeof *warnings, compare_texts);
    for (size_t i = 0; i < archive->n_warnings; i++) {
        if (n == 0 || strcmp(warnings[n - 1], warnings[i]) != 0)
            warnings[n++] = warnings[i];
    }
    archive->n_warnings = n;
}

/* All rows of one record in the sorted entries: [first, end). Rows with equal lines stand together
 * and are versions of it. */
struct group {
    size_t first;
    size_t end;
    size_t n_versions;
    size_t n_preferred; /* versions that the preferred file holds */
    size_t chosen;      /* the preferred version, or the first one */
};

static struct group find_group(const struct archive *archive, size_t first, const char *prefer)
{
    struct group group = {.first = first, .end = first, .chosen = first};
    const struct entry *entries = archive->entries;
    while (group.end < archive->n_entries &&
           canonical_is_same_record(&entries[first].row, &entries[group.end].row)) {
        size_t version = group.end;
        bool is_preferred = false;
        do {
            is_preferred |= prefer && strcmp(entries[group.end].path, prefer) == 0;
            group.end++;
        } while (group.end < archive->n_entries &&
                 canonical_compare(&entries[version].row, &entries[group.end].row) == 0);
        group.n_versions++;
        if (is_preferred && group.n_preferred++ == 0)
            group.chosen = version;
    }
    return group;
}

/* Names the first two versions of a record, the earlier place first. */
static int conflict_error(struct archive *archive, struct group group, uint64_t n_conflicts,
                          struct err *err)
{
    const struct entry *a = &archive->entries[group.first], *b = a + 1;
    while (canonical_compare(&a->row, &b->row) == 0)
        b++;
    if (compare_places(a, b) > 0) {
        const struct entry *swap = a;
        a = b;
        b = swap;
    }
    struct buffer *text = &archive->scratch;
    buffer_clear(text);
    canonical_add_difference(&a->row, &b->row, text);
    if (text->failed)
        return out_of_memory(err);
    return err_set(err, ERR_DATA,
                   "%s:%" PRIu64 ": conflict with %s:%" PRIu64 ": the same record, but %s"
                   " (%" PRIu64 " conflict%s in all)",
                   a->path, a->line, b->path, b->line, buffer_text(text), n_conflicts,
                   n_conflicts == 1 ? "" : "s");
}

/* Leaves one entry for each record. */
static int settle(struct archive *archive, const char *prefer, struct err *err)
{
    struct group first_conflict = {0};
    uint64_t n_open = 0;
    size_t kept = 0;
    for (size_t at = 0; at < archive->n_entries;) {
        struct group group = find_group(archive, at, prefer);
        if (group.n_versions > 1 && group.n_preferred != 1 && n_open++ == 0)
            first_conflict = group;
        archive->tally.n_duplicates += group.end - group.first - group.n_versions;
        archive->tally.n_conflicts += group.n_versions - 1;
        /* An open conflict ends in an error, which still needs the entries. */
        if (n_open == 0)
            archive->entries[kept++] = archive->entries[group.chosen];
        at = group.end;
    }
    if (n_open > 0)
        return conflict_error(archive, first_conflict, n_open, err);
    archive->n_entries = kept;
    return 0;
}

static int decode_all(struct archive *archive, struct err *err)
{
    archive->records = calloc(archive->n_entries ? archive->n_entries : 1, sizeof(struct record));
    if (!archive->records)
        return out_of_memory(err);
    for (size_t i = 0; i < archive->n_entries; i++) {
        const struct canonical *row = &archive->entries[i].row;
        /* The decoder cuts the row into strings; the row itself stays. */
        char *copy = arena_copy(&archive->arena, row->line, row->size);
        if (!copy)
            return out_of_memory(err);
        TRY(record_decode_line(copy, &archive->records[i], err));
    }
    return 0;
}

int archive_seal(struct archive *archive, const char *prefer, struct err *err)
{
    bool is_known = !prefer;
    for (size_t i = 0; i < archive->n_paths; i++)
        is_known |= prefer && strcmp(archive->paths[i], prefer) == 0;
    if (!is_known)
        return err_set(err, ERR_USAGE, "%s: is preferred, but not among the files", prefer);
    if (archive->n_entries > 0)
        qsort(archive->entries, archive->n_entries, sizeof *archive->entries, compare_entries);
    sort_warnings(archive);
    TRY(settle(archive, prefer, err));
    return decode_all(archive, err);
}

/* ---- what is in it ---- */

size_t archive_count(const struct archive *archive)
{
    return archive->n_entries;
}

const struct record *archive_record(const struct archive *archive, size_t index)
{
    return &archive->records[index];
}

const char *archive_line(const struct archive *archive, size_t index, size_t *size)
{
    *size = archive->entries[index].row.size;
    return archive->entries[index].row.line;
}

const char *archive_place(const struct archive *archive, size_t index, uint64_t *line)
{
    *line = archive->entries[index].line;
    return archive->entries[index].path;
}

struct archive_tally archive_tally(const struct archive *archive)
{
    return archive->tally;
}

const char *archive_warning(const struct archive *archive, size_t i)
{
    return i < archive->n_warnings ? archive->warnings[i] : NULL;
}
