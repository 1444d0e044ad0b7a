#include <stdio.h>

#include "report/layout/layout_eval.h"
#include "report/compare/compare_verb.h"
#include "report/chart/plot_verb.h"
#include "report/page/publish.h"
#include "report/select.h"
#include "report/sheet.h"
#include "report/page/site.h"
#include "report/table.h"
#include "report/page/template.h"
#include "schema/archive.h"
#include "schema/command.h"
#include "schema/output.h"

#include <string.h>
#include <unistd.h>

/* Reads all files of the command line. */
static int archive_read(struct archive **out, const struct arguments *arguments, struct err *err)
{
    if (arguments->n_operands == 0)
        return err_set(err, ERR_USAGE, "no file is named");
    TRY(archive_new(out, err));
    for (size_t i = 0; i < arguments->n_operands; i++)
        TRY(archive_add(*out, arguments->operands[i], err));
    TRY(archive_seal(*out, NULL, err));
    for (size_t i = 0; archive_warning(*out, i); i++)
        fprintf(stderr, "report: %s\n", archive_warning(*out, i));
    return 0;
}

/* The folder of publications: the one that was named, else the one beside the templates. */
static int datasets_find(struct buffer *out, const char *named, const struct templates *templates,
                         struct err *err)
{
    if (named)
        buffer_add_text(out, named);
    else
        buffer_add_format(out, "%s/../datasets", templates_folder(templates));
    if (named && access(named, R_OK | X_OK) != 0)
        return err_system(err, "%s", named);
    return out->failed ? err_set(err, ERR_SYSTEM, "out of memory") : 0;
}

/* Names every hole on standard error. */
static int holes_check(const struct archive *archive, struct err *err)
{
    struct selection selection;
    struct buffer holes = {0}, shown = {0};
    int result = selection_make(&selection, archive, false, err);
    if (result >= 0)
        result = publish_check(&selection, &holes, err);
    if (result >= 0 && archive_tally(archive).n_incomplete > 0)
        result = err_set(err, ERR_DATA, "not published: a file is incomplete");
    for (char *line = holes.bytes, *end; line && *line && (end = strchr(line, '\n')); line = end + 1) {
        *end = '\0';
        buffer_clear(&shown);
        sheet_label_add(&shown, line);
        fprintf(stderr, "report: %s\n", buffer_text(&shown));
    }
    buffer_free(&holes);
    buffer_free(&shown);
    selection_free(&selection);
    return result;
}

static int run_site(const struct arguments *arguments, struct err *err)
{
    const char *folder = argument_value(arguments, "output");
    if (!folder)
        return err_set(err, ERR_USAGE, "-o DIR says where the site goes");
    struct archive *archive = NULL;
    struct templates *templates = NULL;
    struct buffer found = {0};
    struct buffer datasets = {0};
    const char *named_datasets = argument_value(arguments, "datasets");
    const char *named = argument_value(arguments, "templates");
    int result = named ? 0 : templates_find(&found, err);
    if (result >= 0)
        result = templates_open(&templates, named ? named : buffer_text(&found), err);
    if (result >= 0)
        result = archive_read(&archive, arguments, err);
    if (result >= 0 && argument_given(arguments, "publish"))
        result = holes_check(archive, err);
    if (result >= 0)
        result = datasets_find(&datasets, named_datasets, templates, err);
    if (result >= 0)
        result = site_write(archive, templates, buffer_text(&datasets),
                            argument_value(arguments, "base"), folder, err);
    buffer_free(&datasets);
    templates_free(templates);
    archive_free(archive);
    buffer_free(&found);
    return result;
}

/* Appends the tables that the files of --layout describe. */
static int layouts_print(const struct arguments *arguments, const struct archive *archive,
                         struct buffer *out, struct err *err)
{
    const char *path, *base = argument_value(arguments, "base");
    size_t n_figures, n_all = 0;
    for (size_t i = 0; (path = argument_nth(arguments, "layout", i)) != NULL; i++) {
        struct layout layout;
        struct selection selection = {0};
        int result = layout_read(&layout, path, err);
        if (result >= 0 && base)
            result = layout_set_base(&layout, base, err);
        if (result >= 0)
            result = selection_make(&selection, archive, layout.uses_run, err);
        if (result >= 0 && i > 0)
            buffer_add_char(out, '\n');
        if (result >= 0)
            result = layout_print(&layout, &selection, out, &n_figures, err);
        if (result >= 0)
            n_all += n_figures;
        selection_free(&selection);
        layout_free(&layout);
        TRY(result);
    }
    return n_all > 0 ? 0 : err_set(err, ERR_UNCLEAR, "no sample or fact is of these tables");
}

/* Appends the tables that show all of a kernel, where the templates describe such; *is_done: they are
 * there and hold something. */
