/* The clock that everything is measured with. */
#include <errno.h>
#include <math.h>
#include <sys/timex.h>
#include <time.h>

#include "collect/fingerprint/probe.h"

#define SOURCE_FILE "/sys/devices/system/clocksource/clocksource0/current_clocksource"

static double seconds_between(const struct timespec *from, const struct timespec *to)
{
    return (double)(to->tv_sec - from->tv_sec) + (double)(to->tv_nsec - from->tv_nsec) * 1e-9;
}

/* Cost of one clock_gettime: the least over some batches, what is above it was a disturbance. */
static double read_cost(void)
{
    enum { BATCHES = 20, READS = 200 };
    double least = 1;
    for (int batch = 0; batch < BATCHES; batch++) {
        struct timespec start, now;
        clock_gettime(CLOCK_MONOTONIC, &start);
        for (int i = 0; i < READS; i++)
            clock_gettime(CLOCK_MONOTONIC, &now);
        double cost = seconds_between(&start, &now) / READS;
        if (cost < least)
            least = cost;
    }
    return least;
}

/* The least step that the raw clock is seen to take: a clock too coarse gives times of nothing. */
static void add_step(struct facts *facts)
{
    enum { STEPS = 64, READS_MAX = 100000 };
    double least = 0;
    for (int i = 0; i < STEPS; i++) {
        struct timespec start, now;
        clock_gettime(CLOCK_MONOTONIC_RAW, &start);
        int reads = 0;
        do
            clock_gettime(CLOCK_MONOTONIC_RAW, &now);
        while (now.tv_nsec == start.tv_nsec && now.tv_sec == start.tv_sec && ++reads < READS_MAX);
        double step = seconds_between(&start, &now);
        if (step > 0 && (least == 0 || step < least))
            least = step;
    }
    if (least > 0)
        facts_add_number(facts, "clock.step", least, "s", "measured CLOCK_MONOTONIC_RAW");
    else
        facts_add_unknown(facts, "clock.step", "measured CLOCK_MONOTONIC_RAW",
                          "implausible: the clock stands still");
}

/* When the machine was started, by the wall clock of now, in ms: moves when somebody sets the clock. */
static void add_boot_time(struct facts *facts)
{
    static const char source[] = "CLOCK_REALTIME less CLOCK_BOOTTIME";
    struct timespec now, running;
    if (clock_gettime(CLOCK_BOOTTIME, &running) == 0 && clock_gettime(CLOCK_REALTIME, &now) == 0)
        facts_add_number(facts, "clock.boot_time", round(seconds_between(&running, &now) * 1e3) / 1e3,
                         "s", source);
    else
        facts_add_unknown(facts, "clock.boot_time", source, "%s: clock_gettime", probe_reason(errno));
}

static void identity(const struct probe_root *root, struct facts *facts)
{
    probe_add_file(root, facts, "clock.source", SOURCE_FILE);
    probe_add_file(root, facts, "clock.sources",
                   "/sys/devices/system/clocksource/clocksource0/available_clocksource");
    struct timespec step;
    if (!probe_is_live(root))
        facts_add_unknown(facts, "clock.resolution", "clock_getres", PROBE_NOT_LIVE);
    else if (clock_getres(CLOCK_MONOTONIC, &step) == 0)
        facts_add_number(facts, "clock.resolution",
                         (double)step.tv_sec + (double)step.tv_nsec / 1e9, "s",
                         "clock_getres CLOCK_MONOTONIC");
    else
        facts_add_unknown(facts, "clock.resolution", "clock_getres", "%s: clock_getres",
                          probe_reason(errno));
}

static void state(const struct probe_root *root, struct facts *facts)
{
    probe_add_file(root, facts, "clock.source", SOURCE_FILE); /* kernels change it when it drifts */
    if (!probe_is_live(root)) {
        facts_add_unknown(facts, "clock.cost", "measured", PROBE_NOT_LIVE);
        facts_add_unknown(facts, "clock.step", "measured", PROBE_NOT_LIVE);
        facts_add_unknown(facts, "clock.boot_time", "clock_gettime", PROBE_NOT_LIVE);
        facts_add_unknown(facts, "clock.synchronised", "adjtimex", PROBE_NOT_LIVE);
        return;
    }
    facts_add_number(facts, "clock.cost", read_cost(), "s", "measured clock_gettime");
    add_step(facts);
    add_boot_time(facts);
    struct timex timex = {.modes = 0};
    int result = adjtimex(&timex);
    if (result < 0)
        facts_add_unknown(facts, "clock.synchronised", "adjtimex", "%s: adjtimex",
                          probe_reason(errno));
    else
        facts_add_text(facts, "clock.synchronised",
                       result == TIME_ERROR || (timex.status & STA_UNSYNC) ? "no" : "yes",
                       "adjtimex");
}

const struct probe probe_clock = {.name = "clock", .identity = identity, .state = state};
