/* What a comparison says of itself besides its verdicts: how far they reach, and of what they are. */
#ifndef REPORT_COMPARE_COMPARE_NOTES_H
#define REPORT_COMPARE_COMPARE_NOTES_H

#include "report/compare/compare_entries.h"

/* Adds notes on cells (few repetitions, the same machine code), on machines (compare_machines_note) and
 * on runs (withdrawn, on both sides). The verdicts are made. */
int compare_notes_make(struct comparison *comparison, const struct compare_entries *entries,
                       struct err *err);

#endif
