/* Programs of the kernel classic that measure arithmetic. Cells are of 32 bits and double cells of
 * 64, as in the system whose times were published, whatever the word of the machine. */
#include "kernels/classic.h"

#include <math.h>

/* The counted loop, alone. */
static __attribute__((noinline)) int32_t loop_count(int32_t limit)
{
    int32_t i = 0;
    do {
        i++;
        KERNEL_KEEP(i);
    } while (i < limit);
    return i;
}

void classic_loop1m(struct classic *state, void *memory)
{
    (void)memory;
    int32_t limit = CLASSIC_OPERATIONS;
    KERNEL_KEEP(limit);
    state->answer = loop_count(limit);
}

void classic_do_loop(struct classic *state, void *memory)
{
    classic_loop1m(state, memory);
}

/* Operands that the compiler does not know, anew in every round; the results are summed. */
#define OPERATION(name, type_a, value_a, value_b, expression)                                      \
    static __attribute__((noinline)) int64_t name##_loop(type_a a, int32_t b, int32_t limit)       \
    {                                                                                              \
        int64_t sum = 0;                                                                           \
        for (int32_t i = 0; i < limit; i++) {                                                      \
            KERNEL_KEEP(b);                                                                        \
            sum += expression;                                                                     \
            KERNEL_KEEP(limit);                                                                    \
        }                                                                                          \
        return sum;                                                                                \
    }                                                                                              \
    void classic_##name(struct classic *state, void *memory)                                       \
    {                                                                                              \
        type_a a = value_a;                                                                        \
        int32_t b = value_b, limit = CLASSIC_OPERATIONS;                                           \
        (void)memory;                                                                              \
        KERNEL_BARRIER();                                                                          \
        state->answer = name##_loop(a, b, limit);                                                  \
    }

/* With i in it, no result is that of the round before. */
OPERATION(mul, int32_t, 1001, 7, (int32_t)((uint32_t)(a + i) * (uint32_t)b))
OPERATION(div, int32_t, 123456789, 1234, (a + i) / b)
OPERATION(add, int32_t, 123456, 7890, (a + i) + b)
OPERATION(m_mul, int32_t, 123456789, 54321, (int64_t)(a + i) * b)
OPERATION(m_div, int64_t, INT64_C(123456789012), 54321, (int32_t)((a + i) / b))
OPERATION(m_add, int64_t, INT64_C(123456789012), 7890, (a + i) + b)
OPERATION(star_slash, int32_t, 123456789, 4321, (int32_t)((int64_t)(a + i) * 355 / b))

static __attribute__((noinline)) int64_t divmod_loop(int32_t a, int32_t b, int32_t limit)
{
    int64_t sum = 0;
    for (int32_t i = 0; i < limit; i++) {
        KERNEL_KEEP(b);
        int32_t quotient = (a + i) / b, rest = (a + i) % b;
        sum += quotient;
        sum += rest;
        KERNEL_KEEP(limit);
    }
    return sum;
}

void classic_divmod(struct classic *state, void *memory)
{
    (void)memory;
    state->answer = divmod_loop(123456789, 1234, CLASSIC_OPERATIONS);
}

/* Sum of floor((a + m i) / b) over i from 0 to n - 1 (Graham, Knuth and Patashnik, Concrete
 * Mathematics, 3.5: by exchanging what is counted over). */
static int64_t floor_sum(int64_t n, int64_t a, int64_t m, int64_t b)
{
    int64_t sum = 0;
    while (n > 0) {
        sum += (a / b) * n + (m / b) * (n * (n - 1) / 2);
        a %= b;
        m %= b;
        int64_t top = m * n + a;
        n = top / b;
        a = top % b;
        int64_t swap = m;
        m = b;
        b = swap;
    }
    return sum;
}

int64_t classic_arithmetic_answer(classic_program *program)
{
    static const int64_t n = CLASSIC_OPERATIONS, triangle = n * (n - 1) / 2;
    if (program == classic_mul)
        return (1001 * n + triangle) * 7;
    if (program == classic_div)
        return floor_sum(n, 123456789, 1, 1234);
    if (program == classic_add)
        return (123456 + 7890) * n + triangle;
    if (program == classic_m_mul)
        return (INT64_C(123456789) * n + triangle) * 54321;
    if (program == classic_m_div)
        return floor_sum(n, INT64_C(123456789012), 1, 54321);
    if (program == classic_m_add)
        return (INT64_C(123456789012) + 7890) * n + triangle;
    if (program == classic_star_slash)
        return floor_sum(n, INT64_C(123456789) * 355, 355, 4321);
    if (program == classic_divmod) {
        /* dividend = quotient * divisor + rest */
        int64_t quotients = floor_sum(n, 123456789, 1, 1234);
        return INT64_C(123456789) * n + triangle - quotients * 1234 + quotients;
    }
    return n;
}

/* ---- floating point */

/* Savage's benchmark (Dr. Dobb's Journal, September 1983, 120): the functions undo each other. */
static __attribute__((noinline)) double savage(double a, int rounds)
{
    for (int i = 0; i < rounds; i++)
        a = tan(atan(exp(log(sqrt(a * a))))) + 1.0;
    return a;
}

void classic_savage(struct classic *state, void *memory)
{
    (void)memory;
    int rounds = 2499;
    KERNEL_KEEP(rounds);
    state->real = savage(1.0, rounds);
    state->answer = rounds;
}

/* The sum of (i - 1/2) (i + 1/2) / i, i up to 100,000, each after a square root of i squared: is
 * n (n + 1) / 2 - H(n) / 4. */
static __attribute__((noinline)) double mix(int rounds)
{
    double sum = 0;
    for (int i = 1; i <= rounds; i++) {
        double x = i;
        x = sqrt(x * x);
        sum += (x - 0.5) * (x + 0.5) / x;
    }
    return sum;
}

void classic_float(struct classic *state, void *memory)
{
    (void)memory;
    int rounds = 100000;
    KERNEL_KEEP(rounds);
    state->real = mix(rounds);
    state->answer = rounds;
}

/* Over 9,000 angles, a degree apart, 50 times round the half circle: the sum of sin^2 + cos^2, of
 * the angle that atan2 finds again, and of the logarithm of an exponential. */
static __attribute__((noinline)) double functions(int rounds)
{
    static const double degree = 0.017453292519943295; /* pi / 180 */
    double sum = 0;
    for (int i = 0; i < rounds; i++) {
        double angle = degree * (i % 180), sine = sin(angle), cosine = cos(angle);
        sum += sine * sine + cosine * cosine;
        sum += atan2(sine, cosine) / degree;
        sum += log(exp(angle)) / degree;
    }
    return sum;
}

void classic_fpmath(struct classic *state, void *memory)
{
    (void)memory;
    int rounds = 9000;
    KERNEL_KEEP(rounds);
    state->real = functions(rounds);
    state->answer = rounds;
}
