/* `collect list`: what there is to run. */
#ifndef COLLECT_LIST_H
#define COLLECT_LIST_H

#include "schema/command.h"

extern const struct option_spec list_options[];
int list_verb(const struct arguments *arguments, struct err *err);

#endif
