#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* strtod_l, newlocale */
#endif
#include "schema/number.h"

#include <float.h>
#include <inttypes.h>
#include <locale.h>
#include <math.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "schema/decimal.h"

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* strtod must see '.' as the decimal point even in a program that called setlocale. Made once: of two
 * threads that make it at the same time one throws its own away. */
static locale_t c_locale(void)
{
    static _Atomic(locale_t) made;
    locale_t locale = atomic_load(&made);
    if (locale)
        return locale;
    locale_t other = (locale_t)0;
    locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    if (atomic_compare_exchange_strong(&made, &other, locale))
        return locale;
    freelocale(locale);
    return other;
}

/* ---- digits, eight at a time ---- */

/* After Lemire, Software: Practice and Experience 51 (2021) 1700. */
enum { WORD_BYTES = 8 };

static const uint64_t tens[WORD_BYTES + 1] = {1,      10,      100,      1000,     10000,
                                              100000, 1000000, 10000000, 100000000};

/* n of 4 and 8 bytes, the first one lowest. */
static uint64_t load_bytes(const char *p, size_t n)
{
    uint64_t word = 0;
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    memcpy(&word, p, n);
#else
    for (size_t i = 0; i < n; i++)
        word |= (uint64_t)(unsigned char)p[i] << 8 * i;
#endif
    return word;
}

/* The bytes from p on, the first one lowest, and zeros behind the end. start <= p < end: the text,
 * of which nothing outside is read, and without a loop, whose length no processor could foretell.
 */
static uint64_t load_word(const char *start, const char *p, const char *end)
{
    size_t left = (size_t)(end - p);
    if (left >= WORD_BYTES)
        return load_bytes(p, WORD_BYTES);
    if (end - start >= WORD_BYTES)
        return load_bytes(end - WORD_BYTES, WORD_BYTES) >> 8 * (WORD_BYTES - left);
    if (left >= 4) /* what both halves hold is the same */
        return load_bytes(p, 4) | load_bytes(end - 4, 4) << 8 * (left - 4);
    uint64_t first = (unsigned char)p[0], middle = (unsigned char)p[left / 2];
    return first | middle << 8 * (left / 2) | (uint64_t)(unsigned char)end[-1] << 8 * (left - 1);
}

/* How many bytes are digits, from the lowest one on: the upper half of such a byte is 3, and with 6
 * added it still is. What that carries into the next byte comes from one that is no digit. */
static unsigned count_digits(uint64_t word)
{
    const uint64_t upper = UINT64_C(0xf0f0f0f0f0f0f0f0), threes = UINT64_C(0x3030303030303030);
    uint64_t sixes = word + UINT64_C(0x0606060606060606);
    uint64_t others = ((word & upper) ^ threes) | ((sixes & upper) ^ threes);
    return others ? (unsigned)__builtin_ctzll(others) / 8 : WORD_BYTES;
}

/* The number that the n lowest bytes write, n > 0: of its digits, neighbours are joined three
 * times. */
static uint64_t word_value(uint64_t word, unsigned n)
{
    word <<= 8 * (WORD_BYTES - n); /* zeros in front of it */
    word = (word & UINT64_C(0x0f0f0f0f0f0f0f0f)) * (10 * 0x100 + 1) >> 8;
    word = (word & UINT64_C(0x00ff00ff00ff00ff)) * (100 * 0x10000 + 1) >> 16;
    return (word & UINT64_C(0x0000ffff0000ffff)) * (UINT64_C(10000) * 0x100000000 + 1) >> 32;
}

/* Takes the digits from p on: returns how many there are, and puts them behind those of *value,
 * modulo 2^64. */
static int take_digits(const char *start, const char *p, const char *end, uint64_t *value)
{
    const char *from = p;
    unsigned n = WORD_BYTES;
    while (p < end && n == WORD_BYTES) {
        uint64_t word = load_word(start, p, end);
        n = count_digits(word);
        if (n > 0)
            *value = *value * tens[n] + word_value(word, n);
        p += n;
    }
    return (int)(p - from);
}

