/* The nodes of a machine whose memory is nearer to some CPUs than to others. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "collect/fingerprint/probe.h"

#define NODES "/sys/devices/system/node"
enum { NODES_MAX = 64 }; /* that are described one by one */

/* Memory of a node, B; false when it does not say. */
static bool node_memory(const struct probe_root *root, unsigned node, double *out)
{
    struct buffer text = {0}, value = {0};
    char key[64];
    uint64_t kib = 0;
    snprintf(key, sizeof key, "Node %u MemTotal", node);
    bool is_there = probe_read(root, &text, NODES "/node%u/meminfo", node) == 0 &&
                    probe_line_value(buffer_text(&text), key, &value) &&
                    probe_count(buffer_text(&value), &kib);
    *out = (double)kib * 1024;
    buffer_free(&text);
    buffer_free(&value);
    return is_there;
}

static void add_text(const struct probe_root *root, struct facts *facts, unsigned node,
                     const char *what, const char *file)
{
    struct buffer text = {0};
    char name[64], source[96];
    snprintf(name, sizeof name, "memory.node%u.%s", node, what);
    snprintf(source, sizeof source, NODES "/node%u/%s", node, file);
    int error = probe_read(root, &text, "%s", source);
    if (error != 0)
        facts_add_unknown(facts, name, source, "%s: %s", probe_reason(error), source);
    else /* A node of memory alone has an empty list of CPUs. */
        facts_add_text(facts, name, text.size > 0 ? buffer_text(&text) : "none", source);
    buffer_free(&text);
}

/* A size that contradicts /proc/meminfo is none: hypervisors give a node what is in use of it. */
static void add_size(const struct probe_root *root, struct facts *facts, unsigned node,
                     bool is_plausible)
{
    char name[64], source[96];
    double bytes;
    snprintf(name, sizeof name, "memory.node%u.total", node);
    snprintf(source, sizeof source, NODES "/node%u/meminfo MemTotal", node);
    if (!node_memory(root, node, &bytes))
        facts_add_unknown(facts, name, source, "absent: %s", source);
    else if (!is_plausible)
        facts_add_unknown(facts, name, source,
                          "implausible: the nodes together do not have what /proc/meminfo says");
    else
        facts_add_number(facts, name, bytes, "B", source);
}

static void identity(const struct probe_root *root, struct facts *facts)
{
    unsigned nodes[PROBE_CPUS_MAX];
    struct buffer text = {0}, total = {0};
    int error = probe_read(root, &text, NODES "/online");
    size_t n = error == 0 ? probe_cpu_list(buffer_text(&text), nodes) : 0;
    double sum = 0;
    size_t n_read = 0;
    for (size_t i = 0; i < n; i++) {
        double bytes;
        n_read += node_memory(root, nodes[i], &bytes);
        sum += bytes;
    }
    uint64_t kib = 0;
    bool is_plausible = true;
    if (probe_read(root, &text, "/proc/meminfo") == 0 &&
        probe_line_value(buffer_text(&text), "MemTotal", &total) &&
        probe_count(buffer_text(&total), &kib))
        is_plausible = sum > (double)kib * 1024 * 0.99 && sum < (double)kib * 1024 * 1.01;
    /* Both are kept where they disagree. */
    if (n > 0 && n_read == n && (!is_plausible || kib == 0))
        facts_add_number(facts, "memory.total", sum, "B", NODES "/node*/meminfo MemTotal");
    if (n == 0)
        facts_add_unknown(facts, "memory.nodes", NODES "/online", "%s: " NODES "/online",
                          error != 0 ? probe_reason(error) : "unparsable");
    else
        facts_add_number(facts, "memory.nodes", (double)n, "1", NODES "/online");
    for (size_t i = 0; i < n && i < NODES_MAX; i++) {
        add_text(root, facts, nodes[i], "cpus", "cpulist");
        add_size(root, facts, nodes[i], is_plausible);
        if (n > 1)
            add_text(root, facts, nodes[i], "distances", "distance");
    }
    buffer_free(&text);
    buffer_free(&total);
}

const struct probe probe_node = {.name = "node", .identity = identity};
