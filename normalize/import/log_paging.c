/* Tables of the paging test of BusSpd2K and IntBurn64: KB, Secs and MB/sec, for several machines side
 * by side. KB is 1024 bytes, MB 10^6. A machine is called as the line CPU above has it. */
#include <stdio.h>
#include <string.h>

#include "normalize/import/tables.h"

enum { GROUP = 3, ABOVE_MAX = 12 }; /* columns of a machine; lines above a heading that tell of it */

static bool is_heading(const char *line)
{
    struct table_columns columns;
    if (!import_begins(line, "KB ") || !table_columns_read(line, &columns) || columns.n % GROUP != 0)
        return false;
    return strstr(line, "Secs") && strstr(line, "MB/sec");
}

static size_t next_heading(const struct import *import, size_t line)
{
    while (line < import->n_lines && !is_heading(import->lines[line]))
        line++;
    return line;
}

static bool paging_recognises(const struct import *import)
{
    return next_heading(import, 0) < import->n_lines;
}

/* What stands above the group in the line that begins so, no further up than `first`; "" for none. */
static const char *above(struct import *import, const struct table_columns *columns, size_t first,
                         size_t heading, size_t group, const char *begin)
{
    for (size_t i = heading; i > first; i--) {
        const char *line = import->lines[i - 1];
        if (!import_begins(line, begin))
            continue;
        size_t from = group == 0 ? strspn(line, " ") + strlen(begin) : columns->edges[group * GROUP - 1];
        size_t to = columns->edges[group * GROUP + 2], size = strlen(line);
        to = to < size ? to : size;
        return from < to ? import_redact(import, import_text(import, "%.*s", (int)(to - from), line + from))
                         : "";
    }
    return "";
}

static bool names_program(const char *line)
{
    return strstr(line, "BusSpd2K") || strstr(line, "IntBurn64");
}

/* The program a line names in the columns of the group, else what was named before. */
static const char *program_of(const struct table_columns *columns, size_t group, const char *line,
                              const char *before)
{
    static const char *const names[][2] = {{"BusSpd2K", "BusSpd2K-m32"}, {"IntBurn64", "IntBurn64-m64"}};
    size_t from = group == 0 ? 0 : columns->edges[group * GROUP - 1];
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        for (const char *at = line; (at = strstr(at, names[i][0])) != NULL; at++)
            if ((size_t)(at - line) >= from && (size_t)(at - line) < columns->edges[group * GROUP + 2])
                return names[i][1];
    return before;
}

/* "rising" when each size is above the one before it of the same program, which may have paged; else NULL. */
static const char *order_of(struct import *import, const struct table_columns *columns, size_t from,
                            size_t end, size_t group)
{
    const char *cells[TABLE_COLUMNS_MAX];
    double kbytes, before = -1;
    for (size_t i = from; i < end; i++) {
        if (*program_of(columns, group, import->lines[i], ""))
            before = -1;
        if (names_program(import->lines[i]) || !table_cells(import, columns, import->lines[i], cells) ||
            !import_number(cells[group * GROUP], &kbytes))
            continue;
        if (kbytes <= before)
            return NULL;
        before = kbytes;
    }
    return "rising";
}

static int read_group(struct import *import, const struct table_columns *columns, size_t first,
                      size_t heading, size_t end, size_t group, struct err *err)
{
    const char *given = import->machine, *cells[TABLE_COLUMNS_MAX];
    const char *cpu = above(import, columns, first, heading, group, "CPU");
    const char *ram = above(import, columns, first, heading, group, "RAM MB");
    const char *clock = above(import, columns, first, heading, group, "MHz");
    const char *system = above(import, columns, first, heading, group, "Windows");
    double kbytes, number;
    size_t n_rows = 0;
    const char *variant = import->importer->name;
    struct buffer bytes = {0};
    for (size_t i = first; i < end; i++) {
        buffer_add_text(&bytes, import->lines[i]);
        buffer_add_char(&bytes, '\n');
    }
    buffer_add_format(&bytes, "%zu", group);
    int result = import_run_begin(import, buffer_text(&bytes), bytes.size, err);
    buffer_free(&bytes);
    TRY(result);
    import_fact(import, "cpu.model", cpu, "heading CPU");
    import_fact(import, "system.os", system, "heading Windows");
    if (import_number(ram, &number) && number > 0)
        import_fact_number(import, "memory.total", number * 1048576, "B", "heading RAM MB");
    if (import_number(clock, &number) && number > 0)
        import_fact_number(import, "cpu.clock", import_scale(number, 1e6), "Hz", "heading MHz");
    const char *order = order_of(import, columns, heading + 1, end, group);
    for (size_t i = first; i < heading; i++)
        variant = program_of(columns, group, import->lines[i], variant);
    for (size_t i = heading + 1; i < end; i++) {
        variant = program_of(columns, group, import->lines[i], variant);
        if (names_program(import->lines[i]) || !table_cells(import, columns, import->lines[i], cells) ||
            !import_number(cells[group * GROUP], &kbytes))
            continue;
        struct record sample = import_sample(import, "paging", "write_read", "rate");
        sample.variant = variant;
        sample.params = import_params(import, "access", "sequential", "limit", "none", "order", order,
                                      "pattern", "published", NULL);
        RECORD_SET(&sample, x, kbytes * 1024);
        sample.x_unit = "B";
        import_add_text(import, &sample, cells[group * GROUP + 2], 1e6, "B/s");
        sample.metric = "time";
        if (*cells[group * GROUP + 1])
            import_add_text(import, &sample, cells[group * GROUP + 1], 1, "s");
        import_use(import, i, i + 1);
        n_rows++;
    }
    if (n_rows == 0)
        return import_error(import, heading, err, "the table has no rows");
    if (*cpu) {
        import->machine = given ? import_text(import, "%s, %s", given, cpu) : NULL;
        import_run_machine(import, cpu);
    }
    result = import_run_end(import, heading, err);
    import->machine = given;
    return result;
}

static int paging_read(struct import *import, struct err *err)
{
    size_t heading = next_heading(import, 0), first = 0;
    if (heading == import->n_lines)
        return import_error(import, 0, err, "no line is a heading KB, Secs, MB/sec");
    while (heading < import->n_lines) {
        struct table_columns columns;
        size_t next = next_heading(import, heading + 1), end = heading + 1;
        table_columns_read(import->lines[heading], &columns);
        import_use(import, heading, heading + 1);
        while (end < next && !strstr(import->lines[end], "CPU "))
            end++;
        /* What stands above the next CPU is of the next table. */
        while (end > heading + 1 && end < import->n_lines &&
               (names_program(import->lines[end - 1]) || import->lines[end - 1][0] == '\0'))
            end--;
        size_t above_from = heading > first + ABOVE_MAX ? heading - ABOVE_MAX : first;
        for (size_t i = above_from; i < heading; i++)
            if (import_begins(import->lines[i], "CPU") || import_begins(import->lines[i], "MHz") ||
                import_begins(import->lines[i], "RAM MB") || import_begins(import->lines[i], "Windows"))
                import_use(import, i, i + 1);
        for (size_t group = 0; group * GROUP < columns.n; group++)
            TRY(read_group(import, &columns, above_from, heading, end, group, err));
        first = end;
        heading = next;
    }
    return 0;
}

const struct importer importer_paging = {"paging", "tables of the paging test of BusSpd2K and IntBurn64",
                                         paging_recognises, paging_read};
