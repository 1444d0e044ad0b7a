/* What probes read with: files below a root, never in full trust. */
#ifndef COLLECT_PROBE_H
#define COLLECT_PROBE_H

#include <stdarg.h>
#include <stdbool.h>

#include "collect/fingerprint.h"
#include "schema/buffer.h"

/* Reads root/path whole (at most 1 MiB) into *out, cleared first. 0, or the errno. */
int probe_read(const struct probe_root *root, struct buffer *out, const char *path, ...)
    __attribute__((format(printf, 3, 4)));

/* True on the running machine: instructions and system calls may be asked. */
bool probe_is_live(const struct probe_root *root);

/* The value behind `key` and a colon or blank in a text of lines ("MemTotal:  24683284 kB",
 * "model name\t: AMD EPYC"), blanks around it left out; false when there is no such line. */
bool probe_line_value(const char *text, const char *key, struct buffer *out);

/* "absent: PATH", "denied: PATH" ... for facts_add_unknown, from an errno. */
const char *probe_reason(int error);

#endif
