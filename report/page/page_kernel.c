#include "report/page/about.h"
#include "report/page/page.h"

#include <string.h>

static int kernel_fill(struct page *page, const struct site_kernel *kernel, struct buffer *text,
                       struct err *err)
{
    struct site *site = page->site;
    struct value *map = page->map;
    value_text(map, "kernel", kernel->name);
    value_text(map, "slug", kernel->slug);
    value_text(map, "about", about_kernel(kernel->name));
    value_count(map, "n_samples", kernel->n_samples, "sample");
    value_text(map, "kernel_first", kernel->first_time);
    value_text(map, "kernel_last", kernel->last_time);
    value_flag(map, "kernel_has_range", strcmp(kernel->first_time, kernel->last_time) != 0);

    const struct cell **cells = arena_take(&page->tree.arena, kernel->n_cells, sizeof *cells);
    bool *has_cells = arena_take(&page->tree.arena, site->selection.machines.n, sizeof *has_cells);
    if (!cells || !has_cells)
        return err_set(err, ERR_SYSTEM, "out of memory");
    memset(has_cells, 0, site->selection.machines.n * sizeof *has_cells);
    for (size_t i = 0; i < kernel->n_cells; i++) {
        cells[i] = &kernel->cells[i];
        has_cells[cells[i]->machine] = true;
    }
    struct value *machines = value_list(map, "machines");
    for (size_t m = 0; m < site->selection.machines.n; m++) {
        if (!has_cells[m])
            continue;
        struct value *item = value_append(machines);
        value_text(item, "name", site->selection.machines.machines[m].name);
        value_format(item, "href", "../machines/%s.html", site->machine_slugs[m]);
        value_format(item, "samples", "../samples/%s/%s.html", kernel->slug,
                     site->machine_slugs[m]);
    }
    buffer_add_text(text, kernel->slug);
    TRY(page_figures(page, map, cells, kernel->n_cells, NULL, buffer_text(text), err));
    TRY(page_kernel_layouts(page, map, kernel->name, err));
    return page_tables(page, map, cells, kernel->n_cells, "params,threads", "machine,variant", err);
}

int page_kernel(struct site *site, size_t k, struct err *err)
{
    const struct site_kernel *kernel = &site->kernels[k];
    struct page page;
    struct buffer path = {0}, text = {0};
    page_begin(&page, site, "../", kernel->name);
    buffer_add_format(&path, "kernels/%s.html", kernel->slug);
    int result = kernel_fill(&page, kernel, &text, err);
    if (result >= 0 && (path.failed || text.failed))
        result = err_set(err, ERR_SYSTEM, "out of memory");
    if (result >= 0)
        result = page_end(&page, "kernel", buffer_text(&path), err);
    else
        page_free(&page);
    buffer_free(&path);
    buffer_free(&text);
    return result;
}
