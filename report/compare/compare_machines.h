/* Notes of what the machines of the two sides differ in. */
#ifndef REPORT_COMPARE_COMPARE_MACHINES_H
#define REPORT_COMPARE_COMPARE_MACHINES_H

#include "report/compare/compare_entries.h"

/* Adds a note for each two machines, or configurations of one machine, that were compared: the facts of
 * identity in which they differ; and one where configurations were taken together. */
int compare_machines_note(struct comparison *comparison, const struct compare_entries *entries,
                          struct err *err);

#endif
