#include "schema/text.h"

#include <string.h>

/* Length of the well-formed sequence at p, 0 when there is none. RFC 3629, section 4. */
static size_t utf8_sequence(const unsigned char *p, size_t left)
{
    if (p[0] < 0x80)
        return 1;
    size_t size = p[0] >= 0xf0 ? 4 : p[0] >= 0xe0 ? 3 : 2;
    if (p[0] < 0xc2 || p[0] > 0xf4 || left < size)
        return 0;
    unsigned char low = 0x80, high = 0xbf; /* of the second byte */
    if (p[0] == 0xe0)
        low = 0xa0;
    else if (p[0] == 0xed)
        high = 0x9f; /* surrogates */
    else if (p[0] == 0xf0)
        low = 0x90;
    else if (p[0] == 0xf4)
        high = 0x8f;
    if (p[1] < low || p[1] > high)
        return 0;
    for (size_t i = 2; i < size; i++)
        if (p[i] < 0x80 || p[i] > 0xbf)
            return 0;
    return size;
}

size_t text_utf8_prefix(const char *text, size_t size)
{
    const unsigned char *p = (const unsigned char *)text;
    size_t at = 0;
    while (at < size) {
        /* Eight ASCII bytes at a time: almost all of a record file. */
        unsigned long long eight;
        while (size - at >= sizeof eight) {
            memcpy(&eight, p + at, sizeof eight);
            if (eight & 0x8080808080808080ULL)
                break;
            at += sizeof eight;
        }
        if (at == size)
            break;
        size_t sequence = utf8_sequence(p + at, size - at);
        if (sequence == 0)
            break;
        at += sequence;
    }
    return at;
}

bool text_clean(const char *text, size_t size, size_t limit, struct buffer *out)
{
    static const char hex[] = "0123456789abcdef";
    const unsigned char *p = (const unsigned char *)text;
    size_t start = out->size;
    bool is_changed = false;
    bool wants_blank = false;
    for (size_t at = 0; at < size;) {
        if (p[at] == ' ' || p[at] == '\t' || p[at] == '\n' || p[at] == '\r') {
            wants_blank = out->size > start;
            at++;
            continue;
        }
        size_t sequence = utf8_sequence(p + at, size - at);
        /* Control characters are U+0000 to U+001F and U+007F to U+009F. */
        bool is_bad = sequence == 0 || p[at] < 0x20 || p[at] == 0x7f ||
                      (p[at] == 0xc2 && p[at + 1] < 0xa0);
        size_t wanted = (is_bad ? 4 : sequence) + wants_blank;
        if (out->size - start + wanted > limit)
            return true;
        if (wants_blank)
            buffer_add_char(out, ' ');
        wants_blank = false;
        if (is_bad) {
            char code[4] = {'\\', 'x', hex[p[at] >> 4], hex[p[at] & 15]};
            buffer_add(out, code, sizeof code);
            is_changed = true;
            at++;
        } else {
            buffer_add(out, text + at, sequence);
            at += sequence;
        }
    }
    return is_changed;
}

/* Two digits at p as a number, or -1. */
static int two_digits(const char *p)
{
    if (p[0] < '0' || p[0] > '9' || p[1] < '0' || p[1] > '9')
        return -1;
    return (p[0] - '0') * 10 + (p[1] - '0');
}

static int days_in_month(int year, int month)
{
    static const int days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    bool is_leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
    return days[month - 1] + (month == 2 && is_leap);
}

bool text_is_time(const char *text)
{
    size_t size = strlen(text);
    if (size < 4 || two_digits(text) < 0 || two_digits(text + 2) < 0)
        return false;
    int year = two_digits(text) * 100 + two_digits(text + 2);
    if (size == 4)
        return true;
    if (size < 7 || text[4] != '-')
        return false;
    int month = two_digits(text + 5);
    if (month < 1 || month > 12)
        return false;
    if (size == 7)
        return true;
    if (size < 10 || text[7] != '-')
        return false;
    int day = two_digits(text + 8);
    if (day < 1 || day > days_in_month(year, month))
        return false;
    if (size == 10)
        return true;
    if (size < 20 || text[10] != 'T' || text[13] != ':' || text[16] != ':' || text[size - 1] != 'Z')
        return false;
    int hour = two_digits(text + 11), minute = two_digits(text + 14), second = two_digits(text + 17);
    if (hour < 0 || hour > 23 || minute < 0 || minute > 59 || second < 0 || second > 60)
        return false;
    if (size == 20)
        return true;
    if (text[19] != '.' || size == 21)
        return false;
    return strspn(text + 20, "0123456789") == size - 21;
}
