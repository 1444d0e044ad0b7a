/* Publications whose tables are printed again: the folders of datasets/ that hold a README.md and
 * descriptions in tables/. */
#ifndef REPORT_PAGE_PUBLICATION_H
#define REPORT_PAGE_PUBLICATION_H

#include <stddef.h>

#include "report/layout/layout.h"
#include "report/layout/value.h"
#include "schema/arena.h"
#include "schema/err.h"

struct publication {
    const char *name;       /* of its folder */
    const char *title;      /* the heading of README.md */
    char *readme;           /* its text behind that */
    struct layout *layouts; /* [n_layouts] by the names of their files */
    size_t n_layouts;
};

struct publications {
    struct arena arena;
    struct publication *list; /* [n] by name */
    size_t n;
};

/* Reads the folder; without one, or NULL, there are none. ERR_DATA as layout_read. publications_free ends
 * it, after an error too. */
int publications_read(struct publications *publications, const char *folder, struct err *err);
void publications_free(struct publications *publications);

/* prose.c: sets `name` of the map to a list of blocks made from text in a small part of Markdown:
 * headings, paragraphs, items and tables, as words without any markup. */
void prose_set(struct value *map, const char *name, const char *text);

#endif
