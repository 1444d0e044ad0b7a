#include "normalize/import/longbottom.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool is_ruler(const char *line)
{
    line += strspn(line, " \t*#");
    return *line == '\0';
}

/* The time that ctime printed in the line, or NULL. */
static const char *find_time(const char *line)
{
    static const char *const days[] = {"Mon ", "Tue ", "Wed ", "Thu ", "Fri ", "Sat ", "Sun "};
    for (size_t i = 0; i < sizeof days / sizeof days[0]; i++) {
        const char *found = strstr(line, days[i]);
        if (found && (found == line || found[-1] == ' ' || found[-1] == ','))
            return found;
    }
    return NULL;
}

/* "name : value" of /proc/cpuinfo; NULL when the line is of another name. */
static const char *cpuinfo_value(const char *line, const char *name)
{
    if (!import_begins(line, name))
        return NULL;
    line += strspn(line, " \t") + strlen(name);
    line += strspn(line, " \t");
    return *line == ':' ? line + 1 + strspn(line + 1, " ") : NULL;
}

static void read_cpuinfo(struct import *import, const char *line)
{
    static const struct {
        const char *key, *fact;
    } texts[] = {{"model name", "cpu.model"}, {"Processor", "cpu.model"},  {"vendor_id", "cpu.vendor"},
                 {"flags", "cpu.features"},   {"Features", "cpu.features"}, {"microcode", "cpu.microcode"},
                 {"Hardware", "machine.board"}};
    static const struct {
        const char *key, *fact, *unit;
        double factor;
    } numbers[] = {{"cpu family", "cpu.family", "1", 1},
                   {"model", "cpu.model_number", "1", 1},
                   {"stepping", "cpu.stepping", "1", 1},
                   {"cpu cores", "cpu.cores", "1", 1},
                   {"cpu MHz", "cpu.clock.now", "Hz", 1e6}};
    const char *value;
    double number;
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
        if ((value = cpuinfo_value(line, texts[i].key)) != NULL) {
            import_fact(import, texts[i].fact, value, "/proc/cpuinfo");
            if (strcmp(texts[i].fact, "cpu.model") == 0)
                import_run_machine(import, value);
        }
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++)
        if ((value = cpuinfo_value(line, numbers[i].key)) != NULL && import_number(value, &number))
            import_fact_number(import, numbers[i].fact, import_scale(number, numbers[i].factor),
                               numbers[i].unit, "/proc/cpuinfo");
    if ((value = import_after(line, "Linux version ")) != NULL)
        import_fact(import, "system.kernel.version", import_text(import, "Linux version %s", value),
                    "/proc/version");
}

/* The block of the programs' own: CPUID, get_nprocs, get_phys_pages, uname; and of Windows. Its RAM is
 * in GiB on Linux, MiB or KiB on Windows. Host names are not taken. */
