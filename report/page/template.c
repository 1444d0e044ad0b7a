#include "report/page/template.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "build.h"
#include "report/page/template_node.h"

enum { TEMPLATE_BYTES_MAX = 1 << 20 };

struct templates {
    char *folder;
    struct arena arena;
    struct template *first;
};

static void template_free(struct template *template)
{
    free(template->nodes);
    free(template->source);
    free(template);
}

void templates_free(struct templates *templates)
{
    if (!templates)
        return;
    for (struct template *template = templates->first; template;) {
        struct template *next = template->next;
        template_free(template);
        template = next;
    }
    arena_free(&templates->arena);
    free(templates->folder);
    free(templates);
}

int templates_open(struct templates **out, const char *folder, struct err *err)
{
    struct templates *templates = calloc(1, sizeof *templates);
    if (!templates || !(templates->folder = strdup(folder))) {
        free(templates);
        return err_set(err, ERR_SYSTEM, "out of memory");
    }
    struct buffer layout = {0};
    int result = templates_read(templates, "layout.html", &layout, err);
    buffer_free(&layout);
    if (result < 0) {
        templates_free(templates);
        return result;
    }
    *out = templates;
    return 0;
}

int templates_read(const struct templates *templates, const char *file, struct buffer *out,
                   struct err *err)
{
    struct buffer path = {0};
    buffer_add_format(&path, "%s/%s", templates->folder, file);
    if (path.failed) {
        buffer_free(&path);
        return err_set(err, ERR_SYSTEM, "out of memory");
    }
    int result = 0;
    FILE *stream = fopen(buffer_text(&path), "re");
    if (!stream) {
        result = err_system(err, "%s", buffer_text(&path));
    } else {
        size_t start = out->size, n = 1;
        while (n > 0) {
            char block[4096];
            n = fread(block, 1, sizeof block, stream);
            buffer_add(out, block, n);
            if (out->size - start > TEMPLATE_BYTES_MAX)
                break;
        }
        if (ferror(stream))
            result = err_system(err, "%s", buffer_text(&path));
        else if (out->size - start > TEMPLATE_BYTES_MAX || out->failed)
            result = err_set(err, ERR_SYSTEM, "%s: is too large", buffer_text(&path));
        fclose(stream);
    }
    buffer_free(&path);
    return result;
}

const char *templates_folder(const struct templates *templates)
{
    return templates->folder;
}

bool templates_have(const struct templates *templates, const char *file)
{
    struct buffer path = {0};
    buffer_add_format(&path, "%s/%s", templates->folder, file);
    bool is_there = !path.failed && access(buffer_text(&path), R_OK) == 0;
    buffer_free(&path);
    return is_there;
}

static int template_load(struct templates *templates, struct template *template, const char *name,
                         struct err *err)
{
    struct buffer file = {0}, source = {0};
    template->name = arena_copy(&templates->arena, name, strlen(name));
    buffer_add_format(&file, "%s.html", name);
    int result = templates_read(templates, buffer_text(&file), &source, err);
    bool failed = file.failed || !template->name;
    buffer_free(&file);
    buffer_add(&source, "", 0);
    template->source = source.bytes; /* from here the template owns it */
    TRY(result);
    if (failed || source.failed)
        return err_set(err, ERR_SYSTEM, "out of memory");
    return template_compile(template, &templates->arena, err);
}

static int template_get(struct templates *templates, const char *name, struct template **out,
                        struct err *err)
{
    for (struct template *template = templates->first; template; template = template->next) {
        if (strcmp(template->name, name) == 0) {
            *out = template;
            return 0;
        }
    }
    struct template *template = calloc(1, sizeof *template);
    if (!template)
        return err_set(err, ERR_SYSTEM, "out of memory");
    int result = template_load(templates, template, name, err);
    if (result < 0) {
        template_free(template);
        return result;
    }
    template->next = templates->first;
    templates->first = template;
    *out = template;
    return 0;
}

/* The maps that a name is looked for in, innermost last. */
struct scope {
    const struct value *maps[TEMPLATE_DEPTH_MAX * 2];
    size_t n;
    unsigned n_partials; /* that stand open, so that one including itself ends */
};

static const struct value *scope_find(const struct scope *scope, const char *name)
{
    for (size_t i = scope->n; i-- > 0;) {
        const struct value *value = value_find(scope->maps[i], name);
        if (value)
            return value;
    }
    return NULL;
}

static bool is_true(const struct value *value)
{
    switch (value->type) {
    case VALUE_TEXT:
        return value->text[0] != '\0';
    case VALUE_FLAG:
        return value->flag;
    case VALUE_LIST:
        return value->first != NULL;
    default:
        return true;
    }
}

static int render_nodes(struct templates *templates, const struct template *template, size_t from,
                        size_t to, struct scope *scope, struct buffer *out, struct err *err);

static int render_inside(struct templates *templates, const struct template *template, size_t from,
                         size_t to, const struct value *map, struct scope *scope,
                         struct buffer *out, struct err *err)
{
    if (scope->n == sizeof scope->maps / sizeof scope->maps[0])
        return err_set(err, ERR_SYSTEM, "%s.html: values are nested too deeply", template->name);
    scope->maps[scope->n++] = map;
    int result = render_nodes(templates, template, from, to, scope, out, err);
    scope->n--;
    return result;
}

