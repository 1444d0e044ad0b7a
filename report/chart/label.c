#include "report/chart/label.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "schema/text.h"

/* Advance widths of U+0020 to U+007E in DejaVu Sans 2.37, thousandths of the font size, as cairo
 * measures them. */
static const uint16_t advances[95] = {
    318, 401, 460, 838, 636, 950, 780, 275, 390, 390, 500, 838, 318, 361, 318, 337, 636, 636, 636,
    636, 636, 636, 636, 636, 636, 636, 337, 337, 838, 838, 838, 531, 1000, 684, 686, 698, 770, 632,
    575, 775, 752, 295, 295, 656, 557, 863, 748, 787, 603, 787, 695, 635, 611, 732, 684, 989, 685,
    611, 685, 390, 337, 390, 838, 500, 500, 613, 635, 550, 635, 615, 352, 635, 634, 278, 278, 579,
    278, 974, 634, 612, 635, 635, 411, 521, 392, 634, 592, 818, 592, 592, 525, 636, 337, 636, 838,
};

static const char replacement[] = "\xef\xbf\xbd"; /* U+FFFD */
static const char ellipsis[] = "\xe2\x80\xa6";    /* U+2026 */

/* The character at p of a well-formed text, and its length. */
static uint32_t character(const char *text, size_t *length)
{
    const unsigned char *p = (const unsigned char *)text;
    if (p[0] < 0x80) {
        *length = 1;
        return p[0];
    }
    *length = p[0] >= 0xf0 ? 4 : p[0] >= 0xe0 ? 3 : 2;
    uint32_t c = *length == 4 ? p[0] & 7u : *length == 3 ? p[0] & 15u : p[0] & 31u;
    for (size_t i = 1; i < *length; i++)
        c = c << 6 | (p[i] & 63u);
    return c;
}

/* Controls, line separators, bidirectional controls (Unicode 15, section 23.2), noncharacters. */
static bool is_harmful(uint32_t c)
{
    return c < 0x20 || (c >= 0x7f && c < 0xa0) || c == 0x061c || (c >= 0x200b && c <= 0x200f) ||
           (c >= 0x2028 && c <= 0x202e) || (c >= 0x2060 && c <= 0x206f) || c == 0xfeff ||
           (c >= 0xfdd0 && c <= 0xfdef) || (c & 0xfffe) == 0xfffe;
}

const char *label_clean(const char *text, struct arena *arena)
{
    size_t size = strlen(text);
    if (size > SIZE_MAX / sizeof replacement - 1)
        return NULL;
    char *out = arena_alloc(arena, size * (sizeof replacement - 1) + 1);
    if (!out)
        return NULL;
    size_t used = 0;
    size_t good = 0; /* up to where the text is known to be well-formed */
    for (size_t at = 0; at < size;) {
        if (at >= good)
            good = at + text_utf8_prefix(text + at, size - at);
        size_t length = 1;
        bool is_bad = at == good || is_harmful(character(text + at, &length));
        if (text[at] == ' ' || (text[at] >= '\t' && text[at] <= '\r')) {
            out[used++] = ' ';
        } else if (is_bad) {
            memcpy(out + used, replacement, sizeof replacement - 1);
            used += sizeof replacement - 1;
        } else {
            memcpy(out + used, text + at, length);
            used += length;
        }
        at += length;
    }
    out[used] = '\0';
    return out;
}

static double character_width(uint32_t c)
{
    if (c >= 0x20 && c < 0x7f)
        return advances[c - 0x20] / 1000.0;
    return c < 0x0250 ? 0.75 : 1.1;
}

double label_width(const char *text, double size_px)
{
    double width = 0;
    for (size_t length; *text; text += length)
        width += character_width(character(text, &length));
    return width * size_px;
}

const char *label_fit(const char *text, double size_px, double width, struct arena *arena)
{
    const char *clean = label_clean(text, arena);
    if (!clean || label_width(clean, size_px) <= width)
        return clean;
    double room = width / size_px - character_width(0x2026);
    size_t keep = 0;
    for (size_t length; clean[keep]; keep += length) {
        room -= character_width(character(clean + keep, &length));
        if (room < 0)
            break;
    }
    while (keep > 0 && clean[keep - 1] == ' ')
        keep--;
    char *cut = arena_alloc(arena, keep + sizeof ellipsis);
    if (!cut)
        return NULL;
    memcpy(cut, clean, keep);
    memcpy(cut + keep, ellipsis, sizeof ellipsis);
    return cut;
}

const char *label_fit_ends(const char *text, double size_px, double width, struct arena *arena)
{
    const char *clean = label_clean(text, arena);
    double all = clean ? label_width(clean, size_px) : 0;
    if (all <= width)
        return clean;
    const char *head = label_fit(clean, size_px, width / 3, arena);
    if (!head)
        return NULL;
    double left = all, room = width - label_width(head, size_px);
    const char *tail = clean;
    for (size_t length; left > room && *tail; tail += length)
        left -= character_width(character(tail, &length)) * size_px;
    tail += strspn(tail, " ");
    size_t head_size = strlen(head), tail_size = strlen(tail);
    char *cut = arena_alloc(arena, head_size + tail_size + 1);
    if (!cut)
        return NULL;
    memcpy(cut, head, head_size);
    memcpy(cut + head_size, tail, tail_size + 1);
    return cut;
}
