#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* strtod_l, newlocale */
#endif
#include "schema/number.h"

#include <float.h>
#include <inttypes.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "schema/decimal.h"

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* strtod must see '.' as the decimal point even in a program that called setlocale. Made once: a
 * race of two threads would make it twice and lose one, which is harmless. */
static locale_t c_locale(void)
{
    static locale_t made;
    if (!made)
        made = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    return made;
}

struct decimal {
    const char *end; /* behind the number */
    uint64_t digits; /* the significant digits as an integer, right when n_digits <= 19 */
    int n_digits;
    int exponent; /* value = digits * 10^exponent */
    bool negative;
};

/* Walks the grammar; false when the text does not start with a number. */
static bool decimal_scan(const char *p, const char *end, struct decimal *d)
{
    *d = (struct decimal){0};
    if (p < end && *p == '-') {
        d->negative = true;
        p++;
    }
    if (p == end || !is_digit(*p) || (*p == '0' && p + 1 < end && is_digit(p[1])))
        return false;
    bool in_fraction = false;
    for (; p < end && (is_digit(*p) || (*p == '.' && !in_fraction)); p++) {
        if (*p == '.') {
            in_fraction = true;
            if (p + 1 == end || !is_digit(p[1]))
                return false;
            continue;
        }
        if (d->n_digits > 0 || *p != '0') {
            d->n_digits++;
            if (d->n_digits <= 19)
                d->digits = d->digits * 10 + (uint64_t)(*p - '0');
        }
        d->exponent -= in_fraction;
    }
    if (p < end && (*p == 'e' || *p == 'E')) {
        p++;
        bool minus = p < end && *p == '-';
        p += p < end && (*p == '-' || *p == '+');
        if (p == end || !is_digit(*p))
            return false;
        int exponent = 0;
        for (; p < end && is_digit(*p); p++)
            exponent = exponent < 100000 ? exponent * 10 + (*p - '0') : exponent;
        d->exponent += minus ? -exponent : exponent;
    }
    d->end = p;
    return true;
}

