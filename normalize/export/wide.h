/* A table with a row for each sample, and chosen facts of its run as columns. */
#ifndef NORMALIZE_EXPORT_WIDE_H
#define NORMALIZE_EXPORT_WIDE_H

#include "schema/command.h"
#include "schema/err.h"

/* The columns of a record from run to text, then one for each --facts=NAME,...: the fact's text, or its
 * number in the base unit; empty where it is unknown. Of facts of state the one before the tests, or with
 * NAME@after the one behind them. output: a file, NULL or "-" for standard output. */
int wide_export(const struct arguments *arguments, const char *output, struct err *err);

#endif
