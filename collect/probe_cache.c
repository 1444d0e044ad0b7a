/* Sizes of the caches of the first CPU: from sysfs, else from the processor. */
#include <stdio.h>
#include <string.h>

#include "collect/cpuid.h"
#include "collect/probe.h"
#include "schema/number.h"

enum { INDEX_MAX = 16 };
#define CACHE_FOLDER "/sys/devices/system/cpu/cpu0/cache"

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

/* "cache.l2" ... of a claim; a unified first level serves data as well. */
static const char *cache_name(const struct cache_claim *claim)
{
    for (size_t i = 0; i < CACHES; i++)
        if (caches[i].level == claim->level &&
            (caches[i].kind == claim->kind || (claim->level > 1 && claim->kind == CACHE_DATA) ||
             (claim->level == 1 && claim->kind == CACHE_UNIFIED)))
            return caches[i].name;
    return NULL;
}

static bool is_said_already(const struct facts *facts, const char *name, uint64_t size_bytes)
{
    for (size_t i = 0; i < facts->n; i++)
        if (facts->facts[i].is_known && strcmp(facts->facts[i].name, name) == 0 &&
            facts->facts[i].value == (double)size_bytes)
            return true;
    return false;
}

/* A second source is kept where it disagrees with the first. */
static void add_claim(struct facts *facts, const struct cache_claim *claim, const char *source)
{
    const char *name = cache_name(claim);
    const char *wrong = cache_implausible(claim);
    if (!name)
        return;
    if (wrong)
        facts_add_unknown(facts, name, source, "implausible: %s says %llu B, %s", source,
                          (unsigned long long)claim->size_bytes, wrong);
    else if (!is_said_already(facts, name, claim->size_bytes))
        facts_add_number(facts, name, (double)claim->size_bytes, "B", source);
}

static uint64_t read_count(const struct probe_root *root, unsigned index, const char *file,
                           struct buffer *text, bool *is_there)
{
    uint64_t value = 0;
    *is_there = probe_read(root, text, CACHE_FOLDER "/index%u/%s", index, file) == 0 &&
                probe_count(buffer_text(text), &value);
    return value;
}

static void add_from_sysfs(const struct probe_root *root, struct facts *facts)
{
    struct buffer text = {0};
    for (unsigned index = 0; index < INDEX_MAX; index++) {
        struct cache_claim claim = {.kind = CACHE_NONE};
        if (probe_read(root, &text, CACHE_FOLDER "/index%u/type", index) != 0)
            continue;
        const char *type = buffer_text(&text);
        claim.kind = type[0] == 'D'   ? CACHE_DATA
                     : type[0] == 'I' ? CACHE_INSTRUCTION
                     : type[0] == 'U' ? CACHE_UNIFIED
                                      : CACHE_NONE;
        bool is_there;
        claim.level = (unsigned)read_count(root, index, "level", &text, &is_there);
        claim.ways = read_count(root, index, "ways_of_associativity", &text, &claim.has_ways);
        claim.sets = read_count(root, index, "number_of_sets", &text, &is_there);
        claim.line_bytes = read_count(root, index, "coherency_line_size", &text, &is_there);
        char source[sizeof CACHE_FOLDER + 32];
        snprintf(source, sizeof source, CACHE_FOLDER "/index%u/size", index);
        const char *name = cache_name(&claim);
        if (!name || probe_read(root, &text, "%s", source) != 0)
            continue;
        if (number_parse_size(buffer_text(&text), &claim.size_bytes))
            add_claim(facts, &claim, source);
        else
            facts_add_unknown(facts, name, source, "unparsable: '%.60s'", buffer_text(&text));
    }
    bool is_there;
    uint64_t line = read_count(root, 0, "coherency_line_size", &text, &is_there);
    if (is_there && line > 0)
        facts_add_number(facts, "cache.line", (double)line, "B",
                         CACHE_FOLDER "/index0/coherency_line_size");
    buffer_free(&text);
}

/* The older leaves of AMD, where the newer one says nothing. */
static void add_from_amd(struct facts *facts)
{
    struct cpuid regs;
    struct cache_claim claim;
    if (cpuid_read(0x80000005, 0, &regs)) {
        claim = (struct cache_claim){
            .kind = CACHE_DATA, .level = 1, .size_bytes = (uint64_t)(regs.ecx >> 24) * 1024};
        if (claim.size_bytes > 0)
            add_claim(facts, &claim, "CPUID leaf 0x80000005");
        claim.kind = CACHE_INSTRUCTION;
        claim.size_bytes = (uint64_t)(regs.edx >> 24) * 1024;
        if (claim.size_bytes > 0)
            add_claim(facts, &claim, "CPUID leaf 0x80000005");
    }
    if (cpuid_read(0x80000006, 0, &regs)) {
        claim = cpuid_amd_l2(&regs);
        add_claim(facts, &claim, "CPUID leaf 0x80000006");
        claim = cpuid_amd_l3(&regs);
        add_claim(facts, &claim, "CPUID leaf 0x80000006");
    }
}

static void add_from_cpuid(struct facts *facts)
{
    struct cpuid regs;
    if (!cpuid_read(0, 0, &regs))
        return;
    char vendor[13];
    cpuid_vendor(&regs, false, vendor);
    bool is_amd = strcmp(vendor, "AuthenticAMD") == 0 || strcmp(vendor, "HygonGenuine") == 0;
    uint32_t leaf = is_amd ? 0x8000001d : 4;
    const char *source = is_amd ? "CPUID leaf 0x8000001D" : "CPUID leaf 4";
    bool is_told = false;
    for (unsigned index = 0; index < INDEX_MAX && cpuid_read(leaf, index, &regs); index++) {
        struct cache_claim claim = cpuid_cache(&regs);
        if (claim.kind == CACHE_NONE)
            break;
        is_told = true;
        add_claim(facts, &claim, source);
        if (index == 0 && !facts_find(facts, "cache.line"))
            facts_add_number(facts, "cache.line", (double)claim.line_bytes, "B", source);
    }
    if (is_amd && !is_told)
        add_from_amd(facts);
}

static void identity(const struct probe_root *root, struct facts *facts)
{
    add_from_sysfs(root, facts);
    if (probe_is_live(root))
        add_from_cpuid(facts);
    const char *why = probe_is_live(root) ? "absent: neither " CACHE_FOLDER " nor CPUID say"
                                          : "absent: " CACHE_FOLDER;
    for (size_t i = 0; i < CACHES && caches[i].level < 4; i++) /* few have a fourth level */
        probe_add_missing(facts, caches[i].name, CACHE_FOLDER, why);
    probe_add_missing(facts, "cache.line", CACHE_FOLDER, why);
}

const struct probe probe_cache = {.name = "cache", .identity = identity};
