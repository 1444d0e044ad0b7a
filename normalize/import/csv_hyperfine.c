/* hyperfine --export-csv: a row for each command, seconds. */
#include <csv.h>
#include <string.h>

#include "normalize/import/importing.h"

enum { COLUMNS_MAX = 64 };

static const char heading[] = "command,mean,stddev,median,user,system,min,max";

static bool hyperfine_csv_recognises(const struct import *import)
{
    return import->n_lines > 0 && import_begins(import->lines[0], heading);
}

struct table {
    struct import *import;
    const char *names[COLUMNS_MAX], *cells[COLUMNS_MAX];
    size_t n_names, n_cells;
    size_t line; /* of the row at hand, from 0 */
    int result;
    struct err *err;
};

static void add_cell(void *bytes, size_t size, void *context)
{
    struct table *table = context;
    if (table->n_cells < COLUMNS_MAX)
        table->cells[table->n_cells] =
            bytes ? import_text(table->import, "%.*s", (int)size, (const char *)bytes) : "";
    table->n_cells++;
}

static const char *cell(const struct table *table, const char *name)
{
    for (size_t i = 0; i < table->n_names; i++)
        if (strcmp(table->names[i], name) == 0)
            return table->cells[i];
    return "";
}

static void read_row(struct table *table)
{
    static const struct {
        const char *column, *metric, *statistic;
    } figures[] = {
        {"mean", "time", "mean"},     {"median", "time_median", NULL},
        {"min", "time", "min"},       {"max", "time", "max"},
        {"user", "user_time", "mean"}, {"system", "system_time", "mean"},
    };
    struct import *import = table->import;
    const char *parameters = NULL;
    for (size_t i = 0; i < table->n_names; i++)
        if (import_begins(table->names[i], "parameter_"))
            parameters = import_text(import, "%s%s%s=%s", parameters ? parameters : "",
                                     parameters ? ", " : "", table->names[i] + strlen("parameter_"),
                                     table->cells[i]);
    for (size_t i = 0; i < sizeof figures / sizeof figures[0]; i++) {
        const char *figure = cell(table, figures[i].column);
        if (strstr(figures[i].metric, "_time") && strcmp(figure, "0") == 0)
            continue; /* less than the system's tick */
        struct record sample =
            import_sample(import, "hyperfine", import_redact(import, cell(table, "command")),
                          figures[i].metric);
        sample.variant = "hyperfine";
        sample.params = import_params(import, "parameters", parameters, "statistic",
                                      figures[i].statistic, NULL);
        import_add_text(import, &sample, figure, 1, "s");
    }
}

static void end_row(int end, void *context)
{
    struct table *table = context;
    (void)end;
    if (table->result == 0 && table->n_cells > COLUMNS_MAX)
        table->result = import_error(table->import, table->line, table->err, "more than %d columns",
                                     COLUMNS_MAX);
    if (table->result == 0 && table->n_names > 0 && table->n_cells != table->n_names)
        table->result = import_error(table->import, table->line, table->err,
                                     "%zu columns, the heading has %zu", table->n_cells,
                                     table->n_names);
    if (table->result == 0 && table->n_names > 0 && table->cells[0][0] == '\0')
        table->result = import_error(table->import, table->line, table->err, "the command is empty");
    if (table->result == 0 && table->n_names > 0)
        read_row(table);
    if (table->result == 0 && table->n_names == 0) {
        memcpy(table->names, table->cells, sizeof table->names);
        table->n_names = table->n_cells;
    }
    table->n_cells = 0;
}

static int never_space(unsigned char c)
{
    (void)c;
    return 0;
}

static int hyperfine_csv_read(struct import *import, struct err *err)
{
    struct table table = {.import = import, .err = err};
    struct csv_parser parser;
    if (!hyperfine_csv_recognises(import))
        return import_error(import, 0, err, "the heading is not %s", heading);
    TRY(import_run_begin(import, import->bytes, import->size, err));
    if (csv_init(&parser, CSV_STRICT | CSV_STRICT_FINI | CSV_APPEND_NULL | CSV_EMPTY_IS_NULL) != 0)
        return err_set(err, ERR_SYSTEM, "out of memory");
    csv_set_space_func(&parser, never_space);
    size_t next = 0;
    for (size_t at = 0; at < import->size && table.result == 0; at = next) {
        const char *end = memchr(import->bytes + at, '\n', import->size - at);
        next = end ? (size_t)(end - import->bytes) + 1 : import->size;
        if (csv_parse(&parser, import->bytes + at, next - at, add_cell, end_row, &table) != next - at)
            table.result = import_error(import, table.line, err, "CSV: %s",
                                        csv_strerror(csv_error(&parser)));
        table.line++;
    }
    if (table.result == 0 && csv_fini(&parser, add_cell, end_row, &table) != 0)
        table.result = import_error(import, table.line > 0 ? table.line - 1 : 0, err,
                                    "CSV: a quote is not closed");
    csv_free(&parser);
    TRY(table.result);
    import_use(import, 0, import->n_lines);
    return import_run_end(import, 0, err);
}

const struct importer importer_hyperfine_csv = {"hyperfine_csv", "hyperfine --export-csv",
                                                hyperfine_csv_recognises, hyperfine_csv_read};
