/* Figures that are computed from others: percentages, ratios, means, extremes. A formula is parsed
 * once and computed for each cell of a table.
 *
 *   sum     = product { ("+" | "-") product }
 *   product = factor { ("*" | "/") factor }
 *   factor  = number | name | function "(" sum { "," sum } ")" | "(" sum ")" | "-" factor
 *
 * A name stands for one figure or, where several bear it, for all of them: arithmetic goes element by
 * element, functions such as mean make one of many. What is missing makes the result of arithmetic
 * missing, and is left out by functions. */
#ifndef REPORT_LAYOUT_DERIVE_H
#define REPORT_LAYOUT_DERIVE_H

#include <stdbool.h>
#include <stddef.h>

#include "report/select.h"
#include "schema/arena.h"
#include "schema/err.h"
#include "schema/unit.h"

enum quantity_type { QUANTITY_NONE, QUANTITY_NUMBER, QUANTITY_TEXT };

struct quantity {
    enum quantity_type type;
    bool is_status;      /* of a text: it stands where a value should be */
    double number;       /* base unit, finite */
    double weight;       /* in means and sums, > 0 */
    const char *unit;    /* base unit; "1" of a ratio */
    enum better better;  /* BETTER_NONE once it was computed */
    const char *text;    /* borrowed */
    const struct cell *cell; /* it was taken from; NULL where computed */
};

/* What makes one figure of many. */
enum reducer {
    REDUCE_MAX,
    REDUCE_MIN, /* of equal ones each gives that with the largest x */
    REDUCE_FIRST, /* by their order, in cells x ascending */
    REDUCE_LAST,
    REDUCE_MEAN,
    REDUCE_GEOMEAN,  /* of numbers above 0; missing when one is not */
    REDUCE_HARMONIC, /* likewise */
    REDUCE_SUM,
    REDUCE_COUNT,
    REDUCE_NONE
};

/* REDUCE_NONE when there is none of that name. */
enum reducer reducer_find(const char *name, size_t size);

/* list: [n]; what is no number does not count. Means and sums are weighted; a mean of numbers in several
 * units is missing. */
struct quantity quantities_reduce(enum reducer reducer, const struct quantity *list, size_t n);

struct derive; /* a parsed formula; lives in the arena */

/* True when the name can be used here. */
typedef bool derive_known_fn(void *context, const char *name);
/* text: borrowed as long as the formula. ERR_DATA says what is wrong with it. */
int derive_parse(const char *text, derive_known_fn *is_known, void *context, struct arena *arena,
                 struct derive **out, struct err *err);
/* As it was written. */
const char *derive_text(const struct derive *derive);

/* Sets *list: [*n] the figures of a name, in the arena. is_common: those alone whose rows all columns
 * have. */
typedef int derive_lookup_fn(void *context, const char *name, bool is_common,
                             struct quantity **list, size_t *n, struct err *err);
/* Missing where the formula leaves several figures. */
int derive_compute(const struct derive *derive, derive_lookup_fn *lookup, void *context,
                   struct arena *arena, struct quantity *out, struct err *err);

#endif
