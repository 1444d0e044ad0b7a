#include "report/page/page.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/compare/builds.h"
#include "report/order.h"
#include "report/scale.h"

/* Machines of many years side by side: what is the same work on all of them, as it is and per clock
 * cycle. */

static int out_of_memory(struct err *err)
{
    return err_set(err, ERR_SYSTEM, "out of memory");
}

/* ---- rows: cells that are equal in all but machine and variant, best variant of each machine ---- */

static bool is_better(const struct cell *a, const struct cell *b, enum better better)
{
    return better == BETTER_LOWER ? a->summary.median < b->summary.median
                                  : a->summary.median > b->summary.median;
}

/* best[m]: the best cell of machine m among cells [n] of the same work, or NULL. Returns how many
 * machines have one. */
static size_t best_find(const struct cell *cells, size_t n, enum better better,
                        const struct cell **best, size_t n_machines)
{
    size_t count = 0;
    for (size_t m = 0; m < n_machines; m++)
        best[m] = NULL;
    for (size_t i = 0; i < n; i++) {
        const struct cell **here = &best[cells[i].machine];
        if (cells[i].summary.n == 0 || cell_is_emulated(&cells[i]))
            continue;
        count += !*here;
        if (!*here || is_better(&cells[i], *here, better))
            *here = &cells[i];
    }
    return count;
}

/* Hz; 0 when the machine does not say. Measured, if it is. */
static double clock_of(const struct machine *machine, bool *is_measured)
{
    static const char *const facts[] = {"cpu.clock.measured", "cpu.clock"};
    for (size_t i = 0; i < 2; i++) {
        const struct record *fact = machine_fact(machine, facts[i], "", NULL);
        if (!fact)
            fact = machine_fact(machine, facts[i], "before", NULL);
        *is_measured = i == 0;
        if (fact && fact->status == STATUS_OK && RECORD_HAS(fact, value) && fact->value > 0)
            return fact->value;
    }
    return 0;
}

static void per_clock_add(const struct cell *cell, double clock_hz, struct buffer *out)
{
    char text[SCALE_TEXT_SIZE];
    size_t size = strlen(cell->unit);
    bool is_rate = size > 2 && strcmp(cell->unit + size - 2, "/s") == 0;
    if (clock_hz <= 0 || (!is_rate && strcmp(cell->unit, "s") != 0))
        return;
    double value = cell->summary.median;
    scale_number(is_rate ? value / clock_hz : value * clock_hz, SCALE_DIGITS, text);
    if (is_rate)
        buffer_add_format(out, "%s %.*s/cycle", text, (int)(size - 2), cell->unit);
    else
        buffer_add_format(out, "%s cycles", text);
}

static void cell_set(const struct page *page, struct value *item, const struct cell *cell,
                     const struct cell *first, struct buffer *text)
{
    char shown[SCALE_TEXT_SIZE];
    bool is_measured;
    value_flag(item, "has_value", cell != NULL);
    if (!cell)
        return;
    buffer_clear(text);
    page_samples_href(page, cell, text);
    value_text(item, "href", buffer_text(text));
    scale_format(cell->summary.median, cell->unit, SCALE_DIGITS, shown);
    value_text(item, "text", shown);
    value_format(item, "value", "%.17g", cell->summary.median);
    buffer_clear(text);
    if (cell != first && first->summary.median > 0 && strcmp(cell->unit, first->unit) == 0 &&
        strcmp(cell->unit, "1") != 0) {
        scale_number(cell->summary.median / first->summary.median, SCALE_DIGITS, shown);
        buffer_add_format(text, "× %s", shown);
    }
    value_text(item, "times", buffer_text(text));
    buffer_clear(text);
    per_clock_add(cell,
                  clock_of(&page->site->selection.machines.machines[cell->machine], &is_measured),
                  text);
    value_text(item, "per_clock", buffer_text(text));
}

void page_where_text(const struct page *page, const struct cell *cell, struct buffer *out)
{
    const struct record *key = cell->key;
    if (RECORD_HAS(key, x)) {
        field_text(&(struct field){FIELD_X, NULL}, &page->site->selection, cell,
                   display_find(key->kernel)->x_unit, out);
        buffer_add_text(out, ", ");
    }
    for (const char *p = key->params; *p; p++) {
        if (*p == ';')
            buffer_add_text(out, ", ");
        else
            buffer_add_char(out, *p == '=' ? ' ' : *p);
    }
    buffer_add_format(out, "%sthreads %" PRIu64, key->params[0] ? ", " : "", key->threads);
}