static int complete_tables_print(const char *kernel, const struct archive *archive,
                                 struct buffer *out, bool *is_done, struct err *err)
{
    struct buffer path = {0};
    struct layout layout = {0};
    struct selection selection = {0};
    struct err none; /* without templates there is no description */
    size_t n_figures = 0, start = out->size;
    int result = 0;
    if (!strchr(kernel, '/') && templates_find(&path, &none) >= 0) {
        buffer_add_format(&path, "/tables/%s.table", kernel);
        if (access(buffer_text(&path), R_OK) == 0)
            result = layout_read(&layout, buffer_text(&path), err);
    }
    if (result >= 0 && layout.is_complete) {
        result = selection_make(&selection, archive, layout.uses_run, err);
        bool has_kernel = false;
        for (size_t i = 0; i < selection.n_cells && !has_kernel; i++)
            has_kernel = strcmp(selection.cells[i].key->kernel, kernel) == 0;
        if (result >= 0 && has_kernel)
            result = layout_print(&layout, &selection, out, &n_figures, err);
        if (result >= 0 && n_figures > 0)
            table_notes_add(out, &selection);
    }
    *is_done = n_figures > 0;
    if (!*is_done && out->bytes) {
        out->size = start;
        out->bytes[start] = '\0';
    }
    selection_free(&selection);
    layout_free(&layout);
    buffer_free(&path);
    return result;
}

static int run_table(const struct arguments *arguments, struct err *err)
{
    bool has_layout = argument_given(arguments, "layout");
    const struct table_options options = {.kernel = argument_value(arguments, "kernel"),
                                          .test = argument_value(arguments, "test"),
                                          .metric = argument_value(arguments, "metric"),
                                          .rows = argument_value(arguments, "rows"),
                                          .columns = argument_value(arguments, "columns")};
    struct archive *archive = NULL;
    struct selection selection = {0};
    struct buffer text = {0};
    struct output *output = NULL;
    if (has_layout && (options.kernel || options.test || options.metric || options.rows ||
                       options.columns))
        return err_set(err, ERR_USAGE,
                       "--layout says all of the tables: of the other options --base alone goes with it");
    if (!has_layout && argument_given(arguments, "base"))
        return err_set(err, ERR_USAGE, "--base is of the tables that --layout describes");
    bool is_done = false;
    int result = archive_read(&archive, arguments, err);
    if (result >= 0 && has_layout)
        result = layouts_print(arguments, archive, &text, err);
    else if (result >= 0 && options.kernel && !options.test && !options.metric && !options.rows &&
             !options.columns)
        result = complete_tables_print(options.kernel, archive, &text, &is_done, err);
    bool is_by_run = (options.rows && argument_list_has(options.rows, "run")) ||
                     (options.columns && argument_list_has(options.columns, "run"));
    if (result >= 0 && !has_layout && !is_done)
        result = selection_make(&selection, archive, is_by_run, err);
    if (result >= 0 && !has_layout && !is_done)
        result = table_print(&selection, &options, &text, err);
    if (result >= 0)
        result = output_open(&output, "-", err);
    if (result >= 0) {
        result = output_write(output, buffer_text(&text), text.size, err);
        if (result < 0)
            output_discard(output);
        else
            result = output_commit(output, err);
    }
    buffer_free(&text);
    selection_free(&selection);
    archive_free(archive);
    return result;
}

static const struct option_spec site_options[] = {
    {"output", 'o', "DIR",
     "where the site goes; an older site there is replaced, any other folder is left alone"},
    {"publish", 'p', NULL,
     "refuse results with holes, and name them: runs that do not say what system, compiler, flags, "
     "conditions and date they are of"},
    {"base", 0, "PATTERN",
     "the build of collect that others are held against: the first that matches the glob pattern "
     "(default: the first in order)"},
    {"templates", 0, "DIR", "take templates and style.css from here"},
    {"datasets", 0, "DIR",
     "publications whose tables are printed again, where their records are in the FILEs"},
    {0},
};

static const struct option_spec table_options[] = {
    {"layout", 'l', "FILE",
     "print the tables that FILE describes, see layout(5); may be given several times"},
    {"base", 0, "PATTERN", "in these tables: the build of collect that others are held against"},
    {"kernel", 'k', "LIST",
     "these kernels alone; one that is all that is asked for may have a form of its own"},
    {"test", 't', "LIST", "these tests alone"},
    {"metric", 'm', "LIST", "these metrics alone"},
    {"rows", 'r', "LIST",
     "what the rows are: of test, x, threads, params, machine, variant, run, kernel, metric and "
     "single keys of params, such as mode; params is all keys that are not named. Default: "
     "test,x,params,threads"},
    {"columns", 'c', "LIST",
     "what the columns are, from the same words. Default: machine,variant. What is in neither and "
     "differs makes a table for each value; runs alone are pooled unless named"},
    {0},
};

static const struct verb verbs[] = {
    {"site", "FILE...", "write the static site", site_options, run_site},
    {"table", "FILE...", "print tables: median and (number of samples) of each cell", table_options,
     run_table},
    {"compare", "BASE [NEW]", "what changed from one side to the other, and whether that can be told",
     compare_verb_options, compare_verb},
    {"plot", "FILE...", "draw one graph, for a paper or a page of one's own", plot_verb_options,
     plot_verb},
    {0},
};

int main(int argc, char **argv)
{
    static const struct program program = {
        "report", "Shows benchmark results side by side, from record files.", verbs};
    return command_main(&program, argc, argv);
}