static void read_configuration(struct import *import, const char *line, const char *next)
{
    char vendor[32], features[9], model[9];
    long low, high;
    double size;
    int end = 0;
    line += strspn(line, " ");
    int n = sscanf(line, "CPU %31[A-Za-z], Features Code %8[0-9A-F], Model Code %8[0-9A-F], %ld MHz", vendor,
                   features, model, &low);
    if (n >= 3) {
        import_fact(import, "cpu.vendor", vendor, "CPUID");
        import_fact(import, "cpu.features_code", features, "CPUID leaf 1 EDX");
        import_fact(import, "cpu.model_code", model, "CPUID leaf 1 EAX");
        const char *measured = strstr(next, "Measured");
        size_t length = measured ? (size_t)(measured - next) : strlen(next);
        if (!import_begins(next, "Windows") && !import_begins(next, "Memory") &&
            length > strspn(next, " ")) {
            const char *brand = import_text(import, "%.*s", (int)length, next);
            import_fact(import, "cpu.model", brand, "CPUID");
            import_run_machine(import, brand);
        }
    }
    if (n == 4 && low > 0)
        import_fact_number(import, "cpu.clock.measured", import_scale((double)low, 1e6), "Hz", "RDTSC");
    if (sscanf(line, "Measured - Minimum %ld MHz, Maximum %ld", &low, &high) == 2 && low > 0 && low == high)
        import_fact_number(import, "cpu.clock.measured", import_scale((double)low, 1e6), "Hz", "RDTSC");
    if (sscanf(line, "get_nprocs() - CPUs %ld", &low) == 1 && low > 0)
        import_fact_number(import, "cpu.count.online", (double)low, "1", "get_nprocs");
    if (sscanf(line, "get_phys_pages() and size - RAM Size %lf GB, Page Size %ld", &size, &low) == 2 &&
        size > 0 && low > 0) {
        import_fact_number(import, "memory.total", size * 1073741824, "B", "get_phys_pages");
        import_fact_number(import, "memory.page", (double)low, "B", "get_phys_pages");
    }
    if (sscanf(line, "uname() - Linux, %*[^,], %n", &end) == 0 && end > 0)
        import_fact(import, "system.kernel", line + end, "uname");
    if (*line == '#' && strstr(line, "SMP"))
        import_fact(import, "system.kernel.version", line, "uname");
    if (import_begins(line, "Windows NT"))
        import_fact(import, "system.os", line, "GetVersionEx");
    if (sscanf(line, "Memory %ld KB%n", &low, &end) == 1 && end > 7 && low == 2097151)
        import_fact_unknown(import, "memory.total", "2097151 KB is the most that GlobalMemoryStatus tells");
    else if (sscanf(line, "Memory %ld KB%n", &low, &end) == 1 && end > 7 && low > 0)
        import_fact_number(import, "memory.total", (double)low * 1024, "B", "GlobalMemoryStatus");
    else if (sscanf(line, "Memory %ld MB,%n", &low, &end) == 1 && low > 0)
        import_fact_number(import, "memory.total", (double)low * 1048576, "B", "GlobalMemoryStatus");
    if (import_after(line, "VGA compatible controller: "))
        import_fact(import, "gpu.model", import_after(line, "VGA compatible controller: "), "lspci");
}

/* What is known to be of a system block, so that what is not stays "something else". */
static bool is_system_line(const char *line)
{
    static const char *const begins[] = {
        "SYSTEM INFORMATION", "From File", "Assembler CPUID", "CPU ",     "Measured -", "Linux Functions",
        "get_nprocs",         "get_phys",  "uname()",         "Additional information", "Windows NT",
        "Memory ",            "End of test", "Linux version", "procLinux version", "Configuration Details",
        "VGA compatible",     "power management:", "#"};
    for (size_t i = 0; i < sizeof begins / sizeof begins[0]; i++)
        if (import_begins(line, begins[i]))
            return true;
    const char *colon = strchr(line, ':');
    return colon && colon > line && (colon[-1] == '\t' || colon[-1] == ' ');
}

/* Programs keep so much of /proc/cpuinfo as fits, which may be the first processor alone. */
static void count_processors(struct import *import, const struct section *section)
{
    size_t n = 0;
    double siblings = 0;
    bool is_cut = false;
    for (size_t i = section->first; i < section->end; i++) {
        const char *line = import->lines[i], *value = cpuinfo_value(line, "siblings");
        n += cpuinfo_value(line, "processor") != NULL;
        is_cut |= import_begins(line, "procLinux version"); /* it ran into the text behind it */
        if (value)
            import_number(value, &siblings);
    }
    if (n > 0 && (is_cut || siblings > (double)n))
        import_fact_unknown(import, "cpu.count.online", "the log holds a part of /proc/cpuinfo");
    else if (n > 0)
        import_fact_number(import, "cpu.count.online", (double)n, "1", "/proc/cpuinfo");
}

