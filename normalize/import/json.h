/* JSON documents of other programs, through jansson: strict UTF-8, no key twice, no NUL in strings,
 * depth bounded. The only header that names the library; numbers come as doubles.
 *
 * A node knows where it stands, so that a message can name its line. */
#ifndef NORMALIZE_IMPORT_JSON_H
#define NORMALIZE_IMPORT_JSON_H

#include <jansson.h>

#include "normalize/import/importing.h"

struct node {
    const struct node *parent; /* borrowed; NULL for the document */
    const char *key;           /* in an object, else NULL */
    size_t index;              /* in an array or, of an object, among its members in memory */
    json_t *value;             /* borrowed from the document; NULL when there is none */
    size_t offset;             /* of the document in the file; of the document alone */
};

/* Reads a document: `runs` is given its root, between import_run_begin and import_run_end or not, as
 * it likes; the document's bytes are for import_run_begin. Every document of the file is read, one
 * after the other; what stands between them is not used. ERR_DATA for bad JSON and for a file without
 * a document. */
typedef int json_read_fn(struct import *import, const struct node *root, const char *bytes,
                         size_t size, struct err *err);
int json_documents(struct import *import, json_read_fn *read, struct err *err);

/* True when the file has a line that starts with { or [ and somewhere all of these strings (ended by
 * NULL). */
bool json_has(const struct import *import, ...) __attribute__((sentinel));

struct node node_member(const struct node *parent, const char *key); /* .value NULL: none */
struct node node_element(const struct node *parent, size_t index);
size_t node_count(const struct node *node); /* of an array's elements; 0 for anything else */
const char *node_text(const struct node *node); /* NULL when it is no string */
double node_number(const struct node *node, double otherwise);

size_t node_line(const struct import *import, const struct node *node);
int node_error(const struct import *import, const struct node *node, struct err *err,
               const char *format, ...) __attribute__((format(printf, 4, 5)));
/* The array or object of that name. ERR_DATA when it is not there or something else. */
int node_need(const struct import *import, const struct node *parent, const char *key,
              json_type type, struct node *out, struct err *err);
/* A sample from a number, or from a string or null in its place (see import_add_text). */
void node_add(struct import *import, const struct record *sample, const struct node *node,
              double factor, const char *unit);

#endif
