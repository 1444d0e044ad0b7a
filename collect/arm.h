/* The names behind the numbers of ARM's main ID register (MIDR_EL1): Linux shows numbers alone. */
#ifndef COLLECT_ARM_H
#define COLLECT_ARM_H

#include "collect/facts.h"

/* Adds cpu.vendor and cpu.model from the `CPU implementer` and `CPU part` lines of all CPUs in a
 * /proc/cpuinfo, unless a source before has said them: every kind of core with how many there are
 * ("Cortex-A76 x4, Cortex-A55 x4"). Adds nothing where there are no such lines. */
void arm_add_model(struct facts *facts, const char *cpuinfo);

#endif
