/* normalize merge: many record files as one archive in canonical form. */
#ifndef NORMALIZE_MERGE_H
#define NORMALIZE_MERGE_H

#include "schema/command.h"
#include "schema/err.h"

extern const struct option_spec merge_options[];
int merge_run(const struct arguments *arguments, struct err *err);

#endif
