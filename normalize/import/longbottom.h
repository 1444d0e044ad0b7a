/* What the logs of Roy Longbottom's Linux programs have in common: runs appended one behind the other,
 * each begun by its title; a block about the system before or after the results; headings without
 * results where a run was ended. */
#ifndef NORMALIZE_IMPORT_LONGBOTTOM_H
#define NORMALIZE_IMPORT_LONGBOTTOM_H

#include "normalize/import/importing.h"

/* One run: lines [first, end), its title at `title`. */
struct section {
    size_t first, title, end;
    const char *variant; /* the program and the build, of the title */
};

/* Adds the samples of a run and marks its lines; *n_results is how many lines had results. */
typedef int section_fn(struct import *import, const struct section *section, size_t *n_results,
                       struct err *err);

struct longbottom {
    const char *program; /* what stands before the build in the title: "BusSpeed" */
    bool (*is_title)(const char *line);
    bool is_system_before; /* the block stands before the title */
    /* what is said to have failed where a title has no results */
    const char *kernel, *test, *metric;
    section_fn *read;
};

bool longbottom_has(const struct longbottom *format, const struct import *import);
int longbottom_read(const struct longbottom *format, struct import *import, struct err *err);

/* What stands between `before` and the time in a line, which is how the program was built: "Opt 3 32
 * Bit"; "" when `before` is not there. And the name of a variant made of it. */
const char *longbottom_build(struct import *import, const char *line, const char *before);
const char *longbottom_variant(struct import *import, const char *build);

/* The cells of a row of n columns: its words when there are n, else what stands below the words of the
 * heading, whose right edges are the columns' (columns of old logs run together when figures grow).
 * False when the row starts with no number. */
bool longbottom_cells(struct import *import, const char *heading, const char *row,
                      const char **cells, size_t n);

#endif
