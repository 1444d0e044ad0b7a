/* LLloops.txt. The 24 figures are of the first part, span=long; the ratings are of all three parts. */
#include <string.h>

#include "normalize/import/longbottom.h"

static bool is_title(const char *line)
{
    return import_begins(line, "Livermore Loops Benchmark") && strstr(line, "via C/C++");
}

static int add_loops(struct import *import, const struct section *section, size_t line,
                     struct err *err)
{
    const char *words[13];
    for (size_t loop = 0; loop < 24; line++) {
        if (line >= section->end || import_words(import, import->lines[line], words, 13) != 12)
            return import_error(import, line, err, "not the MFLOPS of 12 loops");
        import_use(import, line, line + 1);
        for (size_t i = 0; i < 12; i++, loop++) {
            struct record sample = import_sample(
                import, "livermore", import_text(import, "loop%zu", loop + 1), "flops");
            sample.variant = section->variant;
            sample.params = import_params(import, "span", "long", NULL);
            import_add_text(import, &sample, words[i], 1e6, "flop/s");
        }
    }
    return 0;
}

static int add_ratings(struct import *import, const struct section *section, size_t line,
                       struct err *err)
{
    static const char *const tests[] = {"max", "mean", "geomean", "harmonic", "min"};
    const char *words[6];
    if (line >= section->end || import_words(import, import->lines[line], words, 6) != 5)
        return import_error(import, line, err, "not the five ratings");
    import_use(import, line - 2, line + 1);
    for (size_t i = 0; i < 5; i++) {
        struct record sample = import_sample(import, "livermore", tests[i], "flops");
        sample.variant = section->variant;
        import_add_text(import, &sample, words[i], 1e6, "flop/s");
    }
    return 0;
}

static int read_section(struct import *import, const struct section *section, size_t *n_results,
                        struct err *err)
{
    for (size_t i = section->title; i < section->end; i++) {
        const char *line = import->lines[i];
        if (import_begins(line, "MFLOPS for 24 loops")) {
            import_use(import, i, i + 1);
            TRY(add_loops(import, section, i + 1, err));
            ++*n_results;
        } else if (import_begins(line, "Maximum Average Geomean Harmean Minimum")) {
            TRY(add_ratings(import, section, i + 1, err));
            ++*n_results;
        }
    }
    return 0;
}

static const struct longbottom format = {"Benchmark", is_title, false, "livermore",
                                         "geomean", "flops", read_section};

static bool lloops_recognises(const struct import *import)
{
    return longbottom_has(&format, import);
}

static int lloops_read(struct import *import, struct err *err)
{
    return longbottom_read(&format, import, err);
}

const struct importer importer_lloops = {"lloops", "LLloops.txt of Longbottom's Livermore loops",
                                         lloops_recognises, lloops_read};
