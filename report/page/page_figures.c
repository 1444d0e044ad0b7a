#include "report/page/page.h"

#include <string.h>

#include "report/scale.h"

/* Every graph of the site has a name of its own: the stem, the metric, a number. A stem is the slug of a
 * kernel, or has a dot, which no slug has: a kernel may be called "series". */
int page_figure(struct page *page, struct value *list, const struct graph *graph, const char *stem,
                size_t number, struct err *err)
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

/* ---- what is always the same ---- */

/* A graph whose values are all the same, which a sentence says as well. */
struct flat {
    bool is_flat;
    double value;
    size_t n;
};

static struct flat flat_look(const struct chart *chart)
{
    struct flat flat = {.is_flat = true, .value = chart->series[0].points[0].y};
    for (size_t s = 0; s < chart->n_series; s++)
        for (size_t i = 0; i < chart->series[s].n_points; i++) {
            const struct chart_point *point = &chart->series[s].points[i];
            flat.n++;
            /* No interval is a NAN, which differs from nothing. */
            if (point->y < flat.value || point->y > flat.value || point->low < flat.value ||
                point->high > flat.value)
                flat.is_flat = false;
        }
    return flat;
}

/* title: "" for all graphs of the metric. */
static void flat_set(struct value *list, const struct graph *graph, const char *title,
                     const struct flat *flat)
{
    char shown[SCALE_TEXT_SIZE];
    struct value *item = value_append(list);
    scale_format(flat->value, graph->first->unit, SCALE_DIGITS, shown);
    value_text(item, "metric", graph->first->key->metric);
    value_text(item, "title", title);
    value_text(item, "value", shown);
    value_count(item, "n", flat->n, "result");
}

/* True when all graphs [n] of a metric have one value, *all. */
static bool are_all_flat(const struct graph *graphs, size_t n, struct flat *all)
{
    *all = flat_look(&graphs[0].chart);
    for (size_t g = 1; g < n; g++) {
        struct flat flat = flat_look(&graphs[g].chart);
        all->is_flat = all->is_flat && flat.is_flat && !(flat.value < all->value) &&
                       !(flat.value > all->value);
        all->n += flat.n;
    }
    return all->is_flat;
}

int page_figures(struct page *page, struct value *map, const struct cell *const *cells, size_t n,
                 const struct machine *machine, const char *stem, struct err *err)
{
    struct graph *graphs = NULL;
    size_t n_graphs = 0;
    struct value *list = value_list(map, "figures"), *flats = value_list(map, "flats");
    bool lacked_gnuplot = page->site->lacks_gnuplot;
    page->site->lacks_gnuplot = false;
    int result = graphs_make(&page->site->selection, cells, n, machine, &page->tree.arena, &graphs,
                             &n_graphs, err);
    for (size_t g = 0, end; g < n_graphs && result >= 0; g = end) {
        const struct record *key = graphs[g].first->key;
        struct flat all;
        for (end = g + 1; end < n_graphs && strcmp(graphs[end].first->key->metric, key->metric) == 0;)
            end++;
        if (are_all_flat(graphs + g, end - g, &all)) {
            flat_set(flats, &graphs[g], end - g > 1 ? "" : graphs[g].title, &all);
            continue;
        }
        for (size_t i = g; i < end && result >= 0; i++) {
            struct flat flat = flat_look(&graphs[i].chart);
            if (flat.is_flat)
                flat_set(flats, &graphs[i], graphs[i].title, &flat);
            else
                result = page_figure(page, list, &graphs[i], stem, i + 1, err);
        }
    }
    value_flag(map, "has_flats", flats->first != NULL);
    value_flag(map, "has_graphs", n_graphs > 0);
    value_flag(map, "lacks_gnuplot", page->site->lacks_gnuplot);
    page->site->lacks_gnuplot = page->site->lacks_gnuplot || lacked_gnuplot;
    return result;
}
