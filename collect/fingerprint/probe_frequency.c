/* How fast the processor may run, does run, and who decides. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "collect/cpu_clock.h"
#include "collect/fingerprint/distinct.h"
#include "collect/fingerprint/processor.h"

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

/* A clock of cpufreq over the CPUs, in kHz: the highest, or the lowest; 0 when none says. */
static uint64_t clock_of_cpus(const struct probe_root *root, const char *file, bool is_highest)
{
    unsigned cpus[PROBE_CPUS_MAX];
    struct buffer text = {0};
    uint64_t chosen = 0, value;
    size_t n = cpus_to_ask(root, cpus);
    for (size_t i = 0; i < n; i++)
        if (probe_read(root, &text, PROBE_CPUS "/cpu%u/%s", cpus[i], file) == 0 &&
            probe_count(buffer_text(&text), &value) && value > 0 &&
            (chosen == 0 || (is_highest ? value > chosen : value < chosen)))
            chosen = value;
    buffer_free(&text);
    return chosen;
}

/* The extremes over the CPUs, since hybrid processors differ inside; then what the processor says
 * (CPUID leaf 0x16: EAX base, EBX highest, MHz). */
static void add_limits(const struct probe_root *root, struct facts *facts)
{
    static const struct {
        const char *name, *file;
        double hertz; /* of a unit in the file */
        bool is_highest;
    } files[] = {
        {"cpu.clock.min", "cpufreq/cpuinfo_min_freq", 1e3, false},
        {"cpu.clock.base", "cpufreq/base_frequency", 1e3, true},
        {"cpu.clock.base", "acpi_cppc/nominal_freq", 1e6, true},
        {"cpu.clock.max", "cpufreq/cpuinfo_max_freq", 1e3, true},
    };
    struct cpuid regs;
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
        char source[96];
        snprintf(source, sizeof source, PROBE_CPUS "/cpu*/%s", files[i].file);
        uint64_t value = clock_of_cpus(root, files[i].file, files[i].is_highest);
        if (value > 0 && !facts_find(facts, files[i].name))
            add_clock(facts, files[i].name, (double)value * files[i].hertz, source);
    }
    if (processor_cpuid(root, 0x16, 0, &regs)) {
        if ((regs.eax & 0xffff) > 0 && !facts_find(facts, "cpu.clock.base"))
            add_clock(facts, "cpu.clock.base", (regs.eax & 0xffff) * 1e6, "CPUID leaf 0x16");
        if ((regs.ebx & 0xffff) > 0 && !facts_find(facts, "cpu.clock.max"))
            add_clock(facts, "cpu.clock.max", (regs.ebx & 0xffff) * 1e6, "CPUID leaf 0x16");
    }
    probe_add_missing(facts, "cpu.clock.min", PROBE_CPUS "/cpu*/cpufreq/cpuinfo_min_freq",
                      "absent: no cpufreq/cpuinfo_min_freq");
    probe_add_missing(facts, "cpu.clock.base", PROBE_CPUS "/cpu*/cpufreq/base_frequency",
                      "absent: no cpufreq/base_frequency, acpi_cppc/nominal_freq or CPUID leaf 0x16");
    probe_add_missing(facts, "cpu.clock.max", PROBE_CPUS "/cpu*/cpufreq/cpuinfo_max_freq",
                      "absent: no cpufreq/cpuinfo_max_freq or CPUID leaf 0x16");
}

/* The last state is the deepest sleep. */
static void add_idle(const struct probe_root *root, struct facts *facts)
{
    static const char source[] = PROBE_CPUS "/cpu0/cpuidle/state*/name";
    struct buffer text = {0}, deepest = {0};
    enum { STATES_MAX = 16 }; /* CPUIDLE_STATE_MAX is 10 */
    probe_add_file(root, facts, "cpu.idle.driver", PROBE_CPUS "/cpuidle/current_driver");
    probe_add_file(root, facts, "cpu.idle.governor", PROBE_CPUS "/cpuidle/current_governor_ro");
    for (int i = 0; i < STATES_MAX; i++)
        if (probe_read(root, &text, PROBE_CPUS "/cpu0/cpuidle/state%d/name", i) == 0) {
            buffer_clear(&deepest);
            buffer_add_text(&deepest, buffer_text(&text));
        }
    if (deepest.size > 0)
        facts_add_text(facts, "cpu.idle.deepest", buffer_text(&deepest), source);
    else
        facts_add_unknown(facts, "cpu.idle.deepest", source, "absent: %s", source);
    buffer_free(&text);
    buffer_free(&deepest);
}

static void identity(const struct probe_root *root, struct facts *facts)
{
    add_limits(root, facts);
    probe_add_file(root, facts, "cpu.clock.driver", PROBE_CPUS "/cpu0/cpufreq/scaling_driver");
    add_idle(root, facts);
}

