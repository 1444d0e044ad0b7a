/* One record: a row of a record file. See schema(5).
 *
 * A struct record borrows all its texts; whoever made it says until when. Texts are never NULL,
 * an absent one is "". A count or number is there when its bit in `present` is set. */
#ifndef SCHEMA_RECORD_H
#define SCHEMA_RECORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "schema/buffer.h"
#include "schema/columns.h"
#include "schema/err.h"

enum record_kind { KIND_SAMPLE, KIND_FACT, KIND_END, KIND_COUNT };

enum record_status {
    STATUS_OK,
    STATUS_UNAVAILABLE, /* the machine cannot do it; text says why */
    STATUS_FAILED,      /* it was tried and broke; text says how */
    STATUS_WRONG,       /* it ran and its result did not check */
    STATUS_TIMEOUT,
    STATUS_UNKNOWN, /* of a fact; text says why */
    STATUS_COUNT
};

struct record {
    uint32_t present; /* bit COLUMN_BIT(name) of each COUNT and NUMBER that holds a value */
#define FIELD_TEXT(name) const char *name;
#define FIELD_COUNT(name) uint64_t name;
#define FIELD_NUMBER(name) double name;
#define FIELD_KIND(name) enum record_kind name;
#define FIELD_STATUS(name) enum record_status name;
#define FIELD(name, type, ...) FIELD_##type(name)
    SCHEMA_COLUMNS(FIELD)
#undef FIELD
#undef FIELD_TEXT
#undef FIELD_COUNT
#undef FIELD_NUMBER
#undef FIELD_KIND
#undef FIELD_STATUS
};

#define COLUMN_BIT(name) (UINT32_C(1) << COLUMN_##name)
#define RECORD_HAS(record, name) (((record)->present & COLUMN_BIT(name)) != 0)
#define RECORD_SET(record, name, v) ((record)->name = (v), (record)->present |= COLUMN_BIT(name))

enum {
    RECORD_FIELD_MAX = 64 * 1024, /* bytes of one field; the reader refuses more */
    RECORD_ROW_MAX = 1024 * 1024  /* bytes of one row as written */
};

struct column_info {
    const char *name;
    const char *type;    /* "text", "count", "number", "kind" or "status" */
    const char *rule[3]; /* by enum record_kind: "must", "may" or "none" */
    const char *meaning;
};
extern const struct column_info record_columns[COLUMN_COUNT];

const char *record_kind_text(enum record_kind kind);
const char *record_status_text(enum record_status status);

/* An empty record of this kind: schema set, every text "". */
struct record record_new(enum record_kind kind);

/* Appends the header row, LF included. */
void record_header(struct buffer *out);

/* Appends the row in its one canonical form (minimal quoting, shortest numbers), LF included.
 * Makes no check: see record_check. */
void record_encode(const struct record *record, struct buffer *out);

/* fields: [COLUMN_COUNT] the unquoted fields of a row, each NUL-terminated
 * sizes:  [COLUMN_COUNT] their lengths in bytes
 * *out then borrows the fields. ERR_DATA, with the column's name, when a field is not of its
 * type or the schema is not this one. Rules between columns are record_check's. */
int record_decode(const char *const fields[static COLUMN_COUNT],
                  const size_t sizes[static COLUMN_COUNT], struct record *out, struct err *err);

/* Takes a row in canonical form apart in place: `line` (NUL-terminated, LF or not at its end) is
 * overwritten, *out borrows it. For text this library wrote; foreign text goes through
 * schema/reader.h. */
int record_decode_line(char *line, struct record *out, struct err *err);

/* The contract's rules for one record by itself. ERR_DATA names the column. */
int record_check(const struct record *record, struct err *err);

#endif
