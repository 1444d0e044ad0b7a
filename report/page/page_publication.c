#include "report/page/page.h"

#include <string.h>

#include "report/page/slug.h"

/* Where the second part of a README begins: its first heading of the second level. */
static char *readme_split(char *readme)
{
    if (strncmp(readme, "## ", 3) == 0)
        return readme;
    char *heading = strstr(readme, "\n## ");
    return heading ? heading + 1 : readme + strlen(readme);
}

static int publication_fill(struct page *page, const struct publication *publication,
                            const struct selection *by_run, size_t *n_figures, struct err *err)
{
    struct site *site = page->site;
    struct value *groups = value_list(page->map, "groups");
    struct value *disagreements = value_list(page->map, "disagreements");
    *n_figures = 0;
    for (size_t l = 0; l < publication->n_layouts; l++) {
        const struct layout *layout = &publication->layouts[l];
        TRY(page_layout(page, groups, disagreements, layout,
                        layout->uses_run ? by_run : &site->selection, publication->title, n_figures,
                        err));
    }
    char *rest = readme_split(publication->readme), first = *rest;
    *rest = '\0';
    prose_set(page->map, "lead", publication->readme);
    *rest = first;
    prose_set(page->map, "provenance", rest);
    value_count(page->map, "n_figures", *n_figures, "figure");
    return 0;
}

static int page_publication(struct site *site, size_t p, const struct selection *by_run,
                            struct err *err)
{
    const struct publication *publication = &site->publications.list[p];
    struct page page;
    struct buffer path = {0};
    page_begin(&page, site, "../", publication->title);
    int result = publication_fill(&page, publication, by_run, &site->publication_figures[p], err);
    buffer_add_format(&path, "publications/%s.html", site->publication_slugs[p]);
    if (result >= 0 && path.failed)
        result = err_set(err, ERR_SYSTEM, "out of memory");
    /* Nothing of it is in the archive: no page. */
    bool has_page = result >= 0 && site->publication_figures[p] > 0;
    if (has_page)
        result = site_files_folder(&site->files, "publications", err);
    if (has_page && result >= 0)
        result = page_end(&page, "publication", buffer_text(&path), err);
    else
        page_free(&page);
    buffer_free(&path);
    return result;
}

static int slugs_take(struct site *site, struct err *err)
{
    size_t n = site->publications.n;
    const char **names = arena_take(&site->arena, n, sizeof *names);
    site->publication_slugs = arena_take(&site->arena, n, sizeof *site->publication_slugs);
    site->publication_figures = arena_take(&site->arena, n, sizeof *site->publication_figures);
    if (!names || !site->publication_slugs || !site->publication_figures)
        return err_set(err, ERR_SYSTEM, "out of memory");
    for (size_t p = 0; p < n; p++)
        names[p] = site->publications.list[p].name;
    return slugs_make(names, n, &site->arena, site->publication_slugs, err);
}

int page_publications(struct site *site, struct err *err)
{
    struct selection by_run = {0};
    int result = slugs_take(site, err);
    if (result >= 0 && site->publications.n > 0)
        result = selection_make(&by_run, site->archive, true, err);
    for (size_t p = 0; p < site->publications.n && result >= 0; p++)
        result = page_publication(site, p, &by_run, err);
    selection_free(&by_run);
    return result;
}

void page_publication_links(const struct site *site, struct value *map)
{
    struct value *list = value_list(map, "publications");
    for (size_t p = 0; p < site->publications.n; p++) {
        if (site->publication_figures[p] == 0)
            continue;
        struct value *item = value_append(list);
        value_text(item, "name", site->publications.list[p].title);
        value_format(item, "href", "publications/%s.html", site->publication_slugs[p]);
        value_count(item, "n_figures", site->publication_figures[p], "figure");
    }
}