/* Without cpufreq and the counters of cycles, "cpu MHz" is how often the time stamps count, which on a
 * processor with constant_tsc is not its clock (Linux, arch/x86/kernel/cpu/proc.c: cpu_khz). */
static bool is_of_time_stamps(const struct probe_root *root, const char *cpuinfo)
{
    struct buffer flags = {0};
    probe_line_value(cpuinfo, "flags", &flags);
    bool is = strstr(buffer_text(&flags), "constant_tsc") &&
              !strstr(buffer_text(&flags), "aperfmperf") &&
              !probe_exists(root, PROBE_CPUS "/cpu0/cpufreq");
    buffer_free(&flags);
    return is;
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
        bool is_of_stamps = is_of_time_stamps(root, buffer_text(&cpuinfo));
        add_clock(facts, is_of_stamps ? "cpu.clock.time_stamps" : "cpu.clock.now",
                  (double)khz_shown * 1e3, CPUINFO " cpu MHz");
        if (is_of_stamps)
            facts_add_unknown(facts, "cpu.clock.now", CPUINFO " cpu MHz",
                              "absent: no cpufreq, and cpu MHz is the rate of the time stamps");
    } else if (probe_line_value(buffer_text(&cpuinfo), "cpu MHz dynamic", &text) ||
               probe_line_value(buffer_text(&cpuinfo), "clock", &text)) { /* s390; POWER, "3800.0MHz" */
        uint64_t khz_shown = 0;
        probe_thousandths(buffer_text(&text), &khz_shown);
        add_clock(facts, "cpu.clock.now", (double)khz_shown * 1e3, CPUINFO " clock");
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
static void add_settings(const struct probe_root *root, struct facts *facts, const char *name,
                         const char *file)
{
    unsigned cpus[PROBE_CPUS_MAX];
    struct distinct settings = {0};
    struct buffer text = {0};
    char source[96];
    snprintf(source, sizeof source, PROBE_CPUS "/cpu*/cpufreq/%s", file);
    size_t n = cpus_to_ask(root, cpus);
    int error = ENOENT;
    for (size_t i = 0; i < n; i++) {
        int failed = probe_read(root, &text, PROBE_CPUS "/cpu%u/cpufreq/%s", cpus[i], file);
        if (failed == 0)
            distinct_add(&settings, buffer_text(&text));
        else
            error = failed;
    }
    buffer_clear(&text);
    distinct_join(&settings, &text);
    if (settings.n > 0)
        facts_add_text(facts, name, buffer_text(&text), source);
    else
        facts_add_unknown(facts, name, source, "%s: %s", probe_reason(error), source);
    distinct_free(&settings);
    buffer_free(&text);
}

/* Whether the driver or the processor decides: intel_pstate or amd_pstate. */
static void add_mode(const struct probe_root *root, struct facts *facts)
{
    static const char *const paths[] = {PROBE_CPUS "/intel_pstate/status",
                                        PROBE_CPUS "/amd_pstate/status"};
    struct buffer text = {0};
    for (size_t i = 0; i < 2; i++)
        if (!facts_find(facts, "cpu.clock.driver_mode") && probe_read(root, &text, "%s", paths[i]) == 0)
            facts_add_text(facts, "cpu.clock.driver_mode", buffer_text(&text), paths[i]);
    probe_add_missing(facts, "cpu.clock.driver_mode", paths[0],
                      "absent: neither intel_pstate/status nor amd_pstate/status");
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

/* Of the Ryzen that has a large cache on one of its dies: which one the scheduler prefers (Linux,
 * Documentation/ABI/testing/sysfs-bus-platform-drivers-amd_x3d_vcache). Others have no such fact. */
static void add_cache_preference(const struct probe_root *root, struct facts *facts)
{
    static const char path[] = "/sys/bus/platform/drivers/amd_x3d_vcache/AMDI0101:00/amd_x3d_mode";
    if (probe_exists(root, path))
        probe_add_file(root, facts, "cpu.cache_preference", path);
}

static void state(const struct probe_root *root, struct facts *facts)
{
    add_clock_now(root, facts);
    add_clock_measured(root, facts);
    add_settings(root, facts, "cpu.governor", "scaling_governor");
    add_settings(root, facts, "cpu.energy_preference", "energy_performance_preference");
    uint64_t khz = clock_of_cpus(root, "cpufreq/scaling_max_freq", true);
    if (khz > 0)
        add_clock(facts, "cpu.clock.limit", (double)khz * 1e3,
                  PROBE_CPUS "/cpu*/cpufreq/scaling_max_freq");
    probe_add_missing(facts, "cpu.clock.limit", PROBE_CPUS "/cpu*/cpufreq/scaling_max_freq",
                      "absent: no cpufreq/scaling_max_freq");
    add_cache_preference(root, facts);
    add_mode(root, facts);
    add_boost(root, facts);
}

const struct probe probe_frequency = {.name = "frequency", .identity = identity, .state = state};
