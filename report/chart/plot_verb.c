#include "report/chart/plot_verb.h"

#include <fnmatch.h>
#include <stdio.h>
#include <string.h>

#include "report/chart/graph.h"
#include "report/select.h"
#include "report/sheet.h"
#include "schema/archive.h"

const struct option_spec plot_verb_options[] = {
    {"output", 'o', "FILE", "where the graph goes; the ending says as what: .svg, .png, .pdf, or .gp "
                            "for a gnuplot script with its data beside it as .dat"},
    {"kernel", 'k', "LIST", "these kernels alone"},
    {"test", 't', "LIST", "these tests alone"},
    {"metric", 'm', "LIST", "these metrics alone"},
    {"machine", 0, "PATTERN", "machines whose name matches the glob pattern alone; may be repeated"},
    {"variant", 0, "PATTERN", "variants that match alone; may be repeated"},
    {"graph", 'g', "N", "which graph, where the records make more than one"},
    {"width", 'w', "PX", "how wide it is, 200 to 4000 px of 1/96 inch (900); letters stay as large"},
    {"no-title", 0, NULL, "no title, which a caption has"},
    {0},
};

enum ending { ENDING_SVG, ENDING_PNG, ENDING_PDF, ENDING_GP, ENDINGS };
static const char *const endings[ENDINGS] = {".svg", ".png", ".pdf", ".gp"};

static int ending_find(const char *path, enum ending *ending, struct err *err)
{
    const char *base = path ? strrchr(path, '/') : NULL;
    const char *dot = path ? strrchr(base ? base : path, '.') : NULL;
    for (int e = 0; e < ENDINGS && dot; e++)
        if (strcmp(dot, endings[e]) == 0) {
            *ending = (enum ending)e;
            return 0;
        }
    return err_set(err, ERR_USAGE, "-o FILE.svg, .png, .pdf or .gp says where the graph goes");
}

/* True when one of the patterns given for an option matches, or none was given. */
static bool is_matched(const struct arguments *arguments, const char *option, const char *text)
{
    size_t i = 0;
    for (const char *pattern; (pattern = argument_nth(arguments, option, i)); i++)
        if (strcmp(pattern, text) == 0 || fnmatch(pattern, text, 0) == 0)
            return true;
    return i == 0;
}

static bool is_wanted(const struct arguments *arguments, const struct selection *selection,
                      const struct cell *cell)
{
    const struct machine *machine = &selection->machines.machines[cell->machine];
    return argument_list_has(argument_value(arguments, "kernel"), cell->key->kernel) &&
           argument_list_has(argument_value(arguments, "test"), cell->key->test) &&
           argument_list_has(argument_value(arguments, "metric"), cell->key->metric) &&
           (is_matched(arguments, "machine", machine->name) ||
            is_matched(arguments, "machine", machine->whole) ||
            is_matched(arguments, "machine", machine->label)) &&
           is_matched(arguments, "variant", cell->key->variant);
}

static int chart_write(const struct chart *chart, const char *path, enum ending ending,
                       struct arena *arena, struct err *err)
{
    static const enum chart_format formats[] = {CHART_SVG, CHART_PNG, CHART_PDF};
    struct chart_layout layout;
    TRY(chart_layout(chart, arena, &layout, err));
    if (layout.note[0])
        fprintf(stderr, "report: %s\n", layout.note);
    if (ending != ENDING_GP) {
        const char *font = CHART_FONT;
        TRY(chart_draw_cairo(&layout, formats[ending], path, &font, err));
        if (strcmp(font, CHART_FONT) != 0)
            fprintf(stderr, "report: the font " CHART_FONT " is missing: the letters are another's, "
                            "and may be cut or overlap\n");
        return 0;
    }
    const char *slash = strrchr(path, '/');
    const char *name = slash ? slash + 1 : path;
    const char *folder = slash == path ? arena_copy(arena, "/", 1)
                         : slash ? arena_copy(arena, path, (size_t)(slash - path))
                                 : arena_copy(arena, ".", 1);
    const char *stem = arena_copy(arena, name, strlen(name) - strlen(endings[ENDING_GP]));
    if (!folder || !stem)
        return err_set(err, ERR_SYSTEM, "out of memory");
    return chart_write_gnuplot(&layout, folder, stem, err);
}

