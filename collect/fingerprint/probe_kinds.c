/* The kinds of cores, and what each is like. Of a machine with one kind, the facts of the whole
 * processor say it all. */
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collect/cpu_clock.h"
#include "collect/fingerprint/distinct.h"
#include "collect/fingerprint/kinds.h"
#include "collect/fingerprint/processor.h"

#define CPUINFO "/proc/cpuinfo"

static void kind_fact(char out[static 64], size_t kind, const char *what)
{
    snprintf(out, 64, "cpu.kind%zu.%s", kind + 1, what);
}

/* How many cores the CPUs of a kind are; 0 when it is not shown. */
static size_t cores_of(const struct probe_root *root, const unsigned *cpus, size_t n)
{
    struct distinct cores = {0};
    struct buffer text = {0};
    for (size_t i = 0; i < n; i++)
        if (probe_read(root, &text, PROBE_CPUS "/cpu%u/topology/core_cpus_list", cpus[i]) == 0 ||
            probe_read(root, &text, PROBE_CPUS "/cpu%u/topology/thread_siblings_list", cpus[i]) == 0)
            distinct_add(&cores, buffer_text(&text));
    size_t n_cores = cores.n;
    distinct_free(&cores);
    buffer_free(&text);
    return n_cores;
}

/* A clock of the kind's CPUs: the highest that a file of cpufreq gives for any. */
static void add_clock(const struct probe_root *root, struct facts *facts, size_t kind,
                      const char *what, const char *file, const unsigned *cpus, size_t n)
{
    struct buffer text = {0};
    char name[64], source[96];
    uint64_t highest = 0, khz;
    kind_fact(name, kind, what);
    snprintf(source, sizeof source, PROBE_CPUS "/cpu*/cpufreq/%s", file);
    for (size_t i = 0; i < n; i++)
        if (probe_read(root, &text, PROBE_CPUS "/cpu%u/cpufreq/%s", cpus[i], file) == 0 &&
            probe_count(buffer_text(&text), &khz) && khz > highest)
            highest = khz;
    if (highest > 0)
        facts_add_number(facts, name, (double)highest * 1e3, "Hz", source);
    else
        facts_add_unknown(facts, name, source, "absent: %s", source);
    buffer_free(&text);
}

static void add_kind(const struct probe_root *root, struct facts *facts, const struct kinds *kinds,
                     size_t kind, const unsigned *cpus, size_t n)
{
    const struct kind *is = &kinds->kind[kind];
    struct buffer text = {0};
    char name[64];
    kind_fact(name, kind, "name");
    if (is->name[0])
        facts_add_text(facts, name, is->name, kinds->source);
    else
        facts_add_unknown(facts, name, kinds->source, "absent: nothing names this kind");
    probe_add_cpu_list(cpus, n, &text);
    kind_fact(name, kind, "cpus");
    facts_add_text(facts, name, buffer_text(&text), kinds->source);
    kind_fact(name, kind, "count");
    facts_add_number(facts, name, (double)n, "1", kinds->source);
    size_t cores = cores_of(root, cpus, n);
    kind_fact(name, kind, "cores");
    if (cores > 0)
        facts_add_number(facts, name, (double)cores, "1", PROBE_CPUS "/cpu*/topology");
    else
        facts_add_unknown(facts, name, PROBE_CPUS "/cpu*/topology",
                          "absent: " PROBE_CPUS "/cpu*/topology");
    kind_fact(name, kind, "capacity");
    if (is->capacity > 0)
        facts_add_number(facts, name, (double)is->capacity, "1", PROBE_CPUS "/cpu*/cpu_capacity");
    add_clock(root, facts, kind, "clock.min", "cpuinfo_min_freq", cpus, n);
    add_clock(root, facts, kind, "clock.base", "base_frequency", cpus, n);
    add_clock(root, facts, kind, "clock.max", "cpuinfo_max_freq", cpus, n);
    buffer_free(&text);
}

/* CPUID leaf 7 says that a processor is hybrid (Intel SDM, EDX bit 15), which cores are of which kind
 * only the lists do. */
