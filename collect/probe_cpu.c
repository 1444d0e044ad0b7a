/* Which processor it is, what it can do, how many of it there are and how fast it is set. */
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collect/arm.h"
#include "collect/cpuid.h"
#include "collect/probe.h"
#include "schema/sha256.h"

#define CPU_FOLDER "/sys/devices/system/cpu"
#define CPUINFO "/proc/cpuinfo"

/* The extensions that kernels or their compilers may use, by their names in /proc/cpuinfo; the
 * rest is in the hash. x86, ARM and POWER together: none means two things. */
static const char *const features_of_interest[] = {
    "3dnow",       "aes",        "altivec", "amx_bf16", "amx_int8", "amx_tile",  "asimd",
    "asimddp",     "asimdhp",    "atomics", "avx",      "avx2",     "avx512_bf16", "avx512_fp16",
    "avx512_vnni", "avx512bw",   "avx512cd", "avx512dq", "avx512f", "avx512vbmi", "avx512vl",
    "avx_vnni",    "bf16",       "bmi1",    "bmi2",     "clwb",     "constant_tsc", "crc32",
    "dfp",         "erms",       "f16c",    "fma",      "fma4",     "fp",        "fphp",
    "fsrm",        "gfni",       "hypervisor", "i8mm",  "lm",       "lse",       "mmx",
    "neon",        "nonstop_tsc", "pclmulqdq", "pmull", "pni",      "popcnt",    "rdrand",
    "rdtscp",      "sha1",       "sha2",    "sha3",     "sha512",   "sha_ni",    "sme",
    "sse",         "sse2",       "sse4_1",  "sse4_2",   "sse4a",    "ssse3",     "sve",
    "sve2",        "svebf16",    "vaes",    "vfpv3",    "vfpv4",    "vpclmulqdq", "vsx",
    "vx",          "xop",        "xsave"};

/* A field of /proc/cpuinfo under the first of several names. */
static bool cpuinfo_value(const char *cpuinfo, const char *const keys[], struct buffer *out)
{
    for (size_t i = 0; keys[i]; i++)
        if (probe_line_value(cpuinfo, keys[i], out) && out->size > 0)
            return true;
    return false;
}

/* A second source counts where the first is silent or says otherwise. */
static void add_second(struct facts *facts, const char *name, const char *text, const char *source)
{
    const struct fact *first = facts_find(facts, name);
    size_t n = facts->n;
    facts_add_text(facts, name, text, source);
    if (first && facts->n == n + 1) {
        first = facts_find(facts, name); /* the array may have moved */
        if (strcmp(facts->facts[n].text, first->text) == 0)
            facts->n = n;
    }
}

static void add_second_number(struct facts *facts, const char *name, double value,
                              const char *source)
{
    const struct fact *first = facts_find(facts, name);
    if (!first || first->value != value)
        facts_add_number(facts, name, value, "1", source);
}

static void add_cpuinfo_text(struct facts *facts, const char *cpuinfo, const char *name,
                             const char *const keys[])
{
    struct buffer text = {0};
    if (cpuinfo_value(cpuinfo, keys, &text))
        facts_add_text(facts, name, buffer_text(&text), CPUINFO);
    buffer_free(&text);
}

static void add_cpuinfo_number(struct facts *facts, const char *cpuinfo, const char *name,
                               const char *key)
{
    struct buffer text = {0};
    uint64_t value;
    if (probe_line_value(cpuinfo, key, &text) && probe_count(buffer_text(&text), &value))
        facts_add_number(facts, name, (double)value, "1", CPUINFO);
    buffer_free(&text);
}

static void add_from_cpuid(struct facts *facts)
{
    struct cpuid regs;
    if (!cpuid_read(0, 0, &regs))
        return;
    char vendor[13];
    cpuid_vendor(&regs, false, vendor);
    add_second(facts, "cpu.vendor", vendor, "CPUID leaf 0");
    if (cpuid_read(1, 0, &regs)) {
        struct cpuid_signature is = cpuid_signature(regs.eax);
        add_second_number(facts, "cpu.family", is.family, "CPUID leaf 1");
        add_second_number(facts, "cpu.model_number", is.model, "CPUID leaf 1");
        add_second_number(facts, "cpu.stepping", is.stepping, "CPUID leaf 1");
    }
    char brand[49] = "";
    for (uint32_t leaf = 0; leaf < 3; leaf++) {
        if (!cpuid_read(0x80000002 + leaf, 0, &regs))
            return;
        memcpy(brand + (size_t)leaf * 16, &regs, 16);
    }
    add_second(facts, "cpu.model", brand, "CPUID leaf 0x80000002");
}