static void read_system(struct import *import, const struct section *section)
{
    for (size_t i = section->first; i < section->end; i++) {
        const char *line = import->lines[i];
        const char *next = i + 1 < section->end ? import->lines[i + 1] : "";
        const char *note = import_after(line, "Additional information - ");
        read_cpuinfo(import, line);
        read_configuration(import, line, next);
        if (note && strcmp(note, "none") != 0)
            import_fact(import, "run.note", note, "Additional information");
        if (is_system_line(line))
            import_use(import, i, i + 1);
        if (import_begins(line, "CPU ") && strstr(line, "Features Code") && strstr(next, "@"))
            import_use(import, i + 1, i + 2); /* its name */
    }
    count_processors(import, section);
}

static void read_times(struct import *import, const struct section *section)
{
    for (size_t i = section->title; i < section->end && i < section->title + 4; i++) {
        const char *time = find_time(import->lines[i]);
        if (time && import_run_time(import, time, "log"))
            return;
    }
    for (size_t i = section->title; i < section->end; i++) {
        const char *time = import_begins(import->lines[i], "End") ? find_time(import->lines[i]) : NULL;
        if (time && import_run_time(import, time, "log, end of test"))
            return;
    }
}

/* What the program says of its check; benign where another rounding is meant, see linpack. */
static void read_check(struct import *import, const struct section *section)
{
    const char *all = NULL;
    for (size_t i = section->title; i < section->end; i++) {
        const char *line = import->lines[i];
        line += strspn(line, " \t");
        bool is_check = import_begins(line, "Numeric results") || strstr(line, "Non-standard result") ||
                        strstr(line, "Different numeric results") ||
                        strstr(line, "consistent numeric results");
        if (!is_check)
            continue;
        import_use(import, i, i + 1);
        all = import_text(import, "%s%s%s", all ? all : "", all ? "; " : "", line);
        if (strlen(all) > 1500)
            break;
    }
    if (all)
        import_fact(import, "run.check", all, "log");
}

const char *longbottom_build(struct import *import, const char *line, const char *before)
{
    const char *time = find_time(line), *build = import_after(line, before);
    if (!build || (time && build > time))
        return "";
    build += strspn(build, " ");
    size_t length = time ? (size_t)(time - build) : strlen(build);
    while (length > 0 && strchr(" ,", build[length - 1]))
        length--;
    return import_text(import, "%.*s", (int)length, build);
}

const char *longbottom_variant(struct import *import, const char *build)
{
    const char *name = import_name(import, build);
    return *name ? import_text(import, "%s-%s", import->importer->name, name)
                 : import->importer->name;
}

static int read_section(const struct longbottom *format, struct import *import,
                        struct section *section, struct err *err)
{
    size_t n_results = 0;
    while (section->end > section->title + 1 && is_ruler(import->lines[section->end - 1]))
        section->end--;
    TRY(import_run_begin_lines(import, section->first, section->end, err));
    const char *title = import->lines[section->title];
    section->variant = longbottom_variant(import, longbottom_build(import, title, format->program));
    import_fact(import, "run.program", title, "log, title");
    import_use(import, section->title, section->title + 1);
    read_times(import, section);
    read_system(import, section);
    read_check(import, section);
    TRY(format->read(import, section, &n_results, err));
    if (n_results == 0) {
        struct record sample = import_sample(import, format->kernel, format->test, format->metric);
        sample.variant = section->variant;
        import_add_status(import, &sample, STATUS_FAILED,
                          "the log has the title of the run and no results: it was ended");
    }
    return import_run_end(import, section->title, err);
}

static size_t next_title(const struct longbottom *format, const struct import *import, size_t line)
{
    while (line < import->n_lines && !format->is_title(import->lines[line]))
        line++;
    return line;
}

bool longbottom_has(const struct longbottom *format, const struct import *import)
{
    return next_title(format, import, 0) < import->n_lines;
}