struct decimal {
    const char *end; /* behind the number */
    uint64_t digits; /* the significant digits as an integer, right when n_digits <= 19 */
    int n_digits;
    int exponent; /* value = digits * 10^exponent */
    bool negative;
    bool has_exponent; /* written behind an e */
};

/* Walks the grammar; false when the text does not start with a number. */
static bool decimal_scan(const char *text, const char *end, struct decimal *d)
{
    const char *p = text;
    *d = (struct decimal){0};
    if (p < end && *p == '-') {
        d->negative = true;
        p++;
    }
    int n_whole = take_digits(text, p, end, &d->digits);
    if (n_whole == 0 || (n_whole > 1 && *p == '0'))
        return false;
    d->n_digits = *p == '0' ? 0 : n_whole;
    p += n_whole;
    if (p < end && *p == '.') {
        const char *fraction = ++p;
        while (d->n_digits == 0 && p < end && *p == '0')
            p++;
        int n = take_digits(text, p, end, &d->digits);
        p += n;
        if (p == fraction)
            return false;
        d->n_digits += n;
        d->exponent = -(int)(p - fraction);
    }
    if (p < end && (*p == 'e' || *p == 'E')) {
        d->has_exponent = true;
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
    if (d.n_digits <= NUMBER_EXACT_DIGITS && d.exponent >= -22 && d.exponent <= 22) {
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
    enum { ALWAYS_FIT = 19, MOST = 20 };
    if (size == 0 || size > MOST || (size > 1 && text[0] == '0'))
        return false;
    uint64_t value = 0;
    if ((size_t)take_digits(text, text, text + size, &value) != size)
        return false;
    /* Of 20 digits the first one can only be 1, and what went beyond 2^64 is small again. */
    if (size > ALWAYS_FIT && (text[0] != '1' || value < UINT64_C(10000000000000000000)))
        return false;
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
    if (d->n_digits == 0 || d->has_exponent)
        return false;
    if (d->exponent == 0) /* no fraction: one has a digit at least */
        return true;
    /* The places behind the point, less those that hold the digits. */
    int zeros = -d->exponent - d->n_digits;
    return text[size - 1] != '0' && (whole[0] != '0' || zeros <= 5);
}

/* number_format writes this value with the digits of the text. */
static bool is_shortest_of(double value, const struct decimal *d)
{
    uint64_t digits;
    int exponent;
    if (!decimal_shortest(value, &digits, &exponent))
        return false;
    for (; exponent < d->exponent && digits % 10 == 0; exponent++)
        digits /= 10;
    return digits == d->digits && exponent == d->exponent;
}

/* Any double will do that is written so. A quotient of long doubles is nearly always the nearest
 * one. */
static bool is_shortest(const struct decimal *d)
{
    enum { EXACT_TENS = 27 }; /* 10^27 has 63 bits behind its factors of two */
    static const long double ten_powers[EXACT_TENS + 1] = {
        1e0L,  1e1L,  1e2L,  1e3L,  1e4L,  1e5L,  1e6L,  1e7L,  1e8L,  1e9L,
        1e10L, 1e11L, 1e12L, 1e13L, 1e14L, 1e15L, 1e16L, 1e17L, 1e18L, 1e19L,
        1e20L, 1e21L, 1e22L, 1e23L, 1e24L, 1e25L, 1e26L, 1e27L};
    double value;
    if (-d->exponent <= EXACT_TENS &&
        is_shortest_of((double)((long double)d->digits / ten_powers[-d->exponent]), d))
        return true;
    return decimal_to_double(d->digits, d->exponent, &value) && is_shortest_of(value, d);
}

bool number_is_canonical(const char *text, size_t size)
{
    enum { FRACTION_MAX = 40 };
    struct decimal d;
    if (!decimal_scan(text, text + size, &d) || d.end != text + size)
        return false;
    if (is_plain_layout(text, size, &d) && d.exponent >= -FRACTION_MAX) {
        /* So many digits survive the way through a double, see shortest_digits. */
        if (d.n_digits <= NUMBER_EXACT_DIGITS)
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
