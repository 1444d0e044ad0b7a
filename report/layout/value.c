#include "report/layout/value.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "report/scale.h"

/* What builders write to once memory is out. It is reset on every use and never rendered: rendering
 * a failed tree is an error. */
static struct value *value_lost(struct value_tree *tree)
{
    static struct value lost;
    tree->failed = true;
    lost = (struct value){.tree = tree, .type = VALUE_MAP, .name = "", .text = ""};
    return &lost;
}

static const char *copy(struct value_tree *tree, const char *text)
{
    const char *bytes = arena_copy(&tree->arena, text, strlen(text));
    if (!bytes)
        tree->failed = true;
    return bytes ? bytes : "";
}

static struct value *value_new(struct value_tree *tree, struct value *parent, const char *name,
                               enum value_type type)
{
    struct value *value = arena_alloc(&tree->arena, sizeof *value);
    if (!value)
        return value_lost(tree);
    *value = (struct value){.tree = tree, .type = type, .name = name, .text = ""};
    if (parent) {
        if (parent->last)
            parent->last->next = value;
        else
            parent->first = value;
        parent->last = value;
    }
    return value;
}

struct value *value_root(struct value_tree *tree)
{
    return value_new(tree, NULL, "", VALUE_MAP);
}

void value_tree_free(struct value_tree *tree)
{
    arena_free(&tree->arena);
    tree->failed = false;
}

void value_text(struct value *map, const char *name, const char *text)
{
    struct value *value = value_new(map->tree, map, name, VALUE_TEXT);
    value->text = copy(map->tree, text);
}

void value_format(struct value *map, const char *name, const char *format, ...)
{
    struct value *value = value_new(map->tree, map, name, VALUE_TEXT);
    va_list args;
    va_start(args, format);
    int size = vsnprintf(NULL, 0, format, args);
    va_end(args);
    char *text = size < 0 ? NULL : arena_alloc(&map->tree->arena, (size_t)size + 1);
    if (!text) {
        map->tree->failed = true;
        return;
    }
    va_start(args, format);
    vsnprintf(text, (size_t)size + 1, format, args);
    va_end(args);
    value->text = text;
}

void value_count(struct value *map, const char *name, uint64_t n, const char *noun)
{
    char number[SCALE_TEXT_SIZE];
    scale_number((double)n, 17, number);
    value_format(map, name, "%s %s%s", number, noun, n == 1 ? "" : "s");
}

void value_flag(struct value *map, const char *name, bool flag)
{
    value_new(map->tree, map, name, VALUE_FLAG)->flag = flag;
}

struct value *value_map(struct value *map, const char *name)
{
    return value_new(map->tree, map, name, VALUE_MAP);
}

struct value *value_list(struct value *map, const char *name)
{
    return value_new(map->tree, map, name, VALUE_LIST);
}

struct value *value_append(struct value *list)
{
    return value_new(list->tree, list, "", VALUE_MAP);
}

const struct value *value_find(const struct value *map, const char *name)
{
    if (map->type != VALUE_MAP)
        return NULL;
    for (const struct value *value = map->first; value; value = value->next)
        if (strcmp(value->name, name) == 0)
            return value;
    return NULL;
}