static bool is_hybrid_without_lists(const struct probe_root *root, const struct kinds *kinds)
{
    struct cpuid regs;
    return kinds->n == 1 && !kinds->kind[0].name[0] && processor_cpuid(root, 7, 0, &regs) &&
           (regs.edx >> 15 & 1) != 0;
}

static void identity(const struct probe_root *root, struct facts *facts)
{
    unsigned cpus[PROBE_CPUS_MAX], some[PROBE_CPUS_MAX];
    struct buffer cpuinfo = {0};
    struct kinds *kinds = malloc(sizeof *kinds);
    if (!kinds) {
        facts->failed = true;
        return;
    }
    probe_read(root, &cpuinfo, CPUINFO);
    size_t n = probe_cpus_online(root, cpus);
    kinds_read(root, buffer_text(&cpuinfo), cpus, n, kinds);
    if (n == 0)
        facts_add_unknown(facts, "cpu.kinds", PROBE_CPUS "/online", "absent: " PROBE_CPUS "/online");
    else if (is_hybrid_without_lists(root, kinds))
        facts_add_unknown(facts, "cpu.kinds", "CPUID leaf 7",
                          "absent: the processor has several, /sys/devices/cpu_*/cpus are not there");
    else
        facts_add_number(facts, "cpu.kinds", (double)kinds->n, "1", kinds->source);
    for (size_t k = 0; k < kinds->n && kinds->n > 1; k++)
        add_kind(root, facts, kinds, k, some, kinds_cpus(kinds, k, cpus, n, some));
    buffer_free(&cpuinfo);
    free(kinds);
}

/* Hz, on the first of the CPUs that this process may use; 0 where it may use none. `set` has room for `size`
 * bytes and what the process may use. */
static double clock_on(const unsigned *cpus, size_t n, const cpu_set_t *allowed, cpu_set_t *set,
                       size_t size)
{
    for (size_t i = 0; i < n; i++) {
        if (!CPU_ISSET_S(cpus[i], size, allowed))
            continue;
        CPU_ZERO_S(size, set);
        CPU_SET_S(cpus[i], size, set);
        if (sched_setaffinity(0, size, set) == 0)
            return cpu_clock_measure();
    }
    return 0;
}

/* The clock of each kind, measured on one of its CPUs. */
static void add_clocks(const struct probe_root *root, struct facts *facts, const struct kinds *kinds,
                       const unsigned *cpus, size_t n)
{
    static const char source[] = "measured dependent additions";
    unsigned some[PROBE_CPUS_MAX];
    size_t size = CPU_ALLOC_SIZE(PROBE_CPUS_MAX);
    cpu_set_t *allowed = CPU_ALLOC(PROBE_CPUS_MAX), *set = CPU_ALLOC(PROBE_CPUS_MAX);
    bool is_known = allowed && set && sched_getaffinity(0, size, allowed) == 0;
    for (size_t k = 0; k < kinds->n; k++) {
        char name[64];
        kind_fact(name, k, "clock.measured");
        size_t n_some = kinds_cpus(kinds, k, cpus, n, some);
        double hertz = is_known && probe_is_live(root) ? clock_on(some, n_some, allowed, set, size) : 0;
        if (hertz > 0)
            facts_add_number(facts, name, hertz, "Hz", source);
        else
            facts_add_unknown(facts, name, source,
                              probe_is_live(root) ? "denied: this process may use no CPU of the kind"
                                                  : PROBE_NOT_LIVE);
    }
    if (is_known && probe_is_live(root))
        sched_setaffinity(0, size, allowed);
    CPU_FREE(allowed);
    CPU_FREE(set);
}

static void state(const struct probe_root *root, struct facts *facts)
{
    unsigned cpus[PROBE_CPUS_MAX];
    struct buffer cpuinfo = {0};
    struct kinds *kinds = malloc(sizeof *kinds);
    if (!kinds) {
        facts->failed = true;
        return;
    }
    probe_read(root, &cpuinfo, CPUINFO);
    size_t n = probe_cpus_online(root, cpus);
    kinds_read(root, buffer_text(&cpuinfo), cpus, n, kinds);
    if (kinds->n > 1)
        add_clocks(root, facts, kinds, cpus, n);
    buffer_free(&cpuinfo);
    free(kinds);
}

const struct probe probe_kinds = {.name = "kinds", .identity = identity, .state = state};
