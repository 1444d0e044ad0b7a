/* Dhry.txt. */
#include <string.h>

#include "normalize/import/longbottom.h"

static bool is_title(const char *line)
{
    return import_begins(line, "Dhrystone Benchmark ");
}

static int read_section(struct import *import, const struct section *section, size_t *n_results,
                        struct err *err)
{
    (void)err;
    bool is_right = false;
    for (size_t i = section->title; i < section->end; i++)
        is_right |= import_begins(import->lines[i], "Numeric results were correct");
    for (size_t i = section->title; i < section->end; i++) {
        const char *figure = import_after(import->lines[i], "Dhrystones per Second:");
        if (import_begins(import->lines[i], "Nanoseconds one Dhrystone") ||
            import_begins(import->lines[i], "VAX MIPS rating"))
            import_use(import, i, i + 1); /* both are made of the rate */
        if (!figure)
            continue;
        struct record sample = import_sample(import, "dhrystone", "dhrystone", "rate");
        sample.variant = section->variant;
        figure += strspn(figure, " ");
        if (is_right)
            import_add_text(import, &sample, figure, 1, "op/s");
        else
            import_add_status(import, &sample, STATUS_WRONG,
                              "the log does not say that the numeric results were correct");
        import_use(import, i, i + 1);
        ++*n_results;
    }
    return 0;
}

static const struct longbottom format = {"Benchmark", is_title, false, "dhrystone",
                                         "dhrystone", "rate", read_section};

static bool dhry_recognises(const struct import *import)
{
    return longbottom_has(&format, import);
}

static int dhry_read(struct import *import, struct err *err)
{
    return longbottom_read(&format, import, err);
}

const struct importer importer_dhry = {"dhry", "Dhry.txt of Longbottom's Dhrystone 2.1", dhry_recognises,
                                       dhry_read};
