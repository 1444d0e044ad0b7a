/* A job for another build of collect: written as its command line, read back by its verb `worker`. */
#ifndef COLLECT_REMOTE_H
#define COLLECT_REMOTE_H

#include "collect/measure.h"
#include "collect/variant.h"
#include "schema/arena.h"
#include "schema/command.h"

enum { REMOTE_FD = 3 }; /* where the worker writes its messages */

/* The command line, ended by NULL, in the arena: for execv of its first word. NULL: out of memory. */
char *const *remote_command(const struct variant *variant, const struct measure_request *request,
                            struct arena *arena);

extern const struct option_spec worker_options[];
/* Runs the job of its command line and writes messages; without one, describes the program. */
int worker_verb(const struct arguments *arguments, struct err *err);

#endif
