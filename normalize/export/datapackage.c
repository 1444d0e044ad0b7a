#include "normalize/export/datapackage.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "schema/archive.h"
#include "schema/arena.h"
#include "schema/output.h"
#include "schema/quote.h"
#include "schema/sha256.h"

enum { HEADING_BYTES_MAX = 400 };

/* One record file on its way into the package. */
struct resource {
    const char *name;
    const char *source;
    char sha256[SHA256_HEX_SIZE];
    size_t n_bytes, n_records;
};

static int out_of_memory(struct err *err)
{
    return err_set(err, ERR_SYSTEM, "out of memory");
}

/* ---- names and sources ---- */

/* The last part of a path without its ending, or the part before it when that is records.csv; what a
 * resource's name may not have (all but a-z, 0-9, `-`, `_`, `.`) as `-`. */
static const char *name_of(const char *path, struct arena *arena)
{
    const char *end = path + strlen(path), *start = end;
    while (start > path && start[-1] != '/')
        start--;
    if ((strcmp(start, "records.csv") == 0 || strcmp(start, "records.csv.gz") == 0) &&
        start > path + 1) {
        end = start - 1;
        for (start = end; start > path && start[-1] != '/';)
            start--;
    } else {
        const char *dot = strchr(start, '.');
        end = dot && dot > start ? dot : end;
    }
    char *name = arena_copy(arena, start, (size_t)(end - start));
    for (char *p = name; p && *p; p++) {
        if (*p >= 'A' && *p <= 'Z')
            *p = (char)(*p - 'A' + 'a');
        else if (!strchr("abcdefghijklmnopqrstuvwxyz0123456789-_.", *p))
            *p = '-';
    }
    return name;
}

/* The heading of the README.md beside the file, else the file's name. */
static const char *source_of(const char *path, struct arena *arena)
{
    struct buffer readme = {0};
    char line[HEADING_BYTES_MAX] = "";
    const char *slash = strrchr(path, '/');
    buffer_add(&readme, path, slash ? (size_t)(slash - path) + 1 : 0);
    buffer_add_text(&readme, "README.md");
    FILE *file = readme.failed ? NULL : fopen(buffer_text(&readme), "re");
    buffer_free(&readme);
    if (file) {
        if (!fgets(line, sizeof line, file))
            line[0] = '\0';
        fclose(file);
    }
    line[strcspn(line, "\r\n")] = '\0';
    const char *text = strncmp(line, "# ", 2) == 0 ? line + 2 : slash ? slash + 1 : path;
    return arena_copy(arena, text, strlen(text));
}

/* ---- files ---- */

static int file_write(const char *folder, const char *name, const struct buffer *content,
                      struct err *err)
{
    struct buffer path = {0};
    struct output *output = NULL;
    buffer_add_format(&path, "%s/%s", folder, name);
    int result = path.failed || content->failed ? out_of_memory(err)
                                                : output_open(&output, buffer_text(&path), err);
    buffer_free(&path);
    TRY(result);
    result = output_write(output, buffer_text(content), content->size, err);
    if (result >= 0)
        return output_commit(output, err);
    output_discard(output);
    return result;
}

static int resource_write(const char *folder, const char *path, struct resource *resource,
                          struct err *err)
{
    struct archive *archive;
    struct buffer csv = {0}, name = {0};
    TRY(archive_new(&archive, err));
    int result = archive_add(archive, path, err);
    if (result >= 0)
        result = archive_seal(archive, NULL, err);
    if (result >= 0) {
        record_header(&csv);
        resource->n_records = archive_count(archive);
        for (size_t i = 0; i < resource->n_records; i++) {
            size_t size;
            const char *line = archive_line(archive, i, &size);
            buffer_add(&csv, line, size);
        }
        struct sha256 hash;
        sha256_init(&hash);
        sha256_add(&hash, buffer_text(&csv), csv.size);
        sha256_finish(&hash, resource->sha256);
        resource->n_bytes = csv.size;
        buffer_add_format(&name, "data/%s.csv", resource->name);
        result = name.failed ? out_of_memory(err) : file_write(folder, buffer_text(&name), &csv, err);
    }
    archive_free(archive);
    buffer_free(&csv);
    buffer_free(&name);
    return result;
}

/* ---- datapackage.json ---- */

