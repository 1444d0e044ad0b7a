/* driveSpeed.txt of the Raspberry Pi version. Files are of MiB and KiB, rates in 10^6 B/s; the large
 * files are written and read in blocks of 1 MiB, past the cache except where it says "Cached". */
#include <stdio.h>
#include <string.h>

#include "normalize/import/longbottom.h"

static bool is_title(const char *line)
{
    return import_begins(line, "DriveSpeed ");
}

static struct record sample_of(struct import *import, const struct section *section,
                               const char *kernel, const char *test, const char *metric, double x)
{
    struct record sample = import_sample(import, kernel, test, metric);
    sample.variant = section->variant;
    RECORD_SET(&sample, x, x);
    sample.x_unit = "B";
    return sample;
}

static void add_large(struct import *import, const struct section *section, const char *const *cells,
                      double mbytes, bool is_cached)
{
    for (size_t i = 0; i < 6; i++) {
        struct record sample =
            sample_of(import, section, "disk_block", i < 3 ? "write" : "read", "rate", 1048576);
        sample.params = import_params(import, "mode", is_cached ? "buffered" : "direct", "size",
                                      import_text(import, "%.0f", mbytes * 1048576), NULL);
        import_add_text(import, &sample, cells[i + 1], 1e6, "B/s");
    }
}

/* A line of sizes, then the lines of figures below it: half are of writing or reading. */
static int add_table(struct import *import, const struct section *section, size_t line, bool is_random,
                     struct err *err)
{
    const char *sizes[10], *figures[10];
    double factor = is_random ? 1048576 : 1024;
    size_t n_rows = is_random ? 1 : 2, skip = 2;
    if (line + n_rows + 1 >= section->end ||
        import_words(import, import->lines[line + 1], sizes, 10) != (is_random ? 8u : 9u))
        return import_error(import, line + 1, err, "not the sizes of six tests");
    import_use(import, line, line + 2 + n_rows);
    for (size_t row = 0; row < n_rows; row++) {
        const char *text = import->lines[line + 2 + row];
        bool is_time = import_begins(text, "ms");
        size_t n = import_words(import, text, figures, 10), head = 1;
        bool has_delete = is_time && !is_random; /* of the files, at the end of the line */
        if (n != head + 6 + has_delete || (!is_time && !import_begins(text, "MB/sec")))
            return import_error(import, line + 2 + row, err, "not the figures of six tests");
        for (size_t i = 0; i < 6; i++) {
            static const char *const random[] = {"read", "write"};
            static const char *const small[] = {"small_write", "small_read"};
            double size;
            if (!import_number(sizes[skip + i], &size))
                return import_error(import, line + 1, err, "'%s' is no size", sizes[skip + i]);
            struct record sample = sample_of(
                import, section, is_random ? "disk_random" : "disk_files",
                is_random ? random[i / 3] : small[i / 3], is_time ? "time" : "rate", size * factor);
            sample.params =
                import_params(import, "files", is_random ? NULL : "200", NULL);
            import_add_text(import, &sample, figures[head + i], is_time ? 1e-3 : 1e6,
                            is_time ? "s" : "B/s");
        }
        if (has_delete) {
            struct record sample = import_sample(import, "disk_files", "small_delete", "elapsed");
            sample.variant = section->variant;
            sample.params = import_params(import, "files", "200", NULL);
            import_add_text(import, &sample, figures[head + 6], 1, "s");
        }
    }
    return 0;
}

static int read_section(struct import *import, const struct section *section, size_t *n_results,
                        struct err *err)
{
    const char *heading = NULL, *cells[7];
    bool is_large = false, is_cached = false;
    for (size_t i = section->title + 1; i < section->end; i++) {
        const char *line = import->lines[i];
        double mbytes;
        if (import_begins(line, "MBytes/Second"))
            import_use(import, i, i + 1);
        if (import_begins(line, "MB   Write1")) {
            is_large = true;
            heading = line;
        }
        if (import_begins(line, "Cached"))
            is_cached = true;
        if (import_begins(line, "MB   Write1") || import_begins(line, "Cached"))
            import_use(import, i, i + 1);
        if (import_begins(line, "Random  ") || import_begins(line, "200 Files")) {
            is_large = false;
            TRY(add_table(import, section, i, import_begins(line, "Random"), err));
            ++*n_results;
        }
        if (is_large && longbottom_cells(import, heading, line, cells, 7)) {
            if (!import_number(cells[0], &mbytes))
                return import_error(import, i, err, "'%s' is no number of MB", cells[0]);
            add_large(import, section, cells, mbytes, is_cached);
            import_use(import, i, i + 1);
            ++*n_results;
        }
    }
    return 0;
}

static const struct longbottom format = {"DriveSpeed", is_title, false, "disk_block", "write", "rate",
                                         read_section};

static bool drivespeed_recognises(const struct import *import)
{
    return longbottom_has(&format, import);
}

static int drivespeed_read(struct import *import, struct err *err)
{
    return longbottom_read(&format, import, err);
}

const struct importer importer_drivespeed = {"drivespeed", "driveSpeed.txt of Longbottom's DriveSpeed",
                                             drivespeed_recognises, drivespeed_read};
