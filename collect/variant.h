/* Other builds of collect on this machine: other compilers, word sizes and flags. Each runs jobs for
 * this one, so that the variants of a run meet the machine in the same moods. */
#ifndef COLLECT_VARIANT_H
#define COLLECT_VARIANT_H

#include <stdbool.h>
#include <stddef.h>

#include "schema/arena.h"
#include "schema/err.h"

/* The hash, 64 digits, of the machine code of a kernel: two builds with the same run the same
 * instructions, and what they differ by is noise. */
struct kernel_code {
    const char *kernel, *sha256;
};

/* Of this program, made by the build from the objects of the kernels; ended by a NULL kernel. */
extern const struct kernel_code kernel_codes[];

struct variant {
    const char *name;     /* "gcc12-m64-O2" */
    const char *path;     /* of its program; NULL: it is this one */
    const char *emulator; /* path of the program that it runs in; NULL: it runs by itself */
    const char *why;      /* why it cannot run; NULL: it can */
    /* What the program says of itself, "" where it cannot run. */
    const char *compiler, *kernel_flags, *harness_flags, *program_sha256;
    const struct kernel_code *codes; /* as kernel_codes */
};

struct variants {
    struct arena arena;
    struct variant *variants; /* [n] in the order of their names, or of the list */
    size_t n;
};

/* list: names separated by commas, or "all": this program and those beside it, but none with
 * sanitizers. They lie in ../../NAME/bin/collect in a build tree, in ../lib/collect/NAME/collect when
 * installed. ERR_USAGE names one that is not there. variants_free ends it, also after an error. */
int variants_find(struct variants *variants, const char *list, struct err *err);
void variants_free(struct variants *variants);

/* The hash of a kernel in a list, or "" where it is not in it. */
const char *kernel_code_find(const struct kernel_code *codes, const char *kernel);

/* The description that variants_find reads, for the verb `worker`. */
int variant_describe(struct err *err);

#endif
