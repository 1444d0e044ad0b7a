#include "schema/decimal.h"

#include <math.h>
#include <string.h>

#ifdef __SIZEOF_INT128__

__extension__ typedef unsigned __int128 uint128;

enum { FIVES_MAX = 27 }; /* 5^27 is the largest power below 2^64 */

static const uint64_t fives[FIVES_MAX + 1] = {
    UINT64_C(1),
    UINT64_C(5),
    UINT64_C(25),
    UINT64_C(125),
    UINT64_C(625),
    UINT64_C(3125),
    UINT64_C(15625),
    UINT64_C(78125),
    UINT64_C(390625),
    UINT64_C(1953125),
    UINT64_C(9765625),
    UINT64_C(48828125),
    UINT64_C(244140625),
    UINT64_C(1220703125),
    UINT64_C(6103515625),
    UINT64_C(30517578125),
    UINT64_C(152587890625),
    UINT64_C(762939453125),
    UINT64_C(3814697265625),
    UINT64_C(19073486328125),
    UINT64_C(95367431640625),
    UINT64_C(476837158203125),
    UINT64_C(2384185791015625),
    UINT64_C(11920928955078125),
    UINT64_C(59604644775390625),
    UINT64_C(298023223876953125),
    UINT64_C(1490116119384765625),
    UINT64_C(7450580596923828125),
};

/* 2^exponent; normal for the exponents below. */
static double power_of_two(int exponent)
{
    uint64_t bits = (uint64_t)(exponent + 1023) << 52;
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* digits / 5^n, both moved to fill 64 bits, has a quotient of 63 or 64 bits: 10 or more than a
 * double holds, and the remainder says whether there is anything below them. */
bool decimal_to_double(uint64_t digits, int exponent, double *out)
{
    int n = -exponent;
    if (digits == 0 || n < 0 || n > FIVES_MAX)
        return false;
    int digits_shift = __builtin_clzll(digits), divisor_shift = __builtin_clzll(fives[n]);
    uint64_t divisor = fives[n] << divisor_shift;
    uint128 dividend = (uint128)(digits << digits_shift) << 63;
    uint64_t quotient = (uint64_t)(dividend / divisor);
    bool has_rest = (uint128)quotient * divisor != dividend;
    int dropped = 64 - 53 - __builtin_clzll(quotient);
    uint64_t mantissa = quotient >> dropped;
    uint64_t below = quotient & ((UINT64_C(1) << dropped) - 1), half = UINT64_C(1) << (dropped - 1);
    if (below > half || (below == half && (has_rest || mantissa % 2 == 1)))
        mantissa++;
    *out = (double)mantissa * power_of_two(dropped - 63 + divisor_shift - digits_shift - n);
    return true;
}

/* A value > 0 with 17 digits before its point: value * 10^k = numerator / 2^shift, where numerator
 * = m * 5^k and value = m * 2^e. All that read back to value lie within half a unit of m on both
 * sides, which is 5^k / 2^(shift + 1); the ends belong to it when m is even, since ties go to even.
 */
struct scaled {
    uint128 numerator;
    uint64_t m;
    int k, shift;
};

static uint64_t scaled_whole(const struct scaled *scaled)
{
    return (uint64_t)(scaled->numerator >> scaled->shift);
}

static uint128 scaled_fraction(const struct scaled *scaled)
{
    return scaled->numerator & (((uint128)1 << scaled->shift) - 1);
}

/* Inline: a division by a constant is none. *is_tie: the value is halfway between two multiples of
 * the unit. Else whether the nearest one reads back to value. */
static inline bool reads_back(const struct scaled *scaled, uint64_t unit, uint64_t *multiple,
                              bool *is_tie)
{
    uint64_t whole = scaled_whole(scaled), rest = whole % unit;
    *is_tie = 2 * rest == unit && scaled_fraction(scaled) == 0;
    /* Half a unit of m is less than 12 here: 10^17 / 2^53. */
    if (rest > 12 && rest < unit - 12)
        return false;
    *multiple = whole / unit + (2 * rest >= unit);
    uint128 twice = 2 * scaled->numerator, candidate = (uint128)(*multiple * unit)
                                                       << (scaled->shift + 1);
    uint128 distance = candidate > twice ? candidate - twice : twice - candidate;
    uint64_t half_unit = fives[scaled->k];
    return !*is_tie && (distance < half_unit || (distance == half_unit && scaled->m % 2 == 0));
}

bool decimal_shortest(double value, uint64_t *digits, int *exponent)
{
    static const uint64_t ten_to_16 = UINT64_C(10000000000000000);
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    int biased = (int)(bits >> 52);
    struct scaled scaled = {.m = (bits & ((UINT64_C(1) << 52) - 1)) | UINT64_C(1) << 52};
    /* A power of two is closer to its neighbour below than to that above. */
    if (biased == 0 || scaled.m == UINT64_C(1) << 52)
        return false;
    int e = biased - 1075;
    /* log10(2) is about 1233 / 4096: right, or one off, which only costs time. 400: nothing below 0
     * is divided. */
    int log10_estimate = ((e + 52) * 1233 + 400 * 4096) / 4096 - 400;
    for (scaled.k = 16 - log10_estimate;; scaled.k--) {
        scaled.shift = -(e + scaled.k);
        if (scaled.k < 0 || scaled.k > FIVES_MAX || scaled.shift < 1 || scaled.shift > 63)
            return false;
        scaled.numerator = (uint128)scaled.m * fives[scaled.k];
        if (scaled_whole(&scaled) < 10 * ten_to_16)
            break;
    }
    if (scaled_whole(&scaled) < ten_to_16)
        return false;
    bool is_tie;
    if (reads_back(&scaled, 100, digits, &is_tie)) {
        *exponent = 2 - scaled.k;
        return true;
    }
    if (!is_tie && reads_back(&scaled, 10, digits, &is_tie)) {
        *exponent = 1 - scaled.k;
        return true;
    }
    uint128 fraction = scaled_fraction(&scaled), half = (uint128)1 << (scaled.shift - 1);
    if (is_tie || fraction == half)
        return false;
    *digits = scaled_whole(&scaled) + (fraction > half);
    *exponent = -scaled.k;
    return true;
}

#else

bool decimal_to_double(uint64_t digits, int exponent, double *out)
{
    (void)digits;
    (void)exponent;
    (void)out;
    return false;
}

bool decimal_shortest(double value, uint64_t *digits, int *exponent)
{
    (void)value;
    (void)digits;
    (void)exponent;
    return false;
}

#endif
