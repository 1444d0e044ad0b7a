/* Where an axis has its ticks: pure functions of the range. */
#ifndef REPORT_CHART_TICKS_H
#define REPORT_CHART_TICKS_H

#include <stdbool.h>
#include <stddef.h>

enum { TICKS_MAX = 200 };

struct ticks {
    double min, max; /* the range, widened to where the axis looks best */
    double at[TICKS_MAX]; /* ascending, min <= at <= max */
    bool has_label[TICKS_MAX];
    size_t n;
};

/* Round numbers, a step of 1, 2 or 5 times a power of ten, the range widened to whole steps. At
 * most `labels` (2 to 20) of them. The range may be a single value.
 * P. Heckbert, Nice Numbers for Graph Labels, Graphics Gems (1990) 61. */
void ticks_linear(double min, double max, size_t labels, struct ticks *out);

/* Labels at the powers of ten, where there are four or more; at every 2nd, 3rd ... one where more
 * than `labels` (2 to 20) would be too many. Where there are fewer, at 1 to 9 times them, or 1, 2
 * and 5, or 1 and 3 times, whatever fits. Ticks without a label at the other multiples. Within a
 * few digits of one decade: as ticks_linear. 0 < min <= max. The range is widened to 1, 2 or 5
 * times a power of ten. */
void ticks_log10(double min, double max, size_t labels, struct ticks *out);

/* The same with powers of two; no ticks between them. */
void ticks_log2(double min, double max, size_t labels, struct ticks *out);

#endif
