/* A template as it is between its file and a page. */
#ifndef REPORT_PAGE_TEMPLATE_NODE_H
#define REPORT_PAGE_TEMPLATE_NODE_H

#include <stddef.h>

#include "schema/arena.h"
#include "schema/err.h"

enum { TEMPLATE_DEPTH_MAX = 32 };

enum node_type { NODE_TEXT, NODE_NAME, NODE_RAW, NODE_SECTION, NODE_INVERTED, NODE_PARTIAL };

/* A template is an array of nodes in file order; a section's content is the nodes behind it, up to
 * `end`. */
struct template_node {
    enum node_type type;
    unsigned line;
    const char *text; /* NODE_TEXT: borrows the source; else the name, NUL-terminated, in the arena */
    size_t size;
    size_t end; /* sections: index behind the content */
};

struct template {
    struct template *next;
    const char *name;
    char *source;
    struct template_node *nodes;
    size_t n_nodes, capacity;
};

/* Fills nodes of the template, an empty one, from its source. The arena takes names. */
int template_compile(struct template *template, struct arena *arena, struct err *err);

#endif
