/* Every record of some files once, in canonical order, within a bounded memory. */
#ifndef NORMALIZE_EACH_RECORD_H
#define NORMALIZE_EACH_RECORD_H

#include "schema/err.h"
#include "schema/record.h"

/* The record is borrowed for the call. */
typedef int each_record_fn(void *context, const struct record *record, struct err *err);

/* paths: [n]. All files are read and checked before the first call. Errors as of merge_files. */
int each_record(char *const *paths, size_t n, each_record_fn *fn, void *context, struct err *err);

#endif
