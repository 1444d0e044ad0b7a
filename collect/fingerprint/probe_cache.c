/* Sizes of the caches of the first CPU: from sysfs, else from the processor, /proc/cpuinfo or the
 * device tree. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "collect/fingerprint/cache_share.h"
#include "collect/fingerprint/processor.h"
#include "schema/number.h"

enum { INDEX_MAX = 16 };
#define CACHE_FOLDER "/sys/devices/system/cpu/cpu0/cache"
#define CPUINFO "/proc/cpuinfo"
#define DEVICE_TREE "/proc/device-tree/cpus"

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
    const char *name = cache_name(claim->level, claim->kind);
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
        claim.kind = cache_kind_of(buffer_text(&text));
        bool is_there;
        claim.level = (unsigned)read_count(root, index, "level", &text, &is_there);
        claim.ways = read_count(root, index, "ways_of_associativity", &text, &claim.has_ways);
        claim.sets = read_count(root, index, "number_of_sets", &text, &is_there);
        claim.line_bytes = read_count(root, index, "coherency_line_size", &text, &is_there);
        char source[sizeof CACHE_FOLDER + 32];
        snprintf(source, sizeof source, CACHE_FOLDER "/index%u/size", index);
        const char *name = cache_name(claim.level, claim.kind);
        if (!name || probe_read(root, &text, "%s", source) != 0)
            continue;
        if (number_parse_size(buffer_text(&text), &claim.size_bytes))
            add_claim(facts, &claim, source);
        else
            facts_add_unknown(facts, name, source, "unparsable: '%.60s'", buffer_text(&text));
        /* Behind the size: where that cannot be, nobody knows how many ways it has. */
        if (claim.has_ways && claim.ways > 0 && facts_find(facts, name)) {
            char ways[32];
            snprintf(ways, sizeof ways, "%s.ways", name);
            snprintf(source, sizeof source, CACHE_FOLDER "/index%u/ways_of_associativity", index);
            facts_add_number(facts, ways, (double)claim.ways, "1", source);
        }
    }
    bool is_there;
    uint64_t line = read_count(root, 0, "coherency_line_size", &text, &is_there);
    if (is_there && line > 0)
        facts_add_number(facts, "cache.line", (double)line, "B",
                         CACHE_FOLDER "/index0/coherency_line_size");
    buffer_free(&text);
}

/* The older leaves of AMD, where the newer one says nothing. */
static void add_from_amd(const struct probe_root *root, struct facts *facts)
{
    struct cpuid regs;
    struct cache_claim claim;
    if (processor_cpuid(root, 0x80000005, 0, &regs)) {
        claim = (struct cache_claim){
            .kind = CACHE_DATA, .level = 1, .size_bytes = (uint64_t)(regs.ecx >> 24) * 1024};
        if (claim.size_bytes > 0)
            add_claim(facts, &claim, "CPUID leaf 0x80000005");
        claim.kind = CACHE_INSTRUCTION;
        claim.size_bytes = (uint64_t)(regs.edx >> 24) * 1024;
        if (claim.size_bytes > 0)
            add_claim(facts, &claim, "CPUID leaf 0x80000005");
    }
    if (processor_cpuid(root, 0x80000006, 0, &regs)) {
        claim = cpuid_amd_l2(&regs);
        add_claim(facts, &claim, "CPUID leaf 0x80000006");
        claim = cpuid_amd_l3(&regs);
        add_claim(facts, &claim, "CPUID leaf 0x80000006");
    }
}

static void add_from_cpuid(const struct probe_root *root, struct facts *facts)
{
    struct cpuid regs;
    if (!processor_cpuid(root, 0, 0, &regs))
        return;
    char vendor[13];
    cpuid_vendor(&regs, false, vendor);
    bool is_amd = strcmp(vendor, "AuthenticAMD") == 0 || strcmp(vendor, "HygonGenuine") == 0;
    uint32_t leaf = is_amd ? 0x8000001d : 4;
    const char *source = is_amd ? "CPUID leaf 0x8000001D" : "CPUID leaf 4";
    bool is_told = false;
    for (unsigned index = 0; index < INDEX_MAX && processor_cpuid(root, leaf, index, &regs);
         index++) {
        struct cache_claim claim = cpuid_cache(&regs);
        if (claim.kind == CACHE_NONE)
            break;
        is_told = true;
        add_claim(facts, &claim, source);
        if (index == 0 && !facts_find(facts, "cache.line"))
            facts_add_number(facts, "cache.line", (double)claim.line_bytes, "B", source);
    }
    if (is_amd && !is_told)
        add_from_amd(root, facts);
}

/* The word behind "key=" in a line of s390: "cache0 : level=1 type=Data size=128K line_size=256". */
static const char *word_behind(const char *line, const char *key, char out[static 32])
{
    const char *at = strstr(line, key);
    snprintf(out, 32, "%.*s", at ? (int)strcspn(at + strlen(key), " ") : 0,
             at ? at + strlen(key) : "");
    return out;
}

