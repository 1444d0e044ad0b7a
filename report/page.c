#include "report/page.h"

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

void page_fact_text(const struct record *fact, struct buffer *out)
{
    if (fact->status != STATUS_OK) {
        buffer_add_format(out, "unknown: %s", fact->text);
    } else if (RECORD_HAS(fact, value)) {
        char text[SCALE_TEXT_SIZE];
        /* One digit more than results have: facts are compared with what is printed on a box. */
        scale_format(fact->value, fact->unit, 4, text);
        buffer_add_text(out, text);
        if (fact->text[0])
            buffer_add_format(out, " (%s)", fact->text);
    } else {
        buffer_add_text(out, fact->text);
    }
}