static int render_section(struct templates *templates, const struct template *template, size_t at,
                          const struct value *value, struct scope *scope, struct buffer *out,
                          struct err *err)
{
    const struct template_node *node = &template->nodes[at];
    size_t end = node->end;
    if (is_true(value) == (node->type == NODE_INVERTED))
        return 0;
    if (node->type == NODE_INVERTED || value->type == VALUE_TEXT || value->type == VALUE_FLAG)
        return render_nodes(templates, template, at + 1, end, scope, out, err);
    if (value->type == VALUE_MAP)
        return render_inside(templates, template, at + 1, end, value, scope, out, err);
    for (const struct value *item = value->first; item; item = item->next)
        TRY(render_inside(templates, template, at + 1, end, item, scope, out, err));
    return 0;
}

static int render_partial(struct templates *templates, const struct template *template,
                          const struct template_node *node, struct scope *scope, struct buffer *out,
                          struct err *err)
{
    struct template *partial;
    if (scope->n_partials == TEMPLATE_DEPTH_MAX)
        return err_set(err, ERR_SYSTEM, "%s.html:%u: {{> %s}} includes itself without end",
                       template->name, node->line, node->text);
    int result = template_get(templates, node->text, &partial, err);
    if (result < 0)
        return err_wrap(err, "%s.html:%u: {{> %s}}", template->name, node->line, node->text);
    scope->n_partials++;
    result = render_nodes(templates, partial, 0, partial->n_nodes, scope, out, err);
    scope->n_partials--;
    return result;
}

static int render_nodes(struct templates *templates, const struct template *template, size_t from,
                        size_t to, struct scope *scope, struct buffer *out, struct err *err)
{
    for (size_t i = from; i < to; i++) {
        const struct template_node *node = &template->nodes[i];
        if (node->type == NODE_TEXT) {
            buffer_add(out, node->text, node->size);
            continue;
        }
        if (node->type == NODE_PARTIAL) {
            TRY(render_partial(templates, template, node, scope, out, err));
            continue;
        }
        const struct value *value = scope_find(scope, node->text);
        if (!value)
            return err_set(err, ERR_SYSTEM, "%s.html:%u: nothing is named '%s' here", template->name,
                           node->line, node->text);
        if (node->type == NODE_SECTION || node->type == NODE_INVERTED) {
            TRY(render_section(templates, template, i, value, scope, out, err));
            i = node->end - 1;
        } else if (value->type != VALUE_TEXT) {
            return err_set(err, ERR_SYSTEM, "%s.html:%u: '%s' is no text", template->name, node->line,
                           node->text);
        } else if (node->type == NODE_RAW) {
            buffer_add_text(out, value->text);
        } else {
            template_escape(value->text, out);
        }
    }
    return 0;
}

int templates_render(struct templates *templates, const char *name, const struct value *map,
                     struct buffer *out, struct err *err)
{
    struct template *template;
    TRY(template_get(templates, name, &template, err));
    struct scope scope = {.maps = {map}, .n = 1};
    TRY(render_nodes(templates, template, 0, template->n_nodes, &scope, out, err));
    if (map->tree->failed || out->failed)
        return err_set(err, ERR_SYSTEM, "out of memory");
    return 0;
}

void template_escape(const char *text, struct buffer *out)
{
    for (const char *p = text; *p;) {
        /* Everything that needs no care in one piece: almost all of a page. */
        const char *start = p;
        while ((unsigned char)*p >= 0x20 && *p != '&' && *p != '<' && *p != '>' && *p != '"' &&
               *p != '\'' && *p != 0x7f && (unsigned char)*p != 0xc2)
            p++;
        buffer_add(out, start, (size_t)(p - start));
        unsigned char c = (unsigned char)*p;
        if (c == '\0')
            break;
        if (c == '&')
            buffer_add_text(out, "&amp;");
        else if (c == '<')
            buffer_add_text(out, "&lt;");
        else if (c == '>')
            buffer_add_text(out, "&gt;");
        else if (c == '"')
            buffer_add_text(out, "&quot;");
        else if (c == '\'')
            buffer_add_text(out, "&#39;");
        else if (c == '\n' || c == '\t')
            buffer_add_char(out, (char)c);
        else if (c == 0xc2 && (unsigned char)p[1] >= 0x80 && (unsigned char)p[1] < 0xa0)
            buffer_add_format(out, "\\x%02x", (unsigned char)*++p); /* U+0080 to U+009F */
        else if (c == 0xc2)
            buffer_add_char(out, (char)c);
        else
            buffer_add_format(out, "\\x%02x", c);
        p++;
    }
}

int templates_find(struct buffer *out, struct err *err)
{
    char program[4096];
    ssize_t size = readlink("/proc/self/exe", program, sizeof program - 1);
    program[size > 0 ? size : 0] = '\0';
    char *slash = strrchr(program, '/');
    if (slash)
        *slash = '\0';
    /* Installed as PREFIX/bin/report; built as build/<variant>/bin/report. */
    static const char *const beside[] = {"/../share/report/templates", "/../../../templates"};
    for (size_t i = 0; i < 3; i++) {
        struct buffer file = {0};
        size_t start = out->size;
        if (i < 2)
            buffer_add_format(out, "%s%s", program, beside[i]);
        else
            buffer_add_text(out, BUILD_PREFIX "/share/report/templates");
        buffer_add_format(&file, "%s/layout.html", out->bytes ? out->bytes + start : "");
        bool is_there = (i == 2 || slash) && access(buffer_text(&file), R_OK) == 0;
        bool failed = file.failed || out->failed;
        buffer_free(&file);
        if (failed)
            return err_set(err, ERR_SYSTEM, "out of memory");
        if (is_there)
            return 0;
        out->size = start;
        if (out->bytes)
            out->bytes[start] = '\0';
    }
    return err_set(err, ERR_SYSTEM, "no templates beside the program or in " BUILD_PREFIX
                                    "/share/report/templates; --templates=DIR says where");
}
