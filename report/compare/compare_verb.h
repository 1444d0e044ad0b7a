/* report compare: the command. */
#ifndef REPORT_COMPARE_COMPARE_VERB_H
#define REPORT_COMPARE_COMPARE_VERB_H

#include "schema/command.h"
#include "schema/err.h"

extern const struct option_spec compare_verb_options[];
int compare_verb(const struct arguments *arguments, struct err *err);

#endif
