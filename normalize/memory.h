/* The options --memory and --threads. */
#ifndef NORMALIZE_MEMORY_H
#define NORMALIZE_MEMORY_H

#include "normalize/merging.h"
#include "schema/command.h"
#include "schema/err.h"

int memory_limits(const struct arguments *arguments, struct merge_settings *settings,
                  struct err *err);
/* Adds to the error that memory ran out which option asks for less, where that is so. Returns result. */
int memory_hint(const struct arguments *arguments, int result, struct err *err);

#endif
