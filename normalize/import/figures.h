/* Figures as other programs print them: which are numbers, and which are the lack of one. */
#ifndef NORMALIZE_IMPORT_FIGURES_H
#define NORMALIZE_IMPORT_FIGURES_H

#include "schema/record.h"

/* NULL and *value for a plain number; else why it is none, and the status that fits. */
const char *figure_read(const char *figure, double *value, enum record_status *status);

/* NULL, or why the value cannot be a measurement in this unit. */
const char *figure_refusal(double value, const char *unit);

#endif
