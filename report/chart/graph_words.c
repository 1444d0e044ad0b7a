#include <math.h>
#include <string.h>

#include "report/chart/graph_work.h"
#include "report/scale.h"

char *graph_keep(struct graph_work *work)
{
    char *copy = work->text.failed ? NULL
                                   : arena_copy(work->arena, buffer_text(&work->text),
                                                work->text.size);
    buffer_clear(&work->text);
    return copy;
}

/* "threads 2", "block 16 KiB": a field whose bare value says too little gets its name. */
void graph_label_add(struct graph_work *work, const struct field *field, const struct cell *cell)
{
    struct buffer *text = &work->text;
    if (text->size > 0)
        buffer_add_text(text, ", ");
    size_t start = text->size;
    if (field->type == FIELD_MACHINE) {
        buffer_add_text(text, work->selection->machines.machines[cell->machine].short_name);
        return;
    }
    field_text(field, work->selection, cell, NULL, text);
    bool is_number = text->size > start && strchr("0123456789", text->bytes[start]);
    if (is_number || (text->size == start + 1 && text->bytes[start] == '-')) {
        text->size = start;
        buffer_add_format(text, "%s ", field_heading(field, cell->key->kernel));
        field_text(field, work->selection, cell, NULL, text);
    }
}

/* True when a cell is like this one in the fields [n] of `shown` and not in `field`. */
static bool is_needed(const struct fields *shown, const struct field *field,
                      const struct cell *const *cells, size_t n, const struct cell *cell)
{
    for (size_t i = 0; i < n; i++)
        if (field_compare(field, cells[i], cell) != 0 && graph_compare_by(shown, cells[i], cell) == 0)
            return true;
    return false;
}

/* As little as tells this line from the others: legends are narrow. */
const char *graph_series_label(struct graph_work *work, const struct fields *fields,
                               const struct cell *const *cells, size_t n, const struct cell *cell)
{
    struct fields shown = {0};
    for (size_t i = 0; i < fields->n; i++) {
        const struct field *field = &fields->list[i];
        if (field->type != FIELD_MACHINE && !is_needed(&shown, field, cells, n, cell))
            continue;
        /* What the others have and this one lacks is said by their labels. */
        if (!field_is_absent(field, cell))
            graph_label_add(work, field, cell);
        shown.list[shown.n++] = *field;
    }
    if (work->text.size == 0)
        graph_label_add(work, &(struct field){FIELD_TEST, NULL}, cell);
    return graph_keep(work);
}

static void value_add(struct buffer *text, double value, const char *unit, const char *display)
{
    char shown[SCALE_TEXT_SIZE];
    struct scale scale;
    if (display && scale_find(unit, display, &scale))
        scale_format_as(value, &scale, SCALE_DIGITS, shown);
    else
        scale_format(value, unit, SCALE_DIGITS, shown);
    buffer_add_text(text, shown);
}

int graph_alt_set(struct graph_work *work, const struct cell *const *cells, size_t n,
                  struct graph *graph, struct err *err)
{
    const struct record *key = cells[0]->key;
    const struct chart *chart = &graph->chart;
    bool is_lines = chart->kind == CHART_LINES;
    struct buffer *text = &work->text;
    const struct cell *least = cells[0], *most = cells[0];
    double x_least = key->x, x_most = key->x;
    for (size_t i = 0; i < n; i++) {
        if (cells[i]->summary.median < least->summary.median)
            least = cells[i];
        if (cells[i]->summary.median > most->summary.median)
            most = cells[i];
        x_least = fmin(x_least, cells[i]->key->x);
        x_most = fmax(x_most, cells[i]->key->x);
    }
    buffer_add_format(text, "%s graph of the %s of %s", is_lines ? "Line" : "Bar", key->metric,
                      graph->title);
    if (is_lines) {
        buffer_add_format(text, " over %s from ", chart->x.title);
        value_add(text, x_least, key->x_unit, chart->x.display);
        buffer_add_text(text, " to ");
        value_add(text, x_most, key->x_unit, chart->x.display);
    } else {
        buffer_add_format(text, " in %zu groups", chart->n_categories);
    }
    buffer_add_format(text, ", %zu series. ", chart->n_series);
    const struct cell *const ends[] = {most, least};
    for (size_t i = 0; i < 2; i++) {
        buffer_add_text(text, i == 0 ? "Highest: " : "; lowest: ");
        value_add(text, ends[i]->summary.median, ends[i]->unit, chart->y.display);
        if (!work->machine)
            buffer_add_format(text, ", %s",
                              work->selection->machines.machines[ends[i]->machine].name);
        if (is_lines) {
            buffer_add_text(text, ", at ");
            value_add(text, ends[i]->key->x, key->x_unit, chart->x.display);
        } else {
            buffer_add_format(text, ", %s", ends[i]->key->test);
        }
    }
    buffer_add_text(text, ".");
    for (size_t i = 0; i < chart->n_marks; i++)
        buffer_add_format(text, "%s%s", i == 0 ? " Marked: " : "; ", chart->marks[i].label);
    buffer_add_text(text, chart->n_marks > 0 ? "." : "");
    graph->alt = graph_keep(work);
    return graph->alt ? 0 : graph_out_of_memory(err);
}

/* "paging write_read, threads 1": kernel, and what is the same in the whole graph and not in all. */
int graph_title_set(struct graph_work *work, const struct cell *const *cells, size_t n,
                    const struct fields *split, bool with_test, struct graph *graph,
                    struct err *err)
{
    struct buffer *text = &work->text;
    const struct field test = {FIELD_TEST, NULL};
    buffer_add_text(text, cells[0]->key->kernel);
    if (!with_test || !field_varies(&test, cells, n))
        buffer_add_format(text, " %s", cells[0]->key->test);
    for (size_t i = 0; i < split->n; i++) {
        buffer_add_format(text, ", %s ", field_heading(&split->list[i], cells[0]->key->kernel));
        field_text(&split->list[i], work->selection, cells[0], NULL, text);
    }
    graph->title = graph_keep(work);
    if (!graph->title)
        return graph_out_of_memory(err);
    buffer_add_format(text, "%s: %s", graph->title, cells[0]->key->metric);
    if (work->machine)
        buffer_add_format(text, " on %s", work->machine->name);
    graph->chart.title = graph_keep(work);
    return graph->chart.title ? 0 : graph_out_of_memory(err);
}