static void pair(struct buffer *out, const char *indent, const char *key, const char *text,
                 bool is_last)
{
    buffer_add_format(out, "%s", indent);
    quote_json(out, key);
    buffer_add_text(out, ": ");
    quote_json(out, text);
    buffer_add_text(out, is_last ? "\n" : ",\n");
}

static void words_add(struct buffer *out, const char *(*word)(int), int first, int last, int but)
{
    buffer_add_text(out, ", \"enum\": [");
    for (int i = first; i <= last; i++) {
        if (i == but)
            continue;
        buffer_add_text(out, i > first ? ", " : "");
        quote_json(out, word(i));
    }
    buffer_add_char(out, ']');
}

static const char *kind_word(int kind)
{
    return record_kind_text((enum record_kind)kind);
}

static const char *status_word(int status)
{
    return record_status_text((enum record_status)status);
}

/* A column as a field of a Table Schema. What both samples and facts must hold is required; the kind `end`
 * is not in the resources. */
static void field_add(struct buffer *out, const struct column_info *column, bool is_last)
{
    bool is_count = strcmp(column->type, "count") == 0;
    bool is_number = strcmp(column->type, "number") == 0;
    bool is_required = strcmp(column->rule[KIND_SAMPLE], "must") == 0 &&
                       strcmp(column->rule[KIND_FACT], "must") == 0;
    buffer_add_text(out, "        {\"name\": ");
    quote_json(out, column->name);
    buffer_add_format(out, ", \"type\": \"%s\", \"description\": ",
                      is_count ? "integer" : is_number ? "number" : "string");
    quote_json(out, column->meaning);
    buffer_add_format(out, ", \"constraints\": {\"required\": %s", is_required ? "true" : "false");
    if (is_count)
        buffer_add_text(out, ", \"minimum\": 0");
    if (strcmp(column->type, "kind") == 0)
        words_add(out, kind_word, 0, KIND_COUNT - 1, KIND_END);
    if (strcmp(column->type, "status") == 0)
        words_add(out, status_word, 0, STATUS_COUNT - 1, -1);
    buffer_add_format(out, "}}%s\n", is_last ? "" : ",");
}

static void schema_add(struct buffer *out)
{
    buffer_add_text(out, "      \"schema\": {\"missingValues\": [\"\"], \"fields\": [\n");
    for (int c = 0; c < COLUMN_COUNT; c++)
        field_add(out, &record_columns[c], c + 1 == COLUMN_COUNT);
    buffer_add_text(out, "      ]}\n");
}

static void licence_add(struct buffer *out, const char *licence)
{
    buffer_add_text(out, "  \"licenses\": [{\"name\": ");
    quote_json(out, licence ? licence : "notspecified");
    buffer_add_format(out, "%s}],\n", licence ? "" : ", \"title\": \"License Not Specified\"");
}

static void resource_add(struct buffer *out, const struct resource *resource, bool is_last)
{
    buffer_add_text(out, "    {\n");
    pair(out, "      ", "profile", "tabular-data-resource", false);
    pair(out, "      ", "name", resource->name, false);
    pair(out, "      ", "title", resource->source, false);
    buffer_add_format(out, "      \"path\": \"data/%s.csv\",\n", resource->name);
    buffer_add_text(out, "      \"format\": \"csv\", \"mediatype\": \"text/csv\", \"encoding\": "
                         "\"utf-8\",\n");
    buffer_add_format(out, "      \"bytes\": %zu, \"hash\": \"sha256:%s\",\n", resource->n_bytes,
                      resource->sha256);
    buffer_add_text(out, "      \"dialect\": {\"delimiter\": \",\", \"lineTerminator\": \"\\n\", "
                         "\"quoteChar\": \"\\\"\", \"doubleQuote\": true, \"header\": true, "
                         "\"skipInitialSpace\": false},\n");
    buffer_add_text(out, "      \"sources\": [{\"title\": ");
    quote_json(out, resource->source);
    buffer_add_text(out, "}],\n");
    schema_add(out);
    buffer_add_format(out, "    }%s\n", is_last ? "" : ",");
}

