/* File names from labels that anyone may have chosen. */
#ifndef REPORT_PAGE_SLUG_H
#define REPORT_PAGE_SLUG_H

#include <stddef.h>

#include "schema/arena.h"
#include "schema/err.h"

enum { SLUG_STEM_MAX = 40 };

/* slugs[i] becomes a file name without extension for names[i]: its letters and digits (and `_`) in
 * lower case, everything else as single `-`, cut to SLUG_STEM_MAX bytes; "unnamed" when nothing is
 * left. Where two names come to the same, each gets a part of the SHA-256 of the whole name, so that
 * a slug depends on no order. Never empty, never "." or "..", never with a `/`.
 * names: [n], all different, else ERR_DATA. Memory from the arena. */
int slugs_make(const char *const *names, size_t n, struct arena *arena, const char **slugs,
               struct err *err);

#endif
