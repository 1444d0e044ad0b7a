#include "normalize/import.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "normalize/import/importing.h"
#include "normalize/overwrite.h"
#include "schema/gzip.h"
#include "schema/output.h"
#include "schema/text.h"

#define IMPORTERS(X)                                                                               \
    X(fio)                                                                                         \
    X(hyperfine)                                                                                   \
    X(hyperfine_csv)                                                                               \
    X(google_benchmark)                                                                            \
    X(pyperf)                                                                                      \
    X(memspeed)                                                                                    \
    X(busspeed)                                                                                    \
    X(linpack)                                                                                     \
    X(lloops)                                                                                      \
    X(whets)                                                                                       \
    X(mp_whets)                                                                                    \
    X(mp_mflops)                                                                                   \
    X(dhry)                                                                                        \
    X(drivespeed)                                                                                  \
    X(bmpspeed)                                                                                    \
    X(go)                                                                                          \
    X(sysbench)                                                                                    \
    X(stream)                                                                                      \
    X(lat_mem_rd)                                                                                  \
    X(hdtest)                                                                                      \
    X(cpu_test)                                                                                    \
    X(size)                                                                                        \
    X(openssl)                                                                                     \
    X(intburn)                                                                                     \
    X(paging)                                                                                      \
    X(lmbench)                                                                                     \
    X(phoronix)                                                                                    \
    X(small_files)                                                                                 \
    X(randmp)
#define DECLARE(name) extern const struct importer importer_##name;
IMPORTERS(DECLARE)
#define ENTRY(name) &importer_##name,
const struct importer *const importers[] = {IMPORTERS(ENTRY) NULL};

const struct option_spec import_options[] = {
    {"format", 'f', "NAME", "auto, which recognises, or one of the formats; list names them"},
    {"output", 'o', "FILE",
     "where the records go, compressed when the name ends in .gz; '-', which is the default, is "
     "standard output"},
    {"machine", 'm', "LABEL", "label of the machine; must be given where the file does not name one"},
    {"time", 't', "TIME",
     "when it was measured: YYYY, YYYY-MM, YYYY-MM-DD or YYYY-MM-DDThh:mm:ssZ; must be given, and is "
     "used, where the file does not say"},
    {"quiet", 'q', NULL, "no summary on standard error"},
    {0},
};

static const struct importer *find_importer(const char *name)
{
    for (size_t i = 0; importers[i]; i++)
        if (strcmp(importers[i]->name, name) == 0)
            return importers[i];
    return NULL;
}

static int recognise(struct import *import, struct err *err)
{
    const struct importer *found = NULL;
    for (size_t i = 0; importers[i]; i++) {
        if (!importers[i]->recognises(import))
            continue;
        if (found)
            return err_set(err, ERR_DATA, "%s:1: may be %s or %s: --format=NAME says which",
                           import->path, found->name, importers[i]->name);
        found = importers[i];
    }
    if (!found)
        return err_set(err, ERR_DATA, "%s:1: in no format that is known", import->path);
    import->importer = found;
    return 0;
}

static void count_other_lines(struct import *import)
{
    import->tally.n_lines = import->n_lines;
    for (size_t i = 0; i < import->n_lines; i++) {
        const char *line = import->lines[i];
        bool is_blank = line[strspn(line, " \t\f")] == '\0';
        import->tally.n_other_lines += !is_blank && !import->is_used[i];
    }
}

static const char *plural(uint64_t n)
{
    return n == 1 ? "" : "s";
}

static void print_tally(const struct import *import)
{
    const struct import_tally *tally = &import->tally;
    fprintf(stderr, "normalize: %s: %s: %" PRIu64 " record%s of %" PRIu64 " run%s", import->path,
            import->importer->name, tally->n_records, plural(tally->n_records), tally->n_runs,
            plural(tally->n_runs));
    if (tally->n_not_ok > 0)
        fprintf(stderr, ", %" PRIu64 " without a value", tally->n_not_ok);
    if (tally->n_other_lines > 0)
        fprintf(stderr, ", %" PRIu64 " of %" PRIu64 " lines are something else",
                tally->n_other_lines, tally->n_lines);
    fputc('\n', stderr);
}

static int import_file(const struct arguments *arguments, const char *path,
                       const struct importer *importer, struct writer *writer, struct err *err)
{
    struct import import;
    int result = import_open(&import, path, err);
    import.importer = importer;
    import.writer = writer;
    import.machine = argument_value(arguments, "machine");
    import.time = argument_value(arguments, "time");
    if (result == 0 && !importer)
        result = recognise(&import, err);
    if (result == 0)
        result = import.importer->read(&import, err);
    if (result == 0 && import.tally.n_runs == 0)
        result = err_set(err, ERR_DATA, "%s:1: no results of %s", path, import.importer->name);
    if (result == 0 && !argument_given(arguments, "quiet")) {
        count_other_lines(&import);
        print_tally(&import);
    }
    import_close(&import);
    return result;
}

static int import_files(const struct arguments *arguments, const struct importer *importer,
                        sink_fn *sink, void *context, struct err *err)
{
    struct writer writer;
    writer_init(&writer, sink, context);
    int result = writer_header(&writer, err);
    for (size_t i = 0; i < arguments->n_operands && result == 0; i++)
        result = import_file(arguments, arguments->operands[i], importer, &writer, err);
    if (result == 0)
        result = writer_end(&writer, err);
    writer_free(&writer);
    return result;
}

static int import_gzip(const struct arguments *arguments, const struct importer *importer,
                       struct output *output, struct err *err)
{
    struct gzip_writer *gzip;
    TRY(gzip_writer_open(&gzip, output_write, output, err));
    int result = import_files(arguments, importer, gzip_writer_write, gzip, err);
    if (result == 0)
        return gzip_writer_close(gzip, err);
    gzip_writer_discard(gzip);
    return result;
}

static bool is_gzip_name(const char *path)
{
    size_t size = strlen(path);
    return size > 3 && strcmp(path + size - 3, ".gz") == 0;
}

int import_run(const struct arguments *arguments, struct err *err)
{
    const char *format = argument_value(arguments, "format");
    const char *path = argument_value(arguments, "output");
    const char *time = argument_value(arguments, "time");
    const struct importer *importer = format ? find_importer(format) : NULL;
    if (format && strcmp(format, "list") == 0) {
        for (size_t i = 0; importers[i]; i++)
            printf("%-18s %s\n", importers[i]->name, importers[i]->summary);
        return 0;
    }
    if (!format || (!importer && strcmp(format, "auto") != 0))
        return err_set(err, ERR_USAGE, "--format=%s: is auto, list or one of what list shows",
                       format ? format : "NAME");
    if (arguments->n_operands == 0)
        return err_set(err, ERR_USAGE, "no file is named");
    if (time && !text_is_time(time))
        return err_set(err, ERR_USAGE,
                       "--time=%s: is not YYYY, YYYY-MM, YYYY-MM-DD or YYYY-MM-DDThh:mm:ssZ", time);
    TRY(overwrite_check(arguments, "--output", path, err));
    struct output *output;
    path = path ? path : "-";
    TRY(output_open(&output, path, err));
    int result = output_wait(output, NULL, err);
    if (result == 0)
        result = is_gzip_name(path) ? import_gzip(arguments, importer, output, err)
                                    : import_files(arguments, importer, output_write, output, err);
    if (result == 0)
        return output_commit(output, err);
    output_discard(output);
    return result;
}
