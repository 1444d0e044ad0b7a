/* How fast the processor may run, does run, and who decides. */
#include <errno.h>

#include "collect/cpu_clock.h"
#include "collect/cpuid.h"
#include "collect/distinct.h"
#include "collect/probe.h"

#define CPUINFO "/proc/cpuinfo"

/* The CPUs to ask: those online, or the first where nobody says. */
static size_t cpus_to_ask(const struct probe_root *root, unsigned cpus[static PROBE_CPUS_MAX])
{
    size_t n = probe_cpus_online(root, cpus);
    if (n == 0)
        cpus[n++] = 0;
    return n;
}

/* A clock that no processor has had is not one (cpufreq of some virtual machines says 0). */
static void add_clock(struct facts *facts, const char *name, double hertz, const char *source)
{
    if (hertz < 10e6 || hertz > 20e9)
        facts_add_unknown(facts, name, source, "implausible: %s says %.0f Hz", source, hertz);
    else
        facts_add_number(facts, name, hertz, "Hz", source);
}

/* The highest over the CPUs: hybrid processors differ inside. */
static void add_max_clock(const struct probe_root *root, struct facts *facts, const unsigned *cpus,
                          size_t n)
{
    struct buffer text = {0};
    uint64_t highest = 0, khz;
    for (size_t i = 0; i < n; i++)
        if (probe_read(root, &text, PROBE_CPUS "/cpu%u/cpufreq/cpuinfo_max_freq", cpus[i]) == 0 &&
            probe_count(buffer_text(&text), &khz) && khz > highest)
            highest = khz;
    struct cpuid regs;
    if (highest > 0)
        add_clock(facts, "cpu.clock.max", (double)highest * 1e3,
                  PROBE_CPUS "/cpu*/cpufreq/cpuinfo_max_freq");
    else if (probe_is_live(root) && cpuid_read(0x16, 0, &regs) && (regs.ebx & 0xffff) > 0)
        add_clock(facts, "cpu.clock.max", (regs.ebx & 0xffff) * 1e6, "CPUID leaf 0x16");
    else
        facts_add_unknown(facts, "cpu.clock.max", PROBE_CPUS "/cpu*/cpufreq/cpuinfo_max_freq",
                          "absent: no cpufreq/cpuinfo_max_freq%s",
                          probe_is_live(root) ? " and no CPUID leaf 0x16" : "");
    buffer_free(&text);
}

static void identity(const struct probe_root *root, struct facts *facts)
{
    unsigned cpus[PROBE_CPUS_MAX];
    add_max_clock(root, facts, cpus, cpus_to_ask(root, cpus));
    probe_add_file(root, facts, "cpu.clock.driver", PROBE_CPUS "/cpu0/cpufreq/scaling_driver");
}

static void add_clock_now(const struct probe_root *root, struct facts *facts)
{
    struct buffer text = {0}, cpuinfo = {0};
    uint64_t khz;
    if (probe_read(root, &text, PROBE_CPUS "/cpu0/cpufreq/scaling_cur_freq") == 0 &&
        probe_count(buffer_text(&text), &khz)) {
        add_clock(facts, "cpu.clock.now", (double)khz * 1e3,
                  PROBE_CPUS "/cpu0/cpufreq/scaling_cur_freq");
    } else if (probe_read(root, &cpuinfo, CPUINFO) == 0 &&
               probe_line_value(buffer_text(&cpuinfo), "cpu MHz", &text)) {
        uint64_t khz_shown = 0;
        probe_thousandths(buffer_text(&text), &khz_shown);
        add_clock(facts, "cpu.clock.now", (double)khz_shown * 1e3, CPUINFO " cpu MHz");
    } else {
        facts_add_unknown(facts, "cpu.clock.now", PROBE_CPUS "/cpu0/cpufreq/scaling_cur_freq",
                          "absent: no cpufreq/scaling_cur_freq and no cpu MHz in " CPUINFO);
    }
    buffer_free(&text);
    buffer_free(&cpuinfo);
}

/* The best of some: a state of the run, before and after it, and no time that counts. */
static void add_clock_measured(const struct probe_root *root, struct facts *facts)
{
    enum { TIMES = 4 };
    static const char source[] = "measured dependent additions";
    double best = 0;
    if (!probe_is_live(root)) {
        facts_add_unknown(facts, "cpu.clock.measured", source, PROBE_NOT_LIVE);
        return;
    }
    for (int i = 0; i < TIMES; i++) {
        double hertz = cpu_clock_measure();
        best = hertz > best ? hertz : best;
    }
    add_clock(facts, "cpu.clock.measured", best, source);
}

/* All that are in force: kinds of cores may differ. */
static void add_governor(const struct probe_root *root, struct facts *facts)
{
    static const char source[] = PROBE_CPUS "/cpu*/cpufreq/scaling_governor";
    unsigned cpus[PROBE_CPUS_MAX];
    struct distinct governors = {0};
    struct buffer text = {0};
    size_t n = cpus_to_ask(root, cpus);
    int error = ENOENT;
    for (size_t i = 0; i < n; i++) {
        int failed =
            probe_read(root, &text, PROBE_CPUS "/cpu%u/cpufreq/scaling_governor", cpus[i]);
        if (failed == 0)
            distinct_add(&governors, buffer_text(&text));
        else
            error = failed;
    }
    buffer_clear(&text);
    distinct_join(&governors, &text);
    if (governors.n > 0)
        facts_add_text(facts, "cpu.governor", buffer_text(&text), source);
    else
        facts_add_unknown(facts, "cpu.governor", source, "%s: %s", probe_reason(error), source);
    distinct_free(&governors);
    buffer_free(&text);
}

/* cpufreq/boost (1: allowed) or intel_pstate/no_turbo (1: not allowed). */
static void add_boost(const struct probe_root *root, struct facts *facts)
{
    struct buffer text = {0};
    if (probe_read(root, &text, PROBE_CPUS "/cpufreq/boost") == 0)
        facts_add_text(facts, "cpu.boost", buffer_text(&text)[0] == '1' ? "on" : "off",
                       PROBE_CPUS "/cpufreq/boost");
    else if (probe_read(root, &text, PROBE_CPUS "/intel_pstate/no_turbo") == 0)
        facts_add_text(facts, "cpu.boost", buffer_text(&text)[0] == '1' ? "off" : "on",
                       PROBE_CPUS "/intel_pstate/no_turbo");
    else
        facts_add_unknown(facts, "cpu.boost", PROBE_CPUS "/cpufreq/boost",
                          "absent: neither cpufreq/boost nor intel_pstate/no_turbo");
    buffer_free(&text);
}

static void state(const struct probe_root *root, struct facts *facts)
{
    add_clock_now(root, facts);
    add_clock_measured(root, facts);
    add_governor(root, facts);
    add_boost(root, facts);
}

const struct probe probe_frequency = {.name = "frequency", .identity = identity, .state = state};
