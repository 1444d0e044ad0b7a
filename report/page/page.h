/* Pages of the site: what they share, and one function for each kind. */
#ifndef REPORT_PAGE_PAGE_H
#define REPORT_PAGE_PAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "report/chart/graph.h"
#include "report/grid.h"
#include "report/layout/layout_eval.h"
#include "report/page/publication.h"
#include "report/select.h"
#include "report/page/site_files.h"
#include "report/page/template.h"
#include "report/layout/value.h"
#include "schema/archive.h"

struct site_kernel {
    const char *name;
    const char *slug;
    const struct cell *cells; /* [n_cells], of the selection */
    size_t n_cells;
    size_t n_samples;
    const char *first_time, *last_time;
};

struct site_download {
    const char *path; /* below data/ */
    const char *what;
    const char *sha256;
    uint64_t n_records, n_bytes;
};

/* All that pages are made from. */
struct site {
    const struct archive *archive;
    struct templates *templates;
    struct site_files files;
    struct selection selection;
    struct arena arena;
    struct site_kernel *kernels; /* [n_kernels] */
    size_t n_kernels;
    const char **machine_slugs; /* [selection.machines.n] */
    struct site_download *downloads; /* [n_downloads] */
    size_t n_downloads;
    const char *base; /* pattern of the builds that others are held against; NULL: the first */
    bool has_variants; /* a machine has results of several builds */
    size_t n_series, n_series_changed; /* series of runs long enough to find a change in; known after
                                          page_generations */
    bool lacks_gnuplot;
    bool lacks_font;
    struct publications publications;
    const char **publication_slugs; /* [publications.n] */
    size_t *publication_figures;    /* [publications.n] figures on its page; 0: it has none */
};

/* A page begun: fill `map` with what its template wants. */
struct page {
    struct site *site;
    struct value_tree tree;
    struct value *map;
    const char *root; /* "", "../" or "../../": from the page to the top */
    bool is_of_machine; /* its tables need not name the machine */
};

/* title is text. page_end or page_free ends it. */
void page_begin(struct page *page, struct site *site, const char *root, const char *title);
/* Renders template `name` within layout.html and writes the page to `path`. Frees the page in any
 * case. */
int page_end(struct page *page, const char *name, const char *path, struct err *err);
void page_free(struct page *page);

/* More machines than this stand below one another, one a row, rather than beside. */
enum { PAGE_SIDES_ACROSS = 8 };

/* page_tables.c: sets `tables` of the map: the cells [n] as tables with these columns, the tests of a
 * machine's page too. `rows` names what stands in rows beside x (where something is swept) or test
 * (where not). Where more than PAGE_SIDES_ACROSS machines or tests are more than there are rows, the
 * table is turned. */
int page_tables(struct page *page, struct value *map, const struct cell *const *cells, size_t n,
                const char *rows, const char *columns, struct err *err);
/* The href of a cell's samples. */
void page_samples_href(const struct page *page, const struct cell *cell, struct buffer *out);

/* page_figures.c: draws the graphs of cells [n] into figures/, named after stem, and sets `figures`
 * of the map, and `flats`, those whose values are all the same and which are not drawn. machine: as in
 * graphs_make. */
int page_figures(struct page *page, struct value *map, const struct cell *const *cells, size_t n,
                 const struct machine *machine, const char *stem, struct err *err);

/* Draws one graph, "stem-metric-number", and appends it to such a list. */
int page_figure(struct page *page, struct value *list, const struct graph *graph, const char *stem,
                size_t number, struct err *err);

/* page_layouts.c: appends the tables of a layout that have figures to the list `groups` and, unless it
 * is NULL, what was printed otherwise to `disagreements`; adds to *n_figures. title: of tables without
 * one. The layout lives as long as the page. */
int page_layout(struct page *page, struct value *groups, struct value *disagreements,
                const struct layout *layout, const struct selection *selection, const char *title,
                size_t *n_figures, struct err *err);
/* Sets `groups` of the map to the tables that the templates describe for a kernel. */
int page_kernel_layouts(struct page *page, struct value *map, const char *kernel, struct err *err);

/* page_publication.c: the pages of site->publications, and their links for the index. */
int page_publications(struct site *site, struct err *err);
void page_publication_links(const struct site *site, struct value *map);

/* page_points.c: the points of a graph: sets `points` (places on the drawing, what each is) and
 * `rows` (a table of the values) of the map. */
int page_points(struct value *item, const struct chart *chart, struct err *err);

/* page_facts.c: of the index: `machines`, `facts`, `differences`, whether the table `is_turned`. */
int page_facts(struct page *page, struct buffer *text, struct err *err);

/* page_summary.c: of the index: `bests`, `changes`, `noises`. */
int page_summary(struct page *page, struct buffer *text, struct err *err);

/* page_generations.c: appends what was done beside the test: "64 KiB, word 64, threads 1". */
void page_where_text(const struct page *page, const struct cell *cell, struct buffer *out);
/* page_series.c: of the page of generations: `changepoints`, `figures`. */
int page_series(struct page *page, struct buffer *text, struct err *err);

int page_index(struct site *site, struct err *err);
int page_kernel(struct site *site, size_t kernel, struct err *err);
int page_machine(struct site *site, size_t machine, struct err *err);
/* page_machine.c: appends the names of the facts of state that should have stayed as they were during a
 * run and did not, "cpu.governor, limit.cpu.throttled". */
void page_disturbed_facts(const struct machine *machine, struct buffer *out);
int page_samples(struct site *site, size_t kernel, size_t machine, struct err *err);
int page_downloads(struct site *site, struct err *err);
int page_generations(struct site *site, struct err *err);
/* page_variants.c: variants.html, when the site has_variants, which site_has_variants finds out. */
bool site_has_variants(const struct site *site);
int page_variants(struct site *site, struct err *err);

/* site_data.c: data/..., fills site->downloads. */
int site_data(struct site *site, struct err *err);

#endif
