/* MPMflopsLog.txt. Words of 4 bytes; rows whose words are not all the same failed the program's check. */
#include <stdio.h>
#include <string.h>

#include "normalize/import/longbottom.h"

static bool is_title(const char *line)
{
    return strstr(line, " MP SSE MFLOPS Benchmark") || strstr(line, " MP MFLOPS Benchmark");
}

static int read_section(struct import *import, const struct section *section, size_t *n_results,
                        struct err *err)
{
    const char *words[13];
    unsigned threads = 0;
    const char *comma = strchr(import->lines[section->title], ',');
    if (!comma || sscanf(comma, ", %6u Threads", &threads) != 1 || threads == 0)
        return import_error(import, section->title, err, "the title does not say how many threads");
    for (size_t i = section->title + 1; i < section->end; i++) {
        const char *line = import->lines[i];
        double n_words, ops, passes;
        size_t n = import_words(import, line, words, 13);
        if (!import_begins(line, "Data in & out") || (n > 7 && strcmp(words[7], "word") == 0))
            continue;
        bool is_checked = n == 11 && strcmp(words[10], "Yes") == 0;
        if (!is_checked && !(n == 12 && strcmp(words[9], "See") == 0 && strcmp(words[11], "No") == 0))
            return import_error(import, i, err, "not seconds, MFLOPS, the first result and whether all are "
                                                "the same");
        if (!import_number(words[4], &n_words) || !import_number(words[5], &ops) ||
            !import_number(words[6], &passes) || n_words < 1 || n_words > 1e12 || passes < 1 ||
            passes > 1e12)
            return import_error(import, i, err, "words, operations or passes are no numbers");
        import_use(import, i, i + 1);
        ++*n_results;
        struct record sample =
            import_sample(import, "mflops", import_text(import, "ops%g", ops), "flops");
        sample.variant = section->variant;
        RECORD_SET(&sample, threads, threads);
        RECORD_SET(&sample, x, n_words * 4);
        sample.x_unit = "B";
        RECORD_SET(&sample, iterations, (uint64_t)passes);
        if (!is_checked)
            import_add_status(import, &sample, STATUS_WRONG, "the words are not all the same");
        else
            import_add_timed(import, &sample, words[8], 1e6, "flop/s", words[7]);
    }
    return 0;
}

static const struct longbottom format = {"Threads,", is_title, true, "mflops", "ops2", "flops",
                                         read_section};

static bool mp_mflops_recognises(const struct import *import)
{
    return longbottom_has(&format, import);
}

static int mp_mflops_read(struct import *import, struct err *err)
{
    return longbottom_read(&format, import, err);
}

const struct importer importer_mp_mflops = {"mp_mflops", "MPMflopsLog.txt of Longbottom's MP-MFLOPS",
                                            mp_mflops_recognises, mp_mflops_read};
