/* BMPSpeed's log. Images and memory are in MiB, the rate of scrolling in 10^6 B/s. */
#include <string.h>

#include "normalize/import/longbottom.h"

static bool is_title(const char *line)
{
    return import_begins(line, "Image Editing Speeds");
}

static int read_section(struct import *import, const struct section *section, size_t *n_results,
                        struct err *err)
{
    static const struct {
        const char *test, *metric, *unit;
        double factor;
    } columns[] = {{"enlarge", "time", "s", 1},   {"save", "time", "s", 1},
                   {"load", "time", "s", 1},      {"scroll", "time", "s", 1e-3},
                   {"scroll", "rate", "B/s", 1e6}, {"rotate", "time", "s", 1},
                   {"all", "memory", "B", 1048576}};
    const char *heading = NULL, *cells[8];
    for (size_t i = section->title + 1; i < section->end; i++) {
        const char *line = import->lines[i];
        double mbytes;
        if (import_begins(line, "Input Enlarge")) {
            if (i + 2 >= section->end || !import_begins(import->lines[i + 2], "Mbytes") ||
                !strstr(import->lines[i + 2], "msecs"))
                return import_error(import, i, err, "the heading does not give the units");
            heading = import->lines[i + 2];
            import_use(import, i, i + 3);
        }
        if (import_begins(line, "End at"))
            break;
        if (!heading || !longbottom_cells(import, heading, line, cells, 8))
            continue;
        if (!import_number(cells[0], &mbytes))
            return import_error(import, i, err, "'%s' is no number of Mbytes", cells[0]);
        import_use(import, i, i + 1);
        ++*n_results;
        for (size_t c = 0; c < 7; c++) {
            struct record sample =
                import_sample(import, "image", columns[c].test, columns[c].metric);
            sample.variant = section->variant;
            RECORD_SET(&sample, x, mbytes * 1048576);
            sample.x_unit = "B";
            import_add_text(import, &sample, cells[c + 1], columns[c].factor, columns[c].unit);
        }
    }
    return 0;
}

static const struct longbottom format = {"Speeds", is_title, false, "image", "enlarge",
                                         "time", read_section};

static bool bmpspeed_recognises(const struct import *import)
{
    return longbottom_has(&format, import);
}

static int bmpspeed_read(struct import *import, struct err *err)
{
    return longbottom_read(&format, import, err);
}

const struct importer importer_bmpspeed = {"bmpspeed", "the log of Longbottom's BMPSpeed",
                                           bmpspeed_recognises, bmpspeed_read};