static void add_from_s390(struct facts *facts, const char *cpuinfo)
{
    struct buffer line = {0};
    for (unsigned index = 0; index < INDEX_MAX; index++) {
        char key[16], word[32];
        uint64_t value;
        struct cache_claim claim = {.kind = CACHE_NONE};
        snprintf(key, sizeof key, "cache%u", index);
        if (!probe_line_value(cpuinfo, key, &line))
            break;
        const char *text = buffer_text(&line);
        claim.kind = cache_kind_of(word_behind(text, "type=", word));
        claim.level = probe_count(word_behind(text, "level=", word), &value) ? (unsigned)value : 0;
        claim.has_ways = probe_count(word_behind(text, "associativity=", word), &claim.ways);
        if (number_parse_size(word_behind(text, " size=", word), &claim.size_bytes))
            add_claim(facts, &claim, CPUINFO);
        if (!facts_find(facts, "cache.line") &&
            probe_count(word_behind(text, "line_size=", word), &value))
            facts_add_number(facts, "cache.line", (double)value, "B", CPUINFO);
    }
    buffer_free(&line);
}

/* A property of a node: a 32-bit number, most significant byte first (Devicetree Specification 0.4,
 * 2.2.4); 0 when it is not there. */
static uint64_t tree_number(const struct probe_root *root, const char *node, const char *property)
{
    struct buffer bytes = {0};
    uint64_t value = 0;
    if (probe_read(root, &bytes, DEVICE_TREE "/%s/%s", node, property) == 0)
        /* Blanks and line ends at the end are left out by probe_read: 0x20 and 0x0a are no sizes. */
        for (size_t i = 0; i < 4; i++)
            value = value << 8 | (i < bytes.size ? (unsigned char)bytes.bytes[i] : 0);
    buffer_free(&bytes);
    return value;
}

static void add_tree_claim(struct facts *facts, uint64_t size, enum cache_kind kind, unsigned level)
{
    struct cache_claim claim = {.kind = kind, .level = level, .size_bytes = size};
    const char *name = cache_name(level, kind);
    if (size > 0 && name && !facts_find(facts, name))
        add_claim(facts, &claim, DEVICE_TREE);
}

/* Devicetree Specification 0.4, 3.8: the first CPU's own caches, and the nodes of shared ones. */
static void add_from_device_tree(const struct probe_root *root, struct facts *facts)
{
    struct buffer names = {0};
    bool has_cpu = false;
    if (probe_list(root, &names, DEVICE_TREE) != 0)
        return;
    char *rest = NULL;
    for (char *name = strtok_r(names.bytes, "\n", &rest); name;
         name = strtok_r(NULL, "\n", &rest)) {
        if (strncmp(name, "cpu@", 4) == 0 && !has_cpu) {
            has_cpu = true;
            add_tree_claim(facts, tree_number(root, name, "d-cache-size"), CACHE_DATA, 1);
            add_tree_claim(facts, tree_number(root, name, "i-cache-size"), CACHE_INSTRUCTION, 1);
            uint64_t line = tree_number(root, name, "d-cache-line-size");
            if (line == 0)
                line = tree_number(root, name, "d-cache-block-size");
            if (line > 0 && !facts_find(facts, "cache.line"))
                facts_add_number(facts, "cache.line", (double)line, "B", DEVICE_TREE);
        } else if (strncmp(name, "l2-cache", 8) == 0 || strncmp(name, "l3-cache", 8) == 0) {
            add_tree_claim(facts, tree_number(root, name, "cache-size"), CACHE_UNIFIED,
                           name[1] == '2' ? 2 : 3);
        }
    }
    buffer_free(&names);
}

static void identity(const struct probe_root *root, struct facts *facts)
{
    struct buffer cpuinfo = {0};
    probe_read(root, &cpuinfo, CPUINFO);
    add_from_sysfs(root, facts);
    add_from_cpuid(root, facts);
    if (processor_arch(buffer_text(&cpuinfo)) == ARCH_S390 && !facts_find(facts, "cache.l1d"))
        add_from_s390(facts, buffer_text(&cpuinfo));
    add_from_device_tree(root, facts);
    const char *why = probe_is_live(root)
                          ? "absent: neither " CACHE_FOLDER " nor the processor say"
                          : "absent: " CACHE_FOLDER;
    static const char *const usual[] = {"cache.l1d", "cache.l1i", "cache.l2", "cache.l3",
                                        "cache.line"};
    for (size_t i = 0; i < sizeof usual / sizeof usual[0]; i++)
        probe_add_missing(facts, usual[i], CACHE_FOLDER, why);
    cache_add_shares(root, facts);
    buffer_free(&cpuinfo);
}

const struct probe probe_cache = {.name = "cache", .identity = identity};
