/* What else the machine is doing. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "collect/fingerprint/probe.h"

static void add_loads(const struct probe_root *root, struct facts *facts)
{
    static const char *const names[] = {"load.1min", "load.5min", "load.15min"};
    struct buffer text = {0};
    int error = probe_read(root, &text, "/proc/loadavg");
    const char *p = buffer_text(&text);
    for (size_t i = 0; i < 3; i++) {
        uint64_t load;
        if (error != 0)
            facts_add_unknown(facts, names[i], "/proc/loadavg", "%s: /proc/loadavg",
                              probe_reason(error));
        else if (!probe_thousandths(p, &load))
            facts_add_unknown(facts, names[i], "/proc/loadavg", "unparsable: '%.60s'",
                              buffer_text(&text));
        else
            facts_add_number(facts, names[i], (double)load / 1000, "1", "/proc/loadavg");
        p += strcspn(p, " ");
        p += *p == ' ';
    }
    buffer_free(&text);
}

/* The share of the last 10 seconds in which somebody waited (Linux, Documentation/accounting/psi). */
static void add_pressure(const struct probe_root *root, struct facts *facts, const char *what)
{
    struct buffer text = {0}, some = {0};
    char name[32], path[64];
    snprintf(name, sizeof name, "pressure.%s", what);
    snprintf(path, sizeof path, "/proc/pressure/%s", what);
    uint64_t percent; /* thousandths */
    int error = probe_read(root, &text, "%s", path);
    if (error != 0)
        facts_add_unknown(facts, name, path, "%s: %s", probe_reason(error), path);
    else if (!probe_line_value(buffer_text(&text), "some", &some) ||
             strncmp(buffer_text(&some), "avg10=", 6) != 0 ||
             !probe_thousandths(buffer_text(&some) + 6, &percent))
        facts_add_unknown(facts, name, path, "unparsable: '%.60s'", buffer_text(&text));
    else
        facts_add_number(facts, name, (double)percent / 100000, "1", path);
    buffer_free(&text);
    buffer_free(&some);
}

/* Time that the hypervisor gave to others while a CPU of ours wanted to run, since boot: the
 * difference of two states tells. */
static void add_steal(const struct probe_root *root, struct facts *facts)
{
    enum { STEAL_FIELD = 7 }; /* user nice system idle iowait irq softirq steal */
    struct buffer text = {0}, cpu = {0};
    int error = probe_read(root, &text, "/proc/stat");
    /* USER_HZ, 100 on all architectures that have a Linux of today but Alpha. */
    long hertz = probe_is_live(root) ? sysconf(_SC_CLK_TCK) : 100;
    uint64_t ticks;
    if (error == 0)
        probe_line_value(buffer_text(&text), "cpu", &cpu);
    const char *p = buffer_text(&cpu);
    for (int i = 0; i < STEAL_FIELD && *p; i++) {
        p += strcspn(p, " ");
        p += *p == ' ';
    }
    if (error != 0)
        facts_add_unknown(facts, "load.steal", "/proc/stat", "%s: /proc/stat", probe_reason(error));
    else if (hertz <= 0 || !probe_count(p, &ticks))
        facts_add_unknown(facts, "load.steal", "/proc/stat", "unparsable: '%.60s'",
                          buffer_text(&cpu));
    else
        facts_add_number(facts, "load.steal", (double)ticks / (double)hertz, "s", "/proc/stat");
    buffer_free(&text);
    buffer_free(&cpu);
}

/* "0.07 0.11 0.09 2/512 4711": tasks that run or wait to, this one among them. */
static void add_runnable(const struct probe_root *root, struct facts *facts)
{
    struct buffer text = {0};
    uint64_t n;
    int error = probe_read(root, &text, "/proc/loadavg");
    const char *slash = strchr(buffer_text(&text), '/');
    while (slash && slash > buffer_text(&text) && slash[-1] >= '0' && slash[-1] <= '9')
        slash--;
    if (error == 0 && slash && probe_count(slash, &n))
        facts_add_number(facts, "load.runnable", (double)n, "1", "/proc/loadavg");
    else
        facts_add_unknown(facts, "load.runnable", "/proc/loadavg", "%s: /proc/loadavg",
                          error != 0 ? probe_reason(error) : "unparsable");
    buffer_free(&text);
}

static void add_uptime(const struct probe_root *root, struct facts *facts)
{
    struct buffer text = {0};
    uint64_t ms;
    int error = probe_read(root, &text, "/proc/uptime");
    if (error != 0)
        facts_add_unknown(facts, "load.uptime", "/proc/uptime", "%s: /proc/uptime",
                          probe_reason(error));
    else if (!probe_thousandths(buffer_text(&text), &ms))
        facts_add_unknown(facts, "load.uptime", "/proc/uptime", "unparsable: '%.60s'",
                          buffer_text(&text));
    else
        facts_add_number(facts, "load.uptime", (double)ms / 1000, "s", "/proc/uptime");
    buffer_free(&text);
}

static void state(const struct probe_root *root, struct facts *facts)
{
    add_loads(root, facts);
    add_runnable(root, facts);
    add_pressure(root, facts, "cpu");
    add_pressure(root, facts, "memory");
    add_pressure(root, facts, "io");
    add_steal(root, facts);
    add_uptime(root, facts);
}

const struct probe probe_load = {.name = "load", .state = state};
