#include "report/chart/chart_svg.h"

#include <stdbool.h>
#include <string.h>

#include "schema/sha256.h"

enum { PREFIX_MARK = '\x01', PREFIX_DIGITS = 8 };

struct name {
    const char *text;
    size_t size;
};

struct names {
    struct buffer list; /* of struct name */
};

static size_t names_number(struct names *names, struct name name)
{
    size_t n = names->list.size / sizeof name;
    for (size_t i = 0; i < n; i++) {
        struct name known;
        memcpy(&known, names->list.bytes + i * sizeof known, sizeof known);
        if (known.size == name.size && memcmp(known.text, name.text, name.size) == 0)
            return i;
    }
    buffer_add(&names->list, &name, sizeof name);
    return n;
}

static void add_escaped(struct buffer *out, const char *text)
{
    for (; *text; text++) {
        if (*text == '&')
            buffer_add_text(out, "&amp;");
        else if (*text == '<')
            buffer_add_text(out, "&lt;");
        else if (*text == '>')
            buffer_add_text(out, "&gt;");
        else
            buffer_add_char(out, *text);
    }
}

/* The SVG with numbers for names, a mark where the prefix goes. cairo draws letters as shapes, so
 * no text of ours is in it and ` id="` and `#` are what they seem; colours are rgb(). */
static void number_names(const char *svg, size_t size, const char *title, struct buffer *out)
{
    static const char id[] = " id=\"";
    struct names names = {{0}};
    const char *end = svg + size;
    bool has_title = title[0] == '\0';
    bool is_root = false;
    for (const char *p = svg; p < end;) {
        size_t skip = *p == '#' ? 1
                      : (size_t)(end - p) >= sizeof id && memcmp(p, id, sizeof id - 1) == 0
                          ? sizeof id - 1
                          : 0;
        if (skip == 0) {
            is_root |= (size_t)(end - p) > 4 && memcmp(p, "<svg", 4) == 0;
            buffer_add_char(out, *p);
            if (*p++ == '>' && is_root && !has_title) {
                buffer_add_text(out, "\n<title>");
                add_escaped(out, title);
                buffer_add_text(out, "</title>");
                has_title = true;
            }
            continue;
        }
        buffer_add(out, p, skip);
        p += skip;
        struct name name = {p, 0};
        while (p < end && *p != '"' && *p != ')')
            p++;
        name.size = (size_t)(p - name.text);
        buffer_add_format(out, "%c%zu", PREFIX_MARK, names_number(&names, name));
    }
    out->failed |= names.list.failed;
    buffer_free(&names.list);
}

void chart_svg_rename(const char *svg, size_t size, const char *title, struct buffer *out)
{
    struct buffer numbered = {0};
    number_names(svg, size, title, &numbered);
    struct sha256 hash;
    char digest[SHA256_HEX_SIZE];
    sha256_init(&hash);
    sha256_add(&hash, buffer_text(&numbered), numbered.size);
    sha256_finish(&hash, digest);
    for (size_t i = 0; i < numbered.size; i++) {
        if (numbered.bytes[i] == PREFIX_MARK)
            buffer_add_format(out, "c%.*s-", PREFIX_DIGITS, digest);
        else
            buffer_add_char(out, numbered.bytes[i]);
    }
    out->failed |= numbered.failed;
    buffer_free(&numbered);
}
