/* The closed list of units, and of the metrics of samples. One table each, here and nowhere else. */
#ifndef SCHEMA_UNIT_H
#define SCHEMA_UNIT_H

#include <stdbool.h>
#include <stddef.h>

enum better { BETTER_NONE, BETTER_HIGHER, BETTER_LOWER };

/* How a number is scaled for a person: by powers of 1000 (SI, IEC 80000), by powers of 1024 (sizes
 * of memory), or not at all. */
enum unit_scale { SCALE_SI, SCALE_BINARY, SCALE_NONE };

struct unit {
    const char *name; /* base unit, as in records: "B/s" */
    const char *dimension;
    enum unit_scale scale;
};

/* A spelling found in other programs' output: value in base unit = value * factor. */
struct unit_spelling {
    const char *text; /* "MB/s" */
    const char *base; /* "B/s" */
    double factor;    /* 1e6 */
};

struct metric {
    const char *name;
    const char *units; /* the base units it may have, separated by blanks */
    enum better better;
    const char *meaning;
};

extern const struct unit units[];
extern const size_t n_units;
extern const struct unit_spelling unit_spellings[];
extern const size_t n_unit_spellings;
extern const struct metric metrics[];
extern const size_t n_metrics;

/* NULL when the list has none of that name. */
const struct unit *unit_find(const char *name);
const struct unit_spelling *unit_find_spelling(const char *text);
const struct metric *metric_find(const char *name);
bool metric_has_unit(const struct metric *metric, const char *unit);
const char *better_text(enum better better); /* "higher", "lower", "none" */

#endif
