#include "report/page.h"

#include <string.h>

/* Every graph of the site has a name of its own: the stem, the metric, a number. */
static int figure_set(struct page *page, struct value *list, const struct graph *graph,
                      const char *stem, size_t number, struct err *err)
{
    struct site *site = page->site;
    struct buffer folder = {0}, name = {0};
    struct figure figure = {0};
    buffer_add_format(&name, "%s-%s-%zu", stem, graph->first->key->metric, number);
    site_files_path(&site->files, "figures", &folder);
    int result = folder.failed || name.failed
                     ? err_set(err, ERR_SYSTEM, "out of memory")
                     : figure_write(&graph->chart, buffer_text(&folder), buffer_text(&name),
                                    &figure, err);
    /* Values that no axis can hold, such as zeros alone on a logarithmic one. */
    bool is_empty = result == ERR_DATA;
    if (is_empty)
        result = 0;
    if (result >= 0) {
        struct value *item = value_append(list);
        value_flag(item, "is_drawn", !is_empty);
        value_text(item, "title", graph->title);
        value_text(item, "metric", graph->first->key->metric);
        value_text(item, "why", is_empty ? err->text : "");
        value_text(item, "alt", graph->alt);
        value_text(item, "note", figure.note);
        value_format(item, "src", "%sfigures/%s", page->root, buffer_text(&name));
        value_format(item, "width", "%d", figure.width);
        value_format(item, "height", "%d", figure.height);
        value_flag(item, "has_gnuplot", figure.has_gnuplot);
        if (!is_empty && !figure.has_gnuplot)
            site->lacks_gnuplot = true;
        if (!is_empty && strcmp(figure.font, CHART_FONT) != 0)
            site->lacks_font = true;
        if (!is_empty)
            result = page_points(item, &graph->chart, err);
    }
    buffer_free(&folder);
    buffer_free(&name);
    return result;
}

int page_figures(struct page *page, struct value *map, const struct cell *const *cells, size_t n,
                 const struct machine *machine, const char *stem, struct err *err)
{
    struct graph *graphs = NULL;
    size_t n_graphs = 0;
    struct value *list = value_list(map, "figures");
    bool lacked_gnuplot = page->site->lacks_gnuplot;
    page->site->lacks_gnuplot = false;
    int result = graphs_make(&page->site->selection, cells, n, machine, &page->tree.arena, &graphs,
                             &n_graphs, err);
    for (size_t g = 0; g < n_graphs && result >= 0; g++)
        result = figure_set(page, list, &graphs[g], stem, g + 1, err);
    value_flag(map, "lacks_gnuplot", page->site->lacks_gnuplot);
    page->site->lacks_gnuplot = page->site->lacks_gnuplot || lacked_gnuplot;
    return result;
}
