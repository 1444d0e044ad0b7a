#include "report/page/page.h"

#include <math.h>
#include <string.h>

#include "report/compare/builds.h"
#include "report/compare/heat.h"
#include "report/scale.h"

/* The builds of collect on each machine that has several: what they are, and a map of what each is
 * better and worse at than one of them. */

static int out_of_memory(struct err *err)
{
    return err_set(err, ERR_SYSTEM, "out of memory");
}

/* The step of the scale of colours: "same", "better1" to "better5" and "worse1" to "worse5". */
static void step_set(struct value *item, double times)
{
    static const double steps[] = {1.02, 1.1, 1.25, 1.5, 2};
    double size = fmax(times, 1 / times);
    unsigned step = 0;
    while (step < sizeof steps / sizeof steps[0] && size >= steps[step])
        step++;
    if (step == 0)
        value_text(item, "step", "same");
    else
        value_format(item, "step", "%s%u", times > 1 ? "better" : "worse", step);
}

static void times_set(struct value *item, double times)
{
    char shown[SCALE_TEXT_SIZE];
    scale_number(times, 3, shown);
    value_text(item, "text", shown);
    value_format(item, "value", "%.17g", times);
    step_set(item, times);
}

static void row_set(const struct page *page, struct value *rows, const struct heat *heat,
                    const struct heat_row *row, struct buffer *text)
{
    const struct metric *metric = metric_find(row->first->key->metric);
    struct value *item = value_append(rows);
    value_format(item, "test", "%s.%s", row->first->key->kernel, row->first->key->test);
    value_text(item, "metric", metric->name);
    value_text(item, "better", better_text(metric->better));
    value_flag(item, "is_in_mean", row->is_in_mean);
    value_count(item, "n", row->cells[0].n, "cell");
    struct value *cells = value_list(item, "cells");
    for (size_t v = 0; v < heat->n; v++) {
        const struct heat_cell *cell = &row->cells[v];
        struct value *one = value_append(cells);
        value_flag(one, "has_value", cell->n > 0);
        if (cell->n == 0)
            continue;
        buffer_clear(text);
        page_samples_href(page, cell->first, text);
        value_text(one, "href", buffer_text(text));
        times_set(one, cell->times);
        value_flag(one, "is_same_code", cell->is_same_code);
        value_flag(one, "is_part", cell->n < row->cells[0].n);
        value_count(one, "n", cell->n, "cell");
    }
}

/* What is known of a build, from the last run that it has samples of, and why it has no column. */
static void build_set(struct value *list, const struct selection *selection, size_t m,
                      const char *variant, bool is_column)
{
    static const struct {
        const char *name, *fact;
    } facts[] = {{"compiler", "build.compiler"}, {"flags", "build.kernel_flags"},
                 {"sha256", "build.program_sha256"}};
    const struct machine *machine = &selection->machines.machines[m];
    const char *run = "", *reason = "";
    bool is_emulated = false, has_value = false;
    for (size_t i = 0; i < selection->n_cells; i++) {
        const struct cell *cell = &selection->cells[i];
        if (cell->machine != m || strcmp(cell->key->variant, variant) != 0)
            continue;
        is_emulated = is_emulated || cell_is_emulated(cell);
        has_value = has_value || cell->summary.n > 0;
        reason = cell->summary.n == 0 && cell->reason ? cell->reason : reason;
        const char *last = cell->records[cell->n_records - 1]->run;
        run = strcmp(last, run) > 0 ? last : run;
    }
    struct value *item = value_append(list);
    value_text(item, "variant", variant);
    for (size_t f = 0; f < sizeof facts / sizeof facts[0]; f++) {
        const char *text = build_fact(machine, run, variant, facts[f].fact);
        value_text(item, facts[f].name, text ? text : "");
    }
    value_text(item, "why", is_column     ? ""
                            : is_emulated ? "ran in an emulator, which is not compared"
                            : has_value   ? "nothing in common with the base"
                                          : reason);
    value_flag(item, "has_why", !is_column);
}

static bool is_in(const char *const *names, size_t n, const char *name)
{
    for (size_t i = 0; i < n; i++)
        if (strcmp(names[i], name) == 0)
            return true;
    return false;
}

/* Those with a column first, then the others as they come. */
static int builds_set(struct page *page, struct value *item, size_t m, const struct heat *heat,
                      struct err *err)
{
    enum { OTHERS_MAX = 256 };
    const struct selection *selection = &page->site->selection;
    const char **others = arena_take(&page->tree.arena, OTHERS_MAX, sizeof *others);
    struct value *builds = value_list(item, "builds");
    size_t n = 0;
    if (!others)
        return out_of_memory(err);
    for (size_t v = 0; v < heat->n; v++)
        build_set(builds, selection, m, heat->variants[v], true);
    for (size_t i = 0; i < selection->n_cells && n < OTHERS_MAX; i++) {
        const char *name = selection->cells[i].key->variant;
        if (selection->cells[i].machine != m || is_in(heat->variants, heat->n, name) ||
            is_in(others, n, name))
            continue;
        others[n++] = name;
        build_set(builds, selection, m, name, false);
    }
    return 0;
}

static int machine_set(struct page *page, struct value *list, size_t m, struct buffer *text,
                       struct err *err)
{
    struct site *site = page->site;
    struct heat heat;
    TRY(heat_make(&site->selection, m, site->base, &page->tree.arena, &heat, err));
    if (heat.n < 2)
        return 0;
    struct value *item = value_append(list);
    value_text(item, "name", site->selection.machines.machines[m].name);
    value_format(item, "id", "builds-%s", site->machine_slugs[m]);
    value_format(item, "href", "machines/%s.html", site->machine_slugs[m]);
    value_text(item, "base", heat.variants[0]);
    struct value *columns = value_list(item, "columns"), *rows = value_list(item, "rows");
    for (size_t v = 0; v < heat.n; v++) {
        struct value *column = value_append(columns);
        value_text(column, "variant", heat.variants[v]);
        value_flag(column, "is_base", v == 0);
    }
    for (size_t r = 0; r < heat.n_rows; r++)
        row_set(page, rows, &heat, &heat.rows[r], text);
    value_flag(item, "has_means", heat.n_in_mean > 0);
    value_count(item, "n_in_mean", heat.n_in_mean, "row");
    struct value *means = value_list(item, "means");
    for (size_t v = 0; v < heat.n && heat.n_in_mean > 0; v++)
        times_set(value_append(means), heat.means[v]);
    return builds_set(page, item, m, &heat, err);
}

bool site_has_variants(const struct site *site)
{
    const struct selection *selection = &site->selection;
    for (size_t i = 1; i < selection->n_cells; i++)
        if (selection->cells[i].machine == selection->cells[i - 1].machine &&
            is_same_work(selection->cells[i].key, selection->cells[i - 1].key))
            return true;
    return false;
}

int page_variants(struct site *site, struct err *err)
{
    struct page page;
    struct buffer text = {0};
    if (!site->has_variants)
        return 0;
    page_begin(&page, site, "", "Builds");
    struct value *list = value_list(page.map, "maps");
    int result = 0;
    for (size_t m = 0; m < site->selection.machines.n && result >= 0; m++)
        result = machine_set(&page, list, m, &text, err);
    if (result >= 0 && text.failed)
        result = out_of_memory(err);
    buffer_free(&text);
    if (result < 0) {
        page_free(&page);
        return result;
    }
    return page_end(&page, "variants", "variants.html", err);
}
