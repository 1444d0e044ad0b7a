#include "report/page/site.h"

#include <string.h>

#include "report/page/page.h"
#include "report/page/slug.h"

static int out_of_memory(struct err *err)
{
    return err_set(err, ERR_SYSTEM, "out of memory");
}

/* The kernels of the selection, whose cells are neighbours. A kernel whose file would be called
 * records.csv gets another name there: slugs are made with that one taken. */
static int kernels_list(struct site *site, struct err *err)
{
    const struct selection *selection = &site->selection;
    size_t n = 0;
    for (size_t i = 0; i < selection->n_cells; i++)
        n += i == 0 || strcmp(selection->cells[i].key->kernel,
                              selection->cells[i - 1].key->kernel) != 0;
    site->kernels = arena_take(&site->arena, n, sizeof *site->kernels);
    const char **names = arena_take(&site->arena, n + 1, sizeof *names);
    const char **slugs = arena_take(&site->arena, n + 1, sizeof *slugs);
    if (!site->kernels || !names || !slugs)
        return out_of_memory(err);
    for (size_t i = 0; i < selection->n_cells; i++) {
        const struct cell *cell = &selection->cells[i];
        struct site_kernel *kernel = site->n_kernels ? &site->kernels[site->n_kernels - 1] : NULL;
        if (!kernel || strcmp(kernel->name, cell->key->kernel) != 0) {
            kernel = &site->kernels[site->n_kernels++];
            *kernel = (struct site_kernel){
                .name = cell->key->kernel, .cells = cell, .first_time = "", .last_time = ""};
        }
        kernel->n_cells++;
        kernel->n_samples += cell->n_records;
        for (size_t r = 0; r < cell->n_records; r++)
            time_widen(&kernel->first_time, &kernel->last_time, cell->records[r]->time);
    }
    for (size_t k = 0; k < n; k++)
        names[k] = site->kernels[k].name;
    names[n] = "Records"; /* no name of a kernel has a capital letter */
    TRY(slugs_make(names, n + 1, &site->arena, slugs, err));
    for (size_t k = 0; k < n; k++)
        site->kernels[k].slug = slugs[k];
    return 0;
}

static int machine_slugs(struct site *site, struct err *err)
{
    const struct machines *machines = &site->selection.machines;
    const char **names = arena_take(&site->arena, machines->n, sizeof *names);
    site->machine_slugs = arena_take(&site->arena, machines->n, sizeof *site->machine_slugs);
    if (!names || !site->machine_slugs)
        return out_of_memory(err);
    for (size_t m = 0; m < machines->n; m++)
        names[m] = machines->machines[m].name;
    return slugs_make(names, machines->n, &site->arena, site->machine_slugs, err);
}

static int folders_make(struct site *site, struct buffer *path, struct err *err)
{
    static const char *const folders[] = {"kernels", "machines", "samples",
                                          "figures", "data",     "data/machines"};
    for (size_t i = 0; i < sizeof folders / sizeof folders[0]; i++)
        TRY(site_files_folder(&site->files, folders[i], err));
    for (size_t k = 0; k < site->n_kernels; k++) {
        buffer_clear(path);
        buffer_add_format(path, "samples/%s", site->kernels[k].slug);
        if (path->failed)
            return out_of_memory(err);
        TRY(site_files_folder(&site->files, buffer_text(path), err));
    }
    return 0;
}

static int samples_write(struct site *site, size_t k, struct err *err)
{
    const struct site_kernel *kernel = &site->kernels[k];
    bool *has_cells =
        arena_take(&site->arena, site->selection.machines.n, sizeof *has_cells);
    if (!has_cells)
        return out_of_memory(err);
    memset(has_cells, 0, site->selection.machines.n * sizeof *has_cells);
    for (size_t i = 0; i < kernel->n_cells; i++)
        has_cells[kernel->cells[i].machine] = true;
    for (size_t m = 0; m < site->selection.machines.n; m++)
        if (has_cells[m])
            TRY(page_samples(site, k, m, err));
    return 0;
}

static int pages_write(struct site *site, struct buffer *text, struct err *err)
{
    TRY(selection_make(&site->selection, site->archive, false, err));
    site->has_variants = site_has_variants(site);
    TRY(kernels_list(site, err));
    TRY(machine_slugs(site, err));
    TRY(folders_make(site, text, err));
    static const char *const copied[] = {"style.css", "site.js"};
    for (size_t i = 0; i < sizeof copied / sizeof copied[0]; i++) {
        buffer_clear(text);
        TRY(templates_read(site->templates, copied[i], text, err));
        TRY(site_files_write(&site->files, copied[i], buffer_text(text), text->size, err));
    }
    TRY(site_data(site, err));
    for (size_t k = 0; k < site->n_kernels; k++) {
        TRY(page_kernel(site, k, err));
        TRY(samples_write(site, k, err));
    }
    for (size_t m = 0; m < site->selection.machines.n; m++)
        TRY(page_machine(site, m, err));
    TRY(page_publications(site, err));
    TRY(page_generations(site, err));
    TRY(page_variants(site, err));
    TRY(page_downloads(site, err));
    return page_index(site, err); /* last: it knows by then what was missing */
}

int site_write(const struct archive *archive, struct templates *templates, const char *datasets,
               const char *base, const char *folder, struct err *err)
{
    struct site site = {.archive = archive, .templates = templates, .base = base};
    struct buffer text = {0};
    TRY(site_files_open(&site.files, folder, err));
    int result = publications_read(&site.publications, datasets, err);
    if (result >= 0)
        result = pages_write(&site, &text, err);
    if (result < 0)
        site_files_discard(&site.files);
    else
        result = site_files_place(&site.files, err);
    publications_free(&site.publications);
    buffer_free(&text);
    selection_free(&site.selection);
    arena_free(&site.arena);
    return result;
}
