/* busSpeed.txt. MBytes/Second is 10^6 B/s of the words that are loaded; KBytes is 1024 bytes. */
#include <string.h>

#include "normalize/import/longbottom.h"

static bool is_title(const char *line)
{
    return import_begins(line, "BusSpeed ");
}

static int read_section(struct import *import, const struct section *section, size_t *n_results,
                        struct err *err)
{
    static const char *const tests[] = {"inc32", "inc16", "inc8", "inc4", "inc2", "read_all"};
    const char *heading = NULL, *wrong = NULL, *cells[7];
    for (size_t i = section->title; i < section->end; i++)
        if (strstr(import->lines[i], "Wrong result"))
            wrong = import->lines[i];
    for (size_t i = section->title; i < section->end; i++) {
        const char *line = import->lines[i];
        double kbytes;
        if (import_begins(line, "Reading Speed 4 Byte Words in MBytes/Second"))
            import_use(import, i, i + 1);
        if (import_begins(line, "Memory") && strstr(line, "Inc32") && i + 1 < section->end) {
            heading = import->lines[i + 1];
            import_use(import, i, i + 2);
        }
        if (!heading || !longbottom_cells(import, heading, line, cells, 7))
            continue;
        if (!import_number(cells[0], &kbytes))
            return import_error(import, i, err, "'%s' is no number of KBytes", cells[0]);
        import_use(import, i, i + 1);
        ++*n_results;
        for (size_t c = 0; c < 6; c++) {
            struct record sample = import_sample(import, "bus_speed", tests[c], "rate");
            sample.variant = section->variant;
            RECORD_SET(&sample, x, kbytes * 1024);
            sample.x_unit = "B";
            sample.params = import_params(import, "word", "32", NULL);
            if (wrong)
                import_add_status(import, &sample, STATUS_WRONG, wrong);
            else
                import_add_text(import, &sample, cells[c + 1], 1e6, "B/s");
        }
    }
    return 0;
}

static const struct longbottom format = {"BusSpeed", is_title, false, "bus_speed", "read_all", "rate",
                                         read_section};

static bool busspeed_recognises(const struct import *import)
{
    return longbottom_has(&format, import);
}

static int busspeed_read(struct import *import, struct err *err)
{
    return longbottom_read(&format, import, err);
}

const struct importer importer_busspeed = {"busspeed", "busSpeed.txt of Longbottom's BusSpeed",
                                           busspeed_recognises, busspeed_read};
