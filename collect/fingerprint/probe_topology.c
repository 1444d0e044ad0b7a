/* How many sockets, cores and CPUs there are and how many of them this process may use. */
#include <sched.h>
#include <stdio.h>
#include <string.h>

#include "collect/fingerprint/distinct.h"
#include "collect/fingerprint/probe.h"

#define CPUINFO "/proc/cpuinfo"

/* How many blocks of /proc/cpuinfo there are: each CPU that is online has one. */
static size_t cpuinfo_count(const char *cpuinfo)
{
    size_t n = 0;
    for (const char *p = cpuinfo; p; p = strchr(p, '\n')) {
        p += *p == '\n';
        if (strncmp(p, "processor", 9) == 0 && strchr("\t :0123456789", p[9]))
            n++;
    }
    return n;
}

static void add_counts(struct facts *facts, size_t sockets, size_t cores, size_t least,
                       size_t most, const char *source)
{
    if (sockets > 0)
        facts_add_number(facts, "cpu.sockets", (double)sockets, "1", source);
    if (cores > 0)
        facts_add_number(facts, "cpu.cores", (double)cores, "1", source);
    char range[64];
    snprintf(range, sizeof range, "%zu to %zu", least, most);
    if (least > 0 && least == most)
        facts_add_number(facts, "cpu.threads_per_core", (double)least, "1", source);
    else if (least > 0)
        facts_add_text(facts, "cpu.threads_per_core", range, source);
}

static void add_topology_from_sysfs(const struct probe_root *root, struct facts *facts,
                                    const unsigned *cpus, size_t n)
{
    unsigned siblings[PROBE_CPUS_MAX];
    struct distinct sockets = {0}, dies = {0}, clusters = {0}, cores = {0};
    struct buffer text = {0};
    size_t least = SIZE_MAX, most = 0;
    for (size_t i = 0; i < n; i++) {
        if (probe_read(root, &text, PROBE_CPUS "/cpu%u/topology/die_cpus_list", cpus[i]) == 0)
            distinct_add(&dies, buffer_text(&text));
        if (probe_read(root, &text, PROBE_CPUS "/cpu%u/topology/cluster_cpus_list", cpus[i]) == 0)
            distinct_add(&clusters, buffer_text(&text));
        /* -1 is what a kernel without the answer says. */
        if (probe_read(root, &text, PROBE_CPUS "/cpu%u/topology/physical_package_id", cpus[i]) ==
                0 &&
            buffer_text(&text)[0] != '-')
            distinct_add(&sockets, buffer_text(&text));
        if (probe_read(root, &text, PROBE_CPUS "/cpu%u/topology/core_cpus_list", cpus[i]) != 0 &&
            probe_read(root, &text, PROBE_CPUS "/cpu%u/topology/thread_siblings_list", cpus[i]) !=
                0)
            continue;
        size_t threads = probe_cpu_list(buffer_text(&text), siblings);
        if (threads == 0)
            continue;
        distinct_add(&cores, buffer_text(&text));
        least = threads < least ? threads : least;
        most = threads > most ? threads : most;
    }
    add_counts(facts, sockets.n, cores.n, most == 0 ? 0 : least, most, PROBE_CPUS "/cpu*/topology");
    if (dies.n > 0)
        facts_add_number(facts, "cpu.dies", (double)dies.n, "1",
                         PROBE_CPUS "/cpu*/topology/die_cpus_list");
    if (clusters.n > 0)
        facts_add_number(facts, "cpu.clusters", (double)clusters.n, "1",
                         PROBE_CPUS "/cpu*/topology/cluster_cpus_list");
    distinct_free(&sockets);
    distinct_free(&dies);
    distinct_free(&clusters);
    distinct_free(&cores);
    buffer_free(&text);
}

static void add_topology_from_cpuinfo(struct facts *facts, const char *cpuinfo, size_t online)
{
    struct distinct sockets = {0}, cores = {0};
    struct buffer socket = {0}, core = {0}, both = {0};
    for (const char *block = cpuinfo; block && *block;) {
        const char *end = strstr(block, "\n\n");
        struct buffer one = {0};
        buffer_add(&one, block, end ? (size_t)(end - block) : strlen(block));
        if (probe_line_value(buffer_text(&one), "physical id", &socket) &&
            probe_line_value(buffer_text(&one), "core id", &core)) {
            buffer_clear(&both);
            buffer_add_format(&both, "%s.%s", buffer_text(&socket), buffer_text(&core));
            distinct_add(&sockets, buffer_text(&socket));
            distinct_add(&cores, buffer_text(&both));
        }
        buffer_free(&one);
        block = end ? end + 2 : NULL;
    }
    size_t threads = cores.n > 0 && online % cores.n == 0 ? online / cores.n : 0;
    add_counts(facts, sockets.n, cores.n, threads, threads, CPUINFO);
    distinct_free(&sockets);
    distinct_free(&cores);
    buffer_free(&socket);
    buffer_free(&core);
    buffer_free(&both);
}

/* The CPUs that are online in cpus; how many. Adds their number. */
static size_t add_online(const struct probe_root *root, struct facts *facts, const char *cpuinfo,
                         unsigned *cpus)
{
    const char *source = PROBE_CPUS "/online";
    size_t n = probe_cpus_online(root, cpus);
    if (n == 0) {
        source = CPUINFO;
        n = cpuinfo_count(cpuinfo);
        n = n < PROBE_CPUS_MAX ? n : PROBE_CPUS_MAX;
        for (size_t i = 0; i < n; i++)
            cpus[i] = (unsigned)i;
    }
    if (n > 0)
        facts_add_number(facts, "cpu.count.online", (double)n, "1", source);
    probe_add_missing(facts, "cpu.count.online", PROBE_CPUS "/online",
                      "absent: neither " PROBE_CPUS "/online nor " CPUINFO);
    return n;
}

