#include "report/chart/ticks.h"

#include <math.h>

/* Slack against rounding, as a share of a step: a value that is meant to be on a tick is. */
static const double SLACK = 1e-9;

static void tick_add(struct ticks *ticks, double at, bool has_label)
{
    if (ticks->n == TICKS_MAX)
        return;
    ticks->at[ticks->n] = at;
    ticks->has_label[ticks->n++] = has_label;
}

static size_t at_least_two(size_t labels)
{
    return labels < 2 ? 2 : labels > 20 ? 20 : labels;
}

/* mantissa * 10^exponent as the nearest double: 5 * 10^-1 must be 0.5. */
static double decimal(double mantissa, int exponent)
{
    return exponent < 0 ? mantissa / pow(10, -exponent) : mantissa * pow(10, exponent);
}

void ticks_linear(double min, double max, size_t labels, struct ticks *out)
{
    static const double nice[] = {1, 2, 5};
    labels = at_least_two(labels);
    *out = (struct ticks){0};
    /* Narrower than the numbers resolve is one value. */
    if (max - min <= SLACK * fmax(fabs(min), fabs(max))) {
        double half = min == 0 ? 1 : fabs(min) / 2;
        min = min == 0 ? 0 : min - half;
        max = max + half;
    }
    int exponent = (int)floor(log10((max - min) / (double)labels));
    for (size_t i = 0;; i = (i + 1) % 3) {
        double first = floor(min / decimal(nice[i], exponent) + SLACK);
        double last = ceil(max / decimal(nice[i], exponent) - SLACK);
        if (last - first + 1 <= (double)labels) {
            for (double k = first; k <= last; k++)
                tick_add(out, k == 0 ? 0 : decimal(k * nice[i], exponent), true);
            break;
        }
        exponent += i == 2;
    }
    out->min = out->at[0];
    out->max = out->at[out->n - 1];
}

/* How many numbers d * 10^e there are in the range, e a multiple of the stride. */
static size_t count_between(double min, double max, int first, int last, const char *digits,
                            int stride)
{
    size_t n = 0;
    for (int e = first; e <= last; e++)
        for (const char *d = e % stride == 0 ? digits : ""; *d; d++) {
            double at = decimal(*d - '0', e);
            n += at >= min && at <= max;
        }
    return n;
}

static bool has_digit(const char *digits, int digit)
{
    for (; *digits; digits++)
        if (*digits - '0' == digit)
            return true;
    return false;
}

void ticks_log10(double min, double max, size_t labels, struct ticks *out)
{
    static const char *const sets[] = {"123456789", "125", "13", "1"};
    enum { LAST_SET = sizeof sets / sizeof sets[0] - 1 };
    labels = at_least_two(labels);
    *out = (struct ticks){0};
    int first = (int)floor(log10(min) + SLACK);
    int last = (int)ceil(log10(max) - SLACK);
    /* Wide ranges end at a power of ten, narrow ones at 1, 2 or 5 times one, so that no more than
     * needed stays empty. */
    bool is_wide = log10(max) - log10(min) > 5;
    out->min = decimal(1, first);
    out->max = decimal(1, last);
    if (!is_wide) {
        for (const char *d = "25"; *d; d++) {
            double at = decimal(*d - '0', first);
            if (at <= min * (1 + SLACK))
                out->min = at;
        }
        for (const char *d = "52"; *d; d++) {
            double at = decimal(*d - '0', last - 1);
            if (at >= max * (1 - SLACK))
                out->max = at;
        }
    }
    if (out->min >= out->max) { /* one value, itself on a tick */
        out->min = decimal(5, first - 1);
        out->max = out->max * 2;
        first--;
        last++;
    }
    if (count_between(out->min, out->max, first, last, sets[0], 1) < 4) {
        /* A part of a decade: round steps, though they are not equally wide. */
        struct ticks steps;
        ticks_linear(min, max, labels, &steps);
        if (steps.min > 0) {
            *out = steps;
            return;
        }
    }
    /* Powers of ten alone, if they are enough; else as many digits as there is room for. */
    size_t set = count_between(out->min, out->max, first, last, "1", 1) >= 4 ? LAST_SET : 0;
    while (set < LAST_SET && count_between(out->min, out->max, first, last, sets[set], 1) > labels)
        set++;
    int stride = 1;
    while (set == LAST_SET &&
           count_between(out->min, out->max, first, last, sets[set], stride) > labels)
        stride++;
    int shown = (last - first) / (TICKS_MAX / 2) + 1; /* every how many powers have a tick */
    for (int e = first; e <= last; e++)
        for (int digit = 1; digit <= 9; digit++) {
            double at = decimal(digit, e);
            bool has_label = has_digit(sets[set], digit) && e % stride == 0;
            bool has_tick = digit == 1 ? e % shown == 0 : last - first <= 12;
            if (at >= out->min && at <= out->max && (has_label || has_tick))
                tick_add(out, at, has_label);
        }
}

void ticks_log2(double min, double max, size_t labels, struct ticks *out)
{
    labels = at_least_two(labels);
    *out = (struct ticks){0};
    int first = (int)floor(log2(min) + SLACK);
    int last = (int)ceil(log2(max) - SLACK);
    if (first == last) {
        first--;
        last++;
    }
    out->min = ldexp(1, first);
    out->max = ldexp(1, last);
    /* The number of multiples of a stride in the range depends on where the range starts. */
    for (int stride = 1;; stride++) {
        size_t n = 0;
        for (int e = first; e <= last; e++)
            n += e % stride == 0;
        if (n > labels)
            continue;
        int shown = (last - first) / (TICKS_MAX / 2) + 1;
        for (int e = first; e <= last; e++)
            if (e % stride == 0 || e % shown == 0)
                tick_add(out, ldexp(1, e), e % stride == 0);
        return;
    }
}
