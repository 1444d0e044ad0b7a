/* The verb `import`: results of other programs as records, one file below import/ for each format. */
#ifndef NORMALIZE_IMPORT_H
#define NORMALIZE_IMPORT_H

#include "schema/command.h"

struct importer;

/* All formats; a file below import/ that defines `const struct importer importer_NAME` and a line in
 * normalize/import.c make one. Ended by NULL. */
extern const struct importer *const importers[];

extern const struct option_spec import_options[];
int import_run(const struct arguments *arguments, struct err *err);

#endif
