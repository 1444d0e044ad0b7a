#include "collect/activity.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "collect/clock.h"

enum { DEVICES_MAX = 16, FILE_BYTES = 1 << 16, SECTOR_BYTES = 512 };

/* Counters that only rise, all of one moment. */
struct counters {
    uint64_t ns;
    uint64_t reads, read_bytes, writes, write_bytes;
    uint64_t busy_ms; /* of all devices together */
    uint64_t cpu_busy, cpu_all; /* clock ticks, all processors */
    uint64_t swap_in, swap_out; /* pages */
    uint64_t major, minor;      /* faults of the child */
    uint64_t resident_pages;    /* not a counter: memory of the child now */
};

struct activity {
    dev_t devices[DEVICES_MAX]; /* [n_devices]; none: every disk */
    size_t n_devices;
    uint64_t interval_ns;
    pid_t child;
    uint64_t start_ns, n_intervals;
    struct counters last;
    char bytes[FILE_BYTES]; /* of the file being read */
};

/* The whole of a small file of /proc as text; "" when it cannot be read. */
static const char *file_read(struct activity *activity, const char *path)
{
    size_t size = 0;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    while (fd >= 0 && size < sizeof activity->bytes - 1) {
        ssize_t n = read(fd, activity->bytes + size, sizeof activity->bytes - 1 - size);
        if (n <= 0)
            break;
        size += (size_t)n;
    }
    if (fd >= 0)
        close(fd);
    activity->bytes[size] = '\0';
    return activity->bytes;
}

static const char *next_line(const char *p)
{
    p += strcspn(p, "\n");
    return *p ? p + 1 : p;
}

static void device_add(struct activity *activity, dev_t device)
{
    for (size_t i = 0; i < activity->n_devices; i++)
        if (activity->devices[i] == device)
            return;
    if (activity->n_devices < DEVICES_MAX)
        activity->devices[activity->n_devices++] = device;
}

/* Swap partitions, and the devices that swap files lie on. */
static void swaps_add(struct activity *activity)
{
    const char *p = next_line(file_read(activity, "/proc/swaps"));
    for (; *p; p = next_line(p)) {
        char path[256];
        struct stat st;
        size_t size = strcspn(p, " \t\n");
        if (size >= sizeof path)
            continue;
        memcpy(path, p, size);
        path[size] = '\0';
        if (stat(path, &st) == 0)
            device_add(activity, S_ISBLK(st.st_mode) ? st.st_rdev : st.st_dev);
    }
}

/* Partitions count their disk's transfers again, and stacked devices those below them. */
static bool is_whole_disk(const char *name)
{
    static const char *const virtual[] = {"loop", "ram", "zram", "dm-", "md", "sr"};
    for (size_t i = 0; i < sizeof virtual / sizeof virtual[0]; i++)
        if (strncmp(name, virtual[i], strlen(virtual[i])) == 0)
            return false;
    char path[320];
    snprintf(path, sizeof path, "/sys/block/%s", name);
    return access(path, F_OK) == 0;
}

static bool is_watched(const struct activity *activity, unsigned major, unsigned minor,
                       const char *name)
{
    for (size_t i = 0; i < activity->n_devices; i++)
        if (activity->devices[i] == makedev(major, minor))
            return true;
    return activity->n_devices == 0 && is_whole_disk(name);
}

/* Fields as in Documentation/admin-guide/iostats.rst of the kernel; sectors are 512 bytes there. */
static void disks_read(struct activity *activity, struct counters *now)
{
    const char *p = file_read(activity, "/proc/diskstats");
    for (; *p; p = next_line(p)) {
        unsigned major, minor;
        char name[64];
        uint64_t reads, read_sectors, writes, write_sectors, busy_ms;
        if (sscanf(p,
                   "%u %u %63s %" SCNu64 " %*u %" SCNu64 " %*u %" SCNu64 " %*u %" SCNu64
                   " %*u %*u %" SCNu64,
                   &major, &minor, name, &reads, &read_sectors, &writes, &write_sectors,
                   &busy_ms) != 8 ||
            !is_watched(activity, major, minor, name))
            continue;
        now->reads += reads;
        now->read_bytes += read_sectors * SECTOR_BYTES;
        now->writes += writes;
        now->write_bytes += write_sectors * SECTOR_BYTES;
        now->busy_ms += busy_ms;
    }
}

static uint64_t keyed_value(const char *text, const char *key)
{
    size_t size = strlen(key);
    for (const char *p = text; *p; p = next_line(p))
        if (strncmp(p, key, size) == 0 && p[size] == ' ')
            return strtoull(p + size + 1, NULL, 10);
    return 0;
}

static void cpu_read(struct activity *activity, struct counters *now)
{
    /* cpu user nice system idle iowait irq softirq steal */
    uint64_t t[8] = {0};
    if (sscanf(file_read(activity, "/proc/stat"),
               "cpu %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64
               " %" SCNu64 " %" SCNu64,
               &t[0], &t[1], &t[2], &t[3], &t[4], &t[5], &t[6], &t[7]) < 4)
        return;
    now->cpu_busy = t[0] + t[1] + t[2] + t[5] + t[6] + t[7];
    now->cpu_all = now->cpu_busy + t[3] + t[4];
}

