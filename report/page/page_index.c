#include "report/page/about.h"
#include "report/page/page.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* The first distinct texts of one column of a kernel's cells, "a, b, c and 3 more". */
static int kernel_words(const struct site_kernel *kernel, const char *(*word)(const struct cell *),
                        struct arena *arena, struct buffer *text, struct err *err)
{
    enum { SHOWN = 12 };
    const char **seen = arena_take(arena, kernel->n_cells, sizeof *seen);
    size_t n = 0;
    if (!seen)
        return err_set(err, ERR_SYSTEM, "out of memory");
    buffer_clear(text);
    for (size_t i = 0; i < kernel->n_cells; i++) {
        const char *this = word(&kernel->cells[i]);
        bool is_known = n > 0 && strcmp(seen[n - 1], this) == 0;
        for (size_t k = 0; k < n && !is_known; k++)
            is_known = strcmp(seen[k], this) == 0;
        if (is_known)
            continue;
        seen[n++] = this;
        if (n <= SHOWN)
            buffer_add_format(text, "%s%s", n > 1 ? ", " : "", this);
    }
    if (n > SHOWN)
        buffer_add_format(text, " and %zu more", n - SHOWN);
    return 0;
}

static const char *test_of(const struct cell *cell)
{
    return cell->key->test;
}

static const char *metric_of(const struct cell *cell)
{
    return cell->key->metric;
}

static int kernels_set(struct site *site, struct page *page, struct buffer *text, struct err *err)
{
    struct value *list = value_list(page->map, "kernels");
    bool *has_cells = arena_take(&page->tree.arena, site->selection.machines.n, sizeof *has_cells);
    if (!has_cells)
        return err_set(err, ERR_SYSTEM, "out of memory");
    for (size_t k = 0; k < site->n_kernels; k++) {
        const struct site_kernel *kernel = &site->kernels[k];
        struct value *item = value_append(list);
        size_t n_failed = 0, n_machines = 0;
        memset(has_cells, 0, site->selection.machines.n * sizeof *has_cells);
        for (size_t i = 0; i < kernel->n_cells; i++) {
            n_failed += kernel->cells[i].summary.n == 0;
            size_t whole = site->selection.machines.machines[kernel->cells[i].machine].first;
            n_machines += !has_cells[whole];
            has_cells[whole] = true;
        }
        value_text(item, "name", kernel->name);
        value_format(item, "href", "kernels/%s.html", kernel->slug);
        value_text(item, "about", about_kernel(kernel->name));
        TRY(kernel_words(kernel, test_of, &page->tree.arena, text, err));
        value_text(item, "tests", buffer_text(text));
        TRY(kernel_words(kernel, metric_of, &page->tree.arena, text, err));
        value_text(item, "metrics", buffer_text(text));
        value_count(item, "n_machines", n_machines, "machine");
        value_count(item, "n_cells", kernel->n_cells - n_failed, "result");
        if (n_failed > 0)
            value_format(item, "n_failed", "%zu", n_failed);
        else
            value_text(item, "n_failed", "");
        value_count(item, "n_samples", kernel->n_samples, "sample");
    }
    return 0;
}

