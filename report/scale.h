/* Numbers for people: base units scaled and rounded, the one place where that happens. Texts are
 * UTF-8, `.` is the decimal point and `,` separates thousands, whatever the locale. */
#ifndef REPORT_SCALE_H
#define REPORT_SCALE_H

#include <stdbool.h>
#include <stddef.h>

enum {
    SCALE_TEXT_SIZE = 64, /* room for any text made here, NUL included */
    SCALE_DIGITS = 3      /* significant digits, where nothing asks for another number */
};

/* How to show values of one base unit: shown = value / per. */
struct scale {
    double per;
    char unit[SCALE_TEXT_SIZE]; /* "MB/s", "KiB", "µs"; "" for the unit "1" */
};

/* The prefix that gives |value| 1 to 3 digits before the point (1 to 4 with binary prefixes) when
 * rounded to `digits`. Prefixes as the table of units says: SI, binary, or none; below 1 for times
 * alone; a unit that is not in the table gets none. For a column or an axis pass its largest
 * value. */
struct scale scale_choose(double value, const char *unit, int digits);

/* A fixed display unit, a spelling of schema/unit.h ("MB/s" for "B/s"). False, *out untouched, when
 * it is not one of that base unit. */
bool scale_find(const char *unit, const char *display, struct scale *out);

/* The plain number rounded to `digits` (1 to 17) significant digits, "1,234.5" or "0.00123". Digits
 * before the point are never rounded away, and decimals that the number does not have are not
 * added: 64 is "64", not "64.0". From 1e15 on and below 1e-6 as "1.23e-9"; "n/a" when not finite. A
 * number other than 0 never gives "0". Returns the length. */
size_t scale_number(double value, int digits, char out[static SCALE_TEXT_SIZE]);

/* value / per as scale_number, without the unit: for columns and axes that name it once. */
size_t scale_value(double value, const struct scale *scale, int digits,
                   char out[static SCALE_TEXT_SIZE]);

/* Number and unit: scale_format(3393e6, "B/s", 3, out) gives "3.39 GB/s". */
size_t scale_format(double value, const char *unit, int digits, char out[static SCALE_TEXT_SIZE]);

/* The same with a unit chosen before: for cells that must be comparable. */
size_t scale_format_as(double value, const struct scale *scale, int digits,
                       char out[static SCALE_TEXT_SIZE]);

/* A share as a signed percentage with one decimal or more: 0.0123 gives "+1.2 %", 0 gives "0 %". */
size_t scale_percent(double share, char out[static SCALE_TEXT_SIZE]);

#endif