static void add_allowed(const struct probe_root *root, struct facts *facts)
{
    unsigned cpus[PROBE_CPUS_MAX];
    struct buffer status = {0}, list = {0};
    if (probe_is_live(root)) {
        size_t size = CPU_ALLOC_SIZE(PROBE_CPUS_MAX);
        cpu_set_t *set = CPU_ALLOC(PROBE_CPUS_MAX);
        if (set && sched_getaffinity(0, size, set) == 0)
            facts_add_number(facts, "cpu.count.allowed", CPU_COUNT_S(size, set), "1",
                             "sched_getaffinity");
        CPU_FREE(set);
    }
    if (!facts_find(facts, "cpu.count.allowed") &&
        probe_read(root, &status, "/proc/self/status") == 0 &&
        probe_line_value(buffer_text(&status), "Cpus_allowed_list", &list)) {
        size_t n = probe_cpu_list(buffer_text(&list), cpus);
        if (n > 0)
            facts_add_number(facts, "cpu.count.allowed", (double)n, "1",
                             "/proc/self/status Cpus_allowed_list");
    }
    probe_add_missing(facts, "cpu.count.allowed", "/proc/self/status",
                      "absent: /proc/self/status Cpus_allowed_list");
    buffer_free(&status);
    buffer_free(&list);
}

/* A list of CPUs as sysfs has it; an empty one is "none". */
static void add_list(const struct probe_root *root, struct facts *facts, const char *name,
                     const char *path)
{
    struct buffer text = {0};
    int error = probe_read(root, &text, "%s", path);
    if (error != 0)
        facts_add_unknown(facts, name, path, "%s: %s", probe_reason(error), path);
    else /* "(null)" of nohz_full in some kernels */
        facts_add_text(facts, name,
                       text.size > 0 && buffer_text(&text)[0] != '(' ? buffer_text(&text) : "none",
                       path);
    buffer_free(&text);
}

static void add_count(const struct probe_root *root, struct facts *facts, const char *name,
                      const char *path)
{
    unsigned cpus[PROBE_CPUS_MAX];
    struct buffer text = {0};
    int error = probe_read(root, &text, "%s", path);
    size_t n = probe_cpu_list(buffer_text(&text), cpus);
    if (error != 0)
        facts_add_unknown(facts, name, path, "%s: %s", probe_reason(error), path);
    else if (n == 0)
        facts_add_unknown(facts, name, path, "unparsable: '%.60s'", buffer_text(&text));
    else
        facts_add_number(facts, name, (double)n, "1", path);
    buffer_free(&text);
}

/* CPUs that are there and switched off. Sysfs lists as offline also those that could be added. */
static void add_offline(const struct probe_root *root, struct facts *facts)
{
    unsigned present[PROBE_CPUS_MAX], online[PROBE_CPUS_MAX];
    static const char source[] = PROBE_CPUS "/present, not online";
    struct buffer text = {0};
    int error = probe_read(root, &text, PROBE_CPUS "/present");
    size_t n_present = probe_cpu_list(buffer_text(&text), present), n = 0;
    size_t n_online = probe_cpus_online(root, online);
    for (size_t i = 0, o = 0; i < n_present; i++) {
        while (o < n_online && online[o] < present[i])
            o++;
        if (o == n_online || online[o] != present[i])
            present[n++] = present[i];
    }
    buffer_clear(&text);
    probe_add_cpu_list(present, n, &text);
    if (n_present == 0 || n_online == 0)
        facts_add_unknown(facts, "cpu.offline", source, "%s: " PROBE_CPUS "/present",
                          error != 0 ? probe_reason(error) : "unparsable");
    else
        facts_add_text(facts, "cpu.offline", n > 0 ? buffer_text(&text) : "none", source);
    buffer_free(&text);
}

static void identity(const struct probe_root *root, struct facts *facts)
{
    unsigned cpus[PROBE_CPUS_MAX];
    struct buffer cpuinfo = {0};
    probe_read(root, &cpuinfo, CPUINFO);
    size_t n = add_online(root, facts, buffer_text(&cpuinfo), cpus);
    add_count(root, facts, "cpu.count.present", PROBE_CPUS "/present");
    add_offline(root, facts);
    add_allowed(root, facts);
    add_topology_from_sysfs(root, facts, cpus, n);
    if (!facts_find(facts, "cpu.cores"))
        add_topology_from_cpuinfo(facts, buffer_text(&cpuinfo), n);
    probe_add_missing(facts, "cpu.sockets", CPUINFO, "absent: no topology is shown");
    probe_add_missing(facts, "cpu.cores", CPUINFO, "absent: no topology is shown");
    probe_add_missing(facts, "cpu.threads_per_core", CPUINFO, "absent: no topology is shown");
    probe_add_file(root, facts, "cpu.smt", PROBE_CPUS "/smt/control");
    add_list(root, facts, "cpu.isolated", PROBE_CPUS "/isolated");
    add_list(root, facts, "cpu.nohz_full", PROBE_CPUS "/nohz_full");
    buffer_free(&cpuinfo);
}

/* CPUs may be switched on and off, and processes moved, while something is measured. */
static void state(const struct probe_root *root, struct facts *facts)
{
    unsigned cpus[PROBE_CPUS_MAX];
    struct buffer cpuinfo = {0};
    probe_read(root, &cpuinfo, CPUINFO);
    add_online(root, facts, buffer_text(&cpuinfo), cpus);
    add_allowed(root, facts);
    buffer_free(&cpuinfo);
}

const struct probe probe_topology = {.name = "topology", .identity = identity, .state = state};