static void warnings_set(struct site *site, struct value *map, struct buffer *text)
{
    const struct archive_tally tally = archive_tally(site->archive);
    const struct machines *machines = &site->selection.machines;
    struct value *list = value_list(map, "warnings");
    for (size_t i = 0; i < site->selection.warnings.n; i++)
        value_text(value_append(list), "text", site->selection.warnings.texts[i]);
    for (size_t m = 0; m < machines->n; m++) {
        buffer_clear(text);
        page_disturbed_facts(&machines->machines[m], text);
        if (text->size > 0)
            value_format(value_append(list), "text",
                         "%s: what should have stayed changed while it was measured, as its page says: %s",
                         machines->machines[m].name, buffer_text(text));
    }
    if (tally.n_incomplete > 0)
        value_format(value_append(list), "text",
                     "%" PRIu64 " of %" PRIu64 " files of records end without their end row: what "
                     "they hold may be incomplete",
                     tally.n_incomplete, tally.n_files);
    if (tally.n_conflicts > 0)
        value_format(value_append(list), "text",
                     "%" PRIu64 " records contradicted others and were left out by choice",
                     tally.n_conflicts);
    if (site->lacks_gnuplot)
        value_text(value_append(list), "text",
                   "gnuplot was not there when this site was made: its drawings of the graphs are "
                   "missing, its scripts are beside them");
    if (site->lacks_font)
        value_text(value_append(list), "text",
                   "The font " CHART_FONT " was not there when this site was made: the letters of "
                   "the graphs are another's, and may be cut or overlap");
    struct value *withdrawn = value_list(map, "withdrawn");
    size_t n_runs = 0;
    for (size_t r = 0; r < site->selection.machines.n_runs; r++) {
        const struct run *run = &site->selection.machines.runs[r];
        n_runs += run->retracted == NULL;
        if (!run->retracted)
            continue;
        struct value *item = value_append(withdrawn);
        value_text(item, "run", run->id);
        value_text(item, "machine", run->label);
        value_text(item, "reason", run->retracted);
        value_count(item, "n_samples", run->n_samples, "sample");
    }
    value_count(map, "n_runs", n_runs, "run");
    value_count(map, "n_samples", site->selection.machines.n_samples, "sample");
}

/* Cells without a value: what was left out and why, counted by kernel, machine and reason. */
static void failures_set(struct site *site, struct value *map)
{
    struct value *list = value_list(map, "failures");
    const struct machines *machines = &site->selection.machines;
    for (size_t k = 0; k < site->n_kernels; k++) {
        const struct site_kernel *kernel = &site->kernels[k];
        for (size_t m = 0; m < machines->n; m++) {
            size_t n = 0, n_other = 0;
            const struct cell *first = NULL;
            for (size_t i = 0; i < kernel->n_cells; i++) {
                const struct cell *cell = &kernel->cells[i];
                if (cell->machine != m || cell->n_failed == 0)
                    continue;
                n++;
                if (!first)
                    first = cell;
                n_other += strcmp(cell->reason, first->reason) != 0;
            }
            if (!first)
                continue;
            struct value *item = value_append(list);
            value_text(item, "kernel", kernel->name);
            value_text(item, "machine", machines->machines[m].name);
            value_format(item, "href", "samples/%s/%s.html#c%zu", kernel->slug,
                         site->machine_slugs[m], first->number);
            value_text(item, "status", record_status_text(first->failure));
            value_text(item, "reason", first->reason);
            value_format(item, "n", "%zu", n);
            value_flag(item, "has_others", n_other > 0);
        }
    }
}

int page_index(struct site *site, struct err *err)
{
    struct page page;
    struct buffer text = {0};
    page_begin(&page, site, "", "Benchmark results");
    warnings_set(site, page.map, &text);
    failures_set(site, page.map);
    page_publication_links(site, page.map);
    int result = page_facts(&page, &text, err);
    if (result >= 0)
        result = kernels_set(site, &page, &text, err);
    if (result >= 0)
        result = page_summary(&page, &text, err);
    if (result >= 0 && text.failed)
        result = err_set(err, ERR_SYSTEM, "out of memory");
    buffer_free(&text);
    if (result < 0) {
        page_free(&page);
        return result;
    }
    return page_end(&page, "index", "index.html", err);
}

int page_downloads(struct site *site, struct err *err)
{
    struct page page;
    page_begin(&page, site, "", "Downloads");
    struct value *list = value_list(page.map, "downloads");
    for (size_t i = 0; i < site->n_downloads; i++) {
        const struct site_download *download = &site->downloads[i];
        struct value *item = value_append(list);
        value_text(item, "path", download->path);
        value_text(item, "what", download->what);
        value_text(item, "sha256", download->sha256);
        value_format(item, "n_records", "%" PRIu64, download->n_records);
        value_format(item, "n_bytes", "%" PRIu64, download->n_bytes);
    }
    return page_end(&page, "downloads", "downloads.html", err);
}
