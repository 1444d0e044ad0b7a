#include "normalize/intake.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static int compare_paths(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static uint32_t rank_of(const struct intake *intake, const char *path)
{
    const char **found =
        bsearch(&path, intake->paths, intake->n_paths, sizeof *intake->paths, compare_paths);
    return (uint32_t)(found - intake->paths);
}

static void look_at(struct input_file *file)
{
    struct stat st;
    if (strcmp(file->path, "-") == 0 || stat(file->path, &st) < 0 || !S_ISREG(st.st_mode))
        return;
    file->is_rereadable = true;
    file->size = (uint64_t)st.st_size;
}

int intake_init(struct intake *intake, char *const *paths, size_t n, enum bad_rows bad_rows,
                const char *folder, struct err *err)
{
    *intake = (struct intake){.bad_rows = bad_rows, .folder = folder};
    pthread_mutex_init(&intake->is_showing, NULL);
    intake->files = calloc(n, sizeof *intake->files);
    intake->paths = calloc(n, sizeof *intake->paths);
    if (!intake->files || !intake->paths)
        return err_set(err, ERR_SYSTEM, "out of memory");
    for (size_t i = 0; i < n; i++)
        intake->paths[i] = paths[i];
    qsort(intake->paths, n, sizeof *intake->paths, compare_paths);
    for (size_t i = 0; i < n; i++)
        if (i == 0 || strcmp(intake->paths[i], intake->paths[intake->n_paths - 1]) != 0)
            intake->paths[intake->n_paths++] = intake->paths[i];
    intake->n_files = n;
    for (size_t i = 0; i < n; i++) {
        struct input_file *file = &intake->files[i];
        file->path = paths[i];
        file->rank = rank_of(intake, paths[i]);
        file->intake = intake;
        file->refused = (struct problems){.path = file->path, .folder = folder, .max = UINT64_MAX};
        look_at(file);
        intake->n_bytes += file->size;
    }
    return 0;
}

void intake_free(struct intake *intake)
{
    for (size_t i = 0; i < intake->n_files; i++)
        problems_free(&intake->files[i].refused);
    free(intake->files);
    free(intake->paths);
    pthread_mutex_destroy(&intake->is_showing);
}

void input_file_forget(struct input_file *file)
{
    file->is_whole = file->has_end_row = false;
    file->result = 0;
    file->n_records = file->n_shown = 0;
    problems_free(&file->refused);
}

void intake_restart(struct intake *intake)
{
    for (size_t i = 0; i < intake->n_files; i++)
        input_file_forget(&intake->files[i]);
    atomic_store(&intake->n_kib_read, 0);
    intake->n_rows = intake->n_rows_done = 0;
    progress_end(&intake->progress);
    progress_start(&intake->progress, intake->n_bytes >> 20);
}

void intake_begin_merge(struct intake *intake, uint64_t n_rows)
{
    progress_end(&intake->progress);
    intake->n_rows = n_rows;
    progress_start(&intake->progress, n_rows);
}

void intake_hide(struct intake *intake)
{
    pthread_mutex_lock(&intake->is_showing);
    progress_end(&intake->progress);
    pthread_mutex_unlock(&intake->is_showing);
}

static void show_bytes(struct input_file *file, const struct reader *reader)
{
    struct intake *intake = file->intake;
    uint64_t consumed = reader_consumed(reader) >> 10;
    atomic_fetch_add(&intake->n_kib_read, (size_t)(consumed - file->n_shown));
    file->n_shown = consumed;
    /* One thread draws, and the others need not. */
    if (pthread_mutex_trylock(&intake->is_showing) != 0)
        return;
    if (intake->n_rows == 0)
        progress_step(&intake->progress, atomic_load(&intake->n_kib_read) >> 10, "MiB read");
    pthread_mutex_unlock(&intake->is_showing);
}

enum { SHOWN_ROWS = 4096 }; /* the clock is not read for each */

void intake_show(struct intake *intake)
{
    if (++intake->n_rows_done % SHOWN_ROWS == 0 && intake->n_rows > 0)
        progress_step(&intake->progress, intake->n_rows_done, "rows merged");
}

int input_file_open(struct input_file *file, struct reader **reader)
{
    return file->result = reader_open(reader, file->path, &file->err);
}

static int refuse_row(struct input_file *file)
{
    if (file->intake->bad_rows != BAD_ROWS_PASS)
        return file->intake->bad_rows == BAD_ROWS_RETURN ? (int)READER_BAD_ROW : (int)ERR_DATA;
    struct err err;
    if (problems_add(&file->refused, file->err.text, &err) == 0)
        return 0;
    file->err = err;
    return err.code;
}

int input_file_next(struct input_file *file, struct reader *reader, struct canonical *row)
{
    int result;
    while ((result = reader_next_line(reader, row, &file->err)) == READER_BAD_ROW) {
        result = refuse_row(file);
        if (result == READER_BAD_ROW)
            return result;
        if (result < 0)
            break;
    }
    if (result == READER_RECORD) {
        if (++file->n_records % SHOWN_ROWS == 0)
            show_bytes(file, reader);
        return result;
    }
    if (result == READER_END) {
        file->is_whole = true;
        file->has_end_row = reader_is_complete(reader);
    }
    return file->result = result;
}

static void read_through(struct input_file *file)
{
    struct reader *reader;
    struct canonical row;
    input_file_forget(file);
    if (input_file_open(file, &reader) < 0)
        return;
    while (input_file_next(file, reader, &row) == READER_RECORD)
        ;
    reader_close(reader);
}

int intake_first_error(struct intake *intake, int result, struct err *err)
{
    size_t n = 0; /* files up to the first error that is known */
    while (n < intake->n_files && intake->files[n].result >= 0)
        n++;
    if (n == intake->n_files)
        return result;
    for (size_t i = 0; i <= n; i++) {
        struct input_file *file = &intake->files[i];
        if (i < n && !file->is_whole)
            read_through(file);
        if (file->result < 0) {
            *err = file->err;
            return file->result;
        }
    }
    return result;
}

bool intake_is_incomplete(const struct intake *intake, uint32_t rank)
{
    for (size_t i = 0; i < intake->n_files; i++)
        if (intake->files[i].rank == rank && !intake->files[i].has_end_row)
            return true;
    return false;
}
