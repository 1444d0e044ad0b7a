/* How many caches of each level there are, and who shares one. */
#ifndef COLLECT_FINGERPRINT_CACHE_SHARE_H
#define COLLECT_FINGERPRINT_CACHE_SHARE_H

#include "collect/fingerprint/cpuid.h"
#include "collect/fingerprint/probe.h"

/* "cache.l1d", "cache.l2" ...; a unified first level serves data as well. NULL for what is none of
 * them. */
const char *cache_name(unsigned level, enum cache_kind kind);
/* Of "Data", "Instruction", "Unified" as Linux writes them. */
enum cache_kind cache_kind_of(const char *type);

/* Adds, from sysfs, cache.NAME.instances and cache.NAME.shared_by (CPUs that share one), and, where
 * not all of a level are alike, cache.NAME.sizes, "2 MiB x8, 4 MiB x4". */
void cache_add_shares(const struct probe_root *root, struct facts *facts);

#endif
