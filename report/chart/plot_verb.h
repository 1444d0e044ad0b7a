/* report plot: one graph as a file. */
#ifndef REPORT_CHART_PLOT_VERB_H
#define REPORT_CHART_PLOT_VERB_H

#include "schema/command.h"
#include "schema/err.h"

extern const struct option_spec plot_verb_options[];
int plot_verb(const struct arguments *arguments, struct err *err);

#endif
