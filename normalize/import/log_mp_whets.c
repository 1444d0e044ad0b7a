/* MPwhetres.txt: a row of MWIPS, MFLOPS and MOPS for each number of threads. Their order is that of the
 * source's printing: the three floating-point loops, cos, exp, fixed point, if, assignments. */
#include <stdio.h>
#include <string.h>

#include "normalize/import/longbottom.h"

static bool is_title(const char *line)
{
    return import_begins(line, "MP-Whetstone Benchmark") || import_begins(line, "MP Whetstone Benchmark");
}

static int read_section(struct import *import, const struct section *section, size_t *n_results,
                        struct err *err)
{
    static const char *const tests[] = {"mwips", "n1", "n2", "n6", "n5", "n8", "n4", "n3", "n7"};
    const char *words[10];
    bool has_heading = false;
    for (size_t i = section->title + 1; i < section->end; i++) {
        const char *line = import->lines[i];
        unsigned threads;
        char t;
        if (import_begins(line, "MWIPS MFLOPS MFLOPS MFLOPS") && strstr(line, "Cos") &&
            i + 1 < section->end && strstr(import->lines[i + 1], "MOPS")) {
            has_heading = true;
            import_use(import, i, i + 2);
        }
        if (!has_heading || import_words(import, line, words, 10) != 10 ||
            sscanf(words[0], "%4u%c", &threads, &t) != 2 || t != 'T')
            continue;
        if (threads == 0)
            return import_error(import, i, err, "no threads");
        import_use(import, i, i + 1);
        ++*n_results;
        for (size_t c = 0; c < 9; c++) {
            bool is_flops = c >= 1 && c <= 3;
            struct record sample =
                import_sample(import, "whetstone", tests[c], is_flops ? "flops" : "rate");
            sample.variant = section->variant;
            RECORD_SET(&sample, threads, threads);
            import_add_text(import, &sample, words[c + 1], 1e6, is_flops ? "flop/s" : "op/s");
        }
    }
    return 0;
}

static const struct longbottom format = {"Benchmark", is_title, false, "whetstone", "mwips",
                                         "rate", read_section};

static bool mp_whets_recognises(const struct import *import)
{
    return longbottom_has(&format, import);
}

static int mp_whets_read(struct import *import, struct err *err)
{
    return longbottom_read(&format, import, err);
}

const struct importer importer_mp_whets = {"mp_whets", "MPwhetres.txt of Longbottom's MP-Whetstone",
                                           mp_whets_recognises, mp_whets_read};