static void child_read(struct activity *activity, struct counters *now)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/%ld/stat", (long)activity->child);
    const char *p = strrchr(file_read(activity, path), ')'); /* the name may hold anything */
    if (p)
        sscanf(p, ") %*c %*d %*d %*d %*d %*d %*u %" SCNu64 " %*u %" SCNu64, &now->minor,
               &now->major);
    snprintf(path, sizeof path, "/proc/%ld/statm", (long)activity->child);
    sscanf(file_read(activity, path), "%*u %" SCNu64, &now->resident_pages);
}

static struct counters counters_read(struct activity *activity)
{
    struct counters now = {.ns = clock_now_ns()};
    disks_read(activity, &now);
    cpu_read(activity, &now);
    const char *vmstat = file_read(activity, "/proc/vmstat");
    now.swap_in = keyed_value(vmstat, "pswpin");
    now.swap_out = keyed_value(vmstat, "pswpout");
    child_read(activity, &now);
    return now;
}

int activity_open(struct activity **out, const char *dir, double interval_seconds, struct err *err)
{
    struct activity *activity = calloc(1, sizeof *activity);
    if (!activity)
        return err_set(err, ERR_SYSTEM, "out of memory");
    activity->interval_ns = (uint64_t)(interval_seconds * 1e9);
    struct stat st;
    if (stat(dir, &st) < 0) {
        free(activity);
        return err_system(err, "--dir=%s", dir);
    }
    if (major(st.st_dev) != 0) { /* 0: a file system without a device of its own */
        device_add(activity, st.st_dev);
        swaps_add(activity);
    }
    *out = activity;
    return 0;
}

void activity_begin(struct activity *activity, pid_t child)
{
    activity->child = child;
    activity->n_intervals = 0;
    activity->last = counters_read(activity);
    activity->start_ns = activity->last.ns;
}

struct emission {
    measure_sample_fn *emit;
    void *context;
    double at;
    uint64_t elapsed_ns;
};

static void emit_value(const struct emission *emission, const char *metric, const char *unit,
                       double value)
{
    struct measure_sample sample = {.is_activity = true,
                                    .has_time = true,
                                    .at = emission->at,
                                    .value = value,
                                    .iterations = 1,
                                    .elapsed_ns = emission->elapsed_ns};
    snprintf(sample.metric, sizeof sample.metric, "%s", metric);
    snprintf(sample.unit, sizeof sample.unit, "%s", unit);
    emission->emit(emission->context, &sample);
}

void activity_poll(struct activity *activity, measure_sample_fn *emit, void *context)
{
    uint64_t due = activity->start_ns + (activity->n_intervals + 1) * activity->interval_ns;
    if (clock_now_ns() < due)
        return;
    struct counters now = counters_read(activity), last = activity->last;
    activity->last = now;
    /* Intervals that nobody looked at (a stopped machine) are one long one. */
    activity->n_intervals = (now.ns - activity->start_ns) / activity->interval_ns;
    double seconds = (double)(now.ns - last.ns) * 1e-9;
    double page = (double)sysconf(_SC_PAGESIZE);
    struct emission e = {emit, context,
                         (double)activity->n_intervals * (double)activity->interval_ns / 1e9,
                         now.ns - activity->start_ns};
    uint64_t reads = now.reads - last.reads, writes = now.writes - last.writes;
    double read_bytes = (double)(now.read_bytes - last.read_bytes);
    double write_bytes = (double)(now.write_bytes - last.write_bytes);
    emit_value(&e, "read_rate", "B/s", read_bytes / seconds);
    emit_value(&e, "write_rate", "B/s", write_bytes / seconds);
    if (reads > 0)
        emit_value(&e, "read_size", "B", read_bytes / (double)reads);
    if (writes > 0)
        emit_value(&e, "write_size", "B", write_bytes / (double)writes);
    emit_value(&e, "utilisation", "1", (double)(now.busy_ms - last.busy_ms) * 1e-3 / seconds);
    emit_value(&e, "swap_in_rate", "B/s", (double)(now.swap_in - last.swap_in) * page / seconds);
    emit_value(&e, "swap_out_rate", "B/s",
               (double)(now.swap_out - last.swap_out) * page / seconds);
    if (now.cpu_all > last.cpu_all)
        emit_value(&e, "cpu", "1",
                   (double)(now.cpu_busy - last.cpu_busy) / (double)(now.cpu_all - last.cpu_all));
    if (now.resident_pages > 0) { /* else the child is gone */
        emit_value(&e, "faults_major", "1", (double)(now.major - last.major));
        emit_value(&e, "faults_minor", "1", (double)(now.minor - last.minor));
        emit_value(&e, "memory", "B", (double)now.resident_pages * page);
    }
}

void activity_close(struct activity *activity)
{
    free(activity);
}
