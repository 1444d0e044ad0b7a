#include "schema/rows.h"

#include <string.h>

#include "schema/record.h"
#include "schema/text.h"

/* Where the scan of a row stands. A quote behind a quote inside a quoted field may be the first of
 * a doubled one: the next byte tells, and it may be in the next block. */
enum { SCAN_PLAIN, SCAN_QUOTED, SCAN_CLOSED };

static int rows_fill(struct rows *rows, struct err *err)
{
    struct buffer *bytes = &rows->bytes;
    if (rows->start > 0) {
        memmove(bytes->bytes, bytes->bytes + rows->start, bytes->size - rows->start);
        bytes->size -= rows->start;
        rows->scanned -= rows->start;
        rows->start = 0;
    }
    char *to = buffer_reserve(bytes, rows->block_bytes);
    if (!to)
        return err_set(err, ERR_SYSTEM, "out of memory");
    size_t n = 0;
    TRY(input_read(rows->input, to, rows->block_bytes, &n, err));
    bytes->size += n;
    rows->is_over = n == 0;
    return 0;
}

int rows_open(struct rows *rows, const char *path, size_t block_bytes, struct err *err)
{
    *rows = (struct rows){.block_bytes = block_bytes, .line = 1, .next_line = 1};
    TRY(input_open(&rows->input, path, err));
    while (rows->bytes.size < 3 && !rows->is_over)
        TRY(rows_fill(rows, err));
    if (rows->bytes.size >= 3 && memcmp(rows->bytes.bytes, "\xef\xbb\xbf", 3) == 0)
        rows->next = 3;
    return 0;
}

/* Looks on from `scanned` for the end of the row; true with *end behind its LF. Every byte is
 * looked at a bounded number of times, whatever the row is made of. */
static bool find_end(struct rows *rows, size_t *end)
{
    const char *bytes = rows->bytes.bytes;
    size_t at = rows->scanned, size = rows->bytes.size;
    size_t lf = at; /* the first LF at or behind `at` once it is > at, or size */
    bool knows_lf = false;
    while (at < size) {
        if (rows->state == SCAN_QUOTED) {
            const char *quote = memchr(bytes + at, '"', size - at);
            at = quote ? (size_t)(quote - bytes) + 1 : size;
            rows->state = quote ? SCAN_CLOSED : SCAN_QUOTED;
            continue;
        }
        if (rows->state == SCAN_CLOSED) {
            rows->state = bytes[at] == '"' ? SCAN_QUOTED : SCAN_PLAIN;
            at += bytes[at] == '"';
            continue;
        }
        if (!knows_lf || lf < at) {
            const char *found = memchr(bytes + at, '\n', size - at);
            lf = found ? (size_t)(found - bytes) : size;
            knows_lf = true;
        }
        const char *quote = memchr(bytes + at, '"', lf - at);
        if (!quote && lf < size) {
            *end = lf + 1;
            return true;
        }
        at = quote ? (size_t)(quote - bytes) + 1 : size;
        if (quote && (quote == bytes + rows->start || quote[-1] == ','))
            rows->state = SCAN_QUOTED;
    }
    rows->scanned = at;
    return false;
}

static uint64_t count_lines(const char *p, size_t size)
{
    uint64_t n = 0;
    const char *end = p + size;
    while ((p = memchr(p, '\n', (size_t)(end - p)))) {
        n++;
        p++;
    }
    return n;
}

int rows_next(struct rows *rows, struct row *row, struct err *err)
{
    rows->start = rows->scanned = rows->next;
    rows->line = rows->next_line;
    rows->state = SCAN_PLAIN;
    size_t end;
    bool is_whole;
    while (!(is_whole = find_end(rows, &end)) && !rows->is_over) {
        if (rows->bytes.size - rows->start > RECORD_ROW_MAX)
            break;
        TRY(rows_fill(rows, err));
    }
    if (!is_whole)
        end = rows->bytes.size;
    size_t size = end - rows->start;
    if (size > RECORD_ROW_MAX)
        return err_set(err, ERR_DATA, "a row of more than %d bytes%s", RECORD_ROW_MAX,
                       rows->state == SCAN_QUOTED ? ": a quote is opened and not closed" : "");
    rows->next = end;
    if (size == 0)
        return ROWS_END;
    const char *bytes = rows->bytes.bytes + rows->start;
    uint64_t n_lines = count_lines(bytes, size);
    if (!is_whole && rows->state == SCAN_QUOTED && n_lines > 0)
        return err_set(err, ERR_DATA,
                       "a quote is opened and never closed, or the last row is torn");
    rows->next_line = rows->line + n_lines;
    *row = (struct row){.bytes = bytes, .size = size, .text_size = size, .line = rows->line};
    if (!is_whole)
        return ROWS_TORN;
    row->text_size--;
    if (row->text_size > 0 && bytes[row->text_size - 1] == '\r')
        row->text_size--;
    return ROWS_ROW;
}

const char *rows_ahead(const struct rows *rows, size_t *size)
{
    *size = rows->bytes.size - rows->next;
    return rows->bytes.bytes + rows->next;
}

void rows_skip_line(struct rows *rows, size_t size)
{
    rows->line = rows->next_line++;
    rows->next += size;
}

void rows_close(struct rows *rows)
{
    input_close(rows->input);
    buffer_free(&rows->bytes);
    rows->input = NULL;
}

/* Quotes count as find_end counts them. */
static bool has_bare_cr(const char *bytes, size_t size)
{
    if (!memchr(bytes, '\r', size))
        return false;
    bool is_quoted = false;
    for (size_t i = 0; i < size; i++) {
        if (bytes[i] == '\r' && !is_quoted)
            return true;
        if (bytes[i] != '"')
            continue;
        if (!is_quoted)
            is_quoted = i == 0 || bytes[i - 1] == ',';
        else if (i + 1 < size && bytes[i + 1] == '"')
            i++;
        else
            is_quoted = false;
    }
    return false;
}

int row_check(const struct row *row, struct err *err)
{
    if (row->text_size == 0)
        return err_set(err, ERR_DATA, "an empty line");
    const char *nul = memchr(row->bytes, '\0', row->text_size);
    if (nul)
        return err_set(err, ERR_DATA, "byte %zu of the row is NUL", (size_t)(nul - row->bytes) + 1);
    size_t good = text_utf8_prefix(row->bytes, row->text_size);
    if (good < row->text_size)
        return err_set(err, ERR_DATA, "byte %zu of the row (0x%02x) is not UTF-8", good + 1,
                       (unsigned)(unsigned char)row->bytes[good]);
    if (has_bare_cr(row->bytes, row->text_size))
        return err_set(err, ERR_DATA, "a CR (0x0d) that is neither quoted nor part of a line end");
    return 0;
}