static void row_set(const struct page *page, struct value *rows, const struct cell *const *best,
                    const bool *is_column, struct buffer *text)
{
    const struct machines *machines = &page->site->selection.machines;
    const struct cell *first = NULL;
    for (size_t m = 0; m < machines->n && !first; m++)
        first = best[m];
    struct value *row = value_append(rows);
    const struct metric *metric = metric_find(first->key->metric);
    value_text(row, "test", first->key->test);
    value_text(row, "metric", first->key->metric);
    value_text(row, "better", better_text(metric->better));
    buffer_clear(text);
    page_where_text(page, first, text);
    value_text(row, "where", buffer_text(text));
    struct value *cells = value_list(row, "cells");
    for (size_t m = 0; m < machines->n; m++)
        if (is_column[m])
            cell_set(page, value_append(cells), best[m], first, text);
}

static void columns_set(const struct page *page, struct value *item, const bool *is_column,
                        struct buffer *text)
{
    const struct site *site = page->site;
    struct value *columns = value_list(item, "columns");
    for (size_t m = 0; m < site->selection.machines.n; m++) {
        const struct machine *machine = &site->selection.machines.machines[m];
        bool is_measured = false;
        if (!is_column[m])
            continue;
        struct value *column = value_append(columns);
        double clock_hz = clock_of(machine, &is_measured);
        value_text(column, "name", machine->name);
        value_format(column, "href", "machines/%s.html", site->machine_slugs[m]);
        value_format(column, "year", "%.4s", machine->first_time);
        buffer_clear(text);
        if (clock_hz > 0) {
            char shown[SCALE_TEXT_SIZE];
            scale_format(clock_hz, "Hz", SCALE_DIGITS, shown);
            buffer_add_format(text, "%s%s", shown, is_measured ? " measured" : " announced");
        }
        value_text(column, "clock", buffer_text(text));
    }
}

static int kernel_set(struct page *page, struct value *list, const struct site_kernel *kernel,
                      struct buffer *text, struct err *err)
{
    size_t n_machines = page->site->selection.machines.n;
    struct arena *arena = &page->tree.arena;
    const struct cell **best = arena_take(arena, n_machines, sizeof *best);
    bool *is_column = arena_take(arena, n_machines, sizeof *is_column);
    struct value *item = NULL, *rows = NULL;
    if (!best || !is_column)
        return out_of_memory(err);
    memset(is_column, 0, n_machines * sizeof *is_column);
    /* Twice: which machines are columns, then the rows. */
    for (int pass = 0; pass < 2; pass++)
        for (size_t i = 0, end; i < kernel->n_cells; i = end) {
            const struct metric *metric = metric_find(kernel->cells[i].key->metric);
            for (end = i + 1;
                 end < kernel->n_cells && is_same_work(kernel->cells[i].key, kernel->cells[end].key);)
                end++;
            if (!metric || metric->better == BETTER_NONE ||
                best_find(kernel->cells + i, end - i, metric->better, best, n_machines) < 2)
                continue;
            for (size_t m = 0; m < n_machines && pass == 0; m++)
                is_column[m] = is_column[m] || best[m];
            if (pass == 0)
                continue;
            if (!item) {
                item = value_append(list);
                value_text(item, "kernel", kernel->name);
                value_format(item, "href", "kernels/%s.html", kernel->slug);
                columns_set(page, item, is_column, text);
                rows = value_list(item, "rows");
            }
            row_set(page, rows, best, is_column, text);
        }
    return 0;
}

int page_generations(struct site *site, struct err *err)
{
    struct page page;
    struct buffer text = {0};
    page_begin(&page, site, "", "Hardware generations");
    struct value *list = value_list(page.map, "generations");
    int result = 0;
    for (size_t k = 0; k < site->n_kernels && result >= 0; k++)
        result = kernel_set(&page, list, &site->kernels[k], &text, err);
    if (result >= 0)
        result = page_series(&page, &text, err);
    if (result >= 0 && text.failed)
        result = out_of_memory(err);
    buffer_free(&text);
    if (result < 0) {
        page_free(&page);
        return result;
    }
    return page_end(&page, "generations", "generations.html", err);
}
