#include "report/page/page.h"

#include <inttypes.h>
#include <string.h>

#include "report/scale.h"
#include "schema/number.h"

static void sample_set(struct value *row, const struct record *record)
{
    char digits[NUMBER_TEXT_SIZE] = "", scaled[SCALE_TEXT_SIZE] = "";
    if (RECORD_HAS(record, value)) {
        number_format(digits, record->value);
        scale_format(record->value, record->unit, SCALE_DIGITS, scaled);
    }
    value_format(row, "rep", "%" PRIu64, record->rep);
    value_flag(row, "is_warmup", record->rep == 0);
    value_text(row, "value", digits);
    value_text(row, "unit", record->unit);
    value_text(row, "scaled", scaled);
    value_text(row, "status", record_status_text(record->status));
    value_flag(row, "is_ok", record->status == STATUS_OK);
    value_text(row, "reason", record->text);
    if (RECORD_HAS(record, iterations))
        value_format(row, "iterations", "%" PRIu64, record->iterations);
    else
        value_text(row, "iterations", "");
    char elapsed[SCALE_TEXT_SIZE] = "";
    if (RECORD_HAS(record, elapsed_ns))
        scale_format((double)record->elapsed_ns * 1e-9, "s", SCALE_DIGITS, elapsed);
    value_text(row, "elapsed", elapsed);
    value_text(row, "time", record->time);
    value_text(row, "run", record->run);
}

static void cell_set(struct value *item, const struct cell *cell, struct buffer *text)
{
    const struct record *key = cell->key;
    value_format(item, "id", "c%zu", cell->number);
    value_text(item, "test", key->test);
    value_text(item, "metric", key->metric);
    value_text(item, "variant", key->variant);
    value_format(item, "threads", "%" PRIu64, key->threads);
    value_format(item, "revision", "%" PRIu64, key->revision);
    value_text(item, "params", key->params);
    buffer_clear(text);
    if (RECORD_HAS(key, x)) {
        char digits[NUMBER_TEXT_SIZE];
        number_format(digits, key->x);
        buffer_add_format(text, "%s %s", digits, key->x_unit);
    }
    value_text(item, "x", buffer_text(text));
    struct value *rows = value_list(item, "rows");
    for (size_t i = 0; i < cell->n_records; i++)
        sample_set(value_append(rows), cell->records[i]);
}

int page_samples(struct site *site, size_t k, size_t m, struct err *err)
{
    const struct site_kernel *kernel = &site->kernels[k];
    const struct machine *machine = &site->selection.machines.machines[m];
    struct page page;
    struct buffer text = {0}, path = {0};
    buffer_add_format(&text, "%s on %s: samples", kernel->name, machine->name);
    page_begin(&page, site, "../../", buffer_text(&text));
    value_text(page.map, "kernel", kernel->name);
    value_format(page.map, "kernel_href", "../../kernels/%s.html", kernel->slug);
    value_text(page.map, "machine", machine->name);
    value_format(page.map, "machine_href", "../../machines/%s.html", site->machine_slugs[m]);
    struct value *cells = value_list(page.map, "cells");
    for (size_t i = 0; i < kernel->n_cells; i++)
        if (kernel->cells[i].machine == m)
            cell_set(value_append(cells), &kernel->cells[i], &text);
    buffer_add_format(&path, "samples/%s/%s.html", kernel->slug, site->machine_slugs[m]);
    int result = 0;
    if (text.failed || path.failed) {
        page_free(&page);
        result = err_set(err, ERR_SYSTEM, "out of memory");
    } else {
        result = page_end(&page, "samples", buffer_text(&path), err);
    }
    buffer_free(&text);
    buffer_free(&path);
    return result;
}
