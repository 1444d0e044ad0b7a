/* `collect system`: the fingerprint by itself. */
#ifndef COLLECT_SYSTEM_H
#define COLLECT_SYSTEM_H

#include "collect/fingerprint/fingerprint.h"
#include "schema/command.h"
#include "schema/writer.h"

enum system_format { SYSTEM_TEXT, SYSTEM_CSV, SYSTEM_JSON };

/* Takes the fingerprint below a root and hands it to the sink.
 * date: RFC 3339, for the records */
int system_write(const struct probe_root *root, enum system_format format, bool redact,
                 const char *date, sink_fn *sink, void *context, struct err *err);

extern const struct option_spec system_options[];
int system_verb(const struct arguments *arguments, struct err *err);

#endif
