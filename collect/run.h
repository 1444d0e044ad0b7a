/* `collect run`: the plan, job by job, into a record file. */
#ifndef COLLECT_RUN_H
#define COLLECT_RUN_H

#include "schema/command.h"

extern const struct option_spec run_options[];
int run_verb(const struct arguments *arguments, struct err *err);

#endif
