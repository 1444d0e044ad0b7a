/* What makes configurations of machines differ, fact by fact. */
#ifndef REPORT_CONFIGURATION_H
#define REPORT_CONFIGURATION_H

#include "report/machine.h"

/* A fact of identity that two machines do not agree in. NULL: it was not recorded; never both. */
struct difference {
    const char *name;
    const struct record *a, *b;
};

/* False for facts of state or of one run, such as its seed, for ids and for hashes, which only say that
 * something differs. */
bool is_of_configuration(const struct record *fact);

/* The facts that two machines, or two configurations of one, do not agree in and at least one knows; by
 * name, those that both know first. Facts of one run, such as its seed, ids and hashes are left out, and
 * what differs between the runs of either, of which machines_warn tells. *list [*n] lives in the arena. */
int configuration_differences(const struct machine *a, const struct machine *b, struct arena *arena,
                              struct difference **list, size_t *n, struct err *err);

/* Appends "limit.memory: none against 256 MiB; ..." for the first `most` of them, and how many more there
 * are. Long texts are cut. */
void differences_text(const struct difference *list, size_t n, size_t most, struct buffer *out);

#endif
