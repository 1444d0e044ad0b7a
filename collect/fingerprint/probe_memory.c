/* Memory, and how the kernel hands it out. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "collect/fingerprint/meminfo.h"

#define THP "/sys/kernel/mm/transparent_hugepage"

static void add_page(const struct probe_root *root, struct facts *facts)
{
    long size = probe_is_live(root) ? sysconf(_SC_PAGESIZE) : 0;
    if (size > 0)
        facts_add_number(facts, "memory.page", (double)size, "B", "sysconf");
    else
        facts_add_unknown(facts, "memory.page", "sysconf", PROBE_NOT_LIVE);
}

/* Pages that are kept for whoever asks for huge ones, and their size. */
static void add_reserved(struct facts *facts, const char *meminfo, int error)
{
    static const char name[] = "memory.huge_pages.reserved", source[] = MEMINFO " HugePages_Total";
    struct buffer text = {0};
    uint64_t n;
    if (error != 0)
        facts_add_unknown(facts, name, source, "%s: " MEMINFO, probe_reason(error));
    else if (!probe_line_value(meminfo, "HugePages_Total", &text))
        facts_add_unknown(facts, name, source, "not applicable: this kernel has no huge pages");
    else if (!probe_count(buffer_text(&text), &n))
        facts_add_unknown(facts, name, source, "unparsable: '%.60s'", buffer_text(&text));
    else
        facts_add_number(facts, name, (double)n, "1", source);
    buffer_free(&text);
}

/* Kernels merge equal pages of who asks for it (Linux, Documentation/admin-guide/mm/ksm.rst). */
static void add_merging(const struct probe_root *root, struct facts *facts)
{
    static const char path[] = "/sys/kernel/mm/ksm/run";
    struct buffer text = {0};
    int error = probe_read(root, &text, path);
    if (error != 0)
        facts_add_unknown(facts, "memory.ksm", path, "%s: %s", probe_reason(error), path);
    else
        facts_add_text(facts, "memory.ksm", buffer_text(&text)[0] == '1' ? "on" : "off", path);
    buffer_free(&text);
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
    meminfo_add(facts, buffer_text(&meminfo), error, "memory.total", "MemTotal");
    add_page(root, facts);
    probe_add_file_bracketed(root, facts, "memory.huge_pages", THP "/enabled");
    probe_add_file_bracketed(root, facts, "memory.huge_pages.defrag", THP "/defrag");
    meminfo_add(facts, buffer_text(&meminfo), error, "memory.huge_page", "Hugepagesize");
    add_reserved(facts, buffer_text(&meminfo), error);
    add_merging(root, facts);
    add_overcommit(root, facts);
    probe_add_file_number(root, facts, "memory.numa_balancing", 1, "1",
                          "/proc/sys/kernel/numa_balancing");
    buffer_free(&meminfo);
}

static void state(const struct probe_root *root, struct facts *facts)
{
    struct buffer meminfo = {0};
    int error = probe_read(root, &meminfo, MEMINFO);
    meminfo_add(facts, buffer_text(&meminfo), error, "memory.available", "MemAvailable");
    buffer_free(&meminfo);
}

const struct probe probe_memory = {.name = "memory", .identity = identity, .state = state};
