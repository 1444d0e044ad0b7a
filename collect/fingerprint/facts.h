/* A list of facts about the machine, the system, the build and their state: what probes fill, what
 * `collect system` prints and what `collect run` writes as fact rows. */
#ifndef COLLECT_FINGERPRINT_FACTS_H
#define COLLECT_FINGERPRINT_FACTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "schema/arena.h"
#include "schema/err.h"
#include "schema/writer.h"

/* Facts of identity decide what may stand in one column; facts of state explain a value. A private
 * fact (host name, serial number, path) enters a record only with --no-redact. */
enum fact_class { FACT_IDENTITY, FACT_STATE };

struct fact {
    const char *name;   /* "memory.total" */
    const char *source; /* "/proc/meminfo MemTotal", "CPUID leaf 4", ... */
    enum fact_class class;
    bool is_private;
    bool is_known;
    bool has_value;
    double value;
    const char *unit; /* "" without a value */
    const char *text; /* of a fact that is a text; why, where it is not known */
};

struct facts {
    struct arena arena;
    struct fact *facts; /* [n] in the order found */
    size_t n, capacity;
    enum fact_class class; /* given to facts that are added */
    bool failed;           /* memory ran out: checked once by the caller */
};

void facts_free(struct facts *facts);

/* Each copies its texts. Texts from outside are cleaned (text_clean). */
void facts_add_number(struct facts *facts, const char *name, double value, const char *unit,
                      const char *source);
void facts_add_text(struct facts *facts, const char *name, const char *text, const char *source);
void facts_add_private(struct facts *facts, const char *name, const char *text, const char *source);
/* why starts with one of these: "absent: ", "denied: ", "unparsable: ", "placeholder: ",
 * "implausible: ", or "not applicable: " where the machine has nothing that the fact could be of. */
void facts_add_unknown(struct facts *facts, const char *name, const char *source, const char *why,
                       ...) __attribute__((format(printf, 4, 5)));

/* The first known fact of that name, or NULL. */
const struct fact *facts_find(const struct facts *facts, const char *name);
uint64_t facts_number(const struct facts *facts, const char *name); /* 0 when not known */

struct run_identity {
    const char *run;     /* run id */
    const char *machine; /* label */
    const char *time;    /* RFC 3339 */
};

/* Writes the facts of a class as rows; when: "before" or "after" for FACT_STATE, "" else. */
int facts_write(const struct facts *facts, enum fact_class class, const char *when, bool redact,
                const struct run_identity *identity, struct writer *writer, struct err *err);

#endif
