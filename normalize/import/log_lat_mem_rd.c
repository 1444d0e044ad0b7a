/* lmbench's lat_mem_rd: "stride=128, then size in MiB and latency in ns (lat_mem_rd(8)). The sizes are
 * printed with five places, which is enough to tell the multiple of 64 bytes. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "normalize/import/importing.h"

static bool is_start(const char *line)
{
    return strncmp(line, "\"stride=", 8) == 0;
}

static bool lat_mem_rd_recognises(const struct import *import)
{
    for (size_t i = 0; i < import->n_lines; i++)
        if (is_start(import->lines[i]))
            return true;
    return false;
}

static int lat_mem_rd_read(struct import *import, struct err *err)
{
    const char *stride = NULL, *words[2];
    if (!lat_mem_rd_recognises(import))
        return import_error(import, 0, err, "no line is \"stride=");
    TRY(import_run_begin(import, import->bytes, import->size, err));
    for (size_t i = 0; i < import->n_lines; i++) {
        const char *line = import->lines[i];
        double mib;
        if (is_start(line)) {
            stride = import_text(import, "%.*s", (int)strspn(line + 8, "0123456789"), line + 8);
            import_use(import, i, i + 1);
            continue;
        }
        size_t n = import_words(import, line, words, 2);
        if (!stride || n == 0 || n > 2 || !import_number(words[0], &mib))
            continue;
        import_use(import, i, i + 1);
        struct record sample = import_sample(import, "lmbench", "lat_mem_rd", "time");
        sample.variant = "lmbench";
        sample.params = import_params(import, "stride", stride, NULL);
        RECORD_SET(&sample, x, round(mib * 1048576 / 64) * 64);
        sample.x_unit = "B";
        import_add_text(import, &sample, n == 2 ? words[1] : "", 1e-9, "s");
    }
    return import_run_end(import, 0, err);
}

const struct importer importer_lat_mem_rd = {"lat_mem_rd", "lmbench's lat_mem_rd",
                                             lat_mem_rd_recognises, lat_mem_rd_read};
