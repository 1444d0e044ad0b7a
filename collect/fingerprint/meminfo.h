/* Lines of /proc/meminfo as facts. */
#ifndef COLLECT_FINGERPRINT_MEMINFO_H
#define COLLECT_FINGERPRINT_MEMINFO_H

#include "collect/fingerprint/probe.h"

#define MEMINFO "/proc/meminfo"

/* Adds the line with this key, in B: its kB are KiB.
 * meminfo, error: what probe_read gave of it */
void meminfo_add(struct facts *facts, const char *meminfo, int error, const char *name,
                 const char *key);

#endif
