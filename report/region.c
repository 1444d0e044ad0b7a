#include "report/region.h"

#include <string.h>

#include "schema/buffer.h"
#include "schema/params.h"

enum { CACHES = 3 };

static const struct {
    const char *fact, *region;
} caches[CACHES] = {{"cache.l1d", "l1"}, {"cache.l2", "l2"}, {"cache.l3", "l3"}};

/* B of each cache of a machine; 0: it has none, or it is not known. */
struct sizes {
    double bytes[CACHES];
};

static struct sizes sizes_of(const struct machine *machine)
{
    struct sizes sizes = {{0}};
    for (size_t i = 0; i < CACHES; i++) {
        const struct record *fact = machine_fact(machine, caches[i].fact, "", NULL);
        if (fact && fact->status == STATUS_OK && RECORD_HAS(fact, value))
            sizes.bytes[i] = fact->value;
    }
    return sizes;
}

/* The smallest cache that holds so many bytes; NULL where no cache is known. */
static const char *region_by_size(const struct sizes *sizes, double bytes)
{
    bool has_cache = false;
    for (size_t i = 0; i < CACHES; i++) {
        has_cache = has_cache || sizes->bytes[i] > 0;
        if (bytes <= sizes->bytes[i])
            return caches[i].region;
    }
    return has_cache ? "ram" : NULL;
}

int regions_set(struct selection *selection, struct err *err)
{
    struct buffer text = {0};
    struct sizes *sizes = arena_take(&selection->arena, selection->machines.n, sizeof *sizes);
    for (size_t i = 0; sizes && i < selection->machines.n; i++)
        sizes[i] = sizes_of(&selection->machines.machines[i]);
    bool has_room = sizes != NULL;
    for (size_t i = 0; i < selection->n_cells && has_room; i++) {
        struct cell *cell = &selection->cells[i];
        const struct record *key = cell->key;
        if (params_get(key->params, "region", &text)) {
            cell->region = arena_copy(&selection->arena, buffer_text(&text), text.size);
            has_room = cell->region && !text.failed;
            buffer_clear(&text);
        } else if (RECORD_HAS(key, x) && strcmp(key->x_unit, "B") == 0) {
            cell->region = region_by_size(&sizes[cell->machine], key->x);
        }
    }
    buffer_free(&text);
    return has_room ? 0 : err_set(err, ERR_SYSTEM, "out of memory");
}
