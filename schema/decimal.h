/* Conversions between double and decimal by integers alone, exact, for the numbers that almost
 * every record holds. What is out of their range they leave to the general way of
 * schema/number.c: both give the same results. */
#ifndef SCHEMA_DECIMAL_H
#define SCHEMA_DECIMAL_H

#include <stdbool.h>
#include <stdint.h>

/* The double nearest to digits * 10^exponent, ties to even. False, *out untouched, when it is out
 * of range. */
bool decimal_to_double(uint64_t digits, int exponent, double *out);

/* The digits that number_format writes, as an integer that may end in zeros: value > 0 is about
 * *digits * 10^*exponent. False when it is out of range. */
bool decimal_shortest(double value, uint64_t *digits, int *exponent);

#endif
