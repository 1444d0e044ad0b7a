#include "report/scale.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "schema/number.h"
#include "schema/unit.h"

struct prefix {
    const char *text;
    double per;
};

/* Ascending. SI prefixes: BIPM, The International System of Units, 9th edition, table 7. */
static const struct prefix si_prefixes[] = {
    {"", 1},     {"k", 1e3},  {"M", 1e6},  {"G", 1e9},
    {"T", 1e12}, {"P", 1e15}, {"E", 1e18},
};
/* Nobody reads kiloseconds. */
static const struct prefix time_prefixes[] = {
    {"p", 1e-12}, {"n", 1e-9}, {"µ", 1e-6}, {"m", 1e-3}, {"", 1},
};
/* IEC 80000-13. */
static const struct prefix binary_prefixes[] = {
    {"", 1},
    {"Ki", 1024.0},
    {"Mi", 1048576.0},
    {"Gi", 1073741824.0},
    {"Ti", 1099511627776.0},
    {"Pi", 1125899906842624.0},
    {"Ei", 1152921504606846976.0},
};

struct prefix_list {
    const struct prefix *prefixes;
    size_t n;
};

static struct prefix_list prefixes_of(const struct unit *unit)
{
    if (!unit || unit->scale == SCALE_NONE)
        return (struct prefix_list){si_prefixes, 1};
    if (unit->scale == SCALE_BINARY)
        return (struct prefix_list){binary_prefixes,
                                    sizeof binary_prefixes / sizeof binary_prefixes[0]};
    if (strcmp(unit->name, "s") == 0)
        return (struct prefix_list){time_prefixes, sizeof time_prefixes / sizeof time_prefixes[0]};
    return (struct prefix_list){si_prefixes, sizeof si_prefixes / sizeof si_prefixes[0]};
}

/* |value| rounded to a number of significant digits, digits before the point all kept. */
struct decimal {
    char digits[20];
    int n;        /* digits there are */
    int exponent; /* of the first one */
};

static double decimal_value(const struct decimal *d)
{
    char text[64];
    int length = snprintf(text, sizeof text, "%c.%.*s0e%d", d->digits[0], d->n - 1, d->digits + 1,
                          d->exponent);
    double value;
    return number_parse(text, (size_t)length, &value) ? value : HUGE_VAL;
}

/* value > 0, finite. From 1e15 on `wanted` digits and no more. */
static struct decimal decimal_round(double value, int wanted)
{
    struct decimal d = {0};
    int limit = wanted < 1 ? 1 : wanted > 17 ? 17 : wanted;
    char text[64];
    snprintf(text, sizeof text, "%.*e", limit - 1, value);
    const char *p = text;
    for (; *p != 'e'; p++) /* whatever the locale has for a point is skipped */
        if (*p >= '0' && *p <= '9')
            d.digits[d.n++] = *p;
    d.exponent = (int)strtol(p + 1, NULL, 10);
    if (d.exponent >= limit && d.exponent < 15) {
        d.n = snprintf(d.digits, sizeof d.digits, "%.0f", value);
        d.exponent = d.n - 1;
    }
    /* Zeros at the end say how far the number was rounded; one that was not rounded has none. A few
     * units in the last place are the division's by which it was scaled: 1e-5 s are 10 µs. */
    if (fabs(decimal_value(&d) - value) <= 1e-15 * value)
        while (d.n > 1 && (d.exponent >= 15 || d.n > d.exponent + 1) && d.digits[d.n - 1] == '0')
            d.n--;
    return d;
}

