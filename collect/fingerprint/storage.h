/* The chain of devices below a file system. */
#ifndef COLLECT_FINGERPRINT_STORAGE_H
#define COLLECT_FINGERPRINT_STORAGE_H

#include "collect/fingerprint/mounts.h"

enum { STORAGE_NAME_SIZE = 64 };

/* Appends "dm-0 (LVM) > sda2 + sdb2 > sda", or "overlay > sda1 > sda", and puts the name of the disk
 * at its end, of several the first, into disk and of the partition on it, or "", into partition.
 * NULL, or why there is no chain; *out is untouched then. */
const char *storage_chain(const struct probe_root *root, const struct mounts *mounts,
                          const struct mount *mount, char disk[static STORAGE_NAME_SIZE],
                          char partition[static STORAGE_NAME_SIZE], struct buffer *out);

#endif
