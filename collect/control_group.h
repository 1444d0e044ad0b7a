/* The control groups of this process, version 2 or the controllers of version 1 (Linux,
 * Documentation/admin-guide/cgroup-v2.rst and cgroup-v1/). Paths of groups hold names and ids: they
 * are not recorded. */
#ifndef COLLECT_CONTROL_GROUP_H
#define COLLECT_CONTROL_GROUP_H

#include "collect/fingerprint/mounts.h"

enum { GROUP_LEVELS_MAX = 32 };

/* The folder of this process's group under one controller; `struct group group = {0}` is none. */
struct group {
    bool is_v2;
    struct buffer top;  /* mount point: the highest folder that can be seen */
    struct buffer path; /* below it, "" or "/a/b" */
};

/* Finds the group of a controller, version 1 where it has it, else version 2; false without one.
 * cgroup: /proc/self/cgroup. group_free ends it either way. */
bool group_find(const struct probe_root *root, const struct mounts *mounts, const char *cgroup,
                const char *controller, struct group *group);
void group_free(struct group *group);
/* One level up; false at the top. */
bool group_up(struct group *group);
/* As probe_read, of a file of the group. */
int group_read(const struct probe_root *root, const struct group *group, const char *file,
               struct buffer *out);

#endif
