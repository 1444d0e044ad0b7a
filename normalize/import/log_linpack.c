/* Linpack.txt, and what the program prints. The speed is the lower mean of five times with leading
 * dimension 201 and five with 200. */
#include <stdio.h>
#include <string.h>

#include "normalize/import/longbottom.h"

static bool is_title(const char *line)
{
    return strstr(line, "Linpack") && strstr(line, "Precision") && strstr(line, "Benchmark");
}

/* The programs compare with the digits of one compiler, so that another rounding is "non-standard";
 * LINPACK calls a normalized residual of the order of 1 to 10 right (Dongarra et al., LINPACK Users'
 * Guide, SIAM 1979). */
static const char *wrong_residual(struct import *import, const struct section *section)
{
    for (size_t i = section->title; i < section->end; i++) {
        const char *line = import->lines[i], *was = import_after(line, "result was");
        double residual;
        if (import_begins(line, "Variable norm. resid") && was &&
            (sscanf(was, "%lf", &residual) != 1 || !(residual >= 0 && residual <= 10)))
            return import_text(import, "%s", line + strspn(line, " "));
    }
    return NULL;
}

/* is_first: the one pass before all others, a warm-up. */
static void add_speed(struct import *import, const char *variant, const char *type, const char *lda,
                      bool is_first, const char *figure, const char *wrong)
{
    struct record sample = import_sample(import, "linpack", "n100", "flops");
    sample.variant = variant;
    if (is_first)
        RECORD_SET(&sample, rep, 0);
    sample.params = import_params(import, "lda", lda, "type", type, NULL);
    if (wrong)
        import_add_status(import, &sample, STATUS_WRONG, wrong);
    else
        import_add_text(import, &sample, figure, 1e6, "flop/s");
}

/* The build stands in a line of its own: "Optimisation Opt 3 32 Bit, Thu May ..."; "" for another line. */
static const char *build_of(struct import *import, const char *line)
{
    const char *build = longbottom_build(import, line, "Optimisation");
    if (!*build)
        build = longbottom_build(import, line, "Optimised");
    return import_begins(line, "Optimis") ? build : "";
}

static const char *variant_of(struct import *import, const struct section *section)
{
    for (size_t i = section->title; i < section->end; i++) {
        const char *build = build_of(import, import->lines[i]);
        if (*build)
            return longbottom_variant(import, build);
    }
    return import->importer->name;
}

static int read_section(struct import *import, const struct section *section, size_t *n_results,
                        struct err *err)
{
    const char *wrong = wrong_residual(import, section), *lda = NULL, *words[6];
    const char *title = import->lines[section->title];
    bool is_double = strstr(title, "Double Precision") != NULL;
    if (!is_double && !strstr(title, "Single Precision"))
        return import_error(import, section->title, err, "neither single nor double precision");
    const char *type = is_double ? "double" : "float";
    const char *variant = variant_of(import, section);
    bool is_first = false;
    double number;
    for (size_t i = section->title + 1; i < section->end; i++) {
        const char *line = import->lines[i];
        const char *first = import_after(line, "1 pass times for array with leading dimension of");
        size_t n = import_words(import, line, words, 6);
        if ((n == 2 || n == 3) && strcmp(words[0], "Speed") == 0 && strcmp(words[n - 1], "MFLOPS") == 0) {
            add_speed(import, variant, type, NULL, false, n == 3 ? words[1] : "", wrong);
            ++*n_results;
        } else if (n == 5 && strcmp(words[0], "Unrolled") == 0 && strcmp(words[2], "Precision") == 0 &&
                   strcmp(words[4], "Mflops") == 0) {
            add_speed(import, variant, type, NULL, false, words[3], wrong);
            ++*n_results;
        } else if (import_begins(line, "Times for array with leading dimension of")) {
            lda = import_name(import, import_after(line, "dimension of"));
            is_first = false;
        } else if (first && *n_results == 0) {
            lda = import_name(import, first);
            is_first = true;
        } else if (lda && n == 6 && import_number(words[0], &number)) {
            add_speed(import, variant, type, lda, is_first, words[3], wrong);
            lda = is_first ? NULL : lda;
            ++*n_results;
        } else if (import_begins(line, "Optimis")) {
            import_fact(import, "build.flags", build_of(import, line), "log");
        } else {
            continue;
        }
        import_use(import, i, i + 1);
    }
    return 0;
}

static const struct longbottom format = {"Linpack", is_title, false, "linpack", "n100", "flops",
                                         read_section};

static bool linpack_recognises(const struct import *import)
{
    return longbottom_has(&format, import);
}

static int linpack_read(struct import *import, struct err *err)
{
    return longbottom_read(&format, import, err);
}

const struct importer importer_linpack = {"linpack", "Linpack.txt of Longbottom's Linpack 100",
                                          linpack_recognises, linpack_read};
