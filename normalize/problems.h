/* What is wrong with a file, line by line, kept until it is the file's turn: in memory, and in a temporary
 * file where it is much. */
#ifndef NORMALIZE_PROBLEMS_H
#define NORMALIZE_PROBLEMS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "schema/buffer.h"
#include "schema/err.h"
#include "schema/spill.h"

/* `struct problems problems = {.path = , .is_json = , .max = , .folder = }`, all borrowed;
 * problems_free ends it. */
struct problems {
    const char *path;   /* of the file */
    const char *folder; /* for what is too much for memory, see spill_open */
    bool is_json;
    uint64_t max;      /* more are counted and not kept */
    uint64_t n;        /* all */
    uint64_t n_kept;
    struct buffer kept; /* each with its size in front, a uint32_t */
    struct spill *spill; /* what was kept before that; or NULL */
};

void problems_free(struct problems *problems);
/* text: "FILE:LINE: what is wrong" */
int problems_add(struct problems *problems, const char *text, struct err *err);
/* One after the other, as they were added, or as objects where is_json; text: [size], borrowed for the
 * call. Ends early when take returns something else than 0, and returns that. */
typedef int problem_fn(void *context, const char *text, size_t size, struct err *err);
int problems_each(struct problems *problems, problem_fn *take, void *context, struct err *err);
/* Prints at most `max` of them, a line each. */
int problems_print(struct problems *problems, uint64_t max, FILE *out, struct err *err);

#endif
