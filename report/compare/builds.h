/* Builds of collect, as the runs of a machine describe them. */
#ifndef REPORT_COMPARE_BUILDS_H
#define REPORT_COMPARE_BUILDS_H

#include "report/select.h"

/* What a run says of one of its builds: a fact such as "build.compiler", or NULL where it says nothing
 * or does not know. */
const char *build_fact(const struct machine *machine, const char *run, const char *variant,
                       const char *name);

/* The hash of the kernel's machine code in the build of a cell, as all runs of the cell have it; NULL
 * where one does not say, or says another. */
const char *cell_code(const struct selection *selection, const struct cell *cell);

/* True when the cell was measured in an emulator: a param of its own, as collect writes it. */
bool cell_is_emulated(const struct cell *cell);

#endif
