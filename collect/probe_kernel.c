/* How the kernel is built and set where that bears on speed. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "collect/probe.h"

#define VERSION "/proc/sys/kernel/version"
#define PREEMPT "/sys/kernel/debug/sched/preempt"

/* The model in force: of a kernel that can change it, "none voluntary (full)", which root may read;
 * else what its version says it was built with (Linux, init/Makefile). */
static void add_preemption(const struct probe_root *root, struct facts *facts)
{
    static const char *const built[] = {"PREEMPT_RT", "PREEMPT_DYNAMIC", "PREEMPT"};
    struct buffer text = {0}, model = {0};
    if (probe_read(root, &text, PREEMPT) == 0 && strchr(buffer_text(&text), '(')) {
        const char *open = strchr(buffer_text(&text), '(') + 1;
        buffer_add(&model, open, strcspn(open, ")"));
        facts_add_text(facts, "system.preemption", buffer_text(&model), PREEMPT);
    } else if (probe_read(root, &text, VERSION) == 0) {
        const char *found = "none or voluntary";
        for (size_t i = sizeof built / sizeof built[0]; i-- > 0;)
            if (strstr(buffer_text(&text), built[i]))
                found = built[i];
        facts_add_text(facts, "system.preemption", found, VERSION);
    } else {
        facts_add_unknown(facts, "system.preemption", VERSION, "absent: " VERSION);
    }
    buffer_free(&text);
    buffer_free(&model);
}

/* CONFIG_HZ of the configuration that distributions leave in /boot. */
static void add_ticks(const struct probe_root *root, struct facts *facts)
{
    struct buffer release = {0}, text = {0};
    uint64_t hertz;
    char source[160];
    probe_read(root, &release, "/proc/sys/kernel/osrelease");
    snprintf(source, sizeof source, "/boot/config-%.100s", buffer_text(&release));
    int error = strchr(buffer_text(&release), '/') ? ENOENT : probe_read(root, &text, "%s", source);
    const char *at = strstr(buffer_text(&text), "\nCONFIG_HZ=");
    if (at && probe_count(at + 11, &hertz))
        facts_add_number(facts, "system.tick", (double)hertz, "Hz", source);
    else
        facts_add_unknown(facts, "system.tick", source, "%s: CONFIG_HZ in %s",
                          error != 0 ? probe_reason(error) : "absent", source);
    buffer_free(&release);
    buffer_free(&text);
}

/* Bits that modules and accidents left behind: Linux, Documentation/admin-guide/tainted-kernels.rst. */
static void add_taint(const struct probe_root *root, struct facts *facts)
{
    static const char path[] = "/proc/sys/kernel/tainted";
    static const char letters[] = "PFSRMBUDAWCIOELKXTN";
    struct buffer text = {0}, taint = {0};
    uint64_t bits;
    int error = probe_read(root, &text, path);
    if (error != 0) {
        facts_add_unknown(facts, "system.taint", path, "%s: %s", probe_reason(error), path);
    } else if (!probe_count(buffer_text(&text), &bits)) {
        facts_add_unknown(facts, "system.taint", path, "unparsable: '%.60s'", buffer_text(&text));
    } else {
        for (size_t bit = 0; bit < sizeof letters - 1; bit++)
            if (bits >> bit & 1)
                buffer_add_char(&taint, letters[bit]);
        facts_add_text(facts, "system.taint", taint.size > 0 ? buffer_text(&taint) : "none", path);
    }
    buffer_free(&text);
    buffer_free(&taint);
}

static void identity(const struct probe_root *root, struct facts *facts)
{
    add_preemption(root, facts);
    add_ticks(root, facts);
    probe_add_file(root, facts, "system.security", "/sys/kernel/security/lsm");
    probe_add_file_number(root, facts, "system.address_randomization", 1, "1",
                          "/proc/sys/kernel/randomize_va_space");
    probe_add_file_number(root, facts, "system.perf_event_paranoid", 1, "1",
                          "/proc/sys/kernel/perf_event_paranoid");
    probe_add_file_number(root, facts, "system.watchdog", 1, "1", "/proc/sys/kernel/watchdog");
}

static void state(const struct probe_root *root, struct facts *facts)
{
    add_taint(root, facts);
}

const struct probe probe_kernel = {.name = "kernel", .identity = identity, .state = state};