static void package_format(const struct arguments *arguments, const struct resource *resources,
                           size_t n, struct buffer *out)
{
    const char *title = argument_value(arguments, "title");
    buffer_add_text(out, "{\n");
    pair(out, "  ", "profile", "tabular-data-package", false);
    pair(out, "  ", "name", n == 1 ? resources[0].name : "benchmark-records", false);
    pair(out, "  ", "title", title ? title : n == 1 ? resources[0].source : "Records of benchmarks",
         false);
    licence_add(out, argument_value(arguments, "licence"));
    buffer_add_text(out, "  \"sources\": [");
    for (size_t i = 0; i < n; i++) {
        buffer_add_text(out, i > 0 ? ", {\"title\": " : "{\"title\": ");
        quote_json(out, resources[i].source);
        buffer_add_char(out, '}');
    }
    buffer_add_text(out, "],\n  \"resources\": [\n");
    for (size_t i = 0; i < n; i++)
        resource_add(out, &resources[i], i + 1 == n);
    buffer_add_text(out, "  ]\n}\n");
}

/* ---- the folder ---- */

/* Takes away what a failed export has made, where nothing was before. */
static void folder_undo(const char *path, const struct resource *resources, size_t n)
{
    struct buffer name = {0};
    for (size_t i = 0; i < n; i++) {
        buffer_clear(&name);
        buffer_add_format(&name, "%s/data/%s.csv", path, resources[i].name);
        if (!name.failed)
            unlink(buffer_text(&name));
    }
    buffer_clear(&name);
    buffer_add_format(&name, "%s/data", path);
    if (!name.failed)
        rmdir(buffer_text(&name));
    rmdir(path);
    buffer_free(&name);
}

/* ERR_USAGE when there is something in it that is no export of ours. *is_new: there was nothing. */
static int folder_make(const char *path, bool *is_new, struct err *err)
{
    struct buffer inner = {0};
    buffer_add_format(&inner, "%s/datapackage.json", path);
    bool is_ours = !inner.failed && access(buffer_text(&inner), F_OK) == 0;
    int result = 0;
    *is_new = mkdir(path, 0777) == 0;
    if (!*is_new && errno != EEXIST)
        result = err_system(err, "%s", path);
    DIR *dir = result >= 0 ? opendir(path) : NULL;
    if (result >= 0 && !dir)
        result = err_system(err, "%s", path);
    for (struct dirent *entry; dir && !is_ours && result >= 0 && (entry = readdir(dir));)
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
            result = err_set(err, ERR_USAGE, "%s: is there and is no data package", path);
    if (dir)
        closedir(dir);
    buffer_clear(&inner);
    buffer_add_format(&inner, "%s/data", path);
    if (result >= 0 && inner.failed)
        result = out_of_memory(err);
    if (result >= 0 && mkdir(buffer_text(&inner), 0777) != 0 && errno != EEXIST)
        result = err_system(err, "%s", buffer_text(&inner));
    buffer_free(&inner);
    return result;
}

static int resources_name(const struct arguments *arguments, struct resource *resources,
                          struct arena *arena, struct err *err)
{
    for (size_t i = 0; i < arguments->n_operands; i++) {
        const char *path = arguments->operands[i];
        resources[i] = (struct resource){.name = strcmp(path, "-") == 0 ? "stdin"
                                                                        : name_of(path, arena),
                                         .source = source_of(path, arena)};
        if (!resources[i].name || !resources[i].source)
            return out_of_memory(err);
        for (size_t j = 0; j < i; j++)
            if (strcmp(resources[i].name, resources[j].name) == 0)
                return err_set(err, ERR_USAGE, "%s and %s would both be called %s.csv",
                               arguments->operands[j], path, resources[i].name);
    }
    return 0;
}

int datapackage_export(const struct arguments *arguments, const char *output, struct err *err)
{
    struct arena arena = {0};
    struct buffer json = {0};
    size_t n = arguments->n_operands;
    struct resource *resources =
        n > SIZE_MAX / sizeof *resources ? NULL : arena_alloc(&arena, n * sizeof *resources);
    int result = resources ? resources_name(arguments, resources, &arena, err) : out_of_memory(err);
    bool is_new = false;
    if (result >= 0)
        result = folder_make(output, &is_new, err);
    for (size_t i = 0; i < n && result >= 0; i++)
        result = resource_write(output, arguments->operands[i], &resources[i], err);
    if (result >= 0) {
        package_format(arguments, resources, n, &json);
        result = file_write(output, "datapackage.json", &json, err);
    }
    if (result < 0 && is_new)
        folder_undo(output, resources, n);
    buffer_free(&json);
    arena_free(&arena);
    return result;
}