size_t scale_number(double value, int digits, char out[static SCALE_TEXT_SIZE])
{
    if (!isfinite(value)) {
        memcpy(out, "n/a", 4);
        return 3;
    }
    if (value == 0) {
        memcpy(out, "0", 2);
        return 1;
    }
    char *p = out;
    if (value < 0)
        *p++ = '-';
    struct decimal d = decimal_round(fabs(value), digits);
    if (d.exponent >= 15 || fabs(value) < 1e-6) {
        *p++ = d.digits[0];
        if (d.n > 1) {
            *p++ = '.';
            memcpy(p, d.digits + 1, (size_t)(d.n - 1));
            p += d.n - 1;
        }
        p += snprintf(p, 8, "e%d", d.exponent);
        return (size_t)(p - out);
    }
    if (d.exponent < 0) {
        *p++ = '0';
        *p++ = '.';
        for (int i = -1; i > d.exponent; i--)
            *p++ = '0';
    }
    for (int i = 0; i < d.n; i++) {
        int place = d.exponent - i; /* power of ten of this digit */
        *p++ = d.digits[i];
        if (place > 0 && place % 3 == 0)
            *p++ = ',';
        if (place == 0 && i + 1 < d.n)
            *p++ = '.';
    }
    *p = '\0';
    return (size_t)(p - out);
}

struct scale scale_choose(double value, const char *unit, int digits)
{
    const struct unit *known = unit_find(unit);
    struct prefix_list list = prefixes_of(known);
    double size = isfinite(value) ? fabs(value) : 0;
    double step = known && known->scale == SCALE_BINARY ? 1024 : 1000;
    size_t chosen = 0;
    if (size == 0)
        while (list.prefixes[chosen].per < 1)
            chosen++;
    else
        for (; chosen + 1 < list.n; chosen++) {
            /* Compared as it will be read: 999.7 k with three digits is 1 M. */
            struct decimal d = decimal_round(size / list.prefixes[chosen].per, digits);
            if (decimal_value(&d) < step)
                break;
        }
    struct scale scale = {list.prefixes[chosen].per, ""};
    const char *prefix = list.prefixes[chosen].text;
    if (known && strcmp(unit, "1/s") == 0) /* "k/s", not "k1/s" */
        snprintf(scale.unit, sizeof scale.unit, "%s/s", prefix);
    else if (strcmp(unit, "1") != 0)
        snprintf(scale.unit, sizeof scale.unit, "%s%.48s", prefix, unit);
    return scale;
}

bool scale_find(const char *unit, const char *display, struct scale *out)
{
    const struct unit_spelling *spelling = unit_find_spelling(display);
    if (!spelling || strcmp(spelling->base, unit) != 0)
        return false;
    out->per = spelling->factor;
    const char *shown = strcmp(display, "us") == 0  ? "µs"
                        : strcmp(display, "1/s") == 0 ? "/s"
                        : strcmp(display, "1") == 0   ? ""
                                                      : display;
    snprintf(out->unit, sizeof out->unit, "%s", shown);
    return true;
}

size_t scale_value(double value, const struct scale *scale, int digits,
                   char out[static SCALE_TEXT_SIZE])
{
    return scale_number(value / scale->per, digits, out);
}

size_t scale_format_as(double value, const struct scale *scale, int digits,
                       char out[static SCALE_TEXT_SIZE])
{
    size_t size = scale_value(value, scale, digits, out);
    if (scale->unit[0] && isfinite(value))
        size += (size_t)snprintf(out + size, SCALE_TEXT_SIZE - size, " %.24s", scale->unit);
    return size;
}

size_t scale_format(double value, const char *unit, int digits, char out[static SCALE_TEXT_SIZE])
{
    struct scale scale = scale_choose(value, unit, digits);
    return scale_format_as(value, &scale, digits, out);
}

size_t scale_percent(double share, char out[static SCALE_TEXT_SIZE])
{
    double percent = share * 100;
    size_t size = 0;
    if (percent > 0 && isfinite(percent))
        out[size++] = '+';
    char number[SCALE_TEXT_SIZE];
    scale_number(percent, fabs(percent) < 10 ? 2 : 3, number);
    size += (size_t)snprintf(out + size, SCALE_TEXT_SIZE - size, "%.40s%s", number,
                             isfinite(percent) ? " %" : "");
    return size;
}
