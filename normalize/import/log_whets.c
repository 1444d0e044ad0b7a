/* whets.txt. N1, N2 and N6 are in MFLOPS, the others in MOPS; the result of the calculation before each, and
 * seconds behind it. */
#include <string.h>

#include "normalize/import/longbottom.h"

static bool is_title(const char *line)
{
    return import_begins(line, "Whetstone Single Precision") ||
           import_begins(line, "Whetstone Double Precision");
}

static void add_result(struct import *import, const struct section *section, const char *test,
                       const char *figure, const char *seconds)
{
    bool is_float = strstr(import->lines[section->title], "Single Precision") != NULL;
    bool is_flops = strstr("n1 n2 n6", test) != NULL;
    struct record sample =
        import_sample(import, "whetstone", test, is_flops ? "flops" : "rate");
    sample.variant = section->variant;
    sample.params = import_params(import, "type", is_float ? "float" : NULL, NULL);
    import_add_timed(import, &sample, figure, 1e6, is_flops ? "flop/s" : "op/s", seconds);
}

static int read_section(struct import *import, const struct section *section, size_t *n_results,
                        struct err *err)
{
    const char *words[12];
    double result;
    for (size_t i = section->title + 1; i < section->end; i++) {
        size_t n = import_words(import, import->lines[i], words, 12);
        if (n == 0 || n > 12)
            continue;
        bool is_loop = words[0][0] == 'N' && words[0][1] >= '1' && words[0][1] <= '8' && !words[0][2];
        bool is_total = strcmp(words[0], "MWIPS") == 0;
        if (import_begins(import->lines[i], "Loop content"))
            import_use(import, i, i + 1);
        if (!is_loop && !is_total)
            continue;
        size_t first = 1; /* of the numbers, behind a name of several words */
        while (is_loop && first < n && !import_number(words[first], &result))
            first++;
        if (n != first + (is_loop ? 3 : 2))
            return import_error(import, i, err, "a figure or its seconds are missing");
        add_result(import, section, import_name(import, words[0]), words[n - 2], words[n - 1]);
        import_use(import, i, i + 1);
        ++*n_results;
    }
    return 0;
}

static const struct longbottom format = {"Benchmark", is_title, false, "whetstone", "mwips", "rate",
                                         read_section};

static bool whets_recognises(const struct import *import)
{
    return longbottom_has(&format, import);
}

static int whets_read(struct import *import, struct err *err)
{
    return longbottom_read(&format, import, err);
}

const struct importer importer_whets = {"whets", "whets.txt of Longbottom's Whetstone", whets_recognises,
                                        whets_read};
