/* One axis: its unit, its range, its ticks and their labels. */
#ifndef REPORT_CHART_CHART_AXIS_H
#define REPORT_CHART_CHART_AXIS_H

#include "report/chart/chart.h"
#include "report/scale.h"

struct axis {
    const struct chart_axis *spec;
    double data_min, data_max; /* what must be on it, base unit */
    struct scale scale;        /* per 1 and no unit where each label names its own */
    bool is_binary;            /* ticks at powers of two */
    bool has_unit_labels;      /* "4 KiB", "1 MiB" */
};

struct axis_ticks {
    double min, max; /* base unit */
    struct chart_tick *ticks;
    size_t n_ticks;
};

/* The display unit, from the spec or from the range. A display unit that is not one of the base
 * unit gives ERR_USAGE. */
int axis_init(struct axis *axis, const struct chart_axis *spec, double min, double max,
              bool has_only_powers_of_two, struct err *err);

/* "array size, KiB"; memory of the arena, NULL when it is out. */
const char *axis_title(const struct axis *axis, struct arena *arena);

/* Ticks with at most `labels` labels. */
int axis_divide(const struct axis *axis, size_t labels, struct arena *arena,
                struct axis_ticks *out, struct err *err);

#endif
