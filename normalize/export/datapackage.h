/* A Frictionless Data Package: datapackage.json with a Table Schema made from the table of columns, and a
 * CSV resource for each record file (specs.frictionlessdata.io, Tabular Data Package 1.0). */
#ifndef NORMALIZE_EXPORT_DATAPACKAGE_H
#define NORMALIZE_EXPORT_DATAPACKAGE_H

#include "schema/command.h"
#include "schema/err.h"

/* Writes the folder `output`: each operand in canonical form, without its end row, whose sum is in
 * datapackage.json instead, as data/NAME.csv. NAME is that of the file, or of its folder when it is
 * called records.csv; two of one name are ERR_USAGE. The source of a file is what the README.md beside it
 * is headed with. */
int datapackage_export(const struct arguments *arguments, const char *output, struct err *err);

#endif
