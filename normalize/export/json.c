#include "normalize/export/json.h"

#include <inttypes.h>

#include "normalize/each_record.h"
#include "schema/number.h"
#include "schema/output.h"
#include "schema/params.h"
#include "schema/quote.h"

struct json {
    struct output *output;
    struct buffer line, value;
};

static void add_params(struct json *json, const char *text)
{
    buffer_add_char(&json->line, '{');
    for (size_t i = 0; params_nth(text, i, NULL, NULL); i++) {
        struct buffer key = {0};
        buffer_clear(&json->value);
        params_nth(text, i, &key, &json->value);
        if (i > 0)
            buffer_add_char(&json->line, ',');
        quote_json(&json->line, buffer_text(&key));
        buffer_add_char(&json->line, ':');
        quote_json(&json->line, buffer_text(&json->value));
        json->line.failed |= key.failed || json->value.failed;
        buffer_free(&key);
    }
    buffer_add_char(&json->line, '}');
}

static void add_text(struct json *json, enum column column, const char *text)
{
    if (column == COLUMN_params)
        add_params(json, text);
    else
        quote_json(&json->line, text);
}

static void add_number(struct json *json, double number)
{
    char text[NUMBER_TEXT_SIZE];
    buffer_add(&json->line, text, number_format(text, number));
}

static int put_record(void *context, const struct record *record, struct err *err)
{
    struct json *json = context;
    struct buffer *line = &json->line;
    buffer_clear(line);
#define KEY(name) buffer_add_text(line, line->size == 0 ? "{\"" #name "\":" : ",\"" #name "\":")
#define PUT_TEXT(name)                                                                             \
    if (record->name[0]) {                                                                         \
        KEY(name);                                                                                 \
        add_text(json, COLUMN_##name, record->name);                                               \
    }
#define PUT_COUNT(name)                                                                            \
    if (RECORD_HAS(record, name)) {                                                                \
        KEY(name);                                                                                 \
        buffer_add_format(line, "%" PRIu64, record->name);                                         \
    }
#define PUT_NUMBER(name)                                                                           \
    if (RECORD_HAS(record, name)) {                                                                \
        KEY(name);                                                                                 \
        add_number(json, record->name);                                                            \
    }
#define PUT_KIND(name)                                                                             \
    KEY(name);                                                                                     \
    quote_json(line, record_kind_text(record->name));
#define PUT_STATUS(name)                                                                           \
    KEY(name);                                                                                     \
    quote_json(line, record_status_text(record->name));
#define PUT(name, type, ...) PUT_##type(name)
    SCHEMA_COLUMNS(PUT)
#undef PUT
    buffer_add_text(line, "}\n");
    if (line->failed)
        return err_set(err, ERR_SYSTEM, "out of memory");
    return output_write(json->output, line->bytes, line->size, err);
}

int json_export(const struct arguments *arguments, const char *output, struct err *err)
{
    struct json json = {0};
    TRY(output_open(&json.output, output ? output : "-", err));
    int result = output_wait(json.output, NULL, err);
    if (result == 0)
        result = each_record(arguments->operands, arguments->n_operands, put_record, &json, err);
    buffer_free(&json.line);
    buffer_free(&json.value);
    if (result == 0)
        return output_commit(json.output, err);
    output_discard(json.output);
    return result;
}
