/* The names behind the numbers of ARM's main ID register (MIDR_EL1): Linux shows numbers alone. */
#ifndef COLLECT_FINGERPRINT_ARM_H
#define COLLECT_FINGERPRINT_ARM_H

#include "collect/fingerprint/facts.h"

/* Adds cpu.vendor and cpu.model from the `CPU implementer` and `CPU part` lines of all CPUs in a
 * /proc/cpuinfo, unless a source before has said them: every kind of core with how many there are
 * ("Cortex-A76 x4, Cortex-A55 x4"). Adds nothing where there are no such lines. */
void arm_add_model(struct facts *facts, const char *cpuinfo);

/* The main ID register of each CPU, put together from its lines in a /proc/cpuinfo: out[cpu], for
 * cpu < PROBE_CPUS_MAX; those of CPUs that have no such lines stay as they are. */
void arm_midrs(const char *cpuinfo, uint32_t *out);
/* "Cortex-A76" of a main ID register. */
void arm_core_name(uint32_t midr, char *out, size_t size);

#endif
