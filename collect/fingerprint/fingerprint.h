/* The fingerprint: every probe, in order, below one root. */
#ifndef COLLECT_FINGERPRINT_FINGERPRINT_H
#define COLLECT_FINGERPRINT_FINGERPRINT_H

#include "collect/fingerprint/facts.h"
#include "kernels/kernel.h"

/* Where probes read. */
struct probe_root {
    const char *path; /* "" is the real machine, else a captured tree: no question goes to the
                         running kernel or processor then, only to files below it */
    const char *folder; /* folder whose disk is under test (--dir) */
};

/* One file collect/fingerprint/probe_<subject>.c each; the build finds them as it finds kernels. */
struct probe {
    const char *name;
    void (*identity)(const struct probe_root *root, struct facts *facts); /* NULL: none */
    void (*state)(const struct probe_root *root, struct facts *facts);    /* NULL: none */
};
extern const struct probe *const probe_registry[]; /* ended by NULL */

/* All identity facts, then `config.hash`. */
int fingerprint_identity(const struct probe_root *root, struct facts *facts, struct err *err);
int fingerprint_state(const struct probe_root *root, struct facts *facts, struct err *err);

/* Adds `config.hash`, the SHA-256 over the first known one of each name that is
 * not private (length-prefixed, in order of their names). machine.id and build.program_sha256 are
 * left out of it: two like machines, and two compilations alike, have one configuration; and so is what
 * not every user may read, so that it does not depend on who asks. */
void fingerprint_add_hash(struct facts *facts);

/* What kernels need of it. */
void fingerprint_host(const struct facts *identity, const struct facts *state,
                      struct kernel_host *host);

/* A label for the machine from its processor and the start of its id, such as
 * "amd-epyc-1f3a9c": [A-Za-z0-9.-]. */
void fingerprint_label(const struct facts *identity, char *out, size_t size);

#endif