bool number_parse(const char *text, size_t size, double *out)
{
    static const double powers[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                    1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                    1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
    struct decimal d;
    if (!decimal_scan(text, text + size, &d) || d.end != text + size)
        return false;
    double value;
    /* Both factors are exact doubles, so one operation rounds correctly (Clinger, PLDI 1990).
     * With x87 arithmetic it would round twice. */
#if defined(__FLT_EVAL_METHOD__) && __FLT_EVAL_METHOD__ == 0
    if (d.n_digits <= 15 && d.exponent >= -22 && d.exponent <= 22) {
        value = (double)d.digits;
        value = d.exponent < 0 ? value / powers[-d.exponent] : value * powers[d.exponent];
        *out = d.negative ? -value : value;
        return true;
    }
#else
    (void)powers;
#endif
    if (d.n_digits <= 19 && decimal_to_double(d.digits, d.exponent, &value)) {
        *out = d.negative ? -value : value;
        return true;
    }
    char copy[1100]; /* an exact double has at most 767 significant digits */
    if (size >= sizeof copy)
        return false;
    memcpy(copy, text, size);
    copy[size] = '\0';
    char *end;
    value = strtod_l(copy, &end, c_locale());
    if (*end != '\0' || !isfinite(value))
        return false;
    *out = value;
    return true;
}

bool number_parse_count(const char *text, size_t size, uint64_t *out)
{
    uint64_t value = 0;
    if (size == 0 || (size > 1 && text[0] == '0'))
        return false;
    for (size_t i = 0; i < size; i++) {
        if (!is_digit(text[i]))
            return false;
        uint64_t digit = (uint64_t)(text[i] - '0');
        if (value > (UINT64_MAX - digit) / 10)
            return false;
        value = value * 10 + digit;
    }
    *out = value;
    return true;
}

/* Reads back digits * 10^exponent. */
static bool is_same(uint64_t digits, int exponent, double value)
{
    char text[40];
    snprintf(text, sizeof text, "%" PRIu64 "e%d", digits, exponent);
    double back = strtod_l(text, NULL, c_locale());
    return memcmp(&back, &value, sizeof back) == 0;
}

/* The fewest significant digits of value > 0 that read back to it, as an integer; value is about
 * digits * 10^*exponent.
 *
 * Any decimal of up to 15 digits survives the way through a normal double, so if 15 read back, they
 * are the fewest once their trailing zeros are gone; subnormal ones hold less. The nearest decimal
 * of a length need not be the one that reads back: below a power of two the doubles lie twice as
 * dense as above, so the next decimal up may still be in reach (2^-44). */
static uint64_t shortest_digits(double value, int *exponent)
{
    uint64_t found;
    if (decimal_shortest(value, &found, exponent))
        return found;
    int precision = value < DBL_MIN ? 1 : 15;
    for (;; precision++) {
        char text[40];
        snprintf(text, sizeof text, "%.*e", precision - 1, value);
        uint64_t digits = 0;
        const char *p = text;
        for (; *p != 'e'; p++)
            if (is_digit(*p)) /* the decimal point is whatever the locale says */
                digits = digits * 10 + (uint64_t)(*p - '0');
        *exponent = (int)strtol(p + 1, NULL, 10) - (precision - 1);
        if (precision == 17 || is_same(digits, *exponent, value))
            return digits;
        if (is_same(digits + 1, *exponent, value))
            return digits + 1;
    }
}

/* The digits of the integer, without leading zeros and NUL; value > 0. */
static size_t put_digits(char *out, uint64_t value)
{
    char digits[20];
    char *const end = digits + sizeof digits, *p = end;
    for (; value > 0; value /= 10)
        *--p = (char)('0' + value % 10);
    memcpy(out, p, (size_t)(end - p));
    return (size_t)(end - p);
}

size_t number_format(char out[static NUMBER_TEXT_SIZE], double value)
{
    char *p = out;
    if (value == 0) {
        memcpy(out, "0", 2);
        return 1;
    }
    if (value < 0) {
        *p++ = '-';
        value = -value;
    }
    /* 2^53: every integer is exact */
    if (value < 9007199254740992.0 && value == (double)(uint64_t)value) {
        p += put_digits(p, (uint64_t)value);
        *p = '\0';
        return (size_t)(p - out);
    }

    int exponent;
    uint64_t shortest = shortest_digits(value, &exponent);
    for (; shortest % 10 == 0; exponent++)
        shortest /= 10;
    char digits[24];
    int n = (int)put_digits(digits, shortest);
    int point = n + exponent; /* digits before the point */
    if (n <= point && point <= 21) {
        memcpy(p, digits, (size_t)n);
        memset(p + n, '0', (size_t)(point - n));
        p += point;
    } else if (0 < point && point <= 21) {
        memcpy(p, digits, (size_t)point);
        p[point] = '.';
        memcpy(p + point + 1, digits + point, (size_t)(n - point));
        p += n + 1;
    } else if (-6 < point && point <= 0) {
        memcpy(p, "0.", 2);
        memset(p + 2, '0', (size_t)-point);
        memcpy(p + 2 - point, digits, (size_t)n);
        p += 2 - point + n;
    } else {
        *p++ = digits[0];
        if (n > 1) {
            *p++ = '.';
            memcpy(p, digits + 1, (size_t)(n - 1));
            p += n - 1;
        }
        p += sprintf(p, "e%c%d", point < 1 ? '-' : '+', abs(point - 1));
    }
    *p = '\0';
    return (size_t)(p - out);
}

/* The plain layout of number_format: no exponent, no zeros at the end of a fraction, at most five behind
 * "0.". d: of the text. */
static bool is_plain_layout(const char *text, size_t size, const struct decimal *d)
{
    const char *whole = text + d->negative;
    if (d->n_digits == 0 || memchr(text, 'e', size) || memchr(text, 'E', size))
        return false;
    if (d->exponent == 0) /* no fraction: one has a digit at least */
        return true;
    /* The places behind the point, less those that hold the digits. */
    int zeros = -d->exponent - d->n_digits;
    return text[size - 1] != '0' && (whole[0] != '0' || zeros <= 5);
}

/* Digits of a double, as decimal_shortest finds them, are those of the text. */
static bool is_shortest(const struct decimal *d)
{
    double value;
    uint64_t digits;
    int exponent;
    if (!decimal_to_double(d->digits, d->exponent, &value) ||
        !decimal_shortest(value, &digits, &exponent))
        return false;
    for (; exponent < d->exponent && digits % 10 == 0; exponent++)
        digits /= 10;
    return digits == d->digits && exponent == d->exponent;
}

bool number_is_canonical(const char *text, size_t size)
{
    enum { EXACT_DIGITS = 15, FRACTION_MAX = 40 };
    struct decimal d;
    if (!decimal_scan(text, text + size, &d) || d.end != text + size)
        return false;
    if (is_plain_layout(text, size, &d) && d.exponent >= -FRACTION_MAX) {
        /* So many digits survive the way through a double, see shortest_digits. */
        if (d.n_digits <= EXACT_DIGITS)
            return true;
        if (d.exponent < 0 && d.n_digits <= 17 && is_shortest(&d))
            return true;
    }
    double value;
    char written[NUMBER_TEXT_SIZE];
    return number_parse(text, size, &value) && number_format(written, value) == size &&
           memcmp(written, text, size) == 0;
}

bool number_parse_size(const char *text, uint64_t *out)
{
    static const char prefixes[] = "KMGT";
    size_t digits = strspn(text, "0123456789");
    uint64_t value;
    if (!number_parse_count(text, digits, &value))
        return false;
    const char *p = text + digits;
    const char *prefix = *p ? strchr(prefixes, *p == 'k' ? 'K' : *p) : NULL;
    if (prefix) {
        for (const char *k = prefixes; k <= prefix; k++) {
            if (value > UINT64_MAX / 1024)
                return false;
            value *= 1024;
        }
        p++;
        p += *p == 'i';
    }
    p += *p == 'B';
    if (*p != '\0')
        return false;
    *out = value;
    return true;
}
