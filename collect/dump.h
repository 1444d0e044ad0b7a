/* `collect dump`: the bytes of a range of a file or device, shown or copied, as GETBLOCK does. */
#ifndef COLLECT_DUMP_H
#define COLLECT_DUMP_H

#include "schema/command.h"

extern const struct option_spec dump_options[];
int dump_verb(const struct arguments *arguments, struct err *err);

#endif
