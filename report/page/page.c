#include "report/page/page.h"

#include <string.h>

#include "build.h"
#include "report/scale.h"

void page_begin(struct page *page, struct site *site, const char *root, const char *title)
{
    *page = (struct page){.site = site, .root = root};
    const struct machines *machines = &site->selection.machines;
    page->map = value_root(&page->tree);
    value_text(page->map, "root", root);
    value_text(page->map, "title", title);
    value_text(page->map, "generator", SITE_GENERATOR);
    value_text(page->map, "version", BUILD_VERSION);
    value_text(page->map, "first_time", machines->first_time);
    value_text(page->map, "last_time", machines->last_time);
    value_flag(page->map, "has_time", machines->first_time[0] != '\0');
    value_flag(page->map, "has_variants", site->has_variants);
    value_flag(page->map, "has_range", strcmp(machines->first_time, machines->last_time) != 0);
}

void page_free(struct page *page)
{
    value_tree_free(&page->tree);
}

static int page_render(struct page *page, const char *name, struct buffer *content,
                       struct buffer *out, struct err *err)
{
    struct site *site = page->site;
    TRY(templates_render(site->templates, name, page->map, content, err));
    value_text(page->map, "content", buffer_text(content));
    return templates_render(site->templates, "layout", page->map, out, err);
}

int page_end(struct page *page, const char *name, const char *path, struct err *err)
{
    struct buffer content = {0}, out = {0};
    int result = page_render(page, name, &content, &out, err);
    buffer_free(&content);
    if (result >= 0)
        result = site_files_write(&page->site->files, path, buffer_text(&out), out.size, err);
    buffer_free(&out);
    page_free(page);
    return result;
}