/* Where the run of the title starts: at the block about the system, where that stands before it. */
static size_t start_of(const struct longbottom *format, const struct import *import, size_t from,
                       size_t title)
{
    for (size_t i = title; format->is_system_before && i > from; i--)
        if (import_begins(import->lines[i - 1], "Assembler CPUID"))
            return i - 1;
    return title;
}

/* A run that was ended leaves no machine behind; the next one of the log has it. */
static const char *machine_of_log(struct import *import)
{
    for (size_t i = 0; i < import->n_lines; i++) {
        const char *model = cpuinfo_value(import->lines[i], "model name");
        if (!model)
            model = cpuinfo_value(import->lines[i], "Processor");
        if (model && *model)
            return import_redact(import, model);
    }
    return NULL;
}

int longbottom_read(const struct longbottom *format, struct import *import, struct err *err)
{
    size_t title = next_title(format, import, 0);
    size_t first = start_of(format, import, 0, title);
    const char *given = import->machine, *found = machine_of_log(import);
    for (size_t i = 0; i < import->n_lines; i++)
        if (is_ruler(import->lines[i]))
            import_use(import, i, i + 1);
    if (title == import->n_lines)
        return import_error(import, 0, err, "no title of a run of %s", import->importer->name);
    while (title < import->n_lines) {
        size_t next = next_title(format, import, title + 1);
        size_t next_first = start_of(format, import, title + 1, next);
        struct section section = {.first = first, .title = title, .end = next_first};
        bool has_model = false;
        for (size_t i = first; i < next_first; i++)
            has_model |= cpuinfo_value(import->lines[i], "model name") != NULL ||
                         cpuinfo_value(import->lines[i], "Processor") != NULL ||
                         import_begins(import->lines[i], "CPU Genuine") ||
                         import_begins(import->lines[i], "CPU Authentic");
        import->machine = given || has_model ? given : found;
        TRY(read_section(format, import, &section, err));
        title = next;
        first = next_first;
    }
    import->machine = given;
    return 0;
}

/* The right edges of the heading's words. */
static size_t edges_of(const char *heading, size_t *edges, size_t n)
{
    size_t found = 0;
    for (const char *p = heading; *p;) {
        p += strspn(p, " \t");
        size_t length = strcspn(p, " \t");
        p += length;
        if (length > 0 && found < n)
            edges[found] = (size_t)(p - heading);
        found += length > 0;
    }
    return found;
}

/* Whether a figure goes on at this place. */
static bool is_cut(const char *row, size_t size, size_t at)
{
    return at > 0 && at < size && isdigit((unsigned char)row[at - 1]) && isdigit((unsigned char)row[at]);
}

bool longbottom_cells(struct import *import, const char *heading, const char *row,
                      const char **cells, size_t n)
{
    enum { COLUMNS_MAX = 32 };
    size_t edges[COLUMNS_MAX], size = strlen(row);
    const char *start = row + strspn(row, " \t");
    if (!isdigit((unsigned char)*start) || n > COLUMNS_MAX)
        return false;
    if (import_words(import, row, cells, n) == n)
        return true;
    if (edges_of(heading, edges, COLUMNS_MAX) != n)
        return false;
    while (size > 0 && row[size - 1] == ' ')
        size--;
    for (size_t i = 0, from = 0; i < n; i++) {
        size_t to = edges[i] < size ? edges[i] : size;
        if (i + 1 == n)
            to = size;
        const char *word[2];
        const char *text = to > from ? import_text(import, "%.*s", (int)(to - from), row + from) : "";
        size_t n_words = import_words(import, text, word, 2);
        /* Where figures touch, the edges tell them apart only if the row ends where the heading does. */
        if (size != edges[n - 1] && (is_cut(row, size, from) || is_cut(row, size, to))) {
            text = import_text(import, "columns that run together:%s", row);
            n_words = 2;
        }
        cells[i] = n_words == 0 ? "" : n_words == 1 ? word[0] : text;
        from = to;
    }
    return true;
}
