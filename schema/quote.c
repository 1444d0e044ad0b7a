#include "schema/quote.h"

#include <string.h>

void quote_csv(struct buffer *out, const char *text)
{
    size_t size = strlen(text);
    bool quotes = size > 0 && (text[0] == ' ' || text[size - 1] == ' ' || text[0] == '\t' ||
                               text[size - 1] == '\t' || strpbrk(text, ",\"\r\n"));
    if (!quotes) {
        buffer_add(out, text, size);
        return;
    }
    buffer_add_char(out, '"');
    for (const char *p = text; *p;) {
        size_t plain = strcspn(p, "\"");
        buffer_add(out, p, plain);
        p += plain;
        if (*p == '"') {
            buffer_add(out, "\"\"", 2);
            p++;
        }
    }
    buffer_add_char(out, '"');
}

void quote_json(struct buffer *out, const char *text)
{
    buffer_add_char(out, '"');
    for (const char *p = text; *p; p++) {
        if (*p == '"' || *p == '\\')
            buffer_add_char(out, '\\');
        if ((unsigned char)*p < 0x20)
            buffer_add_format(out, "\\u%04x", (unsigned)(unsigned char)*p);
        else
            buffer_add_char(out, *p);
    }
    buffer_add_char(out, '"');
}
