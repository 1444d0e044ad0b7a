#include "collect/fingerprint/cache_share.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "schema/number.h"

enum { INDEX_MAX = 8, SIZES_MAX = 8 };
#define SOURCE PROBE_CPUS "/cpu*/cache/index*/shared_cpu_list"

static const struct {
    const char *name;
    unsigned level;
    enum cache_kind kind;
} caches[] = {
    {"cache.l1d", 1, CACHE_DATA},    {"cache.l1i", 1, CACHE_INSTRUCTION},
    {"cache.l2", 2, CACHE_UNIFIED},  {"cache.l3", 3, CACHE_UNIFIED},
    {"cache.l4", 4, CACHE_UNIFIED},
};
enum { CACHES = sizeof caches / sizeof caches[0] };

const char *cache_name(unsigned level, enum cache_kind kind)
{
    for (size_t i = 0; i < CACHES; i++)
        if (caches[i].level == level &&
            (caches[i].kind == kind || (level > 1 && kind == CACHE_DATA) ||
             (level == 1 && kind == CACHE_UNIFIED && caches[i].kind == CACHE_DATA)))
            return caches[i].name;
    return NULL;
}

enum cache_kind cache_kind_of(const char *type)
{
    switch (type[0]) {
    case 'D':
        return CACHE_DATA;
    case 'I':
        return CACHE_INSTRUCTION;
    case 'U':
        return CACHE_UNIFIED;
    default:
        return CACHE_NONE;
    }
}

/* The caches of one name. */
struct level {
    size_t n, least, most; /* instances; CPUs that share one */
    struct {
        uint64_t bytes;
        size_t n;
    } size[SIZES_MAX];
    size_t n_sizes;
};

static void level_add(struct level *level, uint64_t bytes, size_t n_sharing)
{
    level->least = level->n == 0 || n_sharing < level->least ? n_sharing : level->least;
    level->most = n_sharing > level->most ? n_sharing : level->most;
    level->n++;
    size_t i = 0;
    while (i < level->n_sizes && level->size[i].bytes != bytes)
        i++;
    if (i == SIZES_MAX)
        return;
    if (i == level->n_sizes)
        level->size[level->n_sizes++].bytes = bytes;
    level->size[i].n++;
}

/* Adds the cache at index of a CPU, and marks the CPUs that share it, so that it is seen once. */
static void instance_read(const struct probe_root *root, unsigned cpu, unsigned index,
                          struct level levels[static CACHES], unsigned char seen[])
{
    unsigned sharing[PROBE_CPUS_MAX];
    struct buffer text = {0};
    uint64_t level = 0, bytes = 0;
    if (probe_read(root, &text, PROBE_CPUS "/cpu%u/cache/index%u/level", cpu, index) != 0 ||
        !probe_count(buffer_text(&text), &level) ||
        probe_read(root, &text, PROBE_CPUS "/cpu%u/cache/index%u/type", cpu, index) != 0) {
        buffer_free(&text);
        return;
    }
    const char *name = cache_name((unsigned)level, cache_kind_of(buffer_text(&text)));
    seen[cpu] |= (unsigned char)(1u << index);
    size_t n = probe_read(root, &text, PROBE_CPUS "/cpu%u/cache/index%u/shared_cpu_list", cpu,
                          index) == 0
                   ? probe_cpu_list(buffer_text(&text), sharing)
                   : 0;
    if (name && n > 0) {
        if (probe_read(root, &text, PROBE_CPUS "/cpu%u/cache/index%u/size", cpu, index) != 0 ||
            !number_parse_size(buffer_text(&text), &bytes))
            bytes = 0;
        for (size_t i = 0; i < n; i++)
            seen[sharing[i]] |= (unsigned char)(1u << index);
        for (size_t c = 0; c < CACHES; c++)
            if (caches[c].name == name)
                level_add(&levels[c], bytes, n);
    }
    buffer_free(&text);
}

static void add_size(uint64_t bytes, struct buffer *out)
{
    if (bytes == 0)
        buffer_add_text(out, "unknown");
    else if (bytes % 1048576 == 0)
        buffer_add_format(out, "%llu MiB", (unsigned long long)bytes / 1048576);
    else
        buffer_add_format(out, "%llu KiB", (unsigned long long)bytes / 1024);
}

static void add_level(struct facts *facts, const char *name, const struct level *level)
{
    struct buffer text = {0};
    char fact[32];
    snprintf(fact, sizeof fact, "%s.instances", name);
    facts_add_number(facts, fact, (double)level->n, "1", SOURCE);
    snprintf(fact, sizeof fact, "%s.shared_by", name);
    if (level->least == level->most) {
        facts_add_number(facts, fact, (double)level->most, "1", SOURCE);
    } else {
        buffer_add_format(&text, "%zu to %zu", level->least, level->most);
        facts_add_text(facts, fact, buffer_text(&text), SOURCE);
    }
    if (level->n_sizes > 1) {
        buffer_clear(&text);
        for (size_t i = 0; i < level->n_sizes; i++) {
            buffer_add_text(&text, i > 0 ? ", " : "");
            add_size(level->size[i].bytes, &text);
            buffer_add_format(&text, " x%zu", level->size[i].n);
        }
        snprintf(fact, sizeof fact, "%s.sizes", name);
        facts_add_text(facts, fact, buffer_text(&text), PROBE_CPUS "/cpu*/cache/index*/size");
    }
    buffer_free(&text);
}

void cache_add_shares(const struct probe_root *root, struct facts *facts)
{
    unsigned cpus[PROBE_CPUS_MAX];
    unsigned char *seen = calloc(PROBE_CPUS_MAX, 1); /* a bit for each index */
    struct level levels[CACHES] = {{0}};
    size_t n = probe_cpus_online(root, cpus);
    if (!seen) {
        facts->failed = true;
        return;
    }
    for (size_t i = 0; i < n; i++)
        for (unsigned index = 0; index < INDEX_MAX; index++)
            if (!(seen[cpus[i]] >> index & 1) &&
                (index == 0 || seen[cpus[i]] >> (index - 1) & 1)) /* no holes: fewer files */
                instance_read(root, cpus[i], index, levels, seen);
    for (size_t c = 0; c < CACHES; c++) {
        char fact[32];
        if (levels[c].n > 0) {
            add_level(facts, caches[c].name, &levels[c]);
        } else if (caches[c].level < 4) { /* few have a fourth level */
            snprintf(fact, sizeof fact, "%s.instances", caches[c].name);
            facts_add_unknown(facts, fact, SOURCE, "absent: " SOURCE);
            snprintf(fact, sizeof fact, "%s.shared_by", caches[c].name);
            facts_add_unknown(facts, fact, SOURCE, "absent: " SOURCE);
        }
    }
    free(seen);
}
