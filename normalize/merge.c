#include "normalize/merge.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "normalize/memory.h"
#include "normalize/merging.h"
#include "normalize/overwrite.h"

const struct option_spec merge_options[] = {
    {"output", 'o', "FILE",
     "where the archive goes, compressed when the name ends in .gz; '-', which is the default, is "
     "standard output; may be one of the inputs"},
    {"prefer", 'p', "FILE", "the input whose record wins where two differ; else that is an error"},
    {"without-retracted", 0, NULL, "leave out the samples of runs that were retracted"},
    {"keep-going", 'k', NULL, "pass over bad rows, which are named and counted"},
    {"dropped", 'd', "FILE",
     "a report of every row that was dropped and why, as JSON lines when the name ends in .json or "
     ".jsonl"},
    {"memory", 0, "SIZE", "memory to use, such as 512M or 2G; 1G when not given"},
    {"tmp", 0, "DIR", "folder for temporary files; TMPDIR, or /tmp, when not given"},
    {"threads", 0, "N", "threads to use; as many as there are processors when not given"},
    {"quiet", 'q', NULL, "no summary and no warnings on standard error"},
    {0},
};

static const char *plural(uint64_t n)
{
    return n == 1 ? "" : "s";
}

enum { WARNINGS_MAX = 100 }; /* bad rows that are named on standard error */

static int print_bad_row(void *context, const char *text, size_t size, struct err *err)
{
    uint64_t *n = context;
    (void)err;
    if (*n == WARNINGS_MAX)
        return 1;
    ++*n;
    fprintf(stderr, "normalize: %.*s: refused\n", (int)size, text);
    return 0;
}

static int print_refused(const struct intake *intake, uint64_t n_refused, struct err *err)
{
    uint64_t n = 0;
    for (size_t i = 0; i < intake->n_files; i++)
        TRY(problems_each(&intake->files[i].refused, print_bad_row, &n, err));
    if (n_refused > n)
        fprintf(stderr, "normalize: and %" PRIu64 " bad rows more\n", n_refused - n);
    return 0;
}

static int print_summary(const struct intake *intake, const struct merge_tally *tally, struct err *err)
{
    TRY(print_refused(intake, tally->n_refused, err));
    for (uint32_t i = 0; i < intake->n_paths; i++)
        if (intake_is_incomplete(intake, i))
            fprintf(stderr, "normalize: %s: no end row: the run may be incomplete\n",
                    intake->paths[i]);
    fprintf(stderr,
            "normalize: read %" PRIu64 " record%s from %zu file%s, dropped %" PRIu64
            " duplicate%s",
            tally->n_read, plural(tally->n_read), intake->n_files, plural(intake->n_files),
            tally->n_duplicates, plural(tally->n_duplicates));
    if (tally->n_conflicts > 0)
        fprintf(stderr, ", settled %" PRIu64 " conflict%s", tally->n_conflicts,
                plural(tally->n_conflicts));
    if (tally->n_retracted > 0)
        fprintf(stderr, ", left out %" PRIu64 " retracted", tally->n_retracted);
    if (tally->n_refused > 0)
        fprintf(stderr, ", refused %" PRIu64 " bad row%s", tally->n_refused,
                plural(tally->n_refused));
    fprintf(stderr, ", wrote %" PRIu64 "\n", tally->n_written);
    return 0;
}

static int merge(const struct arguments *arguments, const struct merge_settings *settings,
                 struct err *err)
{
    struct intake intake;
    struct merge_tally tally = {0};
    int result = intake_init(&intake, arguments->operands, arguments->n_operands,
                             argument_given(arguments, "keep-going") ? BAD_ROWS_PASS : BAD_ROWS_FAIL,
                             settings->folder, err);
    if (result == 0)
        result = merge_files(&intake, settings, &tally, err);
    if (result == 0 && !argument_given(arguments, "quiet"))
        result = print_summary(&intake, &tally, err);
    if (result == ERR_DATA && tally.n_open > 0) {
        size_t used = strlen(err->text);
        snprintf(err->text + used, sizeof err->text - used, "; --prefer=FILE chooses a side");
    }
    intake_free(&intake);
    return result;
}

int merge_run(const struct arguments *arguments, struct err *err)
{
    const char *output = argument_value(arguments, "output");
    struct merge_settings settings = {
        .output = output ? output : "-",
        .prefer = argument_value(arguments, "prefer"),
        .dropped = argument_value(arguments, "dropped"),
        .folder = argument_value(arguments, "tmp"),
        .without_retracted = argument_given(arguments, "without-retracted"),
    };
    TRY(memory_limits(arguments, &settings, err));
    TRY(overwrite_check(arguments, "--dropped", settings.dropped, err));
    if (settings.dropped && overwrite_is_same(settings.dropped, settings.output))
        return err_set(err, ERR_USAGE, "--dropped=%s: is where the archive goes", settings.dropped);
    return memory_hint(arguments, merge(arguments, &settings, err), err);
}
