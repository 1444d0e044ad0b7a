/* The command line of all three programs: verbs, options from a table, --help made from it,
 * --version, exit codes. */
#ifndef SCHEMA_COMMAND_H
#define SCHEMA_COMMAND_H

#include <stdbool.h>
#include <stddef.h>

#include "schema/err.h"

struct option_spec {
    const char *name;     /* long name without dashes */
    char letter;          /* short form, or 0 */
    const char *argument; /* name of its argument in --help, NULL for a flag */
    const char *help;
};

/* What was given on the command line, all borrowed from argv. */
struct arguments {
    const struct option_spec *specs;
    size_t n_specs;
    struct given {
        const struct option_spec *spec;
        const char *value; /* "" for a flag */
    } *given;              /* [n_given] in the order given */
    size_t n_given;
    char **operands; /* [n_operands] */
    size_t n_operands;
};

struct verb {
    const char *name;
    const char *operands; /* "FILE...": words in [] may be left out, `...` means more of them */
    const char *summary;
    const struct option_spec *options; /* ended by a NULL name; NULL for none */
    /* Returns 0 or an enum err_code; with err->text empty when it has said what is wrong itself. */
    int (*run)(const struct arguments *arguments, struct err *err);
};

struct program {
    const char *name;
    const char *summary;
    const struct verb *verbs; /* ended by a NULL name */
};

/* Runs the verb of argv and returns the exit code; prints errors as `program: ...` on standard
 * error. The only place that does. */
int command_main(const struct program *program, int argc, char **argv);

/* The last value given for an option, NULL when it was not given. name must be in the table. */
const char *argument_value(const struct arguments *arguments, const char *name);
bool argument_given(const struct arguments *arguments, const char *name);
/* The i-th value (from 0) of an option that may be given several times, or NULL. */
const char *argument_nth(const struct arguments *arguments, const char *name, size_t i);
/* True when the names with commas between them have this one, or the list is NULL. */
bool argument_list_has(const char *list, const char *name);

/* Readers of option values; *out is left alone when the option was not given. ERR_USAGE names the
 * option. */
int argument_count(const struct arguments *arguments, const char *name, unsigned long min,
                   unsigned long max, unsigned long *out, struct err *err);
int argument_seconds(const struct arguments *arguments, const char *name, double min, double max,
                     double *out, struct err *err);
/* One of the words, separated by '|' in `words`: *out is its place from 0. */
int argument_word(const struct arguments *arguments, const char *name, const char *words, int *out,
                  struct err *err);

#endif
