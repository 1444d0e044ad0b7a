/* What the control groups of this process allow it. A limit binds everything below it, so every group
 * from the process's own up to the highest that can be seen is asked and the tightest counts. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "collect/control_group.h"

/* Version 1 says "no limit" with the largest multiple of a page. */
static bool is_limit(uint64_t bytes)
{
    return bytes < UINT64_C(1) << 60;
}

struct memory_limit {
    uint64_t bytes, used; /* UINT64_MAX without a limit; used where left is least */
    bool has_used;
    int error; /* nothing was readable: why */
};

static uint64_t memory_used(const struct probe_root *root, const struct group *group,
                            struct buffer *text, bool *is_known)
{
    struct buffer value = {0};
    uint64_t used = 0, cached = 0;
    *is_known = group_read(root, group, group->is_v2 ? "memory.current" : "memory.usage_in_bytes",
                           text) == 0 &&
                probe_count(buffer_text(text), &used);
    /* Pages of files that nobody uses are given back before anything fails. */
    if (group_read(root, group, "memory.stat", text) == 0 &&
        (probe_line_value(buffer_text(text), "total_inactive_file", &value) ||
         probe_line_value(buffer_text(text), "inactive_file", &value)))
        probe_count(buffer_text(&value), &cached);
    buffer_free(&value);
    return used > cached ? used - cached : 0;
}

static void memory_limit(const struct probe_root *root, struct group *group, const char *file,
                         bool wants_used, struct memory_limit *out)
{
    struct buffer text = {0};
    *out = (struct memory_limit){.bytes = UINT64_MAX, .error = ENOENT};
    uint64_t least_left = UINT64_MAX;
    int levels = 0;
    do {
        uint64_t bytes;
        int error = group_read(root, group, file, &text);
        if (error == 0)
            out->error = 0;
        else if (error != ENOENT && out->error == ENOENT)
            out->error = error;
        if (error != 0 || !probe_count(buffer_text(&text), &bytes) || !is_limit(bytes))
            continue;
        out->bytes = bytes < out->bytes ? bytes : out->bytes;
        bool is_known = false;
        uint64_t used = wants_used ? memory_used(root, group, &text, &is_known) : 0;
        uint64_t left = bytes > used ? bytes - used : 0;
        if (is_known && left < least_left) {
            least_left = left;
            out->has_used = true;
        }
    } while (group_up(group) && ++levels < GROUP_LEVELS_MAX);
    out->used = out->has_used ? out->bytes - (least_left < out->bytes ? least_left : out->bytes) : 0;
    buffer_free(&text);
}

static void add_bytes(struct facts *facts, const char *name, uint64_t bytes, const char *source)
{
    if (bytes == UINT64_MAX)
        facts_add_text(facts, name, "none", source);
    else
        facts_add_number(facts, name, (double)bytes, "B", source);
}

/* The highest group of version 2 has no such files, and no limit. */
static bool is_unread(const struct memory_limit *limit, bool is_v2)
{
    return limit->error != 0 && !(is_v2 && limit->error == ENOENT);
}

static void add_memory(const struct probe_root *root, struct facts *facts,
                       const struct mounts *mounts, const char *cgroup)
{
    struct group group;
    struct memory_limit memory, both;
    if (!group_find(root, mounts, cgroup, "memory", &group)) {
        facts_add_unknown(facts, "limit.memory", "cgroup", "absent: no control group for memory");
        facts_add_unknown(facts, "limit.swap", "cgroup", "absent: no control group for memory");
        return;
    }
    struct group again = {.is_v2 = group.is_v2};
    buffer_add_text(&again.top, buffer_text(&group.top));
    buffer_add_text(&again.path, buffer_text(&group.path));
    bool is_v2 = group.is_v2;
    memory_limit(root, &group, is_v2 ? "memory.max" : "memory.limit_in_bytes", false, &memory);
    memory_limit(root, &again, is_v2 ? "memory.swap.max" : "memory.memsw.limit_in_bytes", false,
                 &both);
    const char *source = is_v2 ? "cgroup v2 memory.max" : "cgroup v1 memory.limit_in_bytes";
    if (is_unread(&memory, is_v2))
        facts_add_unknown(facts, "limit.memory", source, "%s: %s", probe_reason(memory.error),
                          source);
    else
        add_bytes(facts, "limit.memory", memory.bytes, source);
    source = is_v2 ? "cgroup v2 memory.swap.max" : "cgroup v1 memory.memsw.limit_in_bytes";
    if (is_unread(&both, is_v2))
        facts_add_unknown(facts, "limit.swap", source, "%s: %s", probe_reason(both.error), source);
    else if (!is_v2 && both.bytes != UINT64_MAX && memory.bytes != UINT64_MAX)
        add_bytes(facts, "limit.swap", both.bytes > memory.bytes ? both.bytes - memory.bytes : 0,
                  source);
    else
        add_bytes(facts, "limit.swap", both.bytes, source);
    group_free(&group);
    group_free(&again);
}