static void add_model(const struct probe_root *root, struct facts *facts, const char *cpuinfo)
{
    add_cpuinfo_text(facts, cpuinfo, "cpu.vendor", (const char *const[]){"vendor_id", NULL});
    add_cpuinfo_text(facts, cpuinfo, "cpu.model",
                     (const char *const[]){"model name", "cpu model", "cpu", "uarch", "isa", NULL});
    add_cpuinfo_number(facts, cpuinfo, "cpu.family", "cpu family");
    add_cpuinfo_number(facts, cpuinfo, "cpu.model_number", "model");
    add_cpuinfo_number(facts, cpuinfo, "cpu.stepping", "stepping");
    if (probe_is_live(root))
        add_from_cpuid(facts);
    arm_add_model(facts, cpuinfo);
    probe_add_missing(facts, "cpu.vendor", CPUINFO, "absent: no vendor_id or CPU implementer");
    probe_add_missing(facts, "cpu.model", CPUINFO, "absent: no model in " CPUINFO);
    probe_add_missing(facts, "cpu.family", CPUINFO, "absent: no such number of this processor");
    probe_add_missing(facts, "cpu.model_number", CPUINFO,
                      "absent: no such number of this processor");
    probe_add_missing(facts, "cpu.stepping", CPUINFO, "absent: no such number of this processor");

    struct buffer microcode = {0};
    const char *source = CPU_FOLDER "/cpu0/microcode/version";
    if (probe_read(root, &microcode, "%s", source) != 0) {
        source = CPUINFO;
        probe_line_value(cpuinfo, "microcode", &microcode);
    }
    /* What hypervisors show when they hide it. */
    if (strncmp(buffer_text(&microcode), "0xffffffff", 10) == 0)
        facts_add_unknown(facts, "cpu.microcode", source, "placeholder: 0xffffffff");
    else if (microcode.size > 0)
        facts_add_text(facts, "cpu.microcode", buffer_text(&microcode), source);
    probe_add_missing(facts, "cpu.microcode", source, "absent: no revision is shown");
    buffer_free(&microcode);
}

