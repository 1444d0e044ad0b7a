/* memSpeed.txt. MB/S is 10^6 B/s; KBytes is 1000 bytes over both arrays: 500 * 2^k doubles are printed
 * as 16/1000 of their number. What is counted is what is read, of x[m]=y[m] one array. */
#include <string.h>

#include "normalize/import/longbottom.h"

static bool is_title(const char *line)
{
    return import_begins(line, "Memory Reading Speed Test");
}

static bool is_heading(const char *line)
{
    return import_begins(line, "Memory") && strstr(line, "x[m]=x[m]+s*y[m]");
}

static int read_section(struct import *import, const struct section *section, size_t *n_results,
                        struct err *err)
{
    static const char *const tests[] = {"triad", "add", "copy"};
    static const char *const types[] = {"double", "float", "int32"};
    const char *heading = NULL, *cells[10];
    for (size_t i = section->title; i < section->end; i++) {
        const char *line = import->lines[i];
        double kbytes;
        if (is_heading(line)) {
            if (i + 2 >= section->end || !strstr(import->lines[i + 2], "MB/S"))
                return import_error(import, i, err, "the heading does not say MB/S");
            heading = import->lines[i + 2];
            import_use(import, i, i + 3);
        }
        if (import_begins(line, "Start of test") || import_begins(line, "End of test"))
            import_use(import, i, i + 1);
        if (!heading || !longbottom_cells(import, heading, line, cells, 10))
            continue;
        if (!import_number(cells[0], &kbytes))
            return import_error(import, i, err, "'%s' is no number of KBytes", cells[0]);
        import_use(import, i, i + 1);
        ++*n_results;
        for (size_t c = 0; c < 9; c++) {
            struct record sample = import_sample(import, "mem_speed", tests[c / 3], "rate");
            sample.variant = section->variant;
            RECORD_SET(&sample, x, kbytes * 1000);
            sample.x_unit = "B";
            sample.params = import_params(import, "code", "scalar", "counted", "read", "type",
                                          types[c % 3], NULL);
            import_add_text(import, &sample, cells[c + 1], 1e6, "B/s");
        }
    }
    return 0;
}

static const struct longbottom titled = {"MemSpeed", is_title, false, "mem_speed", "triad", "rate",
                                         read_section};
/* A log whose title was lost. */
static const struct longbottom headed = {"MemSpeed", is_heading, false, "mem_speed", "triad", "rate",
                                         read_section};

static bool memspeed_recognises(const struct import *import)
{
    return longbottom_has(&titled, import) || longbottom_has(&headed, import);
}

static int memspeed_read(struct import *import, struct err *err)
{
    return longbottom_read(longbottom_has(&titled, import) ? &titled : &headed, import, err);
}

const struct importer importer_memspeed = {"memspeed", "memSpeed.txt of Longbottom's MemSpeed",
                                           memspeed_recognises, memspeed_read};
