#include "normalize/merge.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "schema/archive.h"
#include "schema/gzip.h"
#include "schema/output.h"
#include "schema/progress.h"
#include "schema/writer.h"

const struct option_spec merge_options[] = {
    {"output", 'o', "FILE",
     "where the archive goes, compressed when the name ends in .gz; '-', which is the default, is "
     "standard output; may be one of the inputs"},
    {"prefer", 'p', "FILE", "the input whose record wins where two differ; else that is an error"},
    {"quiet", 'q', NULL, "no summary and no warnings on standard error"},
    {0},
};

static int read_all(struct archive *archive, const struct arguments *arguments, struct err *err)
{
    struct progress progress;
    int result = 0;
    progress_start(&progress, arguments->n_operands);
    for (size_t i = 0; i < arguments->n_operands && result == 0; i++) {
        progress_step(&progress, i, arguments->operands[i]);
        result = archive_add(archive, arguments->operands[i], err);
    }
    progress_end(&progress);
    return result;
}

static int seal(struct archive *archive, const char *prefer, struct err *err)
{
    int result = archive_seal(archive, prefer, err);
    if (result == ERR_DATA) {
        size_t used = strlen(err->text);
        snprintf(err->text + used, sizeof err->text - used, "; --prefer=FILE chooses a side");
    }
    return result;
}

static int write_rows(const struct archive *archive, sink_fn *sink, void *context, struct err *err)
{
    struct writer writer;
    writer_init(&writer, sink, context);
    int result = writer_header(&writer, err);
    for (size_t i = 0; i < archive_count(archive) && result == 0; i++) {
        size_t size;
        const char *line = archive_line(archive, i, &size);
        result = writer_line(&writer, line, size, err);
    }
    if (result == 0)
        result = writer_end(&writer, err);
    writer_free(&writer);
    return result;
}

static int write_gzip(const struct archive *archive, struct output *output, struct err *err)
{
    struct gzip_writer *gzip;
    TRY(gzip_writer_open(&gzip, output_write, output, err));
    int result = write_rows(archive, gzip_writer_write, gzip, err);
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

static int write_archive(const struct archive *archive, const char *path, struct err *err)
{
    struct output *output;
    TRY(output_open(&output, path, err));
    int result = is_gzip_name(path) ? write_gzip(archive, output, err)
                                    : write_rows(archive, output_write, output, err);
    if (result == 0)
        return output_commit(output, err);
    output_discard(output);
    return result;
}

static const char *plural(uint64_t n)
{
    return n == 1 ? "" : "s";
}

static void print_summary(const struct archive *archive)
{
    const char *warning;
    for (size_t i = 0; (warning = archive_warning(archive, i)) != NULL; i++)
        fprintf(stderr, "normalize: %s\n", warning);
    struct archive_tally tally = archive_tally(archive);
    fprintf(stderr,
            "normalize: read %" PRIu64 " record%s from %" PRIu64 " file%s, dropped %" PRIu64
            " duplicate%s",
            tally.n_read, plural(tally.n_read), tally.n_files, plural(tally.n_files),
            tally.n_duplicates, plural(tally.n_duplicates));
    if (tally.n_conflicts > 0)
        fprintf(stderr, ", settled %" PRIu64 " conflict%s", tally.n_conflicts,
                plural(tally.n_conflicts));
    fprintf(stderr, ", wrote %zu\n", archive_count(archive));
}

int merge_run(const struct arguments *arguments, struct err *err)
{
    const char *path = argument_value(arguments, "output");
    struct archive *archive;
    TRY(archive_new(&archive, err));
    int result = read_all(archive, arguments, err);
    if (result == 0)
        result = seal(archive, argument_value(arguments, "prefer"), err);
    /* The output is not touched before everything was read: it may be one of the inputs. */
    if (result == 0)
        result = write_archive(archive, path ? path : "-", err);
    if (result == 0 && !argument_given(arguments, "quiet"))
        print_summary(archive);
    archive_free(archive);
    return result;
}
