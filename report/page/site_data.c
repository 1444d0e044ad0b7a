#include "report/page/page.h"

#include <string.h>

#include "schema/output.h"
#include "schema/sha256.h"
#include "schema/writer.h"

/* A record file of the site on its way to the disk, counted and hashed. */
struct data_file {
    struct output *output;
    struct sha256 hash;
    uint64_t n_bytes, n_records;
};

static int data_sink(void *context, const void *bytes, size_t size, struct err *err)
{
    struct data_file *file = context;
    sha256_add(&file->hash, bytes, size);
    file->n_bytes += size;
    return output_write(file->output, bytes, size, err);
}

/* What goes into a file: everything, or the samples of a kernel or of a machine with the facts of
 * their runs. */
struct choice {
    const char *kernel;        /* or NULL */
    const struct machine *machine; /* or NULL */
    const bool *has_run;       /* [machines.n_runs]; NULL: all */
};

static bool is_chosen(const struct machines *machines, const struct choice *choice,
                      const struct record *record)
{
    if (!choice->has_run)
        return true;
    if (!choice->has_run[machines_run(machines, record) - machines->runs])
        return false;
    return record->kind == KIND_FACT || !choice->kernel ||
           strcmp(record->kernel, choice->kernel) == 0;
}

static int rows_write(const struct site *site, const struct choice *choice,
                      struct data_file *file, struct writer *writer, struct err *err)
{
    TRY(writer_header(writer, err));
    for (size_t i = 0; i < archive_count(site->archive); i++) {
        size_t size;
        const char *line = archive_line(site->archive, i, &size);
        if (!is_chosen(&site->selection.machines, choice, archive_record(site->archive, i)))
            continue;
        TRY(writer_line(writer, line, size, err));
        file->n_records++;
    }
    return writer_end(writer, err);
}

static int file_write(struct site *site, const char *path, const char *what,
                      const struct choice *choice, struct err *err)
{
    struct data_file file = {0};
    struct buffer whole = {0};
    struct writer writer;
    sha256_init(&file.hash);
    buffer_add_format(&whole, "%s/data/%s", site->files.temporary, path);
    int result = whole.failed ? err_set(err, ERR_SYSTEM, "out of memory")
                              : output_open(&file.output, buffer_text(&whole), err);
    buffer_free(&whole);
    TRY(result);
    writer_init(&writer, data_sink, &file);
    result = rows_write(site, choice, &file, &writer, err);
    writer_free(&writer);
    if (result < 0) {
        output_discard(file.output);
        return result;
    }
    TRY(output_commit(file.output, err));
    char hex[SHA256_HEX_SIZE];
    sha256_finish(&file.hash, hex);
    struct site_download *download = &site->downloads[site->n_downloads++];
    *download = (struct site_download){.path = arena_copy(&site->arena, path, strlen(path)),
                                       .what = arena_copy(&site->arena, what, strlen(what)),
                                       .sha256 = arena_copy(&site->arena, hex, strlen(hex)),
                                       .n_records = file.n_records,
                                       .n_bytes = file.n_bytes};
    return download->path && download->what && download->sha256
               ? 0
               : err_set(err, ERR_SYSTEM, "out of memory");
}

static int kernel_data(struct site *site, const struct site_kernel *kernel, bool *has_run,
                       struct buffer *path, struct buffer *what, struct err *err)
{
    const struct machines *machines = &site->selection.machines;
    memset(has_run, 0, machines->n_runs * sizeof *has_run);
    for (size_t i = 0; i < kernel->n_cells; i++)
        for (size_t r = 0; r < kernel->cells[i].n_records; r++)
            has_run[machines_run(machines, kernel->cells[i].records[r]) - machines->runs] = true;
    buffer_clear(path);
    buffer_clear(what);
    buffer_add_format(path, "%s.csv", kernel->slug);
    buffer_add_format(what, "the samples of %s and the facts of their runs", kernel->name);
    const struct choice choice = {.kernel = kernel->name, .has_run = has_run};
    return file_write(site, buffer_text(path), buffer_text(what), &choice, err);
}

static int machine_data(struct site *site, size_t m, bool *has_run, struct buffer *path,
                        struct buffer *what, struct err *err)
{
    const struct machines *machines = &site->selection.machines;
    for (size_t r = 0; r < machines->n_runs; r++)
        has_run[r] = !machines->runs[r].retracted && machines->runs[r].machine == m;
    buffer_clear(path);
    buffer_clear(what);
    buffer_add_format(path, "machines/%s.csv", site->machine_slugs[m]);
    buffer_add_format(what, "all samples and facts of %s", machines->machines[m].name);
    const struct choice choice = {.has_run = has_run};
    return file_write(site, buffer_text(path), buffer_text(what), &choice, err);
}

static int all_data(struct site *site, struct buffer *path, struct buffer *what, struct err *err)
{
    const struct machines *machines = &site->selection.machines;
    size_t n = 1 + site->n_kernels + machines->n;
    bool *has_run = arena_take(&site->arena, machines->n_runs, sizeof *has_run);
    site->downloads = arena_take(&site->arena, n, sizeof *site->downloads);
    if (!has_run || !site->downloads)
        return err_set(err, ERR_SYSTEM, "out of memory");
    TRY(file_write(site, "records.csv", "every record that this site was made from, withdrawn runs too",
                   &(struct choice){0}, err));
    for (size_t k = 0; k < site->n_kernels; k++)
        TRY(kernel_data(site, &site->kernels[k], has_run, path, what, err));
    for (size_t m = 0; m < machines->n; m++)
        TRY(machine_data(site, m, has_run, path, what, err));
    buffer_clear(path);
    for (size_t i = 0; i < site->n_downloads; i++)
        buffer_add_format(path, "%s  %s\n", site->downloads[i].sha256, site->downloads[i].path);
    if (path->failed)
        return err_set(err, ERR_SYSTEM, "out of memory");
    return site_files_write(&site->files, "data/SHA256SUMS", buffer_text(path), path->size, err);
}

int site_data(struct site *site, struct err *err)
{
    struct buffer path = {0}, what = {0};
    int result = all_data(site, &path, &what, err);
    buffer_free(&path);
    buffer_free(&what);
    return result;
}
