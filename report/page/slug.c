#include "report/page/slug.h"

#include <stdlib.h>
#include <string.h>

#include "schema/buffer.h"
#include "schema/sha256.h"

enum { SHORT_HASH = 8, WHOLE_HASH = SHA256_HEX_SIZE - 1 };

static void slug_stem(const char *name, struct buffer *out)
{
    size_t start = out->size;
    bool wants_dash = false;
    for (; *name && out->size - start < SLUG_STEM_MAX; name++) {
        char c = *name;
        if (c >= 'A' && c <= 'Z')
            c = (char)(c - 'A' + 'a');
        if ((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_') {
            if (wants_dash && out->size > start)
                buffer_add_char(out, '-');
            wants_dash = false;
            buffer_add_char(out, c);
        } else {
            wants_dash = true;
        }
    }
    if (out->size == start)
        buffer_add_text(out, "unnamed");
}

static void slug_format(const char *name, size_t hash_size, struct buffer *out)
{
    slug_stem(name, out);
    if (hash_size > 0) {
        struct sha256 hash;
        char hex[SHA256_HEX_SIZE];
        sha256_init(&hash);
        sha256_add(&hash, name, strlen(name));
        sha256_finish(&hash, hex);
        buffer_add_char(out, '-');
        buffer_add(out, hex, hash_size);
    }
}

struct slug {
    const char *text;
    size_t index;
    size_t hash_size;
};

static int compare_slugs(const void *a, const void *b)
{
    return strcmp(((const struct slug *)a)->text, ((const struct slug *)b)->text);
}

/* Gives all slugs that are not alone a longer hash. */
static bool slugs_part(struct slug *slugs, size_t n)
{
    bool changed = false;
    qsort(slugs, n, sizeof *slugs, compare_slugs);
    for (size_t i = 0, end; i < n; i = end) {
        for (end = i + 1; end < n && strcmp(slugs[i].text, slugs[end].text) == 0;)
            end++;
        for (size_t k = i; k < end && end - i > 1; k++) {
            slugs[k].hash_size = slugs[k].hash_size == 0 ? SHORT_HASH : WHOLE_HASH;
            changed = true;
        }
    }
    return changed;
}

int slugs_make(const char *const *names, size_t n, struct arena *arena, const char **slugs,
               struct err *err)
{
    struct slug *list = calloc(n > 0 ? n : 1, sizeof *list);
    struct buffer text = {0};
    bool failed = list == NULL, changed = true;
    for (size_t i = 0; i < n && !failed; i++)
        list[i].index = i;
    /* A name may look like another's slug with its hash; a slug with the whole hash is longer than
     * any stem, and different names have different ones. */
    for (int round = 0; round < 3 && changed && !failed; round++) {
        for (size_t i = 0; i < n && !failed; i++) {
            buffer_clear(&text);
            slug_format(names[list[i].index], list[i].hash_size, &text);
            list[i].text = text.failed ? NULL : arena_copy(arena, buffer_text(&text), text.size);
            failed = list[i].text == NULL;
        }
        changed = !failed && n > 1 && slugs_part(list, n);
    }
    for (size_t i = 0; i < n && !failed; i++)
        slugs[list[i].index] = list[i].text;
    buffer_free(&text);
    free(list);
    if (failed)
        return err_set(err, ERR_SYSTEM, "out of memory");
    return changed ? err_set(err, ERR_DATA, "two names are equal and need files of their own") : 0;
}
