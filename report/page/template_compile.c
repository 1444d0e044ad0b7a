#include "report/page/template_node.h"

#include <stdlib.h>
#include <string.h>

static int node_add(struct template *template, struct template_node node, struct err *err)
{
    if (template->n_nodes == template->capacity) {
        size_t capacity = template->capacity ? template->capacity * 2 : 32;
        struct template_node *nodes = reallocarray(template->nodes, capacity, sizeof *nodes);
        if (!nodes)
            return err_set(err, ERR_SYSTEM, "out of memory");
        template->nodes = nodes;
        template->capacity = capacity;
    }
    template->nodes[template->n_nodes++] = node;
    return 0;
}

/* One tag of the source: what it says and where it begins and ends. */
struct tag {
    const char *begin, *end; /* of the whole, braces included */
    char sigil;              /* 0 for {{name}}, '{' for {{{name}}} */
    const char *name;        /* trimmed, not terminated */
    size_t name_size;
};

static const char blanks[] = " \t\r\n";

/* The next tag at or behind p; tag->begin is NULL when there is none. */
static int tag_find(const char *p, struct tag *tag, const char *file, unsigned line,
                    struct err *err)
{
    *tag = (struct tag){.begin = strstr(p, "{{")};
    if (!tag->begin)
        return 0;
    for (const char *c = p; c < tag->begin; c++)
        line += *c == '\n';
    const char *name = tag->begin + 2;
    if (*name && strchr("#^/>!{", *name))
        tag->sigil = *name++;
    const char *closing = tag->sigil == '{' ? "}}}" : "}}";
    const char *end = strstr(name, closing);
    if (!end)
        return err_set(err, ERR_SYSTEM, "%s.html:%u: a tag is not closed by %s", file, line, closing);
    tag->end = end + strlen(closing);
    name += strspn(name, blanks);
    while (end > name && strchr(blanks, end[-1]))
        end--;
    tag->name = name;
    tag->name_size = end > name ? (size_t)(end - name) : 0;
    if (tag->name_size == 0 && tag->sigil != '!')
        return err_set(err, ERR_SYSTEM, "%s.html:%u: a tag without a name", file, line);
    return 0;
}

/* A tag that prints nothing itself and stands alone on its line takes the line with it. */
static void tag_widen(const char *source, struct tag *tag)
{
    if (tag->sigil == 0 || tag->sigil == '{')
        return;
    const char *begin = tag->begin, *end = tag->end;
    while (begin > source && (begin[-1] == ' ' || begin[-1] == '\t'))
        begin--;
    end += strspn(end, " \t\r");
    if ((begin == source || begin[-1] == '\n') && (*end == '\n' || *end == '\0')) {
        tag->begin = begin;
        tag->end = end + (*end == '\n');
    }
}

static int section_close(struct template *template, size_t *open, size_t depth,
                         const struct tag *tag, unsigned line, struct err *err)
{
    if (depth == 0)
        return err_set(err, ERR_SYSTEM, "%s.html:%u: {{/%.*s}} closes nothing", template->name, line,
                       (int)tag->name_size, tag->name);
    struct template_node *section = &template->nodes[open[depth - 1]];
    if (strlen(section->text) != tag->name_size ||
        memcmp(section->text, tag->name, tag->name_size) != 0)
        return err_set(err, ERR_SYSTEM, "%s.html:%u: {{/%.*s}} where {{/%s}} of line %u is due",
                       template->name, line, (int)tag->name_size, tag->name, section->text,
                       section->line);
    section->end = template->n_nodes;
    return 0;
}

int template_compile(struct template *template, struct arena *arena, struct err *err)
{
    size_t open[TEMPLATE_DEPTH_MAX];
    size_t depth = 0;
    unsigned line = 1;
    const char *p = template->source;
    for (;;) {
        struct tag tag;
        TRY(tag_find(p, &tag, template->name, line, err));
        if (tag.begin)
            tag_widen(template->source, &tag);
        size_t size = tag.begin ? (tag.begin > p ? (size_t)(tag.begin - p) : 0) : strlen(p);
        if (size > 0)
            TRY(node_add(template, (struct template_node){.line = line, .text = p, .size = size}, err));
        if (!tag.begin)
            break;
        for (; p < tag.end && p < tag.name; p++)
            line += *p == '\n';
        struct template_node node = {.line = line};
        node.text = arena_copy(arena, tag.name, tag.name_size);
        if (!node.text)
            return err_set(err, ERR_SYSTEM, "out of memory");
        switch (tag.sigil) {
        case '!':
            break;
        case '/':
            TRY(section_close(template, open, depth, &tag, line, err));
            depth--;
            break;
        case '#':
        case '^':
            if (depth == TEMPLATE_DEPTH_MAX)
                return err_set(err, ERR_SYSTEM, "%s.html:%u: sections are nested too deeply",
                               template->name, line);
            open[depth++] = template->n_nodes;
            node.type = tag.sigil == '#' ? NODE_SECTION : NODE_INVERTED;
            TRY(node_add(template, node, err));
            break;
        default:
            node.type = tag.sigil == '>' ? NODE_PARTIAL : tag.sigil == '{' ? NODE_RAW : NODE_NAME;
            TRY(node_add(template, node, err));
        }
        for (; p < tag.end; p++)
            line += *p == '\n';
    }
    if (depth > 0)
        return err_set(err, ERR_SYSTEM, "%s.html:%u: {{#%s}} is never closed", template->name,
                       template->nodes[open[depth - 1]].line,
                       template->nodes[open[depth - 1]].text);
    return 0;
}