static int compare_words(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static void add_features(struct facts *facts, const char *cpuinfo)
{
    static const char *const keys[] = {"flags", "Features", "features", "isa", NULL};
    enum { WORDS_MAX = 1024 };
    struct buffer text = {0}, chosen = {0};
    const char **words = calloc(WORDS_MAX, sizeof *words);
    if (!words || !cpuinfo_value(cpuinfo, keys, &text)) {
        facts->failed = facts->failed || !words;
        facts_add_unknown(facts, "cpu.features", CPUINFO, "absent: no flags in " CPUINFO);
        facts_add_unknown(facts, "cpu.features.hash", CPUINFO, "absent: no flags in " CPUINFO);
    } else {
        size_t n = 0;
        char *rest = NULL;
        for (char *word = strtok_r(text.bytes, " ", &rest); word && n < WORDS_MAX;
             word = strtok_r(NULL, " ", &rest))
            words[n++] = word;
        qsort(words, n, sizeof *words, compare_words);
        struct sha256 hash;
        sha256_init(&hash);
        size_t of_interest = sizeof features_of_interest / sizeof features_of_interest[0];
        for (size_t i = 0; i < n; i++) {
            sha256_add(&hash, words[i], strlen(words[i]) + 1);
            if (bsearch(&words[i], features_of_interest, of_interest, sizeof *words,
                        compare_words)) {
                if (chosen.size > 0)
                    buffer_add_char(&chosen, ' ');
                buffer_add_text(&chosen, words[i]);
            }
        }
        char digest[SHA256_HEX_SIZE];
        sha256_finish(&hash, digest);
        digest[16] = '\0';
        facts_add_text(facts, "cpu.features", chosen.size > 0 ? buffer_text(&chosen) : "none listed",
                       CPUINFO);
        facts_add_text(facts, "cpu.features.hash", digest, CPUINFO);
    }
    free(words);
    buffer_free(&text);
    buffer_free(&chosen);
}

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

struct distinct {
    struct buffer values; /* each ended by a LF */
    size_t n;
};

static void distinct_add(struct distinct *distinct, const char *value, size_t size)
{
    const char *text = buffer_text(&distinct->values);
    for (const char *p = text; *p; p += strcspn(p, "\n") + 1)
        if (strcspn(p, "\n") == size && memcmp(p, value, size) == 0)
            return;
    buffer_add(&distinct->values, value, size);
    buffer_add_char(&distinct->values, '\n');
    distinct->n++;
}

/* The different values of a file over the CPUs, joined by ", ". 0, or the errno of the first. */
static int distinct_over_cpus(const struct probe_root *root, const unsigned *cpus, size_t n,
                              const char *file, struct buffer *out)
{
    struct distinct distinct = {0};
    struct buffer text = {0};
    buffer_clear(out);
    int error = 0;
    for (size_t i = 0; i < n && error == 0; i++) {
        int failed = probe_read(root, &text, CPU_FOLDER "/cpu%u/%s", cpus[i], file);
        if (failed == 0)
            distinct_add(&distinct, buffer_text(&text), strcspn(buffer_text(&text), "\n"));
        else if (i == 0)
            error = failed;
    }
    const char *values = buffer_text(&distinct.values);
    for (const char *p = values; *p; p += strcspn(p, "\n") + 1) {
        if (p > values)
            buffer_add_text(out, ", ");
        buffer_add(out, p, strcspn(p, "\n"));
    }
    buffer_free(&distinct.values);
    buffer_free(&text);
    return error;
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
    struct distinct sockets = {0}, cores = {0};
    struct buffer text = {0};
    size_t least = SIZE_MAX, most = 0;
    for (size_t i = 0; i < n; i++) {
        /* -1 is what a kernel without the answer says. */
        if (probe_read(root, &text, CPU_FOLDER "/cpu%u/topology/physical_package_id", cpus[i]) ==
                0 &&
            buffer_text(&text)[0] != '-')
            distinct_add(&sockets, buffer_text(&text), strcspn(buffer_text(&text), "\n"));
        if (probe_read(root, &text, CPU_FOLDER "/cpu%u/topology/core_cpus_list", cpus[i]) != 0 &&
            probe_read(root, &text, CPU_FOLDER "/cpu%u/topology/thread_siblings_list", cpus[i]) !=
                0)
            continue;
        size_t threads = probe_cpu_list(buffer_text(&text), siblings);
        if (threads == 0)
            continue;
        distinct_add(&cores, buffer_text(&text), strcspn(buffer_text(&text), "\n"));
        least = threads < least ? threads : least;
        most = threads > most ? threads : most;
    }
    add_counts(facts, sockets.n, cores.n, most == 0 ? 0 : least, most, CPU_FOLDER "/cpu*/topology");
    buffer_free(&sockets.values);
    buffer_free(&cores.values);
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
            distinct_add(&sockets, buffer_text(&socket), socket.size);
            distinct_add(&cores, buffer_text(&both), both.size);
        }
        buffer_free(&one);
        block = end ? end + 2 : NULL;
    }
    size_t threads = cores.n > 0 && online % cores.n == 0 ? online / cores.n : 0;
    add_counts(facts, sockets.n, cores.n, threads, threads, CPUINFO);
    buffer_free(&sockets.values);
    buffer_free(&cores.values);
    buffer_free(&socket);
    buffer_free(&core);
    buffer_free(&both);
}

/* The CPUs that are online in cpus; how many. Adds their number. */
static size_t add_online(const struct probe_root *root, struct facts *facts, const char *cpuinfo,
                         unsigned *cpus)
{
    struct buffer text = {0};
    const char *source = CPU_FOLDER "/online";
    size_t n = probe_read(root, &text, "%s", source) == 0 ? probe_cpu_list(buffer_text(&text), cpus)
                                                          : 0;
    buffer_free(&text);
    if (n == 0) {
        source = CPUINFO;
        n = cpuinfo_count(cpuinfo);
        n = n < PROBE_CPUS_MAX ? n : PROBE_CPUS_MAX;
        for (size_t i = 0; i < n; i++)
            cpus[i] = (unsigned)i;
    }
    if (n > 0)
        facts_add_number(facts, "cpu.count.online", (double)n, "1", source);
    probe_add_missing(facts, "cpu.count.online", CPU_FOLDER "/online",
                      "absent: neither " CPU_FOLDER "/online nor " CPUINFO);
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
        if (probe_read(root, &text, CPU_FOLDER "/cpu%u/cpufreq/cpuinfo_max_freq", cpus[i]) == 0 &&
            probe_count(buffer_text(&text), &khz) && khz > highest)
            highest = khz;
    struct cpuid regs;
    if (highest > 0)
        add_clock(facts, "cpu.clock.max", (double)highest * 1e3,
                  CPU_FOLDER "/cpu*/cpufreq/cpuinfo_max_freq");
    else if (probe_is_live(root) && cpuid_read(0x16, 0, &regs) && (regs.ebx & 0xffff) > 0)
        add_clock(facts, "cpu.clock.max", (regs.ebx & 0xffff) * 1e6, "CPUID leaf 0x16");
    else
        facts_add_unknown(facts, "cpu.clock.max", CPU_FOLDER "/cpu*/cpufreq/cpuinfo_max_freq",
                          "absent: no cpufreq/cpuinfo_max_freq%s",
                          probe_is_live(root) ? " and no CPUID leaf 0x16" : "");
    buffer_free(&text);
}

