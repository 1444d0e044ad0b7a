/* The operating system. */
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>

#ifdef __GLIBC__
#include <gnu/libc-version.h>
#endif

#include "collect/fingerprint/probe.h"

/* A file whose first word or line is the answer, else the running kernel's. */
static void add_kernel(const struct probe_root *root, struct facts *facts)
{
    struct buffer type = {0}, release = {0}, text = {0};
    if (probe_read(root, &type, "/proc/sys/kernel/ostype") == 0 &&
        probe_read(root, &release, "/proc/sys/kernel/osrelease") == 0) {
        buffer_add_format(&text, "%.*s %s", (int)strcspn(buffer_text(&type), "\n"),
                          buffer_text(&type), buffer_text(&release));
        facts_add_text(facts, "system.kernel", buffer_text(&text), "/proc/sys/kernel");
    } else if (probe_is_live(root)) {
        struct utsname name;
        if (uname(&name) == 0) {
            buffer_add_format(&text, "%s %s", name.sysname, name.release);
            facts_add_text(facts, "system.kernel", buffer_text(&text), "uname");
        }
    }
    probe_add_missing(facts, "system.kernel", "/proc/sys/kernel", "absent: /proc/sys/kernel");
    probe_add_file(root, facts, "system.kernel.version", "/proc/sys/kernel/version");
    buffer_free(&type);
    buffer_free(&release);
    buffer_free(&text);
}

/* The value of KEY="..." of os-release(5): quotes and the backslashes in them are taken off. */
static bool os_release_value(const char *text, const char *key, struct buffer *out)
{
    buffer_clear(out);
    size_t size = strlen(key);
    for (const char *p = text; *p; p += strcspn(p, "\n"), p += *p == '\n') {
        if (strncmp(p, key, size) != 0 || p[size] != '=')
            continue;
        p += size + 1;
        char quote = *p == '"' || *p == '\'' ? *p++ : '\n';
        for (; *p && *p != quote && *p != '\n'; p++) {
            if (*p == '\\' && quote != '\'' && p[1])
                p++;
            buffer_add_char(out, *p);
        }
        return true;
    }
    return false;
}

static void add_os(const struct probe_root *root, struct facts *facts)
{
    static const char *const paths[] = {"/etc/os-release", "/usr/lib/os-release"};
    struct buffer text = {0}, name = {0};
    int error = 0;
    for (size_t i = 0; i < 2 && !facts_find(facts, "system.os"); i++) {
        int failed = probe_read(root, &text, "%s", paths[i]);
        error = i == 0 ? failed : error;
        if (failed == 0 && (os_release_value(buffer_text(&text), "PRETTY_NAME", &name) ||
                            os_release_value(buffer_text(&text), "NAME", &name)))
            facts_add_text(facts, "system.os", buffer_text(&name), paths[i]);
    }
    if (!facts_find(facts, "system.os"))
        facts_add_unknown(facts, "system.os", paths[0], "%s: %s",
                          error == 0 ? "unparsable" : probe_reason(error), paths[0]);
    buffer_free(&text);
    buffer_free(&name);
}

static void add_libc(struct facts *facts)
{
#ifdef __GLIBC__
    char text[64];
    snprintf(text, sizeof text, "glibc %s", gnu_get_libc_version());
    facts_add_text(facts, "system.libc", text, "gnu_get_libc_version");
#else
    facts_add_unknown(facts, "system.libc", "the build", "absent: this C library has no version");
#endif
}

static void add_arch(const struct probe_root *root, struct facts *facts)
{
    struct utsname name;
    if (probe_is_live(root) && uname(&name) == 0)
        facts_add_text(facts, "system.arch", name.machine, "uname");
    else
        probe_add_file(root, facts, "system.arch", "/proc/sys/kernel/arch"); /* Linux 6.1 */
}

/* Parameters that bear on speed and name nobody. Others are counted and left out: a command line
 * may hold keys, addresses and serial numbers. */
static bool is_harmless(const char *word, size_t size)
{
    static const char *const keys[] = {
        "amd_iommu",        "amd_pstate",      "clocksource",     "cpufreq.default_governor",
        "cpuidle.off",      "default_hugepagesz", "elevator",     "hugepages",
        "hugepagesz",       "idle",            "intel_idle.max_cstate", "intel_iommu",
        "intel_pstate",     "iommu",           "isolcpus",        "l1tf",
        "maxcpus",          "mds",             "mem",             "mitigations",
        "nohz",             "nohz_full",       "nokaslr",         "nopti",
        "nosmp",            "nosmt",           "nospectre_v2",    "nr_cpus",
        "numa",             "numa_balancing",  "preempt",         "processor.max_cstate",
        "psi",              "pti",             "rcu_nocbs",       "retbleed",
        "spec_store_bypass_disable", "spectre_v2", "swapaccount", "swiotlb",
        "threadirqs",       "transparent_hugepage", "tsc",        "tsx",
        "zswap.enabled"};
    size_t key = 0;
    while (key < size && word[key] != '=')
        key++;
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++)
        if (strlen(keys[i]) == key && memcmp(keys[i], word, key) == 0)
            return true;
    return false;
}

static void add_command_line(const struct probe_root *root, struct facts *facts)
{
    static const char path[] = "/proc/cmdline";
    struct buffer text = {0}, kept = {0};
    int error = probe_read(root, &text, path);
    size_t n_left_out = 0;
    for (const char *p = buffer_text(&text); *p;) {
        size_t size = strcspn(p, " \n");
        if (is_harmless(p, size)) {
            buffer_add(&kept, p, size);
            buffer_add_char(&kept, ' ');
        } else if (size > 0) {
            n_left_out++;
        }
        p += size + (p[size] != '\0');
    }
    buffer_add_format(&kept, "(%zu left out)", n_left_out);
    if (error != 0) {
        facts_add_unknown(facts, "system.command_line", path, "%s: %s", probe_reason(error), path);
    } else {
        facts_add_text(facts, "system.command_line", buffer_text(&kept), path);
        facts_add_private(facts, "system.command_line.full", buffer_text(&text), path);
    }
    buffer_free(&text);
    buffer_free(&kept);
}

static void identity(const struct probe_root *root, struct facts *facts)
{
    add_kernel(root, facts);
    add_os(root, facts);
    if (probe_is_live(root))
        add_libc(facts);
    else
        facts_add_unknown(facts, "system.libc", "gnu_get_libc_version", PROBE_NOT_LIVE);
    add_arch(root, facts);
    add_command_line(root, facts);
}

const struct probe probe_system = {.name = "system", .identity = identity};
