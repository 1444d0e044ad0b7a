#include "report/compare/compare_verb.h"

#include <stdio.h>
#include <string.h>

#include "report/compare/compare.h"
#include "schema/archive.h"
#include "schema/number.h"
#include "schema/output.h"

const struct option_spec compare_verb_options[] = {
    {"by", 'b', "LIST", "what the two sides differ in: machine, run, variant, or half (of runs with "
                        "collect run --aa); needed with one file. Default: what two files do not "
                        "have in common"},
    {"base", 0, "[WHAT=]PATTERN", "of the base side these alone: a glob pattern for the machine, run "
                                  "or variant; WHAT is one of these words, or the first of --by. May "
                                  "be repeated"},
    {"new", 0, "[WHAT=]PATTERN", "the same for the new side"},
    {"kernel", 'k', "LIST", "these kernels alone"},
    {"test", 't', "LIST", "these tests alone"},
    {"metric", 'm', "LIST", "these metrics alone"},
    {"threshold", 0, "PCT", "smallest difference that matters, in percent (default: the measured "
                            "noise, 1 at least)"},
    {"alpha", 0, "SHARE", "chance of any false alarm in the whole report when nothing changed (default "
                          "0.05)"},
    {"correct", 0, "bh|holm|none", "how p is corrected for the number of cells: by Benjamini and Hochberg "
                                   "(default) of all alarms the share alpha may be false, by Holm none "
                                   "but with the chance alpha"},
    {"leave-out", 0, "LIST", "means also without these: kernels, or kernel.test"},
    {"columns", 'c', "LIST", "of text and markdown, in this order: base, new, ratio (new / base), "
                             "inverse (base / new), interval, p, verdict (default: all but inverse)"},
    {"emulated", 0, NULL, "compare what ran under emulation, too"},
    {"format", 'f', "text|markdown|csv|json|junit", "what to write (default text)"},
    {"output", 'o', "FILE", "where to (default -, standard output)"},
    {"fail-on", 0, "regression", "exit 5 when a cell is worse, else 6 when of a cell it cannot be told"},
    {0},
};

static int number_read(const struct arguments *arguments, const char *name, double most,
                       double scale, double *out, struct err *err)
{
    const char *text = argument_value(arguments, name);
    double value;
    if (!text)
        return 0;
    if (!number_parse(text, strlen(text), &value) || value < 0 || value > most)
        return err_set(err, ERR_USAGE, "--%s: '%s' is no number from 0 to %g", name, text, most);
    *out = value * scale;
    return 0;
}

struct request {
    struct compare_options options;
    struct compare_side sides[SIDES];
    struct archive *archives[SIDES];
    struct selection selections[SIDES];
    int format, fail_on;
};

static int side_read(struct request *request, enum side side, const struct arguments *arguments,
                     struct err *err)
{
    struct compare_side *to = &request->sides[side];
    const char *option = side == SIDE_BASE ? "base" : "new";
    for (const char *pattern; (pattern = argument_nth(arguments, option, to->n_patterns));) {
        if (to->n_patterns == SIDE_PATTERNS_MAX)
            return err_set(err, ERR_USAGE, "--%s: given more than %d times", option,
                           SIDE_PATTERNS_MAX);
        to->patterns[to->n_patterns++] = pattern;
    }
    if (side == SIDE_NEW && arguments->n_operands == 1) {
        to->selection = &request->selections[SIDE_BASE];
        return 0;
    }
    TRY(archive_new(&request->archives[side], err));
    TRY(archive_add(request->archives[side], arguments->operands[side], err));
    TRY(archive_seal(request->archives[side], NULL, err));
    for (size_t i = 0; archive_warning(request->archives[side], i); i++)
        fprintf(stderr, "report: %s\n", archive_warning(request->archives[side], i));
    to->file = arguments->n_operands == 2 ? arguments->operands[side] : NULL;
    to->selection = &request->selections[side];
    return selection_make(to->selection, request->archives[side], false, err);
}

static int request_read(struct request *request, const struct arguments *arguments, struct err *err)
{
    struct compare_options *options = &request->options;
    int correction = (int)compare_default_correction;
    request->fail_on = -1;
    if (arguments->n_operands < 1 || arguments->n_operands > 2)
        return err_set(err, ERR_USAGE, "two files, or one and --by, are wanted");
    *options = (struct compare_options){.by = argument_value(arguments, "by"),
                                        .kernel = argument_value(arguments, "kernel"),
                                        .test = argument_value(arguments, "test"),
                                        .metric = argument_value(arguments, "metric"),
                                        .leave_out = argument_value(arguments, "leave-out"),
                                        .columns = argument_value(arguments, "columns"),
                                        .alpha = 0.05,
                                        .threshold = -1,
                                        .with_emulated = argument_given(arguments, "emulated")};
    TRY(number_read(arguments, "threshold", 1000, 0.01, &options->threshold, err));
    TRY(number_read(arguments, "alpha", 1, 1, &options->alpha, err));
    TRY(argument_word(arguments, "correct", "bh|holm|none", &correction, err));
    options->correction = (enum correction)correction;
    TRY(argument_word(arguments, "format", "text|markdown|csv|json|junit", &request->format, err));
    TRY(argument_word(arguments, "fail-on", "regression", &request->fail_on, err));
    for (int s = 0; s < SIDES; s++)
        TRY(side_read(request, (enum side)s, arguments, err));
    return 0;
}

static int text_write(const char *path, const struct buffer *text, struct err *err)
{
    struct output *output = NULL;
    TRY(output_open(&output, path ? path : "-", err));
    int result = output_write(output, buffer_text(text), text->size, err);
    if (result >= 0)
        return output_commit(output, err);
    output_discard(output);
    return result;
}

/* The message is for whoever sees the exit status and not the table. */
static int judge(const struct comparison *comparison, struct err *err)
{
    const size_t *n = comparison->n_verdicts;
    if (n[VERDICT_WORSE] > 0)
        return err_set(err, ERR_REGRESSION, "%zu of %zu cells are worse", n[VERDICT_WORSE],
                       comparison->n);
    if (comparison->n == 0)
        return err_set(err, ERR_UNCLEAR, "no cell could be compared");
    if (n[VERDICT_CANNOT_TELL] > 0)
        return err_set(err, ERR_UNCLEAR, "of %zu of %zu cells it cannot be told",
                       n[VERDICT_CANNOT_TELL], comparison->n);
    return 0;
}

int compare_verb(const struct arguments *arguments, struct err *err)
{
    struct request request = {0};
    struct comparison comparison = {0};
    struct buffer text = {0};
    int result = request_read(&request, arguments, err);
    if (result >= 0)
        result = comparison_make(&comparison, request.sides, &request.options, err);
    if (result >= 0) {
        enum compare_format format = (enum compare_format)request.format;
        result = (format <= COMPARE_MARKDOWN ? compare_print : compare_export)(&comparison, format,
                                                                               &text, err);
    }
    if (result >= 0)
        result = text_write(argument_value(arguments, "output"), &text, err);
    if (result >= 0 && request.fail_on >= 0)
        result = judge(&comparison, err);
    buffer_free(&text);
    comparison_free(&comparison);
    for (int s = 0; s < SIDES; s++) {
        selection_free(&request.selections[s]);
        archive_free(request.archives[s]);
    }
    return result;
}
