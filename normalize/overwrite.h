/* What is read is not replaced by what is made of it, but where it says so (merge -o). */
#ifndef NORMALIZE_OVERWRITE_H
#define NORMALIZE_OVERWRITE_H

#include <stdbool.h>

#include "schema/command.h"
#include "schema/err.h"

/* Whether both are one regular file, by any name, or will be; or both "-". */
bool overwrite_is_same(const char *a, const char *b);

/* ERR_USAGE when the output is one of the operands. option: "--output"; output: NULL is fine. */
int overwrite_check(const struct arguments *arguments, const char *option, const char *output,
                    struct err *err);

#endif
