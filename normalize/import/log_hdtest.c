/* HDTEST32: progress of writing a file, a line each second. Its sizes are binary: 1024K blocks fill
 * whole MB. */
#include <stdio.h>
#include <string.h>

#include "normalize/import/importing.h"

static bool is_start(const char *line)
{
    return import_begins(line, "HDTEST: writing ");
}

static bool hdtest_recognises(const struct import *import)
{
    return import_find(import, 0, "HDTEST: writing ") < import->n_lines;
}

static int read_run(struct import *import, size_t first, size_t end, struct err *err)
{
    static const struct {
        const char *metric, *unit;
        size_t word;
    } figures[] = {{"bytes", "B", 1}, {"sustained", "B/s", 4}, {"incremental", "B/s", 7}};
    char mode[16];
    unsigned long kib, threads;
    const char *words[10];
    if (sscanf(import->lines[first], " HDTEST: writing %15[a-z] %9luK buffers in %6lu threads", mode,
               &kib, &threads) != 3 ||
        threads == 0 || (strcmp(mode, "buffered") != 0 && strcmp(mode, "unbuffered") != 0))
        return import_error(import, first, err, "no mode, block size and threads");
    TRY(import_run_begin_lines(import, first, end, err));
    import_use(import, first, first + 1);
    for (size_t i = first + 1; i < end; i++) {
        const char *line = import->lines[i];
        double seconds;
        if (!strstr(line, " MB written,"))
            continue;
        if (import_words(import, line, words, 10) != 10)
            return import_error(import, i, err, "not a time and three figures");
        size_t length = strlen(words[0]);
        const char *time = import_text(import, "%.*s", (int)(length > 0 ? length - 1 : 0), words[0]);
        if (words[0][length - 1] != ':' || !import_number(time, &seconds) || seconds < 0)
            return import_error(import, i, err, "'%s' is no time", words[0]);
        import_use(import, i, i + 1);
        for (size_t k = 0; k < 3; k++) {
            struct record sample = import_sample(import, "disk_block", "write", figures[k].metric);
            sample.variant = "HDTEST32";
            RECORD_SET(&sample, threads, threads);
            RECORD_SET(&sample, x, seconds);
            sample.x_unit = "s";
            sample.params =
                import_params(import, "block", import_text(import, "%lu", kib * 1024), "mode",
                              strcmp(mode, "buffered") == 0 ? "buffered" : "direct", NULL);
            import_add_text(import, &sample, words[figures[k].word], 1048576, figures[k].unit);
        }
    }
    return import_run_end(import, first, err);
}

static int hdtest_read(struct import *import, struct err *err)
{
    size_t first = import_find(import, 0, "HDTEST: writing ");
    if (first == import->n_lines)
        return import_error(import, 0, err, "no line starts a run of HDTEST32");
    while (first < import->n_lines) {
        size_t end = first + 1;
        while (end < import->n_lines && !is_start(import->lines[end]))
            end++;
        TRY(read_run(import, first, end, err));
        first = end;
    }
    return 0;
}

const struct importer importer_hdtest = {"hdtest", "HDTEST32", hdtest_recognises, hdtest_read};
