/* normalize check: every problem of record files as file:line: message. */
#ifndef NORMALIZE_CHECK_H
#define NORMALIZE_CHECK_H

#include "schema/command.h"
#include "schema/err.h"

extern const struct option_spec check_options[];
int check_run(const struct arguments *arguments, struct err *err);

#endif
