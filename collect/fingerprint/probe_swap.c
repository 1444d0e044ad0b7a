/* Where pages go that do not fit, and how eagerly. */
#include <stdio.h>
#include <string.h>

#include "collect/fingerprint/meminfo.h"

/* "zram" of /dev/zram0, "file", "partition" ...: what /proc/swaps calls a partition may be memory. */
static void add_kind(const char *path, size_t size, const char *type, struct buffer *out)
{
    bool is_zram = false;
    for (size_t i = 0; i + 5 <= size; i++) /* /dev/zram0, /dev/block/zram0 */
        is_zram = is_zram || memcmp(path + i, "/zram", 5) == 0;
    if (is_zram && strncmp(path, "/dev/", 5) == 0)
        buffer_add_text(out, "zram");
    else
        buffer_add(out, type, strcspn(type, " \t\n"));
    /* The path of a swap file is somebody's own, that of a device is not. */
    if (size > 5 && strncmp(path, "/dev/", 5) == 0) {
        buffer_add_char(out, ' ');
        buffer_add(out, path, size);
    }
}

/* Past a field and the blanks behind it. */
static const char *next(const char *p)
{
    p += strcspn(p, " \t\n");
    return p + strspn(p, " \t");
}

/* "partition /dev/sda2 8192 MiB priority -2, zram /dev/zram0 4096 MiB priority 100": Filename Type
 * Size Used Priority of /proc/swaps, sizes in KiB. */
static void add_devices(const struct probe_root *root, struct facts *facts)
{
    struct buffer text = {0}, devices = {0};
    int error = probe_read(root, &text, "/proc/swaps");
    const char *p = buffer_text(&text);
    for (p += strcspn(p, "\n"); *p == '\n' && p[1]; p += strcspn(p, "\n")) {
        p++;
        const char *type = next(p), *size = next(type), *priority = next(next(size));
        uint64_t kib;
        if (devices.size > 0)
            buffer_add_text(&devices, ", ");
        add_kind(p, strcspn(p, " \t\n"), type, &devices);
        if (probe_count(size, &kib))
            buffer_add_format(&devices, " %llu MiB", (unsigned long long)kib / 1024);
        buffer_add_text(&devices, " priority ");
        buffer_add(&devices, priority, strcspn(priority, " \t\n"));
    }
    if (error != 0)
        facts_add_unknown(facts, "memory.swap.devices", "/proc/swaps", "%s: /proc/swaps",
                          probe_reason(error));
    else
        facts_add_text(facts, "memory.swap.devices",
                       devices.size > 0 ? buffer_text(&devices) : "none", "/proc/swaps");
    buffer_free(&text);
    buffer_free(&devices);
}

/* Compressed memory before the swap: on or off, and with what. */
static void add_zswap(const struct probe_root *root, struct facts *facts)
{
    static const char path[] = "/sys/module/zswap/parameters/enabled";
    struct buffer text = {0};
    int error = probe_read(root, &text, path);
    bool is_on = buffer_text(&text)[0] == 'Y' || buffer_text(&text)[0] == '1';
    if (error != 0)
        facts_add_unknown(facts, "memory.zswap", path, "%s: %s", probe_reason(error), path);
    else if (!is_on)
        facts_add_text(facts, "memory.zswap", "off", path);
    else if (probe_read(root, &text, "/sys/module/zswap/parameters/compressor") == 0)
        facts_add_text(facts, "memory.zswap", buffer_text(&text), path);
    else
        facts_add_text(facts, "memory.zswap", "on", path);
    buffer_free(&text);
}

static void identity(const struct probe_root *root, struct facts *facts)
{
    struct buffer meminfo = {0};
    int error = probe_read(root, &meminfo, MEMINFO);
    meminfo_add(facts, buffer_text(&meminfo), error, "memory.swap", "SwapTotal");
    buffer_free(&meminfo);
    add_devices(root, facts);
    add_zswap(root, facts);
    probe_add_file_number(root, facts, "memory.swappiness", 1, "1", "/proc/sys/vm/swappiness");
    /* 2 to this power are read at once. */
    probe_add_file_number(root, facts, "memory.page_cluster", 1, "1", "/proc/sys/vm/page-cluster");
}

static void state(const struct probe_root *root, struct facts *facts)
{
    struct buffer meminfo = {0};
    int error = probe_read(root, &meminfo, MEMINFO);
    meminfo_add(facts, buffer_text(&meminfo), error, "swap.free", "SwapFree");
    buffer_free(&meminfo);
}

const struct probe probe_swap = {.name = "swap", .identity = identity, .state = state};
