#include "report/page/publication.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/machine.h" /* arena_take */
#include "schema/buffer.h"

enum { README_BYTES_MAX = 1 << 20 };

static int out_of_memory(struct err *err)
{
    return err_set(err, ERR_SYSTEM, "out of memory");
}

static int compare_names(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* The names in a folder that end in `ending` and do not begin with a dot, in order; none without the
 * folder. */
static int folder_list(const char *path, const char *ending, struct arena *arena,
                       const char ***names, size_t *n, struct err *err)
{
    DIR *dir = opendir(path);
    size_t capacity = 0;
    *names = NULL;
    *n = 0;
    if (!dir)
        return errno == ENOENT || errno == ENOTDIR ? 0 : err_system(err, "%s", path);
    int result = 0;
    for (struct dirent *entry; result >= 0 && (entry = readdir(dir));) {
        size_t size = strlen(entry->d_name), tail = strlen(ending);
        if (entry->d_name[0] == '.' || size <= tail ||
            strcmp(entry->d_name + size - tail, ending) != 0)
            continue;
        if (*n == capacity) {
            capacity = capacity ? capacity * 2 : 16;
            const char **larger = arena_take(arena, capacity, sizeof *larger);
            if (!larger) {
                result = out_of_memory(err);
                break;
            }
            if (*n > 0)
                memcpy(larger, *names, *n * sizeof *larger);
            *names = larger;
        }
        (*names)[*n] = arena_copy(arena, entry->d_name, size);
        if (!(*names)[(*n)++])
            result = out_of_memory(err);
    }
    closedir(dir);
    if (result >= 0 && *n > 1)
        qsort(*names, *n, sizeof **names, compare_names);
    return result;
}

/* *text: NULL when there is no such file. */
static int text_read(const char *path, struct arena *arena, char **text, struct err *err)
{
    struct buffer all = {0};
    *text = NULL;
    FILE *file = fopen(path, "re");
    if (!file)
        return errno == ENOENT || errno == ENOTDIR ? 0 : err_system(err, "%s", path);
    size_t n = 1;
    while (n > 0 && all.size <= README_BYTES_MAX) {
        char block[4096];
        n = fread(block, 1, sizeof block, file);
        buffer_add(&all, block, n);
    }
    int result = ferror(file)                    ? err_system(err, "%s", path)
                 : all.size > README_BYTES_MAX ? err_set(err, ERR_DATA, "%s: is too large", path)
                                                 : 0;
    fclose(file);
    if (result >= 0 && !all.failed)
        *text = arena_copy(arena, buffer_text(&all), all.size);
    buffer_free(&all);
    return result < 0 || *text ? result : out_of_memory(err);
}

/* Reads the layouts of the folder `path`, which grows and shrinks meanwhile. */
static int layouts_read(struct publication *publication, struct buffer *path, struct arena *arena,
                        struct err *err)
{
    const char **names;
    size_t n, size = path->size;
    TRY(folder_list(buffer_text(path), ".table", arena, &names, &n, err));
    publication->layouts = arena_take(arena, n, sizeof *publication->layouts);
    if (!publication->layouts)
        return out_of_memory(err);
    for (size_t i = 0; i < n; i++) {
        buffer_add_format(path, "/%s", names[i]);
        if (path->failed)
            return out_of_memory(err);
        int result = layout_read(&publication->layouts[publication->n_layouts++],
                                 buffer_text(path), err);
        path->size = size;
        path->bytes[size] = '\0';
        TRY(result);
    }
    return 0;
}

static int publication_read(struct publication *publication, const char *folder, const char *name,
                            struct arena *arena, struct buffer *path, struct err *err)
{
    char *readme;
    *publication = (struct publication){.name = name};
    buffer_clear(path);
    buffer_add_format(path, "%s/%s/README.md", folder, name);
    TRY(text_read(buffer_text(path), arena, &readme, err));
    if (!readme || strncmp(readme, "# ", 2) != 0)
        return 0;
    char *end = readme + strcspn(readme, "\n");
    publication->readme = *end ? end + 1 : end;
    *end = '\0';
    publication->title = readme + 2;
    buffer_clear(path);
    buffer_add_format(path, "%s/%s/tables", folder, name);
    return path->failed ? out_of_memory(err) : layouts_read(publication, path, arena, err);
}

int publications_read(struct publications *publications, const char *folder, struct err *err)
{
    const char **names = NULL;
    size_t n = 0;
    struct buffer path = {0};
    *publications = (struct publications){0};
    struct arena *arena = &publications->arena;
    if (folder)
        TRY(folder_list(folder, "", arena, &names, &n, err));
    publications->list = arena_take(arena, n, sizeof *publications->list);
    if (!publications->list)
        return out_of_memory(err);
    int result = 0;
    for (size_t i = 0; i < n && result >= 0; i++) {
        struct publication *publication = &publications->list[publications->n++];
        result = publication_read(publication, folder, names[i], arena, &path, err);
        if (result >= 0 && publication->n_layouts == 0)
            publications->n--;
    }
    buffer_free(&path);
    return result;
}

void publications_free(struct publications *publications)
{
    for (size_t i = 0; i < publications->n; i++)
        for (size_t l = 0; l < publications->list[i].n_layouts; l++)
            layout_free(&publications->list[i].layouts[l]);
    arena_free(&publications->arena);
    *publications = (struct publications){0};
}
