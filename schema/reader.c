#include "schema/reader.h"

#include <csv.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "schema/number.h"
#include "schema/plain.h"
#include "schema/rows.h"
#include "schema/sha256.h"
#include "schema/text.h"

struct reader {
    char *path;
    struct rows rows;
    struct row row; /* the current one */
    struct csv_parser parser;
    bool has_parser;
    struct buffer fields;        /* the fields of the row, each with a NUL behind it */
    size_t starts[COLUMN_COUNT]; /* offsets into fields, which moves while it grows */
    size_t sizes[COLUMN_COUNT];
    size_t n_fields;    /* may exceed COLUMN_COUNT; the rest is counted, not kept */
    size_t n_csv_rows;  /* that libcsv saw in the row: 1 if both agree where it ends */
    struct sha256 hash; /* of the rows since the header or the last end row */
    sha256_add_fn *add; /* with add_context, in the place of sha256_add; or NULL */
    void *add_context;
    uint64_t n_rows;    /* as many */
    const char *unhashed; /* [unhashed_size] rows that still have to go into the hash, all at once */
    size_t unhashed_size;
    struct plain plain;
    struct buffer line; /* the canonical row of a record that was not in that form */
    uint64_t n_records; /* good ones, whole file */
    bool is_behind_end; /* the last row was an end row */
    bool is_complete;
};

/* ---- libcsv ------------------------------------------------------------------------------------
 */

/* RFC 4180: blanks are data. libcsv would trim them. */
static int never_space(unsigned char c)
{
    (void)c;
    return 0;
}

static int is_lf(unsigned char c)
{
    return c == '\n';
}

static void on_field(void *field, size_t size, void *context)
{
    struct reader *reader = context;
    if (reader->n_fields < COLUMN_COUNT) {
        reader->starts[reader->n_fields] = reader->fields.size;
        reader->sizes[reader->n_fields] = size;
        buffer_add(&reader->fields, field, size); /* an empty field is NULL and 0 */
        buffer_add_char(&reader->fields, '\0');
    }
    reader->n_fields++;
}

static void on_row(int end, void *context)
{
    (void)end;
    struct reader *reader = context;
    reader->n_csv_rows++;
}

static int parser_start(struct reader *reader, struct err *err)
{
    if (reader->has_parser)
        csv_free(&reader->parser);
    reader->has_parser = csv_init(&reader->parser, CSV_STRICT | CSV_STRICT_FINI | CSV_APPEND_NULL |
                                                       CSV_EMPTY_IS_NULL) == 0;
    if (!reader->has_parser)
        return err_set(err, ERR_SYSTEM, "libcsv: cannot start");
    csv_set_space_func(&reader->parser, never_space);
    csv_set_term_func(&reader->parser, is_lf);
    /* It grows its field by this much; the default of 128 bytes makes long fields quadratic. */
    csv_set_blk_size(&reader->parser, 65536);
    return 0;
}

/* Takes the current row apart into fields. */
static int row_split(struct reader *reader, struct err *err)
{
    const struct row *row = &reader->row;
    buffer_clear(&reader->fields);
    reader->n_fields = reader->n_csv_rows = 0;
    TRY(row_check(row, err));
    /* csv_fini is not for here: every row is fed with its LF, so nothing is ever pending. */
    size_t n = csv_parse(&reader->parser, row->bytes, row->text_size, on_field, on_row, reader);
    if (n == row->text_size)
        n += csv_parse(&reader->parser, "\n", 1, on_field, on_row, reader);
    if (csv_error(&reader->parser) == CSV_ENOMEM || reader->fields.failed)
        return err_set(err, ERR_SYSTEM, "out of memory");
    if (n != row->text_size + 1 || reader->n_csv_rows != 1) {
        const char *column =
            reader->n_fields < COLUMN_COUNT ? record_columns[reader->n_fields].name : "row";
        TRY(parser_start(reader, err));
        return err_set(err, ERR_DATA,
                       "%s: a stray quote (a field with quotes in it stands in quotes as a whole, "
                       "the inner ones doubled)",
                       column);
    }
    for (size_t i = 0; i < reader->n_fields && i < COLUMN_COUNT; i++)
        if (reader->sizes[i] > RECORD_FIELD_MAX)
            return err_set(err, ERR_DATA, "%s: a field of %zu bytes, more than %d",
                           record_columns[i].name, reader->sizes[i], RECORD_FIELD_MAX);
    return 0;
}

static const char *field(const struct reader *reader, size_t i)
{
    return reader->fields.bytes + reader->starts[i];
}

/* ---- messages ----------------------------------------------------------------------------------
 */

/* Puts the place before *err. What the message quotes of the file is cleaned: a file must not send
 * control sequences to a terminal. */
static int fail_at(const struct reader *reader, uint64_t line, struct err *err)
{
    enum err_code code = err->code;
    struct buffer clean = {0};
    text_clean(err->text, strlen(err->text), sizeof err->text - 1, &clean);
    if (code == ERR_DATA)
        err_set(err, code, "%s:%" PRIu64 ": %s", reader->path, line, buffer_text(&clean));
    else
        err_set(err, code, "%s: %s", reader->path, buffer_text(&clean));
    buffer_free(&clean);
    return code;
}

