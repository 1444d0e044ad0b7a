#include "normalize/import/figures.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "normalize/import/importing.h"
#include "schema/number.h"
#include "schema/params.h"
#include "schema/text.h"

const char *figure_refusal(double value, const char *unit)
{
    bool may_be_zero = strcmp(unit, "B") == 0 || strcmp(unit, "1") == 0;
    bool may_be_negative = strcmp(unit, "degC") == 0;
    if (!isfinite(value))
        return "not finite";
    if (value < 0 && !may_be_negative)
        return "a measurement is not negative";
    if (value == 0 && !may_be_zero && !may_be_negative)
        return strcmp(unit, "s") == 0 ? "shorter than the clock can tell"
                                      : "nothing was measured, or less than the program prints";
    return NULL;
}

bool import_number(const char *text, double *out)
{
    /* What the strict grammar does not know and nobody can misread: a plus, zeros in front, no digit
     * before or behind the point. */
    bool is_negative = *text == '-';
    text += *text == '-' || *text == '+';
    size_t whole = strspn(text, "0123456789");
    size_t zeros = strspn(text, "0");
    const char *rest = text + whole;
    size_t fraction = *rest == '.' ? strspn(rest + 1, "0123456789") : 0;
    if (whole + fraction == 0 || whole > 300 || fraction > 300)
        return false;
    const char *tail = rest + (*rest == '.' ? fraction + 1 : 0);
    if (strlen(tail) > 8)
        return false;
    char plain[640];
    size_t skip = zeros < whole ? zeros : whole;
    int length = snprintf(plain, sizeof plain, "%s%s%.*s%s%.*s%s", is_negative ? "-" : "",
                          skip == whole ? "0" : "", (int)(whole - skip), text + skip,
                          fraction ? "." : "", (int)fraction, fraction ? rest + 1 : "", tail);
    return length > 0 && (size_t)length < sizeof plain && number_parse(plain, (size_t)length, out);
}

static bool is_one_of(const char *text, const char *words)
{
    size_t length = strlen(text);
    for (const char *p = words; *p;) {
        size_t word = strcspn(p, "|");
        if (word == length && strncasecmp(p, text, word) == 0)
            return true;
        p += word + (p[word] == '|');
    }
    return false;
}

const char *figure_read(const char *figure, double *value, enum record_status *status)
{
    *status = STATUS_UNAVAILABLE;
    if (*figure == '\0')
        return "the cell is empty";
    if (is_one_of(figure, "N/A|NA|n.a.|-|--|none|null"))
        return "no figure";
    size_t digits = strcspn(figure, "eE~");
    if (strcasestr(figure, "est") || figure[digits] == '~')
        return "an estimate, not a measurement";
    *status = STATUS_FAILED;
    const char *unsigned_figure = figure + (*figure == '-' || *figure == '+');
    if (is_one_of(unsigned_figure, "inf|infinity|nan|1.#inf|1.#qnan|1.#ind"))
        return "not finite";
    if (strchr(figure, ','))
        return "a comma may be a decimal point or stand between thousands";
    return import_number(figure, value) ? NULL : "no number";
}

/* The power of ten that factor is, or INT_MIN. */
static int power_of_ten(double factor)
{
    char text[16];
    for (int power = -12; power <= 12; power++) {
        double exact;
        int length = snprintf(text, sizeof text, "1e%d", power);
        if (number_parse(text, (size_t)length, &exact) && exact == factor)
            return power;
    }
    return -1000;
}

double import_scale(double value, double factor)
{
    int power = power_of_ten(factor);
    if (power == 0 || !isfinite(value))
        return value;
    if (power == -1000)
        return value * factor;
    char text[NUMBER_TEXT_SIZE], scaled[NUMBER_TEXT_SIZE + 8];
    double result;
    text[number_format(text, value)] = '\0';
    char *e = strchr(text, 'e');
    int exponent = e ? (int)strtol(e + 1, NULL, 10) : 0;
    if (e)
        *e = '\0';
    int length = snprintf(scaled, sizeof scaled, "%se%d", text, exponent + power);
    return number_parse(scaled, (size_t)length, &result) ? result : value * factor;
}

/* Home folders and user@host, as they stand in paths, command lines and versions. */
const char *import_redact(struct import *import, const char *text)
{
    static const char *const homes[] = {"/home/", "/Users/", "\\Users\\", "/export/home/"};
    struct buffer out = {0}, clean = {0};
    for (const char *p = text; *p;) {
        const char *home = NULL;
        for (size_t i = 0; i < sizeof homes / sizeof homes[0] && !home; i++)
            if (strncmp(p, homes[i], strlen(homes[i])) == 0)
                home = homes[i];
        if (home) {
            buffer_add_text(&out, home);
            buffer_add_char(&out, '?');
            p += strlen(home);
            p += strcspn(p, "/\\ \t:\"'");
        } else if (*p == '@' && p > text && p[1] && p[-1] != ' ' && p[1] != ' ') {
            while (out.size > 0 && !strchr(" \t(\"'=,;:/", out.bytes[out.size - 1]))
                out.size--;
            buffer_add_text(&out, "?@?");
            p += strcspn(p, " \t)\"',;:/");
        } else {
            buffer_add_char(&out, *p++);
        }
    }
    text_clean(buffer_text(&out), out.size, 4000, &clean);
    const char *copy = import_text(import, "%s", buffer_text(&clean));
    import->failed |= out.failed || clean.failed;
    buffer_free(&out);
    buffer_free(&clean);
    return copy;
}

const char *import_params(struct import *import, ...)
{
    enum { PAIRS_MAX = 32 };
    struct param pairs[PAIRS_MAX];
    size_t n = 0;
    va_list arguments;
    va_start(arguments, import);
    for (const char *key; (key = va_arg(arguments, const char *)) != NULL;) {
        const char *value = va_arg(arguments, const char *);
        if (value && n < PAIRS_MAX)
            pairs[n++] = (struct param){key, import_redact(import, value)};
    }
    va_end(arguments);
    struct buffer text = {0};
    params_format(pairs, n, &text);
    const char *copy = import_text(import, "%s", buffer_text(&text));
    import->failed |= text.failed;
    buffer_free(&text);
    return copy;
}
