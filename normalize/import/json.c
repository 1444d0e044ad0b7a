#include "normalize/import/json.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* jansson stops at 2048 levels, which is more than any of these files has. */
static int check_depth(const struct import *import, size_t from, struct err *err)
{
    size_t depth = 0, line = 0;
    bool is_text = false;
    for (size_t i = 0; i < import->size; i++) {
        char c = import->bytes[i];
        line += c == '\n';
        if (i < from)
            continue;
        if (is_text) {
            if (c == '\\')
                i++;
            is_text = c != '"' && c != '\n';
        } else if (c == '"') {
            is_text = true;
        } else if (c == '{' || c == '[') {
            if (++depth > IMPORT_DEPTH_MAX)
                return import_error(import, line, err, "JSON deeper than %d", IMPORT_DEPTH_MAX);
        } else if ((c == '}' || c == ']') && depth > 0) {
            depth--;
        }
    }
    return 0;
}

/* The line that holds the byte; the lines have the offsets of the bytes they were made of. */
static size_t line_at(const struct import *import, size_t offset)
{
    size_t first = 0, end = import->n_lines;
    while (end - first > 1) {
        size_t middle = first + (end - first) / 2;
        if ((size_t)(import->lines[middle] - import->lines[0]) <= offset)
            first = middle;
        else
            end = middle;
    }
    return first;
}

static bool is_start(const struct import *import, size_t offset)
{
    return (import->bytes[offset] == '{' || import->bytes[offset] == '[') &&
           (offset == 0 || import->bytes[offset - 1] == '\n');
}

static size_t find_start(const struct import *import, size_t offset)
{
    while (offset < import->size && !is_start(import, offset))
        offset++;
    return offset;
}

int json_documents(struct import *import, json_read_fn *read, struct err *err)
{
    size_t start = find_start(import, 0);
    if (start == import->size)
        return import_error(import, 0, err, "no line starts a JSON document");
    TRY(check_depth(import, start, err));
    while (start < import->size) {
        json_error_t error;
        size_t line = line_at(import, start);
        json_t *document =
            json_loadb(import->bytes + start, import->size - start,
                       JSON_REJECT_DUPLICATES | JSON_DISABLE_EOF_CHECK | JSON_DECODE_INT_AS_REAL,
                       &error);
        if (!document)
            return import_error(import, line + (error.line > 0 ? (size_t)error.line - 1 : 0), err,
                                "JSON: %s", error.text);
        size_t size = error.position > 0 ? (size_t)error.position : 0;
        struct node root = {.value = document, .offset = start};
        import_use(import, line, line_at(import, start + size) + 1);
        int result = read(import, &root, import->bytes + start, size, err);
        json_decref(document);
        TRY(result);
        start = find_start(import, start + size);
    }
    return 0;
}

bool json_has(const struct import *import, ...)
{
    bool has_all = find_start(import, 0) < import->size;
    va_list arguments;
    va_start(arguments, import);
    for (const char *part; has_all && (part = va_arg(arguments, const char *)) != NULL;)
        has_all = strstr(import->bytes, part) != NULL;
    va_end(arguments);
    return has_all;
}

struct node node_member(const struct node *parent, const char *key)
{
    return (struct node){
        .parent = parent,
        .key = key,
        .value = json_is_object(parent->value) ? json_object_get(parent->value, key) : NULL,
    };
}

struct node node_element(const struct node *parent, size_t index)
{
    return (struct node){
        .parent = parent,
        .index = index,
        .value = json_is_array(parent->value) ? json_array_get(parent->value, index) : NULL,
    };
}

size_t node_count(const struct node *node)
{
    return json_is_array(node->value) ? json_array_size(node->value) : 0;
}

const char *node_text(const struct node *node)
{
    return json_is_string(node->value) ? json_string_value(node->value) : NULL;
}

double node_number(const struct node *node, double otherwise)
{
    return json_is_number(node->value) ? json_number_value(node->value) : otherwise;
}

static const char *skip_blanks(const char *p)
{
    return p + strspn(p, " \t\r\n,:");
}

static const char *skip_text(const char *p) /* p: its opening quote */
{
    for (p++; *p && *p != '"'; p++)
        p += *p == '\\' && p[1];
    return p + (*p == '"');
}

/* Behind the value at p. The text is known to be well formed. */
static const char *skip_value(const char *p)
{
    size_t depth = 0;
    do {
        p = skip_blanks(p);
        if (*p == '"') {
            p = skip_text(p);
        } else if (*p == '{' || *p == '[') {
            depth++;
            p++;
        } else if (*p == '}' || *p == ']') {
            depth -= depth > 0;
            p++;
        } else {
            size_t length = strcspn(p, " \t\r\n,:]}");
            if (length == 0)
                break;
            p += length;
        }
    } while (depth > 0 && *p);
    return p;
}

/* Where the node's value stands; where its parent does when it has none. Keys with escapes are not
 * found, which costs no more than the exact line. */
static const char *find_node(const struct import *import, const struct node *node)
{
    if (!node->parent)
        return import->bytes + node->offset;
    const char *parent = find_node(import, node->parent);
    if (!node->value || (*parent != '{' && *parent != '['))
        return parent;
    const char *p = skip_blanks(parent + 1);
    for (size_t i = 0; *p && *p != '}' && *p != ']'; i++) {
        if (node->key) {
            size_t length = strlen(node->key);
            bool is_it = strncmp(p + 1, node->key, length) == 0 && p[1 + length] == '"';
            p = skip_blanks(skip_text(p));
            if (is_it)
                return p;
        } else if (i == node->index) {
            return p;
        }
        p = skip_blanks(skip_value(p));
    }
    return parent;
}

size_t node_line(const struct import *import, const struct node *node)
{
    return line_at(import, (size_t)(find_node(import, node) - import->bytes));
}

int node_error(const struct import *import, const struct node *node, struct err *err,
               const char *format, ...)
{
    char text[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    return import_error(import, node_line(import, node), err, "%s", text);
}

int node_need(const struct import *import, const struct node *parent, const char *key,
              json_type type, struct node *out, struct err *err)
{
    *out = node_member(parent, key);
    if (!out->value)
        return node_error(import, parent, err, "there is no \"%s\"", key);
    if (json_typeof(out->value) != type)
        return node_error(import, out, err, "\"%s\" is no %s", key,
                          type == JSON_ARRAY    ? "array"
                          : type == JSON_OBJECT ? "object"
                          : type == JSON_STRING ? "string"
                                                : "number");
    return 0;
}

void node_add(struct import *import, const struct record *sample, const struct node *node,
              double factor, const char *unit)
{
    if (json_is_number(node->value))
        import_add(import, sample, json_number_value(node->value), factor, unit);
    else if (json_is_string(node->value))
        import_add_text(import, sample, json_string_value(node->value), factor, unit);
    else if (!node->value || json_is_null(node->value))
        import_add_text(import, sample, "", factor, unit);
    else
        import_add_status(import, sample, STATUS_FAILED, "no number stands in its place");
}
