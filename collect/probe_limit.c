/* What the control groups of this process allow it: version 2, or the controllers of version 1.
 * A limit binds everything below it, so every group from the process's own up to the highest that
 * can be seen is asked and the tightest counts. Paths of groups hold names and ids: they are not
 * recorded. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "collect/mounts.h"
#include "collect/probe.h"

enum { LEVELS_MAX = 32 };

/* The folder of this process's group under one controller. */
struct group {
    bool is_v2;
    struct buffer top;  /* mount point: the highest folder that can be seen */
    struct buffer path; /* below it, "" or "/a/b" */
};

static void group_free(struct group *group)
{
    buffer_free(&group->top);
    buffer_free(&group->path);
}

/* The path in the lines HIERARCHY:CONTROLLERS:PATH of /proc/self/cgroup. */
static bool group_path(const char *text, const char *controller, struct buffer *out)
{
    for (const char *p = text; *p; p += strcspn(p, "\n"), p += *p == '\n') {
        size_t size = strcspn(p, "\n");
        const char *first = memchr(p, ':', size);
        const char *second = first ? memchr(first + 1, ':', (size_t)(p + size - first - 1)) : NULL;
        if (!second)
            continue;
        struct buffer list = {0};
        buffer_add(&list, first + 1, (size_t)(second - first - 1));
        bool is_it = controller[0] == '\0' ? list.size == 0
                                           : mount_option(buffer_text(&list), controller);
        buffer_free(&list);
        if (is_it) {
            buffer_clear(out);
            buffer_add(out, second + 1, (size_t)(p + size - second - 1));
            return true;
        }
    }
    return false;
}

/* The group of a controller, version 1 where it has it, else version 2. */
static bool group_find(const struct probe_root *root, const struct mounts *mounts,
                       const char *cgroup, const char *controller, struct group *group)
{
    *group = (struct group){0};
    for (int version = 1; version <= 2; version++) {
        group->is_v2 = version == 2;
        for (size_t i = 0; i < mounts->n; i++) {
            const struct mount *mount = &mounts->mounts[i];
            if (strcmp(mount->type, group->is_v2 ? "cgroup2" : "cgroup") != 0 ||
                (!group->is_v2 && !mount_option(mount->super, controller)) ||
                !group_path(cgroup, group->is_v2 ? "" : controller, &group->path))
                continue;
            buffer_clear(&group->top);
            buffer_add_text(&group->top, mount->point);
            /* Without a namespace of its own, a container sees the path of the host and mounts
             * its own group as the top. */
            size_t size = strlen(mount->root);
            if (size > 1 && strncmp(buffer_text(&group->path), mount->root, size) == 0) {
                struct buffer below = {0};
                buffer_add_text(&below, buffer_text(&group->path) + size);
                buffer_free(&group->path);
                group->path = below;
            }
            if (group->path.size == 1 || strstr(buffer_text(&group->path), ".."))
                buffer_clear(&group->path);
            if (!probe_exists(root, "%s%s", buffer_text(&group->top), buffer_text(&group->path)))
                buffer_clear(&group->path);
            return true;
        }
    }
    group_free(group);
    *group = (struct group){0};
    return false;
}

/* One level up; false at the top. */
static bool group_up(struct group *group)
{
    if (group->path.size == 0)
        return false;
    while (group->path.size > 0 && group->path.bytes[group->path.size - 1] != '/')
        group->path.size--;
    if (group->path.size > 0)
        group->path.size--;
    group->path.bytes[group->path.size] = '\0';
    return true;
}

static int group_read(const struct probe_root *root, const struct group *group, const char *file,
                      struct buffer *out)
{
    return probe_read(root, out, "%s%s/%s", buffer_text(&group->top), buffer_text(&group->path),
                      file);
}

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
    } while (group_up(group) && ++levels < LEVELS_MAX);
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
    } while (group_up(&group) && ++levels < LEVELS_MAX);
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

static void identity(const struct probe_root *root, struct facts *facts)
{
    struct mounts mounts;
    struct buffer cgroup = {0};
    mounts_read(root, &mounts);
    probe_read(root, &cgroup, "/proc/self/cgroup");
    add_memory(root, facts, &mounts, buffer_text(&cgroup));
    add_cpu(root, facts, &mounts, buffer_text(&cgroup));
    mounts_free(&mounts);
    buffer_free(&cgroup);
}

static void add_throttled(const struct probe_root *root, struct facts *facts,
                          const struct mounts *mounts, const char *cgroup)
{
    struct group group;
    struct buffer text = {0}, value = {0};
    uint64_t n;
    bool is_there = group_find(root, mounts, cgroup, "cpu", &group);
    const char *source = is_there && group.is_v2 ? "cgroup v2 cpu.stat" : "cgroup v1 cpu.stat";
    if (is_there && group_read(root, &group, "cpu.stat", &text) == 0 &&
        probe_line_value(buffer_text(&text), "nr_throttled", &value) &&
        probe_count(buffer_text(&value), &n))
        facts_add_number(facts, "limit.cpu.throttled", (double)n, "1", source);
    else
        facts_add_unknown(facts, "limit.cpu.throttled", source, "absent: no nr_throttled");
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
            facts_add_unknown(facts, "limit.memory.used", source, "absent: no limit to use up");
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
