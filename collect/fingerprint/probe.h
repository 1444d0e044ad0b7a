/* What probes read with: files below a root, never in full trust. */
#ifndef COLLECT_FINGERPRINT_PROBE_H
#define COLLECT_FINGERPRINT_PROBE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collect/fingerprint/fingerprint.h"
#include "schema/buffer.h"

/* Why a question for the processor or the running kernel has no answer below a captured root. */
#define PROBE_NOT_LIVE "absent: not asked of a captured tree"

#define PROBE_CPUS "/sys/devices/system/cpu"
enum { PROBE_CPUS_MAX = 8192 }; /* as many as Linux can be built for (x86, MAXSMP) */

/* True on the running machine: instructions and system calls may be asked. */
bool probe_is_live(const struct probe_root *root);

/* Reads root/path whole (at most 16 MiB) into *out, cleared first; blanks and line ends at its end
 * are left out. 0, or the errno. Links are followed below the root alone. path starts with a
 * slash. */
int probe_read(const struct probe_root *root, struct buffer *out, const char *path, ...)
    __attribute__((format(printf, 3, 4)));
bool probe_exists(const struct probe_root *root, const char *path, ...)
    __attribute__((format(printf, 2, 3)));
/* The names in a folder, in byte order, each ended by a LF; dot files left out. 0, or the errno. */
int probe_list(const struct probe_root *root, struct buffer *out, const char *path, ...)
    __attribute__((format(printf, 3, 4)));

/* "absent", "denied" or "unparsable": the first word of a reason, from an errno. */
const char *probe_reason(int error);

/* The value of the first line with this key: behind the line's colon ("MemTotal:  24683284 kB",
 * "model name\t: AMD EPYC"), or behind the key and a blank where the line has no colon
 * ("inactive_file 4096"). Blanks around it are left out. False, *out empty, without such a line. */
bool probe_line_value(const char *text, const char *key, struct buffer *out);
/* The digits the text starts with, as a number; false when it does not start with any. */
bool probe_count(const char *text, uint64_t *out);
/* As probe_count, in thousandths: "1.4" is 1400. Further digits are cut. */
bool probe_thousandths(const char *text, uint64_t *out);
/* The CPUs of a list such as "0-3,8", ascending; how many, 0 when it is none. */
size_t probe_cpu_list(const char *text, unsigned out[static PROBE_CPUS_MAX]);
/* Appends CPUs, ascending, as such a list. */
void probe_add_cpu_list(const unsigned *cpus, size_t n, struct buffer *out);
/* The CPUs that are online, by sysfs; 0 when it does not say. */
size_t probe_cpus_online(const struct probe_root *root, unsigned out[static PROBE_CPUS_MAX]);
/* The word in brackets of "none [mq-deadline] kyber", or the whole text where there are none. */
void probe_bracketed(const char *text, struct buffer *out);
/* A text of the system's as a part of a fact's name: its first line in lower case, what is neither a
 * letter nor a digit as '_'. */
enum { PROBE_WORD_SIZE = 40 };
void probe_word(const char *text, char out[static PROBE_WORD_SIZE]);
/* What makers leave in a field they did not fill in: "To Be Filled By O.E.M.", zeros ... */
bool probe_is_placeholder(const char *text);

/* Adds the content of a file as a text, or as a number times factor; or why it is unknown. */
void probe_add_file(const struct probe_root *root, struct facts *facts, const char *name,
                    const char *path);
void probe_add_file_number(const struct probe_root *root, struct facts *facts, const char *name,
                           double factor, const char *unit, const char *path);
/* As probe_add_file, of the word in brackets. */
void probe_add_file_bracketed(const struct probe_root *root, struct facts *facts, const char *name,
                              const char *path);
/* As facts_add_text, or unknown where the text is a placeholder. */
void probe_add_checked(struct facts *facts, const char *name, const char *text, const char *source);
/* Adds an unknown unless a fact of that name, known or not, is there. */
void probe_add_missing(struct facts *facts, const char *name, const char *source, const char *why);

#endif