/* Quota and period of one level as a number of CPUs; false when it sets none. */
static bool cpu_quota(const struct probe_root *root, const struct group *group, struct buffer *text,
                      double *out, bool *is_read)
{
    uint64_t quota, period;
    if (group->is_v2) {
        if (group_read(root, group, "cpu.max", text) != 0)
            return false;
        *is_read = true;
        const char *blank = strchr(buffer_text(text), ' ');
        if (!blank || !probe_count(buffer_text(text), &quota) || !probe_count(blank + 1, &period))
            return false; /* "max 100000" */
    } else {
        if (group_read(root, group, "cpu.cfs_quota_us", text) != 0)
            return false;
        *is_read = true;
        if (!probe_count(buffer_text(text), &quota) || /* "-1" */
            group_read(root, group, "cpu.cfs_period_us", text) != 0 ||
            !probe_count(buffer_text(text), &period))
            return false;
    }
    if (quota == 0 || period == 0)
        return false;
    *out = (double)quota / (double)period;
    return true;
}

static void add_cpu(const struct probe_root *root, struct facts *facts, const struct mounts *mounts,
                    const char *cgroup)
{
    struct group group;
    if (!group_find(root, mounts, cgroup, "cpu", &group)) {
        facts_add_unknown(facts, "limit.cpu", "cgroup", "absent: no control group for CPU time");
        return;
    }
    struct buffer text = {0};
    double least = 0;
    bool is_read = false;
    int levels = 0;
    do {
        double cpus;
        if (cpu_quota(root, &group, &text, &cpus, &is_read) && (least == 0 || cpus < least))
            least = cpus;
    } while (group_up(&group) && ++levels < GROUP_LEVELS_MAX);
    const char *source = group.is_v2 ? "cgroup v2 cpu.max" : "cgroup v1 cpu.cfs_quota_us";
    if (least > 0)
        facts_add_number(facts, "limit.cpu", least, "1", source);
    else if (is_read || group.is_v2)
        facts_add_text(facts, "limit.cpu", "none", source);
    else
        facts_add_unknown(facts, "limit.cpu", source, "absent: %s", source);
    buffer_free(&text);
    group_free(&group);
}

/* The share when others want the CPUs too: of 100 in version 2, of 1024 in version 1. */
static void add_weight(const struct probe_root *root, struct facts *facts,
                       const struct mounts *mounts, const char *cgroup)
{
    struct group group;
    struct buffer text = {0};
    uint64_t weight;
    bool is_there = group_find(root, mounts, cgroup, "cpu", &group);
    const char *source = is_there && !group.is_v2 ? "cgroup v1 cpu.shares" : "cgroup v2 cpu.weight";
    if (is_there && group_read(root, &group, group.is_v2 ? "cpu.weight" : "cpu.shares", &text) == 0 &&
        probe_count(buffer_text(&text), &weight))
        facts_add_number(facts, "limit.cpu.weight", (double)weight, "1", source);
    else
        facts_add_unknown(facts, "limit.cpu.weight", source, "absent: %s", source);
    buffer_free(&text);
    group_free(&group);
}

