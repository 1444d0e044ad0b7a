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

/* value * 10^k, 17 digits before its point, is numerator / 2^shift with numerator = m * 5^k, where
 * value = m * 2^e. All that read back to value lie within half a unit of m on both sides, which is
 * 5^k / 2^(shift + 1); the ends belong to it when m is even, since ties go to even. */
bool decimal_shortest(double value, uint64_t *digits, int *exponent)
{
    static const uint64_t ten_to_16 = UINT64_C(10000000000000000);
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    int biased = (int)(bits >> 52);
    uint64_t m = (bits & ((UINT64_C(1) << 52) - 1)) | UINT64_C(1) << 52;
    /* A power of two is closer to its neighbour below than to that above. */
    if (biased == 0 || m == UINT64_C(1) << 52)
        return false;
    int e = biased - 1075;
    /* log10(2) is 0.30103; the estimate is right or one too low, as floor is. */
    int log10_floor = (int)floor((e + 52) * 0.30102999566398120);
    int k = 16 - log10_floor;
    uint128 numerator = 0;
    uint64_t whole = 0;
    int shift = 0;
    for (;; k--) {
        shift = -(e + k);
        if (k < 0 || k > FIVES_MAX || shift < 1 || shift > 63)
            return false;
        numerator = (uint128)m * fives[k];
        whole = (uint64_t)(numerator >> shift);
        if (whole < 10 * ten_to_16)
            break;
    }
    if (whole < ten_to_16)
        return false;
    bool has_fraction = (numerator & (((uint128)1 << shift) - 1)) != 0;
    for (uint64_t unit = 100; unit > 1; unit /= 10) {
        uint64_t rounded = whole / unit, rest = whole % unit;
        if (2 * rest == unit && !has_fraction)
            return false;
        rounded += 2 * rest >= unit;
        uint128 twice = 2 * numerator, candidate = (uint128)(rounded * unit) << (shift + 1);
        uint128 distance = candidate > twice ? candidate - twice : twice - candidate;
        if (distance < fives[k] || (distance == fives[k] && m % 2 == 0)) {
            *digits = rounded;
            *exponent = (unit == 100 ? 2 : 1) - k;
            return true;
        }
    }
    uint128 fraction = numerator & (((uint128)1 << shift) - 1), half = (uint128)1 << (shift - 1);
    if (fraction == half)
        return false;
    *digits = whole + (fraction > half);
    *exponent = -k;
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
