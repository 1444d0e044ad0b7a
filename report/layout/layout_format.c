#include "report/layout/layout_grid.h"

#include <stdio.h>
#include <string.h>

#include "report/scale.h"

static void format_add(struct formats *formats, const struct format *format)
{
    if (formats->n < FORMATS_MAX)
        formats->list[formats->n++] = format;
}

void formats_of(const struct layout_grid *grid, size_t r, size_t c, struct formats *formats)
{
    const struct entry *row = grid->rows.list[r].entry;
    bool is_x = row->show == SHOW_X;
    formats->n = 0;
    for (int plain = 0; plain < 2; plain++) {
        if ((row->formula == NULL) == plain)
            format_add(formats, &row->format);
        for (size_t b = grid->table->n_blocks; b-- > 0;) {
            const struct entry *entry = grid_item(grid, b, c)->entry;
            if ((entry->formula == NULL) == plain)
                format_add(formats, &entry->format);
            is_x = is_x || entry->show == SHOW_X;
        }
    }
    format_add(formats, is_x ? &grid->table->x_format : &grid->table->format);
}

/* The number with this many digits behind the point, whatever the locale. */
static void fixed_text(double number, int digits, bool has_commas, struct buffer *out)
{
    char text[400]; /* DBL_MAX has 309 digits */
    snprintf(text, sizeof text, "%.*f", digits, number);
    size_t size = strlen(text), whole = strspn(text[0] == '-' ? text + 1 : text, "0123456789");
    const char *p = text;
    if (*p == '-') {
        if (strpbrk(text, "123456789"))
            buffer_add_char(out, '-');
        p++;
    }
    for (size_t left = whole; left > 0; left--) {
        buffer_add_char(out, *p++);
        if (has_commas && left > 1 && left % 3 == 1)
            buffer_add_char(out, ',');
    }
    if (digits > 0) {
        buffer_add_char(out, '.');
        buffer_add(out, text + size - (size_t)digits, (size_t)digits);
    }
}

void number_text(const struct quantity *q, const struct formats *formats, struct buffer *out)
{
    struct scale scale = {.per = 1};
    bool has_unit = false;
    const struct format *digits = NULL;
    const char *suffix = NULL;
    bool has_commas = false;
    for (size_t i = 0; i < formats->n; i++) {
        const struct format *format = formats->list[i];
        has_unit = has_unit ||
                   (format->unit && q->unit && scale_find(q->unit, format->unit, &scale));
        digits = digits || format->digits < 0 ? digits : format;
        suffix = suffix ? suffix : format->suffix;
        has_commas = has_commas || format->has_commas;
    }
    double shown = q->number / scale.per;
    char text[SCALE_TEXT_SIZE];
    if (digits)
        fixed_text(shown, digits->digits, has_commas, out);
    else if (has_unit || !q->unit || strcmp(q->unit, "1") == 0)
        buffer_add(out, text, scale_number(shown, SCALE_DIGITS, text));
    else
        buffer_add(out, text, scale_format(q->number, q->unit, SCALE_DIGITS, text));
    buffer_add_text(out, suffix ? suffix : "");
}