/* ---- the header row ----------------------------------------------------------------------------
 */

static bool is_header(const struct reader *reader)
{
    if (reader->n_fields != COLUMN_COUNT)
        return false;
    for (size_t i = 0; i < COLUMN_COUNT; i++)
        if (strcmp(field(reader, i), record_columns[i].name) != 0)
            return false;
    return true;
}

/* True when the row says it is of a schema that may have other columns than ours. */
static bool is_newer(const struct reader *reader, uint64_t *version)
{
    return reader->n_fields > 0 &&
           number_parse_count(field(reader, 0), reader->sizes[0], version) &&
           *version > SCHEMA_VERSION;
}

static int newer_set(uint64_t version, struct err *err)
{
    return err_set(err, ERR_DATA,
                   "schema: version %" PRIu64 " is newer than this program (it reads %d)", version,
                   SCHEMA_VERSION);
}

/* Says how the header row differs from ours. *line: of the row that is at fault. */
static int header_refuse(struct reader *reader, uint64_t *line, struct err *err)
{
    static const char not_ours[] = "not a record file: the header row is not schema,kind,run,...";
    if (strcmp(field(reader, 0), record_columns[0].name) != 0)
        return err_set(err, ERR_DATA, "%s: it begins with '%.60s'", not_ours, field(reader, 0));
    size_t n = reader->n_fields, i = 0;
    while (i < n && i < COLUMN_COUNT && strcmp(field(reader, i), record_columns[i].name) == 0)
        i++;
    if (i == COLUMN_COUNT)
        err_set(err, ERR_DATA, "%s: it has %zu columns, not %d", not_ours, n, COLUMN_COUNT);
    else if (i == n)
        err_set(err, ERR_DATA, "%s: column %zu, %s, is missing", not_ours, i + 1,
                record_columns[i].name);
    else
        err_set(err, ERR_DATA, "%s: column %zu is '%.60s', not %s", not_ours, i + 1,
                field(reader, i), record_columns[i].name);
    /* A later schema has other columns; its rows say so, and that is the better message. */
    struct err ignored;
    uint64_t version;
    if (rows_next(&reader->rows, &reader->row, &ignored) == ROWS_ROW &&
        row_split(reader, &ignored) == 0 && is_newer(reader, &version)) {
        *line = reader->row.line;
        newer_set(version, err);
    }
    return ERR_DATA;
}

static int header_read(struct reader *reader, struct err *err)
{
    uint64_t line = 1;
    int result = rows_next(&reader->rows, &reader->row, err);
    if (result == ROWS_END)
        result = err_set(err, ERR_DATA, "empty file");
    else if (result == ROWS_TORN)
        result = err_set(err, ERR_DATA, "not a record file: its only line has no end");
    else if (result == ROWS_ROW) {
        result = row_split(reader, err);
        if (result == ERR_DATA)
            err_wrap(err, "not a record file");
        else if (result == 0 && !is_header(reader))
            result = header_refuse(reader, &line, err);
    }
    return result < 0 ? fail_at(reader, line, err) : 0;
}

static int reader_start(struct reader *reader, const char *path, size_t block_bytes,
                        struct err *err)
{
    int result = rows_open(&reader->rows, path, block_bytes, err);
    if (result >= 0)
        result = parser_start(reader, err);
    if (result < 0)
        return fail_at(reader, 1, err);
    sha256_init(&reader->hash);
    return header_read(reader, err);
}

int reader_open_blocks(struct reader **out, const char *path, size_t block_bytes, struct err *err)
{
    struct reader *reader = calloc(1, sizeof *reader);
    char *copy = strdup(path);
    if (!reader || !copy) {
        free(reader);
        free(copy);
        return err_set(err, ERR_SYSTEM, "%s: out of memory", path);
    }
    reader->path = copy;
    int result = reader_start(reader, path, block_bytes, err);
    if (result < 0) {
        reader_close(reader);
        return result;
    }
    *out = reader;
    return 0;
}

int reader_open(struct reader **out, const char *path, struct err *err)
{
    return reader_open_blocks(out, path, ROWS_BLOCK_BYTES, err);
}

/* ---- records -----------------------------------------------------------------------------------
 */

/* The current row as a checked record. */
static int row_decode(struct reader *reader, struct record *record, struct err *err)
{
    TRY(row_split(reader, err));
    uint64_t version;
    if (is_newer(reader, &version))
        return newer_set(version, err);
    if (is_header(reader))
        return err_set(err, ERR_DATA,
                       "a header row that is not behind an end row (files joined "
                       "without their end rows?)");
    if (reader->n_fields != COLUMN_COUNT)
        return err_set(err, ERR_DATA, "the row has %zu columns, not %d", reader->n_fields,
                       COLUMN_COUNT);
    const char *fields[COLUMN_COUNT];
    for (size_t i = 0; i < COLUMN_COUNT; i++)
        fields[i] = field(reader, i);
    TRY(record_decode(fields, reader->sizes, record, err));
    return record_check(record, err);
}

