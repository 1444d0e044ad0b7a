/* The tree of values that a page is made from: what a template names. Texts are untrusted; the
 * template escapes them. Everything lives in an arena; when memory runs out the node's tree is marked
 * failed and rendering it is an error, so that a builder checks nothing. */
#ifndef REPORT_LAYOUT_VALUE_H
#define REPORT_LAYOUT_VALUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "schema/arena.h"

enum value_type { VALUE_TEXT, VALUE_FLAG, VALUE_MAP, VALUE_LIST };

struct value_tree {
    struct arena arena;
    bool failed;
};

struct value {
    struct value_tree *tree;
    enum value_type type;
    const char *name; /* in the map that holds it; "" in a list */
    struct value *next;
    const char *text;                 /* VALUE_TEXT */
    bool flag;                        /* VALUE_FLAG */
    struct value *first, *last;       /* of a map or list */
};

/* A map to start with. value_tree_free ends the tree and everything in it. */
struct value *value_root(struct value_tree *tree);
void value_tree_free(struct value_tree *tree);

/* Each sets a new name of a map; a name is set once. Texts are copied. value_map and value_list
 * return the new, empty one. */
void value_text(struct value *map, const char *name, const char *text);
void value_format(struct value *map, const char *name, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* "1 run", "2 runs" */
void value_count(struct value *map, const char *name, uint64_t n, const char *noun);
void value_flag(struct value *map, const char *name, bool flag);
struct value *value_map(struct value *map, const char *name);
struct value *value_list(struct value *map, const char *name);
/* A new map at the end of a list. */
struct value *value_append(struct value *list);

/* NULL when the map has no such name. */
const struct value *value_find(const struct value *map, const char *name);

#endif
