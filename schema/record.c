#include "schema/record.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "schema/number.h"
#include "schema/params.h"
#include "schema/quote.h"
#include "schema/text.h"
#include "schema/unit.h"

#define TYPE_TEXT "text"
#define TYPE_COUNT "count"
#define TYPE_NUMBER "number"
#define TYPE_KIND "kind"
#define TYPE_STATUS "status"
#define RULE_MUST "must"
#define RULE_MAY "may"
#define RULE_NONE "none"
const struct column_info record_columns[COLUMN_COUNT] = {
#define COLUMN_INFO(name, type, sample, fact, end, meaning)                                        \
    {#name, TYPE_##type, {RULE_##sample, RULE_##fact, RULE_##end}, meaning},
    SCHEMA_COLUMNS(COLUMN_INFO)
#undef COLUMN_INFO
};

static const char *const kind_texts[KIND_COUNT] = {"sample", "fact", "end"};
static const char *const status_texts[STATUS_COUNT] = {"ok",    "unavailable", "failed",
                                                       "wrong", "timeout",     "unknown"};

const char *record_kind_text(enum record_kind kind)
{
    return kind_texts[kind];
}

const char *record_status_text(enum record_status status)
{
    return status_texts[status];
}

struct record record_new(enum record_kind kind)
{
    struct record record = {
#define INIT_TEXT(name) .name = "",
#define INIT_COUNT(name)
#define INIT_NUMBER(name)
#define INIT_KIND(name)
#define INIT_STATUS(name)
#define INIT(name, type, ...) INIT_##type(name)
        SCHEMA_COLUMNS(INIT)
#undef INIT
    };
    record.kind = kind;
    record.status = STATUS_OK;
    RECORD_SET(&record, schema, SCHEMA_VERSION);
    return record;
}

static void encode_count(struct buffer *out, uint64_t count)
{
    char digits[20];
    char *p = digits + sizeof digits;
    do {
        *--p = (char)('0' + count % 10);
        count /= 10;
    } while (count > 0);
    buffer_add(out, p, (size_t)(digits + sizeof digits - p));
}

static void encode_number(struct buffer *out, double number)
{
    char text[NUMBER_TEXT_SIZE];
    buffer_add(out, text, number_format(text, number));
}

void record_header(struct buffer *out)
{
    for (int c = 0; c < COLUMN_COUNT; c++) {
        buffer_add_text(out, record_columns[c].name);
        buffer_add_char(out, c + 1 < COLUMN_COUNT ? ',' : '\n');
    }
}

void record_encode(const struct record *record, struct buffer *out)
{
#define ENCODE_TEXT(name) quote_csv(out, record->name)
#define ENCODE_COUNT(name)                                                                         \
    if (RECORD_HAS(record, name))                                                                  \
    encode_count(out, record->name)
#define ENCODE_NUMBER(name)                                                                        \
    if (RECORD_HAS(record, name))                                                                  \
    encode_number(out, record->name)
#define ENCODE_KIND(name) buffer_add_text(out, kind_texts[record->name])
#define ENCODE_STATUS(name) buffer_add_text(out, status_texts[record->name])
#define ENCODE(name, type, ...)                                                                    \
    ENCODE_##type(name);                                                                           \
    buffer_add_char(out, COLUMN_##name + 1 < COLUMN_COUNT ? ',' : '\n');
    SCHEMA_COLUMNS(ENCODE)
#undef ENCODE
}

static bool decode_word(const char *const *words, int n, const char *text, int *out)
{
    for (int i = 0; i < n; i++) {
        if (strcmp(words[i], text) == 0) {
            *out = i;
            return true;
        }
    }
    return false;
}

static int decode_kind(const char *field, enum record_kind *out, struct err *err)
{
    int word;
    if (!decode_word(kind_texts, KIND_COUNT, field, &word))
        return err_set(err, ERR_DATA, "kind: '%.60s' is not sample, fact or end", field);
    *out = (enum record_kind)word;
    return 0;
}

static int decode_status(const char *field, enum record_status *out, struct err *err)
{
    int word;
    if (!decode_word(status_texts, STATUS_COUNT, field, &word))
        return err_set(err, ERR_DATA, "status: '%.60s' is no status", field);
    *out = (enum record_status)word;
    return 0;
}

int record_decode(const char *const fields[static COLUMN_COUNT],
                  const size_t sizes[static COLUMN_COUNT], struct record *out, struct err *err)
{
    struct record record = {0};
    /* The version first: a newer row may mean anything by the other columns. */
    uint64_t version;
    if (!number_parse_count(fields[COLUMN_schema], sizes[COLUMN_schema], &version))
        return err_set(err, ERR_DATA, "schema: '%.60s' is no version number",
                       fields[COLUMN_schema]);
    if (version != SCHEMA_VERSION)
        return err_set(err, ERR_DATA, "schema: version %" PRIu64 " is %s (this program reads %d)",
                       version, version > SCHEMA_VERSION ? "newer than this program" : "unknown",
                       SCHEMA_VERSION);
#define DECODE_TEXT(name) record.name = fields[COLUMN_##name];
#define DECODE_COUNT(name)                                                                         \
    if (sizes[COLUMN_##name] > 0) {                                                                \
        if (!number_parse_count(fields[COLUMN_##name], sizes[COLUMN_##name], &record.name))        \
            return err_set(err, ERR_DATA, #name ": '%.60s' is no whole number",                    \
                           fields[COLUMN_##name]);                                                 \
        record.present |= COLUMN_BIT(name);                                                        \
    }
#define DECODE_NUMBER(name)                                                                        \
    if (sizes[COLUMN_##name] > 0) {                                                                \
        if (!number_parse(fields[COLUMN_##name], sizes[COLUMN_##name], &record.name))              \
            return err_set(err, ERR_DATA, #name ": '%.60s' is no number", fields[COLUMN_##name]);  \
        record.present |= COLUMN_BIT(name);                                                        \
    }
#define DECODE_KIND(name) TRY(decode_kind(fields[COLUMN_##name], &record.name, err));
#define DECODE_STATUS(name) TRY(decode_status(fields[COLUMN_##name], &record.name, err));
#define DECODE(name, type, ...) DECODE_##type(name)
    SCHEMA_COLUMNS(DECODE)
#undef DECODE
    *out = record;
    return 0;
}

int record_decode_line(char *line, struct record *out, struct err *err)
{
    const char *fields[COLUMN_COUNT];
    size_t sizes[COLUMN_COUNT];
    char *p = line;
    for (int c = 0; c < COLUMN_COUNT; c++) {
        char *start = p, *to = p;
        if (*p == '"') {
            p++;
            while (*p && (*p != '"' || p[1] == '"')) {
                p += *p == '"'; /* the first of two quotes is dropped */
                *to++ = *p++;
            }
            if (*p++ != '"')
                return err_set(err, ERR_DATA, "%s: quote is not closed", record_columns[c].name);
        } else {
            p += strcspn(p, ",\n");
            to = p;
        }
        char end = *p;
        if (c + 1 < COLUMN_COUNT ? end != ',' : end != '\n' && end != '\0')
            return err_set(err, ERR_DATA, "a row has %d columns, this one %s", COLUMN_COUNT,
                           c + 1 < COLUMN_COUNT ? "fewer" : "more");
        *to = '\0';
        fields[c] = start;
        sizes[c] = (size_t)(to - start);
        p++;
    }
    return record_decode(fields, sizes, out, err);
}

static bool is_name(const char *text, const char *extra)
{
    if (*text == '\0')
        return false;
    for (; *text; text++) {
        bool is_plain = (*text >= 'a' && *text <= 'z') || (*text >= '0' && *text <= '9');
        if (!is_plain && !strchr(extra, *text))
            return false;
    }
    return true;
}

/* MUST and NONE of the columns table. */
static int check_presence(const struct record *record, struct err *err)
{
#define IS_THERE_TEXT(name) (record->name[0] != '\0')
#define IS_THERE_COUNT(name) RECORD_HAS(record, name)
#define IS_THERE_NUMBER(name) RECORD_HAS(record, name)
#define IS_THERE_KIND(name) true
#define IS_THERE_STATUS(name) true
#define IS_THERE(name, type, ...) IS_THERE_##type(name),
    const bool is_there[COLUMN_COUNT] = {SCHEMA_COLUMNS(IS_THERE)};
#undef IS_THERE
    for (int c = 0; c < COLUMN_COUNT; c++) {
        const char *rule = record_columns[c].rule[record->kind];
        if (strcmp(rule, RULE_MUST) == 0 && !is_there[c])
            return err_set(err, ERR_DATA, "%s: a %s row must have it", record_columns[c].name,
                           kind_texts[record->kind]);
        if (strcmp(rule, RULE_NONE) == 0 && is_there[c])
            return err_set(err, ERR_DATA, "%s: a %s row has none", record_columns[c].name,
                           kind_texts[record->kind]);
    }
    return 0;
}

static int check_value(const struct record *record, struct err *err)
{
    bool has_value = RECORD_HAS(record, value);
    if (has_value != (record->unit[0] != '\0'))
        return err_set(err, ERR_DATA, "unit: a value and its unit go together");
    if (has_value && !unit_find(record->unit))
        return err_set(err, ERR_DATA, "unit: '%.60s' is no base unit", record->unit);
    if (record->status != STATUS_OK && has_value)
        return err_set(err, ERR_DATA, "value: status is %s, so there is none",
                       status_texts[record->status]);
    if (record->status != STATUS_OK && record->text[0] == '\0')
        return err_set(err, ERR_DATA, "text: status is %s and the reason is missing",
                       status_texts[record->status]);
    return 0;
}

static int check_sample(const struct record *record, struct err *err)
{
    if (record->status == STATUS_UNKNOWN)
        return err_set(err, ERR_DATA, "status: 'unknown' is for facts");
    if (!is_name(record->kernel, "_"))
        return err_set(err, ERR_DATA, "kernel: '%.60s' is no name (a-z, 0-9, _)", record->kernel);
    const struct metric *metric = metric_find(record->metric);
    if (!metric)
        return err_set(err, ERR_DATA, "metric: '%.60s' is not in the list", record->metric);
    if (record->status == STATUS_OK && !RECORD_HAS(record, value))
        return err_set(err, ERR_DATA, "value: status is ok and it is missing");
    TRY(check_value(record, err));
    if (RECORD_HAS(record, value) && !metric_has_unit(metric, record->unit))
        return err_set(err, ERR_DATA, "unit: %s is given in %s, not in %.60s", metric->name,
                       metric->units, record->unit);
    if (RECORD_HAS(record, x) != (record->x_unit[0] != '\0'))
        return err_set(err, ERR_DATA, "x_unit: x and its unit go together");
    if (RECORD_HAS(record, x) && !unit_find(record->x_unit))
        return err_set(err, ERR_DATA, "x_unit: '%.60s' is no base unit", record->x_unit);
    if (record->threads == 0)
        return err_set(err, ERR_DATA, "threads: there is at least one");
    return 0;
}

static int check_fact(const struct record *record, struct err *err)
{
    if (record->status != STATUS_OK && record->status != STATUS_UNKNOWN)
        return err_set(err, ERR_DATA, "status: of a fact it is ok or unknown");
    if (!is_name(record->metric, "_."))
        return err_set(err, ERR_DATA, "metric: '%.60s' is no name of a fact (a-z, 0-9, _ and .)",
                       record->metric);
    if (record->test[0] && strcmp(record->test, "before") != 0 && strcmp(record->test, "after") != 0)
        return err_set(err, ERR_DATA, "test: of a fact it is before, after or empty");
    if (record->status == STATUS_OK && !RECORD_HAS(record, value) && record->text[0] == '\0')
        return err_set(err, ERR_DATA, "text: a fact is a number, a text or unknown");
    return check_value(record, err);
}

static int check_end(const struct record *record, struct err *err)
{
    if (strcmp(record->metric, "records") != 0)
        return err_set(err, ERR_DATA, "metric: of an end row it is 'records'");
    if (record->value < 0 || record->value != floor(record->value) || strcmp(record->unit, "1") != 0)
        return err_set(err, ERR_DATA, "value: of an end row it is a count");
    if (record->status != STATUS_OK)
        return err_set(err, ERR_DATA, "status: of an end row it is ok");
    if (strlen(record->text) != 64 || strspn(record->text, "0123456789abcdef") != 64)
        return err_set(err, ERR_DATA, "text: of an end row it is a SHA-256, 64 hexadecimal digits");
    return 0;
}

int record_check(const struct record *record, struct err *err)
{
    TRY(check_presence(record, err));
    if (record->kind == KIND_END)
        return check_end(record, err);
    if (!text_is_time(record->time))
        return err_set(err, ERR_DATA,
                       "time: '%.60s' is not YYYY, YYYY-MM, YYYY-MM-DD or YYYY-MM-DDThh:mm:ssZ",
                       record->time);
    const char *wrong = params_check(record->params);
    if (wrong)
        return err_set(err, ERR_DATA, "params: %s", wrong);
    return record->kind == KIND_SAMPLE ? check_sample(record, err) : check_fact(record, err);
}
