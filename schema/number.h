/* Numbers in records: strict and independent of the locale, in both directions. */
#ifndef SCHEMA_NUMBER_H
#define SCHEMA_NUMBER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    NUMBER_TEXT_SIZE = 32,   /* room for any number_format, NUL included */
    NUMBER_EXACT_DIGITS = 15 /* so many digits come back from a double, unless it is subnormal */
};

/* Reads exactly the grammar of a JSON number (RFC 8259, section 6): -?int[.frac][e[+-]exp], no
 * blanks, no leading zeros or plus, `.` whatever the locale. The nearest double. False, *out
 * untouched, for anything else, and for what overflows to infinity (1e400). */
bool number_parse(const char *text, size_t size, double *out);

/* Digits only, no leading zeros, below 2^64. */
bool number_parse_count(const char *text, size_t size, uint64_t *out);

/* The fewest digits that read back to the same double, laid out as ECMA-262 Number::toString does
 * (plain up to 21 digits before and 6 zeros after the point, else d.ddde+xx). value is finite;
 * -0 is written as 0. Returns the length. */
size_t number_format(char out[static NUMBER_TEXT_SIZE], double value);

/* True when the text is exactly what number_format writes for the number it stands for. */
bool number_is_canonical(const char *text, size_t size);

/* A size as people type it: digits, then nothing, K, M, G or T (powers of 1024), an optional `i`
 * and `B` ignored. False when it is not one or exceeds 2^64. */
bool number_parse_size(const char *text, uint64_t *out);

#endif
