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

/* Each word of the row goes to the column whose ruler it overlaps most, for figures are wider than the
 * rulers and lie over one edge or the other. False when a word overlaps none, or two words one. */
static bool cut_row(struct import *import, const struct ruler *ruler, const char *line,
                    const char *cells[static COLUMNS_MAX])
{
    for (size_t c = 0; c < ruler->n; c++)
        cells[c] = "";
    for (size_t at = ruler->ends[1] + strspn(line + ruler->ends[1], " "); line[at];
         at += strspn(line + at, " ")) {
        size_t length = strcspn(line + at, " "), best = 0, most = 0;
        for (size_t c = 2; c < ruler->n; c++) {
            size_t from = at > ruler->starts[c] ? at : ruler->starts[c];
            size_t to = at + length < ruler->ends[c] ? at + length : ruler->ends[c];
            if (to > from && to - from > most) {
                most = to - from;
                best = c;
            }
        }
        if (most == 0 || *cells[best])
            return false;
        cells[best] = import_text(import, "%.*s", (int)length, line + at);
        at += length;
    }
    return true;
}

struct section {
    const char *title, *metric, *unit;
    double factor;
    const char *names[COLUMNS_MAX]; /* of the columns behind Host and OS; NULL: not a result */
    size_t n_names;
    bool has_clock; /* the first column is Mhz */
};

static const struct section sections[] = {
    {"Processor, Processes - times in microseconds", "time", "s", 1e-6,
     {NULL, "null_call", "null_io", "stat", "open_close", "select_tcp", "signal_install", "signal_handle",
      "fork", "exec", "shell"}, 11, true},
    {"Context switching - times in microseconds", "time", "s", 1e-6,
     {"switch_2p_0k", "switch_2p_16k", "switch_2p_64k", "switch_8p_16k", "switch_8p_64k",
      "switch_16p_16k", "switch_16p_64k"}, 7, false},
    {"*Local* Communication latencies in microseconds", "time", "s", 1e-6,
     {NULL, "pipe", "unix", "udp", "rpc_udp", "tcp", "rpc_tcp", "tcp_connect"}, 8, false},
    {"File & VM system latencies in microseconds", "time", "s", 1e-6,
     {"create_0k", "delete_0k", "create_10k", "delete_10k", "mmap", "protection_fault", "page_fault",
      "select_100fd"}, 8, false},
    {"*Local* Communication bandwidths in MB/s", "rate", "B/s", 1e6,
     {"pipe", "unix", "tcp", "file_reread", "mmap_reread", "bcopy_libc", "bcopy_hand", "memory_read",
      "memory_write"}, 9, false},
    {"Memory latencies in nanoseconds", "time", "s", 1e-9,
     {NULL, "l1", "l2", "memory", "memory_random", NULL}, 6, true},
};

static const struct section *find_section(const char *line)
{
    for (size_t i = 0; i < sizeof sections / sizeof sections[0]; i++)
        if (strncmp(line, sections[i].title, strlen(sections[i].title)) == 0)
            return &sections[i];
    return NULL;
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

static int add_row(struct import *import, const struct section *section, const struct ruler *ruler,
                   size_t line, struct err *err)
{
    const char *cells[COLUMNS_MAX];
    if (!cut_row(import, ruler, import->lines[line], cells))
        return import_error(import, line, err, "figures that stand below no column, or two below one");
    for (size_t c = 0; c < section->n_names; c++) {
        double factor = section->factor;
        const char *figure = without_prefix(import, cells[c + 2], &factor);
        double mhz;
        if (c == 0 && section->has_clock && import_number(figure, &mhz) && mhz > 0)
            import_fact_number(import, "cpu.clock.measured", import_scale(mhz, 1e6), "Hz", "summary, Mhz");
        if (!section->names[c])
            continue;
        struct record sample =
            import_sample(import, "lmbench", section->names[c], section->metric);
        import_add_text(import, &sample, figure, factor, section->unit);
    }
    import_use(import, line, line + 1);
    return 0;
}

static int read_table(struct import *import, size_t title, const struct section *section,
                      const char **host, struct err *err)
{
    struct ruler ruler = {0};
    size_t line = title + 2;
    while (line < import->n_lines && line < title + 8 && !read_ruler(import->lines[line], &ruler))
        line++;
    if (ruler.n != section->n_names + 2)
        return import_error(import, title, err, "the table has not the %zu columns of lmbench 3",
                            section->n_names + 2);
    import_use(import, title, line + 1);
    for (line++; line < import->n_lines; line++) {
        const char *text = import->lines[line];
        if (text[strspn(text, " ")] == '\0' || strlen(text) < ruler.ends[1] || strstr(text, "make["))
            break;
        const char *name = import_text(import, "%.*s", (int)ruler.ends[0], text);
        if (*host && strcmp(*host, name) != 0)
            return import_error(import, line, err,
                                "the summary is of several machines: each needs a file and a --machine");
        *host = name;
        import_fact(import, "system.kernel",
                    import_text(import, "%.*s", (int)(ruler.ends[1] - ruler.starts[1]),
                                text + ruler.starts[1]),
                    "summary, OS");
        TRY(add_row(import, section, &ruler, line, err));
    }
    return 0;
}

static int lmbench_read(struct import *import, struct err *err)
{
    const char *host = NULL;
    TRY(import_run_begin(import, import->bytes, import->size, err));
    for (size_t i = 0; i < import->n_lines; i++) {
        const struct section *section = find_section(import->lines[i]);
        if (section)
            TRY(read_table(import, i, section, &host, err));
    }
    return import_run_end(import, 0, err);
}

const struct importer importer_lmbench = {"lmbench", "lmbench's summary", lmbench_recognises,
                                          lmbench_read};
