/* `collect run` and `collect rerun`: the plan, job by job, into a record file. */
#ifndef COLLECT_RUN_H
#define COLLECT_RUN_H

#include "schema/command.h"

int run_verb(const struct arguments *arguments, struct err *err);
/* The same plan again, from a record file, as a new run. */
int rerun_verb(const struct arguments *arguments, struct err *err);

#endif
