/* Memory, swap and how the kernel hands them out. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "collect/probe.h"

#define MEMINFO "/proc/meminfo"
#define NODES "/sys/devices/system/node"

/* A line of /proc/meminfo: its kB are KiB. */
static void add_meminfo(struct facts *facts, const char *meminfo, int error, const char *name,
                        const char *key)
{
    struct buffer text = {0};
    char source[64];
    uint64_t kib;
    snprintf(source, sizeof source, MEMINFO " %s", key);
    if (error != 0)
        facts_add_unknown(facts, name, source, "%s: " MEMINFO, probe_reason(error));
    else if (!probe_line_value(meminfo, key, &text))
        facts_add_unknown(facts, name, source, "absent: no %s in " MEMINFO, key);
    else if (!probe_count(buffer_text(&text), &kib) || kib > UINT64_MAX / 1024)
        facts_add_unknown(facts, name, source, "unparsable: '%.60s'", buffer_text(&text));
    else if (kib == 0 && strcmp(key, "MemTotal") == 0)
        facts_add_unknown(facts, name, source, "implausible: " MEMINFO " says 0 B");
    else
        facts_add_number(facts, name, (double)(kib * 1024), "B", source);
    buffer_free(&text);
}

/* The sum over the nodes, kept where it disagrees with /proc/meminfo by more than a hundredth. */
static void add_nodes(const struct probe_root *root, struct facts *facts)
{
    unsigned nodes[PROBE_CPUS_MAX];
    struct buffer text = {0}, value = {0};
    size_t n = probe_read(root, &text, NODES "/online") == 0
                   ? probe_cpu_list(buffer_text(&text), nodes)
                   : 0;
    double sum = 0;
    size_t n_read = 0;
    for (size_t i = 0; i < n; i++) {
        char key[64];
        uint64_t kib;
        snprintf(key, sizeof key, "Node %u MemTotal", nodes[i]);
        if (probe_read(root, &text, NODES "/node%u/meminfo", nodes[i]) == 0 &&
            probe_line_value(buffer_text(&text), key, &value) &&
            probe_count(buffer_text(&value), &kib)) {
            sum += (double)kib * 1024;
            n_read++;
        }
    }
    const struct fact *total = facts_find(facts, "memory.total");
    if (n > 0 && n_read == n &&
        (!total || sum < total->value * 0.99 || sum > total->value * 1.01))
        facts_add_number(facts, "memory.total", sum, "B", NODES "/node*/meminfo MemTotal");
    if (n == 0)
        facts_add_unknown(facts, "memory.nodes", NODES "/online", "absent: " NODES "/online");
    else
        facts_add_number(facts, "memory.nodes", (double)n, "1", NODES "/online");
    buffer_free(&text);
    buffer_free(&value);
}

/* "partition /dev/zram0, file": the path of a swap file is somebody's own. */
static void add_swap_devices(const struct probe_root *root, struct facts *facts)
{
    struct buffer text = {0}, devices = {0};
    int error = probe_read(root, &text, "/proc/swaps");
    const char *p = buffer_text(&text);
    for (p += strcspn(p, "\n"); *p == '\n' && p[1]; p += strcspn(p, "\n")) {
        p++;
        size_t name = strcspn(p, " \t\n");
        const char *type = p + name + strspn(p + name, " \t");
        if (devices.size > 0)
            buffer_add_text(&devices, ", ");
        buffer_add(&devices, type, strcspn(type, " \t\n"));
        if (strncmp(p, "/dev/", 5) == 0) {
            buffer_add_char(&devices, ' ');
            buffer_add(&devices, p, name);
        }
    }
    if (error != 0)
        facts_add_unknown(facts, "memory.swap.devices", "/proc/swaps", "%s: /proc/swaps",
                          probe_reason(error));
    else
        facts_add_text(facts, "memory.swap.devices",
                       devices.size > 0 ? buffer_text(&devices) : "none", "/proc/swaps");
    buffer_free(&text);
    buffer_free(&devices);
}

static void add_page(const struct probe_root *root, struct facts *facts)
{
    long size = probe_is_live(root) ? sysconf(_SC_PAGESIZE) : 0;
    if (size > 0)
        facts_add_number(facts, "memory.page", (double)size, "B", "sysconf");
    else
        facts_add_unknown(facts, "memory.page", "sysconf", PROBE_NOT_LIVE);
}

static void add_huge_pages(const struct probe_root *root, struct facts *facts)
{
    static const char path[] = "/sys/kernel/mm/transparent_hugepage/enabled";
    struct buffer text = {0}, word = {0};
    int error = probe_read(root, &text, path);
    probe_bracketed(buffer_text(&text), &word);
    if (error != 0)
        facts_add_unknown(facts, "memory.huge_pages", path, "%s: %s", probe_reason(error), path);
    else
        facts_add_text(facts, "memory.huge_pages", buffer_text(&word), path);
    buffer_free(&text);
    buffer_free(&word);
}

/* Linux, Documentation/mm/overcommit-accounting. */
static void add_overcommit(const struct probe_root *root, struct facts *facts)
{
    static const char path[] = "/proc/sys/vm/overcommit_memory";
    static const char *const modes[] = {"heuristic", "always", "never"};
    struct buffer text = {0};
    uint64_t mode;
    int error = probe_read(root, &text, path);
    if (error != 0)
        facts_add_unknown(facts, "memory.overcommit", path, "%s: %s", probe_reason(error), path);
    else if (!probe_count(buffer_text(&text), &mode) || mode > 2)
        facts_add_unknown(facts, "memory.overcommit", path, "unparsable: '%.60s'",
                          buffer_text(&text));
    else
        facts_add_text(facts, "memory.overcommit", modes[mode], path);
    buffer_free(&text);
}

static void identity(const struct probe_root *root, struct facts *facts)
{
    struct buffer meminfo = {0};
    int error = probe_read(root, &meminfo, MEMINFO);
    add_meminfo(facts, buffer_text(&meminfo), error, "memory.total", "MemTotal");
    add_nodes(root, facts);
    add_meminfo(facts, buffer_text(&meminfo), error, "memory.swap", "SwapTotal");
    add_swap_devices(root, facts);
    add_page(root, facts);
    add_huge_pages(root, facts);
    add_overcommit(root, facts);
    probe_add_file_number(root, facts, "memory.swappiness", 1, "1", "/proc/sys/vm/swappiness");
    probe_add_file(root, facts, "memory.zswap", "/sys/module/zswap/parameters/enabled");
    buffer_free(&meminfo);
}

static void state(const struct probe_root *root, struct facts *facts)
{
    struct buffer meminfo = {0};
    int error = probe_read(root, &meminfo, MEMINFO);
    add_meminfo(facts, buffer_text(&meminfo), error, "memory.available", "MemAvailable");
    add_meminfo(facts, buffer_text(&meminfo), error, "swap.free", "SwapFree");
    buffer_free(&meminfo);
}

const struct probe probe_memory = {.name = "memory", .identity = identity, .state = state};
