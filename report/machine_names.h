/* What machines and their configurations are called. */
#ifndef REPORT_MACHINE_NAMES_H
#define REPORT_MACHINE_NAMES_H

#include "report/machine.h"

/* Sets whole, name and short_name of each machine, which has its facts. Machines of one label are told
 * apart by their ids; configurations of one machine by a fact that tells them apart, else by the start of
 * the hash. Warns of both, and says in which facts configurations differ. */
int machines_name(struct machines *machines, struct arena *arena, struct warnings *warnings,
                  struct err *err);

#endif