static void hash_row(struct reader *reader)
{
    sha256_add(&reader->hash, reader->row.bytes, reader->row.text_size);
    sha256_add(&reader->hash, "\n", 1);
    reader->n_rows++;
}

static int end_verify(struct reader *reader, const struct record *end, struct err *err)
{
    char digest[SHA256_HEX_SIZE];
    sha256_finish(&reader->hash, digest);
    sha256_init(&reader->hash);
    uint64_t n_rows = reader->n_rows;
    reader->n_rows = 0;
    if (end->value != (double)n_rows)
        return err_set(err, ERR_DATA,
                       "the end row counts %.0f rows, there are %" PRIu64 ": some are %s",
                       end->value, n_rows, end->value > (double)n_rows ? "missing" : "too many");
    if (strcmp(end->text, digest) != 0)
        return err_set(err, ERR_DATA,
                       "the end row's SHA-256 does not agree: rows before it were changed");
    return 0;
}

/* At the end of the file. */
static int file_finish(struct reader *reader, struct err *err)
{
    if (reader->n_records > 0) {
        reader->is_complete = reader->is_behind_end;
        return READER_END;
    }
    err_set(err, ERR_DATA, "no %srecord behind the header row", reader->n_rows > 0 ? "valid " : "");
    return fail_at(reader, reader->rows.line, err);
}

/* Before the bytes of the rows move. */
static void leave_plain(struct reader *reader)
{
    if (reader->unhashed_size > 0 && reader->add)
        reader->add(reader->add_context, &reader->hash, reader->unhashed, reader->unhashed_size);
    else if (reader->unhashed_size > 0)
        sha256_add(&reader->hash, reader->unhashed, reader->unhashed_size);
    reader->unhashed_size = 0;
    reader->plain.line = NULL;
}

int reader_next(struct reader *reader, struct record *record, struct err *err)
{
    leave_plain(reader);
    for (;;) {
        int result = rows_next(&reader->rows, &reader->row, err);
        if (result == ROWS_END)
            return file_finish(reader, err);
        if (result < 0)
            return fail_at(reader, reader->rows.line, err);
        bool was_behind_end = reader->is_behind_end;
        reader->is_behind_end = false;
        if (result == ROWS_TORN) {
            result = err_set(err, ERR_DATA, "the last line is torn: it has no line end");
        } else {
            result = row_decode(reader, record, err);
            if (was_behind_end && is_header(reader))
                continue;
        }
        if (result == 0 && record->kind == KIND_END) {
            if (end_verify(reader, record, err) < 0)
                return fail_at(reader, reader->row.line, err);
            reader->is_behind_end = true;
            continue;
        }
        hash_row(reader);
        if (result < 0) {
            fail_at(reader, reader->row.line, err);
            return result == ERR_DATA ? (int)READER_BAD_ROW : result;
        }
        reader->n_records++;
        return READER_RECORD;
    }
}

void reader_add_with(struct reader *reader, sha256_add_fn *add, void *context)
{
    reader->add = add;
    reader->add_context = context;
}

int reader_next_line(struct reader *reader, struct canonical *out, struct err *err)
{
    size_t size;
    const char *bytes = rows_ahead(&reader->rows, &size);
    if (plain_take(&reader->plain, bytes, size, out)) {
        if (reader->unhashed_size == 0)
            reader->unhashed = bytes;
        reader->unhashed_size += out->size;
        reader->n_rows++;
        reader->n_records++;
        reader->is_behind_end = false;
        rows_skip_line(&reader->rows, out->size);
        reader->row.line = reader->rows.line;
        return READER_RECORD;
    }
    struct record record;
    int result = reader_next(reader, &record, err);
    if (result != READER_RECORD)
        return result;
    buffer_clear(&reader->line);
    record_encode(&record, &reader->line);
    if (reader->line.failed || !canonical_split(out, reader->line.bytes, reader->line.size)) {
        err_set(err, ERR_SYSTEM, "out of memory");
        return fail_at(reader, reader->row.line, err);
    }
    return READER_RECORD;
}

const char *reader_bytes(const struct reader *reader, size_t *size)
{
    *size = reader->row.size;
    return reader->row.bytes;
}

uint64_t reader_line(const struct reader *reader)
{
    return reader->row.line;
}

uint64_t reader_consumed(const struct reader *reader)
{
    return input_consumed(reader->rows.input);
}

bool reader_is_complete(const struct reader *reader)
{
    return reader->is_complete;
}

void reader_close(struct reader *reader)
{
    if (!reader)
        return;
    rows_close(&reader->rows);
    if (reader->has_parser)
        csv_free(&reader->parser);
    buffer_free(&reader->fields);
    buffer_free(&reader->line);
    free(reader->path);
    free(reader);
}
