/* JSON Lines: an object for each record. */
#ifndef NORMALIZE_EXPORT_JSON_H
#define NORMALIZE_EXPORT_JSON_H

#include "schema/command.h"
#include "schema/err.h"

/* Keys are the names of the columns, absent ones are left out; counts and numbers are numbers, params an
 * object of texts. output: a file, NULL or "-" for standard output. */
int json_export(const struct arguments *arguments, const char *output, struct err *err);

#endif
