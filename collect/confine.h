/* A memory limit for one job, so that paging can be measured while the rest of the machine keeps its
 * memory: a control group (version 1 or 2) made for it, or a transient scope of the user's service
 * manager where there is one. */
#ifndef COLLECT_CONFINE_H
#define COLLECT_CONFINE_H

#include <stdbool.h>
#include <stdint.h>

#include "schema/err.h"

struct confine; /* from confine_open, ended by confine_close */

/* Makes a group that may use so many bytes of memory, and any amount of swap. The error says why it
 * cannot be made; nothing is left then. */
int confine_open(struct confine **out, uint64_t limit_bytes, struct err *err);
/* The calling process, and what it starts, is limited from now on. */
int confine_enter(const struct confine *confine, struct err *err);
/* True when the kernel has killed a process of the group since it had no memory left; false where that
 * cannot be told. */
bool confine_has_killed(const struct confine *confine);
/* Removes the group; no process may be in it. NULL is fine. */
void confine_close(struct confine *confine);

/* True when confine_open would work here (it is tried). */
bool confine_is_possible(void);

/* Removes groups that runs left behind which were killed. removed (may be NULL) is told the path. */
void confine_tidy(void (*removed)(const char *path));

#endif