/* Which of them, where there are several. */
static int graph_choose(const struct arguments *arguments, size_t n_wanted,
                        const struct graph *graphs, size_t n, const struct graph **graph,
                        struct err *err)
{
    unsigned long number = 0;
    TRY(argument_count(arguments, "graph", 1, 1000000, &number, err));
    if (n_wanted == 0)
        return err_set(err, ERR_UNCLEAR, "no sample is of this kernel, test, metric, machine and "
                                         "variant");
    if (n == 0)
        return err_set(err, ERR_UNCLEAR, "there are not two values to draw");
    if (number > n || (number == 0 && n > 1)) {
        struct buffer line = {0};
        for (size_t i = 0; i < n; i++) {
            buffer_clear(&line);
            sheet_label_add(&line, graphs[i].chart.title);
            fprintf(stderr, "%4zu %s\n", i + 1, buffer_text(&line));
        }
        buffer_free(&line);
        return err_set(err, ERR_USAGE, "%zu graphs: choose with --graph=N, --test and --metric", n);
    }
    *graph = &graphs[number > 0 ? number - 1 : 0];
    return 0;
}

/* Graphs are of one kernel each. *n_wanted counts the cells that were asked for. */
static int graphs_collect(const struct arguments *arguments, struct selection *selection,
                          struct graph **graphs, size_t *n, size_t *n_wanted, struct err *err)
{
    struct arena *arena = &selection->arena;
    const struct cell **cells = arena_take(arena, selection->n_cells, sizeof *cells);
    *graphs = arena_take(arena, selection->n_cells, sizeof **graphs);
    *n = *n_wanted = 0;
    if (!cells || !*graphs)
        return err_set(err, ERR_SYSTEM, "out of memory");
    for (size_t i = 0, end; i < selection->n_cells; i = end) {
        size_t n_cells = 0, n_graphs;
        struct graph *some;
        for (end = i; end < selection->n_cells && strcmp(selection->cells[end].key->kernel,
                                                         selection->cells[i].key->kernel) == 0;
             end++)
            if (is_wanted(arguments, selection, &selection->cells[end]))
                cells[n_cells++] = &selection->cells[end];
        if (n_cells == 0)
            continue;
        *n_wanted += n_cells;
        TRY(graphs_make(selection, cells, n_cells, NULL, arena, &some, &n_graphs, err));
        for (size_t g = 0; g < n_graphs; g++)
            (*graphs)[(*n)++] = some[g];
    }
    return 0;
}

/* As wide as was asked for, with a title or without. */
static int chart_adapt(const struct arguments *arguments, struct chart *chart, struct err *err)
{
    unsigned long width = 0;
    TRY(argument_count(arguments, "width", 200, 4000, &width, err));
    chart->width = (int)width;
    if (argument_given(arguments, "no-title"))
        chart->title = NULL;
    return 0;
}

static int plot(const struct arguments *arguments, struct archive *archive,
                struct selection *selection, const char *path, enum ending ending, struct err *err)
{
    for (size_t i = 0; i < arguments->n_operands; i++)
        TRY(archive_add(archive, arguments->operands[i], err));
    TRY(archive_seal(archive, NULL, err));
    for (size_t i = 0; archive_warning(archive, i); i++)
        fprintf(stderr, "report: %s\n", archive_warning(archive, i));
    TRY(selection_make(selection, archive, false, err));
    struct graph *graphs;
    const struct graph *graph = NULL;
    size_t n, n_wanted;
    TRY(graphs_collect(arguments, selection, &graphs, &n, &n_wanted, err));
    TRY(graph_choose(arguments, n_wanted, graphs, n, &graph, err));
    struct chart chart = graph->chart;
    TRY(chart_adapt(arguments, &chart, err));
    return chart_write(&chart, path, ending, &selection->arena, err);
}

int plot_verb(const struct arguments *arguments, struct err *err)
{
    const char *path = argument_value(arguments, "output");
    enum ending ending = ENDING_SVG;
    struct archive *archive = NULL;
    struct selection selection = {0};
    if (arguments->n_operands == 0)
        return err_set(err, ERR_USAGE, "no file is named");
    TRY(ending_find(path, &ending, err));
    int result = archive_new(&archive, err);
    if (result >= 0)
        result = plot(arguments, archive, &selection, path, ending, err);
    selection_free(&selection);
    archive_free(archive);
    return result;
}
