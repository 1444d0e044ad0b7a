/* The summary of lmbench: tables whose columns are the rulers below their headings. Microseconds,
 * nanoseconds, MB/s of 10^6 B/s (lmbench, src/lib_timing.c) and MHz are what the titles say; K and M
 * behind a figure are 10^3 and 10^6 of it. Host names are not taken. */
#include <stdio.h>
#include <string.h>

#include "normalize/import/importing.h"

enum { COLUMNS_MAX = 24 };

static bool lmbench_recognises(const struct import *import)
{
    for (size_t i = 0; i < import->n_lines; i++)
        if (strstr(import->lines[i], "L M B E N C H") && strstr(import->lines[i], "S U M M A R Y"))
            return true;
    return false;
}

struct ruler {
    size_t n, starts[COLUMNS_MAX], ends[COLUMNS_MAX];
};

static bool read_ruler(const char *line, struct ruler *ruler)
{
    ruler->n = 0;
    if (line[strspn(line, "- ")] != '\0' || !strchr(line, '-') || !strchr(line, ' '))
        return false;
    for (size_t at = strspn(line, " "); line[at]; at += strspn(line + at, " ")) {
        if (ruler->n == COLUMNS_MAX)
            return false;
        ruler->starts[ruler->n] = at;
        at += strspn(line + at, "-");
        ruler->ends[ruler->n++] = at;
    }
    return ruler->n >= 3;
}

/* Without blanks around; figures may reach one place to the left of the ruler. */
static const char *cut(struct import *import, const char *line, size_t from, size_t to)
{
    size_t size = strlen(line);
    from = from < size ? from : size;
    to = to < size ? to : size;
    while (from < to && line[from] == ' ')
        from++;
    while (to > from && line[to - 1] == ' ')
        to--;
    return import_text(import, "%.*s", (int)(to - from), line + from);
}

struct section {
    const char *title, *metric, *unit;
    double factor;
};

static bool find_section(const char *line, struct section *section)
{
    static const struct section known[] = {
        {"Processor, Processes - times in microseconds", "time", "s", 1e-6},
        {"Context switching - times in microseconds", "time", "s", 1e-6},
        {"*Local* Communication latencies in microseconds", "time", "s", 1e-6},
        {"*Remote* Communication latencies in microseconds", "time", "s", 1e-6},
        {"File & VM system latencies in microseconds", "time", "s", 1e-6},
        {"Basic integer operations - times in nanoseconds", "time", "s", 1e-9},
        {"Basic float operations - times in nanoseconds", "time", "s", 1e-9},
        {"Basic double operations - times in nanoseconds", "time", "s", 1e-9},
        {"Basic uint64 operations - times in nanoseconds", "time", "s", 1e-9},
        {"*Local* Communication bandwidths in MB/s", "rate", "B/s", 1e6},
        {"Memory latencies in nanoseconds", "time", "s", 1e-9}};
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
        if (strncmp(line, known[i].title, strlen(known[i].title)) == 0) {
            *section = known[i];
            return true;
        }
    return false;
}

/* "111.5K" */
static const char *without_prefix(struct import *import, const char *figure, double *factor)
{
    size_t length = strlen(figure);
    char last = length > 1 ? figure[length - 1] : '\0';
    if (last != 'K' && last != 'M')
        return figure;
    *factor *= last == 'K' ? 1e3 : 1e6;
    return import_text(import, "%.*s", (int)length - 1, figure);
}

static void add_row(struct import *import, const struct section *section, const struct ruler *ruler,
                    const char *names[COLUMNS_MAX], const char *line)
{
    const char *group = import_name(import, section->title);
    size_t length = strcspn(group, "_");
    for (size_t c = 2; c < ruler->n; c++) {
        const char *figure = cut(import, line, ruler->starts[c] - 1, ruler->ends[c]);
        double factor = section->factor;
        figure = without_prefix(import, figure, &factor);
        if (strcmp(names[c], "Mhz") == 0 || strcmp(names[c], "Guesses") == 0)
            continue;
        struct record sample = import_sample(
            import, "lmbench",
            import_name(import, import_text(import, "%.*s %s", (int)length, group, names[c])),
            section->metric);
        import_add_text(import, &sample, figure, factor, section->unit);
    }
}

static int read_table(struct import *import, size_t title, const struct section *section,
                      const char **host, struct err *err)
{
    const char *names[COLUMNS_MAX];
    struct ruler ruler = {0};
    size_t line = title + 1;
    while (line < import->n_lines && line < title + 8 && !read_ruler(import->lines[line], &ruler))
        line++;
    if (ruler.n == 0 || line < title + 3)
        return import_error(import, title, err, "no ruler stands below the heading");
    for (size_t c = 0; c < ruler.n; c++) {
        names[c] = "";
        for (size_t i = line - 2; i < line; i++) {
            const char *part = cut(import, import->lines[i], ruler.starts[c] - (ruler.starts[c] > 0), ruler.ends[c]);
            if (*part && part[strspn(part, "-")] != '\0')
                names[c] = import_text(import, "%s%s%s", names[c], *names[c] ? " " : "", part);
        }
        if (c >= 2 && *names[c] == '\0')
            return import_error(import, line, err, "column %zu has no heading", c + 1);
    }
    import_use(import, title, line + 1);
    for (line++; line < import->n_lines; line++) {
        const char *text = import->lines[line];
        const char *name = cut(import, text, 0, ruler.ends[0]);
        if (text[strspn(text, " ")] == '\0' || strlen(text) < ruler.starts[2] || strstr(text, "make["))
            break;
        if (*host && strcmp(*host, name) != 0)
            return import_error(import, line, err,
                                "the summary is of several machines; import one with --machine for each");
        *host = name;
        import_fact(import, "system.kernel", cut(import, text, ruler.starts[1], ruler.ends[1]),
                    "summary, OS");
        add_row(import, section, &ruler, names, text);
        import_use(import, line, line + 1);
    }
    return 0;
}

static int lmbench_read(struct import *import, struct err *err)
{
    const char *host = NULL;
    TRY(import_run_begin(import, import->bytes, import->size, err));
    for (size_t i = 0; i < import->n_lines; i++) {
        struct section section;
        if (find_section(import->lines[i], &section))
            TRY(read_table(import, i, &section, &host, err));
    }
    return import_run_end(import, 0, err);
}

const struct importer importer_lmbench = {"lmbench", "lmbench's summary", lmbench_recognises,
                                          lmbench_read};
