/* Tables of CDDVDSpd for small files: MB/s of writing and reading, milliseconds of each file, for one
 * partition or several side by side. KB is 1000 bytes, as in the published table. */
#include <stdio.h>
#include <string.h>

#include "normalize/import/importing.h"

enum { GROUP = 4, GROUPS_MAX = 4 };

/* The number of groups, 0 for another line. */
static size_t groups_of(struct import *import, size_t line)
{
    static const char *const names[] = {"Write", "Read", "Write", "Read"};
    static const char *const units[] = {"MB/s", "MB/s", "msecs", "msecs"};
    enum { WORDS_MAX = 1 + GROUP * GROUPS_MAX };
    const char *words[WORDS_MAX], *below[WORDS_MAX];
    if (line + 1 >= import->n_lines || !import_begins(import->lines[line], "KB "))
        return 0;
    size_t n = import_words(import, import->lines[line], words, WORDS_MAX);
    if (n > WORDS_MAX || n < 1 + GROUP || (n - 1) % GROUP != 0 ||
        import_words(import, import->lines[line + 1], below, WORDS_MAX) != n - 1)
        return 0;
    for (size_t i = 0; i + 1 < n; i++)
        if (strcmp(words[i + 1], names[i % GROUP]) != 0 || strcmp(below[i], units[i % GROUP]) != 0)
            return 0;
    return (n - 1) / GROUP;
}

static bool small_files_recognises(const struct import *import)
{
    for (size_t i = 0; i + 1 < import->n_lines; i++)
        if (import_begins(import->lines[i], "KB ") && strstr(import->lines[i], "Write") &&
            strstr(import->lines[i + 1], "msecs"))
            return true;
    return false;
}

/* "C: Partition D: Partition", up to three lines above the heading. */
static const char *partition_of(struct import *import, size_t heading, size_t group)
{
    for (size_t i = heading; i > 0 && heading - i < 3; i--) {
        const char *at = import->lines[i - 1];
        for (size_t g = 0; (at = strstr(at, ": Partition")) != NULL; g++, at++)
            if (g == group && at > import->lines[i - 1])
                return import_text(import, "%c", at[-1]);
    }
    return NULL;
}

static bool is_row(struct import *import, size_t line)
{
    const char *words[1];
    double kbytes;
    return import_words(import, import->lines[line], words, 1) > 2 && import_number(words[0], &kbytes);
}

static int read_row(struct import *import, size_t heading, size_t line, size_t n_groups,
                    struct err *err)
{
    static const char *const tests[] = {"small_write", "small_read"};
    const char *words[1 + GROUP * GROUPS_MAX];
    double kbytes;
    if (import_words(import, import->lines[line], words, 1 + GROUP * GROUPS_MAX) != 1 + n_groups * GROUP)
        return import_error(import, line, err, "not a size and %zu figures", n_groups * GROUP);
    if (!import_number(words[0], &kbytes) || kbytes <= 0)
        return import_error(import, line, err, "'%s' is no number of KB", words[0]);
    for (size_t i = 0; i < n_groups * GROUP; i++) {
        bool is_time = i % GROUP >= 2;
        struct record sample =
            import_sample(import, "disk_files", tests[i % 2], is_time ? "time" : "rate");
        sample.variant = "CDDVDSpd";
        RECORD_SET(&sample, x, kbytes * 1000);
        sample.x_unit = "B";
        sample.params = import_params(import, "files", "520", "partition",
                                      partition_of(import, heading, i / GROUP), NULL);
        import_add_text(import, &sample, words[i + 1], is_time ? 1e-3 : 1e6, is_time ? "s" : "B/s");
    }
    import_use(import, line, line + 1);
    return 0;
}

static int small_files_read(struct import *import, struct err *err)
{
    for (size_t i = 0; i < import->n_lines; i++) {
        size_t n_groups = groups_of(import, i), line = i + 2;
        if (n_groups == 0)
            continue;
        size_t end = line;
        while (end < import->n_lines && is_row(import, end))
            end++;
        TRY(import_run_begin_lines(import, i > 2 ? i - 2 : 0, end, err));
        import_use(import, i, i + 2);
        for (; line < end; line++)
            TRY(read_row(import, i, line, n_groups, err));
        TRY(import_run_end(import, i, err));
        i = end - 1;
    }
    return 0;
}

const struct importer importer_small_files = {"small_files", "tables of CDDVDSpd for small files",
                                              small_files_recognises, small_files_read};
