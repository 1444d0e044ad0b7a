/* The verb `export`: record files in the forms of other tools, one file below export/ for each. */
#ifndef NORMALIZE_EXPORT_H
#define NORMALIZE_EXPORT_H

#include "schema/command.h"

extern const struct option_spec export_options[];
int export_run(const struct arguments *arguments, struct err *err);

#endif
