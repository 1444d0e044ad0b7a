/* The mounts that this process sees: /proc/self/mountinfo (proc(5)). */
#ifndef COLLECT_FINGERPRINT_MOUNTS_H
#define COLLECT_FINGERPRINT_MOUNTS_H

#include "collect/fingerprint/probe.h"

struct mount {
    uint64_t major, minor;
    const char *root;    /* the folder in the file system that is mounted */
    const char *point;   /* where */
    const char *options; /* of this mount */
    const char *type;
    const char *source; /* a device, or what the file system calls its source */
    const char *super;  /* options of the file system */
};

struct mounts {
    struct mount *mounts; /* [n] in the order mounted */
    size_t n;
    struct buffer text; /* what the mounts point into */
};

/* 0, or the errno; mounts_free ends it either way. Lines that are none are left out. */
int mounts_read(const struct probe_root *root, struct mounts *mounts);
void mounts_free(struct mounts *mounts);
/* The mount that a path, absolute and without links, lies on; NULL when none is known. */
const struct mount *mounts_find(const struct mounts *mounts, const char *path);
/* True when the comma-separated options have this one. */
bool mount_option(const char *options, const char *name);

#endif
