#include "report/sheet.h"

#include <stdbool.h>
#include <string.h>

#include "report/machine.h" /* arena_take */
#include "schema/text.h"

enum { GAP = 2, LABEL_BYTES_MAX = 400 };

static int out_of_memory(struct err *err)
{
    return err_set(err, ERR_SYSTEM, "out of memory");
}

unsigned long sheet_next_character(const char **text)
{
    const unsigned char *p = (const unsigned char *)*text;
    size_t size = p[0] < 0x80 ? 1 : p[0] < 0xe0 ? 2 : p[0] < 0xf0 ? 3 : 4;
    unsigned long code = size == 1 ? p[0] : p[0] & (0xffu >> (size + 1));
    for (size_t i = 1; i < size && p[i]; i++)
        code = code << 6 | (p[i] & 0x3fu);
    *text += size;
    return code;
}

/* Blocks of Unicode 15: combining marks take no column, East Asian wide ones and pictographs two
 * (UAX 11). */
size_t sheet_width(const char *text)
{
    static const struct {
        unsigned long first, last;
        unsigned char width;
    } blocks[] = {
        {0x0300, 0x036f, 0},   {0x200b, 0x200f, 0},   {0x20d0, 0x20ff, 0},   {0xfe00, 0xfe0f, 0},
        {0x1100, 0x115f, 2},   {0x2e80, 0x303e, 2},   {0x3041, 0x33ff, 2},   {0x3400, 0x4dbf, 2},
        {0x4e00, 0xa4cf, 2},   {0xac00, 0xd7a3, 2},   {0xf900, 0xfaff, 2},   {0xfe30, 0xfe6f, 2},
        {0xff00, 0xff60, 2},   {0xffe0, 0xffe6, 2},   {0x1f300, 0x1f64f, 2}, {0x1f900, 0x1f9ff, 2},
        {0x20000, 0x3fffd, 2},
    };
    size_t width = 0;
    while (*text) {
        unsigned long code = sheet_next_character(&text);
        size_t own = 1;
        for (size_t i = 0; i < sizeof blocks / sizeof blocks[0]; i++)
            if (code >= blocks[i].first && code <= blocks[i].last)
                own = blocks[i].width;
        width += own;
    }
    return width;
}

void sheet_label_add(struct buffer *out, const char *text)
{
    struct buffer clean = {0};
    text_clean(text, strlen(text), LABEL_BYTES_MAX, &clean);
    for (const char *p = buffer_text(&clean); *p;) {
        const char *start = p;
        unsigned long code = sheet_next_character(&p);
        bool is_steering = (code >= 0x80 && code < 0xa0) || (code >= 0x200e && code <= 0x200f) ||
                           (code >= 0x202a && code <= 0x202e) || (code >= 0x2066 && code <= 0x2069);
        if (is_steering)
            buffer_add_format(out, "<U+%04lX>", code);
        else
            buffer_add(out, start, (size_t)(p - start));
    }
    out->failed = out->failed || clean.failed;
    buffer_free(&clean);
}

int sheet_put(struct sheet *sheet, size_t row, size_t column, struct buffer *text,
                     struct err *err)
{
    const char *copy =
        text->failed ? NULL : arena_copy(sheet->arena, buffer_text(text), text->size);
    buffer_clear(text);
    if (!copy)
        return out_of_memory(err);
    sheet->texts[row * sheet->n_columns + column] = copy;
    return 0;
}

static void pad(struct buffer *out, size_t n)
{
    while (n-- > 0)
        buffer_add_char(out, ' ');
}

int sheet_print(const struct sheet *sheet, struct buffer *out, struct err *err)
{
    size_t *widths = arena_take(sheet->arena, sheet->n_columns, sizeof *widths);
    if (!widths)
        return out_of_memory(err);
    for (size_t c = 0; c < sheet->n_columns; c++) {
        widths[c] = 0;
        for (size_t r = 0; r < sheet->n_rows; r++) {
            const char *text = sheet->texts[r * sheet->n_columns + c];
            size_t width = text ? sheet_width(text) : 0;
            if (width > widths[c])
                widths[c] = width;
        }
    }
    for (size_t r = 0; r < sheet->n_rows; r++) {
        size_t owed = 0; /* blanks that are written when something follows them */
        for (size_t c = 0; c < sheet->n_columns; c++) {
            const char *text = sheet->texts[r * sheet->n_columns + c];
            size_t width = text ? sheet_width(text) : 0;
            bool is_left =
                c < sheet->n_left || (sheet->last_is_left && c + 1 == sheet->n_columns);
            size_t left = is_left ? 0 : widths[c] - width;
            if (c > 0)
                owed += GAP;
            if (width > 0) {
                pad(out, owed + left);
                buffer_add_text(out, text);
                owed = widths[c] - width - left;
            } else {
                owed += widths[c];
            }
        }
        buffer_add_char(out, '\n');
        if (r + 1 == sheet->n_head) {
            size_t total = GAP * (sheet->n_columns - 1);
            for (size_t c = 0; c < sheet->n_columns; c++)
                total += widths[c];
            while (total-- > 0)
                buffer_add_char(out, '-');
            buffer_add_char(out, '\n');
        }
    }
    return 0;
}
