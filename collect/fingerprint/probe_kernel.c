/* How the kernel is built and set where that bears on speed. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "collect/fingerprint/probe.h"

#define VERSION "/proc/sys/kernel/version"
#define PREEMPT "/sys/kernel/debug/sched/preempt"
enum { TICK_LEAST = 10, TICK_MOST = 10000 }; /* Hz; kernels have had 24 to 1200 */

/* What the kernel's version says it was built with (Linux, init/Makefile). */
static void add_preemption(const struct probe_root *root, struct facts *facts)
{
    static const char *const built[] = {"PREEMPT_RT", "PREEMPT_DYNAMIC", "PREEMPT"};
    struct buffer text = {0};
    int error = probe_read(root, &text, VERSION);
    const char *found = "none or voluntary";
    for (size_t i = sizeof built / sizeof built[0]; i-- > 0;)
        if (strstr(buffer_text(&text), built[i]))
            found = built[i];
    if (error == 0)
        facts_add_text(facts, "system.preemption", found, VERSION);
    else
        facts_add_unknown(facts, "system.preemption", VERSION, "%s: " VERSION, probe_reason(error));
    buffer_free(&text);
}

/* The model in force, which root may read and change where the kernel was built with PREEMPT_DYNAMIC:
 * "none voluntary (full)". */
static void add_preemption_now(const struct probe_root *root, struct facts *facts)
{
    static const char name[] = "system.preemption.now";
    struct buffer text = {0}, model = {0};
    int error = probe_read(root, &text, PREEMPT);
    const char *open = strchr(buffer_text(&text), '(');
    if (open)
        buffer_add(&model, open + 1, strcspn(open + 1, ")"));
    if (error != 0)
        facts_add_unknown(facts, name, PREEMPT, "%s: " PREEMPT, probe_reason(error));
    else if (model.size == 0)
        facts_add_unknown(facts, name, PREEMPT, "unparsable: '%.60s'", buffer_text(&text));
    else
        facts_add_text(facts, name, buffer_text(&model), PREEMPT);
    buffer_free(&text);
    buffer_free(&model);
}

/* The kernel's HZ: a coarse clock moves once a tick, and says so to everybody (Linux,
 * kernel/time/posix-timers.c: KTIME_LOW_RES). */
static void add_tick_asked(const struct probe_root *root, struct facts *facts)
{
    struct timespec tick;
    if (!probe_is_live(root) || clock_getres(CLOCK_MONOTONIC_COARSE, &tick) != 0)
        return;
    double ns = (double)tick.tv_sec * 1e9 + (double)tick.tv_nsec;
    if (ns >= 1e9 / TICK_MOST && ns <= 1e9 / TICK_LEAST)
        facts_add_number(facts, "system.tick", round(1e9 / ns), "Hz",
                         "clock_getres CLOCK_MONOTONIC_COARSE");
}

/* CONFIG_HZ of the configuration that distributions leave in /boot: of a captured tree, or where the
 * kernel says otherwise. */
static void add_tick_built(const struct probe_root *root, struct facts *facts)
{
    struct buffer release = {0}, text = {0};
    uint64_t hertz;
    char source[160];
    probe_read(root, &release, "/proc/sys/kernel/osrelease");
    snprintf(source, sizeof source, "/boot/config-%.100s", buffer_text(&release));
    int error = strchr(buffer_text(&release), '/') ? ENOENT : probe_read(root, &text, "%s", source);
    const char *at = strstr(buffer_text(&text), "\nCONFIG_HZ=");
    if (at && probe_count(at + 11, &hertz)) {
        if (facts_number(facts, "system.tick") != hertz)
            facts_add_number(facts, "system.tick", (double)hertz, "Hz", source);
    } else if (!facts_find(facts, "system.tick")) {
        facts_add_unknown(facts, "system.tick", source, "%s: CONFIG_HZ in %s",
                          error != 0 ? probe_reason(error) : "absent", source);
    }
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
    add_tick_asked(root, facts);
    add_tick_built(root, facts);
    probe_add_file(root, facts, "system.security", "/sys/kernel/security/lsm");
    probe_add_file_number(root, facts, "system.address_randomization", 1, "1",
                          "/proc/sys/kernel/randomize_va_space");
    probe_add_file_number(root, facts, "system.perf_event_paranoid", 1, "1",
                          "/proc/sys/kernel/perf_event_paranoid");
    /* where 1, a priority counts within its session alone: sched(7) */
    probe_add_file_number(root, facts, "system.autogroup", 1, "1",
                          "/proc/sys/kernel/sched_autogroup_enabled");
    probe_add_file_number(root, facts, "system.watchdog", 1, "1", "/proc/sys/kernel/watchdog");
}

static void state(const struct probe_root *root, struct facts *facts)
{
    add_preemption_now(root, facts);
    add_taint(root, facts);
}

const struct probe probe_kernel = {.name = "kernel", .identity = identity, .state = state};
