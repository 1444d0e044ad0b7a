#include "collect/fingerprint/kinds.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collect/fingerprint/arm.h"
#include "collect/fingerprint/processor.h"

/* Performance counters of the kinds of hybrid x86 processors: Linux, arch/x86/events/intel. */
static const char *const lists[] = {"cpu_core", "cpu_atom", "cpu_lowpower"};
enum { LISTS = sizeof lists / sizeof lists[0] };

/* What the sources say, by CPU. */
struct clues {
    unsigned char list[PROBE_CPUS_MAX]; /* 0 none, else 1 + index in lists */
    uint32_t midr[PROBE_CPUS_MAX];      /* 0: not known */
};

static bool read_lists(const struct probe_root *root, struct clues *clues)
{
    unsigned cpus[PROBE_CPUS_MAX];
    struct buffer text = {0};
    bool is_hybrid = false;
    for (size_t list = 0; list < LISTS; list++) {
        size_t n = probe_read(root, &text, "/sys/devices/%s/cpus", lists[list]) == 0
                       ? probe_cpu_list(buffer_text(&text), cpus)
                       : 0;
        for (size_t i = 0; i < n; i++)
            clues->list[cpus[i]] = (unsigned char)(list + 1);
        is_hybrid = is_hybrid || n > 0;
    }
    buffer_free(&text);
    return is_hybrid;
}

static uint64_t read_of_cpu(const struct probe_root *root, unsigned cpu, const char *file)
{
    struct buffer text = {0};
    uint64_t value = 0;
    if (probe_read(root, &text, PROBE_CPUS "/cpu%u/%s", cpu, file) == 0)
        probe_count(buffer_text(&text), &value);
    buffer_free(&text);
    return value;
}

static void read_midr(const struct probe_root *root, unsigned cpu, struct clues *clues)
{
    struct buffer text = {0};
    if (probe_read(root, &text, PROBE_CPUS "/cpu%u/regs/identification/midr_el1", cpu) == 0)
        clues->midr[cpu] = (uint32_t)strtoull(buffer_text(&text), NULL, 16);
    buffer_free(&text);
}

/* Adds a CPU to the kind of its key. */
static void kinds_add(struct kinds *kinds, unsigned cpu, const struct kind *like)
{
    size_t k = 0;
    while (k < kinds->n && strcmp(kinds->kind[k].key, like->key) != 0)
        k++;
    if (k == KINDS_MAX)
        return;
    if (k == kinds->n) {
        kinds->kind[k] = *like;
        kinds->kind[k].n = 0;
        kinds->n++;
    }
    kinds->kind[k].n++;
    kinds->of[cpu] = (unsigned char)k;
}

void kinds_read(const struct probe_root *root, const char *cpuinfo, const unsigned *cpus, size_t n,
                struct kinds *kinds)
{
    memset(kinds, 0, sizeof *kinds);
    memset(kinds->of, KINDS_NONE, sizeof kinds->of);
    struct clues *clues = calloc(1, sizeof *clues);
    if (!clues)
        return;
    bool is_hybrid = read_lists(root, clues);
    bool is_arm = processor_arch(cpuinfo) == ARCH_ARM;
    bool is_x86 = processor_arch(cpuinfo) == ARCH_X86;
    if (is_arm)
        arm_midrs(cpuinfo, clues->midr);
    kinds->source = is_hybrid ? "/sys/devices/cpu_*/cpus"
                    : is_arm  ? "MIDR and " PROBE_CPUS "/cpu*/cpu_capacity"
                              : PROBE_CPUS "/cpu*/cpu_capacity";
    for (size_t i = 0; i < n; i++) {
        unsigned cpu = cpus[i];
        struct kind kind = {.capacity = is_x86 && !is_hybrid ? 0 : read_of_cpu(root, cpu, "cpu_capacity")};
        size_t list = clues->list[cpu];
        uint64_t khz = 0;
        if (is_arm)
            read_midr(root, cpu, clues);
        /* Cores of one kind on x86 may have different highest clocks and so capacities (Intel Turbo
         * Boost Max 3.0); but two kinds of small cores are in one list, and one of them is slower. */
        if ((is_hybrid && list != 1) || (!is_x86 && kind.capacity == 0))
            khz = read_of_cpu(root, cpu, "cpufreq/cpuinfo_max_freq");
        snprintf(kind.key, sizeof kind.key, "%zu %x %llu %llu", list, clues->midr[cpu],
                 is_x86 ? 0 : (unsigned long long)kind.capacity, (unsigned long long)khz);
        if (list > 0)
            snprintf(kind.name, sizeof kind.name, "%s", lists[list - 1]);
        else if (clues->midr[cpu] != 0)
            arm_core_name(clues->midr[cpu], kind.name, sizeof kind.name);
        kinds_add(kinds, cpu, &kind);
    }
    free(clues);
}

size_t kinds_cpus(const struct kinds *kinds, size_t kind, const unsigned *cpus, size_t n,
                  unsigned out[static PROBE_CPUS_MAX])
{
    size_t n_out = 0;
    for (size_t i = 0; i < n; i++)
        if (kinds->of[cpus[i]] == kind)
            out[n_out++] = cpus[i];
    return n_out;
}
