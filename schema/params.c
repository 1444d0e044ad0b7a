#include "schema/params.h"

#include <stdlib.h>
#include <string.h>

static bool is_reserved(unsigned char c)
{
    return c < 0x20 || c == 0x7f || c == '%' || c == ';' || c == '=';
}

static void escape(const char *text, struct buffer *out)
{
    static const char hex[] = "0123456789ABCDEF";
    for (; *text; text++) {
        unsigned char c = (unsigned char)*text;
        if (is_reserved(c)) {
            char code[3] = {'%', hex[c >> 4], hex[c & 15]};
            buffer_add(out, code, 3);
        } else {
            buffer_add_char(out, (char)c);
        }
    }
}

static int hex_digit(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

static void unescape(const char *text, size_t size, struct buffer *out)
{
    for (size_t i = 0; i < size; i++) {
        if (text[i] == '%' && i + 2 < size && hex_digit(text[i + 1]) >= 0 &&
            hex_digit(text[i + 2]) >= 0) {
            buffer_add_char(out, (char)(hex_digit(text[i + 1]) * 16 + hex_digit(text[i + 2])));
            i += 2;
        } else {
            buffer_add_char(out, text[i]);
        }
    }
}

static int compare_keys(const void *a, const void *b)
{
    return strcmp(((const struct param *)a)->key, ((const struct param *)b)->key);
}

void params_format(struct param *params, size_t n, struct buffer *out)
{
    qsort(params, n, sizeof *params, compare_keys);
    for (size_t i = 0; i < n; i++) {
        if (i > 0)
            buffer_add_char(out, ';');
        escape(params[i].key, out);
        buffer_add_char(out, '=');
        escape(params[i].value, out);
    }
}

/* One `key=value` of the text; next points behind it and its `;`. */
struct pair {
    const char *key, *value, *next;
    size_t key_size, value_size;
};

static struct pair pair_at(const char *p)
{
    struct pair pair = {.key = p};
    size_t size = strcspn(p, ";");
    const char *equals = memchr(p, '=', size);
    pair.key_size = equals ? (size_t)(equals - p) : size;
    pair.value = equals ? equals + 1 : p + size;
    pair.value_size = (size_t)(p + size - pair.value);
    pair.next = p + size + (p[size] == ';');
    return pair;
}

/* Keys compare in escaped form: no reserved character is ever part of a key of ours. */
static bool has_key(const struct pair *pair, const char *key)
{
    return strlen(key) == pair->key_size && memcmp(pair->key, key, pair->key_size) == 0;
}

bool params_get(const char *text, const char *key, struct buffer *out)
{
    while (*text) {
        struct pair pair = pair_at(text);
        if (has_key(&pair, key)) {
            unescape(pair.value, pair.value_size, out);
            return true;
        }
        text = pair.next;
    }
    return false;
}

bool params_nth(const char *text, size_t i, struct buffer *key, struct buffer *value)
{
    for (; *text && i > 0; i--)
        text = pair_at(text).next;
    if (!*text)
        return false;
    struct pair pair = pair_at(text);
    if (key)
        unescape(pair.key, pair.key_size, key);
    if (value)
        unescape(pair.value, pair.value_size, value);
    return true;
}

void params_without(const char *text, const char *key, struct buffer *out)
{
    bool first = true;
    while (*text) {
        struct pair pair = pair_at(text);
        if (!has_key(&pair, key)) {
            if (!first)
                buffer_add_char(out, ';');
            buffer_add(out, pair.key, (size_t)(pair.value + pair.value_size - pair.key));
            first = false;
        }
        text = pair.next;
    }
}

const char *params_check(const char *text)
{
    const char *before = NULL;
    size_t before_size = 0;
    size_t size = strlen(text);
    if (size > 0 && text[size - 1] == ';')
        return "params end with ';'";
    while (*text) {
        struct pair pair = pair_at(text);
        if (pair.key_size == 0)
            return "params have an empty key";
        if (pair.value == pair.key + pair.key_size)
            return "params have a key without '='";
        for (const char *p = pair.key; p < pair.value + pair.value_size; p++) {
            if (p == pair.value - 1)
                continue;
            if (*p == '%') {
                if (pair.value + pair.value_size - p < 3 || hex_digit(p[1]) < 0 ||
                    hex_digit(p[2]) < 0)
                    return "params have a '%' that no two hexadecimal digits follow";
                if (!is_reserved((unsigned char)(hex_digit(p[1]) * 16 + hex_digit(p[2]))))
                    return "params escape a character that needs no escape";
            } else if (is_reserved((unsigned char)*p)) {
                return "params hold a reserved character that is not %-escaped";
            }
        }
        if (before) {
            size_t shorter = before_size < pair.key_size ? before_size : pair.key_size;
            int order = memcmp(before, pair.key, shorter);
            if (order > 0 || (order == 0 && before_size >= pair.key_size))
                return "params are not in ascending order of their keys";
        }
        before = pair.key;
        before_size = pair.key_size;
        text = pair.next;
    }
    return NULL;
}
