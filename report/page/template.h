/* Pages from templates, in a subset of Mustache (the mustache(5) manual describes it):
 *
 *   {{name}}                 the text, HTML-escaped
 *   {{{name}}}               the text as it is, for markup made here
 *   {{#name}} ... {{/name}}  once for each map of a list; inside a map; when a flag is set or a text
 *                            is not empty
 *   {{^name}} ... {{/name}}  when the list is empty, the flag not set, the text empty
 *   {{> name}}               the template name.html, with the same values
 *   {{! note }}              nothing
 *
 * A name is looked for from the innermost map outwards. A line that holds only a section tag, partial
 * or note leaves no line behind. A name that no map has is an error, with `file:line`. All errors are
 * ERR_SYSTEM: templates are part of the program. */
#ifndef REPORT_PAGE_TEMPLATE_H
#define REPORT_PAGE_TEMPLATE_H

#include "report/layout/value.h"
#include "schema/buffer.h"
#include "schema/err.h"

struct templates; /* the templates of one folder, compiled when first used; templates_free ends it */

/* folder: copied. It must hold layout.html, so that a wrong folder is seen at once. */
int templates_open(struct templates **out, const char *folder, struct err *err);
void templates_free(struct templates *templates); /* NULL is fine */

/* Appends template `name` (file name.html) filled from the map. */
int templates_render(struct templates *templates, const char *name, const struct value *map,
                     struct buffer *out, struct err *err);

/* The folder, and whether it holds a file. */
const char *templates_folder(const struct templates *templates);
bool templates_have(const struct templates *templates, const char *file);
/* Appends a file of the folder as it is, such as style.css. */
int templates_read(const struct templates *templates, const char *file, struct buffer *out,
                   struct err *err);

/* Appends text fit for HTML text and attribute values: & < > " ' as references, control characters,
 * which HTML cannot hold, as \xNN. */
void template_escape(const char *text, struct buffer *out);

/* The folder to use when none was named: beside the installed program, beside the sources it was
 * built from, or below the build's prefix, whichever holds layout.html first. ERR_SYSTEM when none
 * does. Appends to out. */
int templates_find(struct buffer *out, struct err *err);

#endif
