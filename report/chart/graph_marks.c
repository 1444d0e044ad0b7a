#include <math.h>
#include <string.h>

#include "report/chart/graph_work.h"
#include "report/scale.h"

enum { MARKS_MAX = 8 }; /* more lines than this hide what they stand for */

/* A size, and which machines of the graph have it. */
struct mark {
    const struct record *fact;
    const char *title;
    size_t machine, n_machines;
};

/* True for each machine of the cells; returns how many. */
static size_t machines_mark(const struct cell *const *cells, size_t n, bool *has_cells, size_t n_all)
{
    size_t count = 0;
    memset(has_cells, 0, n_all * sizeof *has_cells);
    for (size_t i = 0; i < n; i++) {
        count += !has_cells[cells[i]->machine];
        has_cells[cells[i]->machine] = true;
    }
    return count;
}

/* True when another source of the same run has quite another size. That of a memory may leave out what the
 * system keeps for itself. */
static bool is_contradicted(const struct machine *machine, const struct record *fact)
{
    static const double tolerance = 1.25;
    size_t n;
    const struct record *const *others =
        facts_of_run((const struct record *const *)machine->facts, machine->n_facts, fact->metric,
                     fact->test, fact->run, &n);
    for (size_t i = 0; i < n; i++)
        if (others[i]->status == STATUS_OK && RECORD_HAS(others[i], value) &&
            (others[i]->value > fact->value * tolerance || others[i]->value < fact->value / tolerance))
            return true;
    return false;
}

/* What a machine says of a fact, NULL where it does not know or its sources contradict each other. */
static const struct record *size_of(const struct machine *machine, const char *name)
{
    const struct record *fact = machine_fact(machine, name, "", NULL);
    bool is_known = fact && fact->status == STATUS_OK && RECORD_HAS(fact, value);
    return is_known && !is_contradicted(machine, fact) ? fact : NULL;
}

/* Adds the size to marks [*n], or the machine to those that have it. */
static void mark_add(struct mark *marks, size_t *n, const char *title, const struct record *fact,
                     size_t machine)
{
    for (size_t i = 0; i < *n; i++)
        if (marks[i].title == title && facts_agree(marks[i].fact, fact)) {
            marks[i].n_machines++;
            return;
        }
    marks[(*n)++] = (struct mark){fact, title, machine, 1};
}

static const char *mark_label(struct graph_work *work, const struct mark *mark, size_t n_machines)
{
    char size[SCALE_TEXT_SIZE];
    scale_format(mark->fact->value, mark->fact->unit, SCALE_DIGITS, size);
    buffer_add_format(&work->text, "%s %s", mark->title, size);
    if (mark->n_machines == 1 && n_machines > 1)
        buffer_add_format(&work->text, ", %s",
                          work->selection->machines.machines[mark->machine].short_name);
    else if (mark->n_machines < n_machines)
        buffer_add_format(&work->text, ", %zu machines", mark->n_machines);
    return graph_keep(work);
}

int graph_marks_set(struct graph_work *work, const struct cell *const *cells, size_t n,
                    struct chart *chart, struct err *err)
{
    const struct display_mark *wanted = display_find(cells[0]->key->kernel)->marks;
    const struct machines *machines = &work->selection->machines;
    if (!wanted || strcmp(cells[0]->key->x_unit, "B") != 0)
        return 0;
    size_t n_wanted = 0, n_marks = 0;
    while (wanted[n_wanted].fact)
        n_wanted++;
    struct mark *marks = arena_take(work->arena, machines->n * n_wanted, sizeof *marks);
    bool *has_cells = arena_take(work->arena, machines->n, sizeof *has_cells);
    if (!marks || !has_cells)
        return graph_out_of_memory(err);
    size_t n_machines = machines_mark(cells, n, has_cells, machines->n);
    double least = INFINITY, most = -INFINITY;
    for (size_t i = 0; i < n; i++) {
        least = fmin(least, cells[i]->key->x);
        most = fmax(most, cells[i]->key->x);
    }
    for (size_t m = 0; m < machines->n; m++)
        for (size_t w = 0; w < n_wanted && has_cells[m]; w++) {
            const struct record *fact = size_of(&machines->machines[m], wanted[w].fact);
            if (fact && fact->value >= least && fact->value <= most)
                mark_add(marks, &n_marks, wanted[w].title, fact, m);
        }
    if (n_marks > MARKS_MAX) {
        buffer_add_format(&work->text, "The machines have %zu different sizes of", n_marks);
        for (size_t w = 0; w < n_wanted; w++)
            buffer_add_format(&work->text, "%s %s", w > 0 ? "," : "", wanted[w].title);
        buffer_add_text(&work->text, ", too many to mark");
        chart->mark_note = graph_keep(work);
        return chart->mark_note ? 0 : graph_out_of_memory(err);
    }
    struct chart_mark *drawn = arena_take(work->arena, n_marks, sizeof *drawn);
    if (!drawn)
        return graph_out_of_memory(err);
    for (size_t i = 0; i < n_marks; i++) {
        drawn[i] = (struct chart_mark){marks[i].fact->value, mark_label(work, &marks[i], n_machines)};
        if (!drawn[i].label)
            return graph_out_of_memory(err);
    }
    chart->marks = drawn;
    chart->n_marks = n_marks;
    return 0;
}
