/* Paths below a root, links included: nothing in a captured tree leads out of it. */
#ifndef COLLECT_FINGERPRINT_BELOW_H
#define COLLECT_FINGERPRINT_BELOW_H

/* Opens root/path with flags and O_CLOEXEC. An absolute link means a place below the root, and the
 * parent of the root is the root. root "" is the system's own. -1 and errno on failure. */
int below_open(const char *root, const char *path, int flags);

#endif