static void identity(const struct probe_root *root, struct facts *facts)
{
    unsigned cpus[PROBE_CPUS_MAX];
    struct buffer cpuinfo = {0}, text = {0};
    probe_read(root, &cpuinfo, CPUINFO);
    const char *info = buffer_text(&cpuinfo);
    add_model(root, facts, info);
    add_features(facts, info);
    size_t n = add_online(root, facts, info, cpus);
    add_allowed(root, facts);
    add_topology_from_sysfs(root, facts, cpus, n);
    if (!facts_find(facts, "cpu.cores"))
        add_topology_from_cpuinfo(facts, info, n);
    probe_add_missing(facts, "cpu.sockets", CPUINFO, "absent: no topology is shown");
    probe_add_missing(facts, "cpu.cores", CPUINFO, "absent: no topology is shown");
    probe_add_missing(facts, "cpu.threads_per_core", CPUINFO, "absent: no topology is shown");
    add_max_clock(root, facts, cpus, n);
    if (probe_line_value(info, "address sizes", &text))
        facts_add_text(facts, "cpu.address_sizes", buffer_text(&text), CPUINFO);
    probe_add_missing(facts, "cpu.address_sizes", CPUINFO, "absent: no such line in " CPUINFO);
    probe_add_file(root, facts, "cpu.clock.driver", CPU_FOLDER "/cpu0/cpufreq/scaling_driver");
    buffer_free(&cpuinfo);
    buffer_free(&text);
}

/* cpufreq/boost (1: allowed) or intel_pstate/no_turbo (1: not allowed). */
static void add_boost(const struct probe_root *root, struct facts *facts)
{
    struct buffer text = {0};
    if (probe_read(root, &text, CPU_FOLDER "/cpufreq/boost") == 0)
        facts_add_text(facts, "cpu.boost", buffer_text(&text)[0] == '1' ? "on" : "off",
                       CPU_FOLDER "/cpufreq/boost");
    else if (probe_read(root, &text, CPU_FOLDER "/intel_pstate/no_turbo") == 0)
        facts_add_text(facts, "cpu.boost", buffer_text(&text)[0] == '1' ? "off" : "on",
                       CPU_FOLDER "/intel_pstate/no_turbo");
    else
        facts_add_unknown(facts, "cpu.boost", CPU_FOLDER "/cpufreq/boost",
                          "absent: neither cpufreq/boost nor intel_pstate/no_turbo");
    buffer_free(&text);
}

static void state(const struct probe_root *root, struct facts *facts)
{
    unsigned cpus[PROBE_CPUS_MAX];
    struct buffer text = {0}, cpuinfo = {0};
    uint64_t khz;
    if (probe_read(root, &text, CPU_FOLDER "/cpu0/cpufreq/scaling_cur_freq") == 0 &&
        probe_count(buffer_text(&text), &khz)) {
        add_clock(facts, "cpu.clock.now", (double)khz * 1e3,
                  CPU_FOLDER "/cpu0/cpufreq/scaling_cur_freq");
    } else if (probe_read(root, &cpuinfo, CPUINFO) == 0 &&
               probe_line_value(buffer_text(&cpuinfo), "cpu MHz", &text)) {
        uint64_t khz_shown = 0;
        probe_thousandths(buffer_text(&text), &khz_shown);
        add_clock(facts, "cpu.clock.now", (double)khz_shown * 1e3, CPUINFO " cpu MHz");
    } else {
        facts_add_unknown(facts, "cpu.clock.now", CPU_FOLDER "/cpu0/cpufreq/scaling_cur_freq",
                          "absent: no cpufreq/scaling_cur_freq and no cpu MHz in " CPUINFO);
    }
    size_t n = probe_read(root, &text, CPU_FOLDER "/online") == 0
                   ? probe_cpu_list(buffer_text(&text), cpus)
                   : 0;
    if (n == 0)
        cpus[n++] = 0;
    int error = distinct_over_cpus(root, cpus, n, "cpufreq/scaling_governor", &text);
    if (error == 0)
        facts_add_text(facts, "cpu.governor", buffer_text(&text),
                       CPU_FOLDER "/cpu*/cpufreq/scaling_governor");
    else
        facts_add_unknown(facts, "cpu.governor", CPU_FOLDER "/cpu*/cpufreq/scaling_governor",
                          "%s: " CPU_FOLDER "/cpu0/cpufreq/scaling_governor", probe_reason(error));
    add_boost(root, facts);
    buffer_free(&text);
    buffer_free(&cpuinfo);
}

const struct probe probe_cpu = {.name = "cpu", .identity = identity, .state = state};
