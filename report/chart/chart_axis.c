#include "report/chart/chart_axis.h"

#include <math.h>
#include <string.h>

#include "report/chart/label.h"
#include "report/chart/ticks.h"
#include "schema/buffer.h"
#include "schema/unit.h"

int axis_init(struct axis *axis, const struct chart_axis *spec, double min, double max,
              bool has_only_powers_of_two, struct err *err)
{
    const struct unit *unit = unit_find(spec->unit);
    bool is_log = spec->scale == CHART_LOG;
    bool is_binary_unit = unit && unit->scale == SCALE_BINARY;
    double largest = fmax(fabs(min), fabs(max));
    *axis = (struct axis){.spec = spec, .data_min = min, .data_max = max};
    if (spec->display) {
        if (!scale_find(spec->unit, spec->display, &axis->scale))
            return err_set(err, ERR_USAGE, "%s is not a unit of %s", spec->display, spec->unit);
        int exponent;
        axis->is_binary = is_log && is_binary_unit && has_only_powers_of_two &&
                          frexp(axis->scale.per, &exponent) == 0.5;
    } else if (is_log && (is_binary_unit || max / min > 1000)) {
        /* No single prefix suits the whole range. */
        axis->has_unit_labels = true;
        axis->is_binary = is_binary_unit;
        axis->scale.per = 1;
    } else {
        axis->scale = scale_choose(largest, spec->unit, SCALE_DIGITS);
    }
    return 0;
}

const char *axis_title(const struct axis *axis, struct arena *arena)
{
    struct buffer title = {0};
    buffer_add_text(&title, axis->spec->title ? axis->spec->title : "");
    if (axis->scale.unit[0]) {
        buffer_add_text(&title, title.size > 0 ? ", " : "");
        buffer_add_text(&title, axis->scale.unit);
    }
    const char *out = title.failed ? NULL : label_clean(buffer_text(&title), arena);
    buffer_free(&title);
    return out;
}

static void divide(const struct axis *axis, size_t labels, struct ticks *ticks)
{
    double min = axis->data_min / axis->scale.per, max = axis->data_max / axis->scale.per;
    if (axis->spec->scale == CHART_LINEAR)
        ticks_linear(min, max, labels, ticks);
    else if (axis->is_binary)
        ticks_log2(min, max, labels, ticks);
    else
        ticks_log10(min, max, labels, ticks);
}

int axis_divide(const struct axis *axis, size_t labels, struct arena *arena,
                struct axis_ticks *out, struct err *err)
{
    struct ticks ticks;
    divide(axis, labels, &ticks);
    double per = axis->scale.per;
    *out = (struct axis_ticks){.min = ticks.min * per, .max = ticks.max * per};
    out->ticks = arena_alloc(arena, ticks.n * sizeof *out->ticks);
    if (!out->ticks)
        return err_set(err, ERR_SYSTEM, "out of memory");
    for (size_t i = 0; i < ticks.n; i++) {
        char text[SCALE_TEXT_SIZE] = "";
        enum { EXACT_DIGITS = 12 }; /* of a round number */
        if (ticks.has_label[i] && axis->has_unit_labels)
            scale_format(ticks.at[i], axis->spec->unit, EXACT_DIGITS, text);
        else if (ticks.has_label[i])
            scale_number(ticks.at[i], EXACT_DIGITS, text);
        const char *label = label_clean(text, arena);
        if (!label)
            return err_set(err, ERR_SYSTEM, "out of memory");
        out->ticks[i] = (struct chart_tick){ticks.at[i] * per, label};
    }
    out->n_ticks = ticks.n;
    return 0;
}