/* The CPUs that the group may use. */
static void add_cpus(const struct probe_root *root, struct facts *facts,
                     const struct mounts *mounts, const char *cgroup)
{
    static const char *const files[] = {"cpuset.cpus.effective", "cpuset.effective_cpus",
                                        "cpuset.cpus"};
    struct group group;
    struct buffer text = {0};
    bool is_there = group_find(root, mounts, cgroup, "cpuset", &group);
    for (size_t i = 0; i < 3 && is_there && !facts_find(facts, "limit.cpus"); i++) {
        char source[64];
        snprintf(source, sizeof source, "cgroup v%d %s", group.is_v2 ? 2 : 1, files[i]);
        if (group_read(root, &group, files[i], &text) == 0 && text.size > 0)
            facts_add_text(facts, "limit.cpus", buffer_text(&text), source);
    }
    probe_add_missing(facts, "limit.cpus", "cgroup", "absent: no control group lists CPUs");
    buffer_free(&text);
    group_free(&group);
}

static void identity(const struct probe_root *root, struct facts *facts)
{
    struct mounts mounts;
    struct buffer cgroup = {0};
    mounts_read(root, &mounts);
    probe_read(root, &cgroup, "/proc/self/cgroup");
    add_memory(root, facts, &mounts, buffer_text(&cgroup));
    add_cpu(root, facts, &mounts, buffer_text(&cgroup));
    add_weight(root, facts, &mounts, buffer_text(&cgroup));
    add_cpus(root, facts, &mounts, buffer_text(&cgroup));
    mounts_free(&mounts);
    buffer_free(&cgroup);
}

/* How often and how long the group had to wait although it wanted to run, since it was made: the
 * difference of two states tells. Version 2 counts us, version 1 ns. */
static void add_throttled(const struct probe_root *root, struct facts *facts,
                          const struct mounts *mounts, const char *cgroup)
{
    struct group group;
    struct buffer text = {0}, value = {0};
    uint64_t n;
    bool is_there = group_find(root, mounts, cgroup, "cpu", &group);
    const char *source = is_there && group.is_v2 ? "cgroup v2 cpu.stat" : "cgroup v1 cpu.stat";
    bool is_read = is_there && group_read(root, &group, "cpu.stat", &text) == 0;
    if (is_read && probe_line_value(buffer_text(&text), "nr_throttled", &value) &&
        probe_count(buffer_text(&value), &n))
        facts_add_number(facts, "limit.cpu.throttled", (double)n, "1", source);
    else
        facts_add_unknown(facts, "limit.cpu.throttled", source, "absent: no nr_throttled");
    if (is_read && probe_line_value(buffer_text(&text), "throttled_usec", &value) &&
        probe_count(buffer_text(&value), &n))
        facts_add_number(facts, "limit.cpu.throttled_time", (double)n / 1e6, "s", source);
    else if (is_read && probe_line_value(buffer_text(&text), "throttled_time", &value) &&
             probe_count(buffer_text(&value), &n))
        facts_add_number(facts, "limit.cpu.throttled_time", (double)n / 1e9, "s", source);
    else
        facts_add_unknown(facts, "limit.cpu.throttled_time", source,
                          "absent: no throttled_usec or throttled_time");
    group_free(&group);
    buffer_free(&text);
    buffer_free(&value);
}

static void state(const struct probe_root *root, struct facts *facts)
{
    struct mounts mounts;
    struct buffer cgroup = {0};
    struct group group;
    mounts_read(root, &mounts);
    probe_read(root, &cgroup, "/proc/self/cgroup");
    if (group_find(root, &mounts, buffer_text(&cgroup), "memory", &group)) {
        struct memory_limit limit;
        bool is_v2 = group.is_v2;
        memory_limit(root, &group, is_v2 ? "memory.max" : "memory.limit_in_bytes", true, &limit);
        const char *source = is_v2 ? "cgroup v2 memory.current without inactive_file"
                                   : "cgroup v1 memory.usage_in_bytes without inactive_file";
        if (limit.has_used)
            facts_add_number(facts, "limit.memory.used", (double)limit.used, "B", source);
        else
            facts_add_unknown(facts, "limit.memory.used", source, "not applicable: no limit to use up");
    } else {
        facts_add_unknown(facts, "limit.memory.used", "cgroup",
                          "absent: no control group for memory");
    }
    add_throttled(root, facts, &mounts, buffer_text(&cgroup));
    group_free(&group);
    mounts_free(&mounts);
    buffer_free(&cgroup);
}

const struct probe probe_limit = {.name = "limit", .identity = identity, .state = state};
