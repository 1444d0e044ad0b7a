/* What the folder under test lies on: file system, chain of devices, the disk at its end. */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>

#include "collect/mounts.h"
#include "collect/probe.h"

enum { NAME_SIZE = 64, CHAIN_MAX = 8 };

/* The folder without links; below a captured tree as it is given, or "/". */
static void folder_path(const struct probe_root *root, char out[static PATH_MAX])
{
    const char *folder = root->folder && root->folder[0] ? root->folder : ".";
    if (probe_is_live(root) ? !realpath(folder, out)
                            : snprintf(out, PATH_MAX, "%s", folder) >= PATH_MAX || folder[0] != '/')
        snprintf(out, PATH_MAX, "/");
}

/* Appends options that are not there yet as they are, but of a value only what is a number or one of a few words: others name
 * folders, servers and users. */
static void harmless_options(const char *options, struct buffer *out)
{
    static const char *const keys[] = {
        "allocsize", "atgc",   "barrier",     "commit", "compress",  "compress-force", "data",
        "discard",   "errors", "fsync_mode",  "inode64", "logbsize", "logbufs",        "metacopy",
        "mode",      "nr_inodes", "proto",    "redirect_dir", "retrans", "rsize",      "sec",
        "size",      "space_cache", "ssd",    "stripe", "sunit",     "swidth",         "timeo",
        "vers",      "volatile", "wsize",     "xino"};
    while (*options) {
        size_t size = strcspn(options, ",");
        const char *equals = memchr(options, '=', size);
        size_t key = equals ? (size_t)(equals - options) : size;
        bool is_harmless = !equals;
        for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++)
            is_harmless = is_harmless ||
                          (strlen(keys[i]) == key && memcmp(keys[i], options, key) == 0);
        struct buffer option = {0};
        buffer_add(&option, options, is_harmless ? size : key);
        if (!is_harmless)
            buffer_add_text(&option, "=?");
        if (!mount_option(buffer_text(out), buffer_text(&option))) {
            if (out->size > 0)
                buffer_add_char(out, ',');
            buffer_add(out, buffer_text(&option), option.size);
        }
        buffer_free(&option);
        options += size + (options[size] == ',');
    }
}

/* A name of /sys/class/block is no path. */
static bool copy_name(char out[static NAME_SIZE], const char *name, size_t size)
{
    if (size == 0 || size >= NAME_SIZE || memchr(name, '/', size) || name[0] == '.')
        return false;
    memcpy(out, name, size);
    out[size] = '\0';
    return true;
}

/* The block device of a mount: by its number, else (btrfs has one of its own) by its source. */
static bool device_of_mount(const struct probe_root *root, const struct mount *mount,
                            char out[static NAME_SIZE])
{
    struct buffer text = {0};
    bool is_found = false;
    if (probe_read(root, &text, "/sys/dev/block/%llu:%llu/uevent",
                   (unsigned long long)mount->major, (unsigned long long)mount->minor) == 0) {
        const char *name = strstr(buffer_text(&text), "DEVNAME=");
        is_found = name && copy_name(out, name + 8, strcspn(name + 8, "\n"));
    }
    if (!is_found && strncmp(mount->source, "/dev/", 5) == 0)
        is_found = copy_name(out, mount->source + 5, strlen(mount->source + 5)) &&
                   probe_exists(root, "/sys/class/block/%s", out);
    buffer_free(&text);
    return is_found;
}

/* sda1 to sda, nvme0n1p2 to nvme0n1: true when /sys/block has it so. */
static bool partition_to_disk(const struct probe_root *root, char name[static NAME_SIZE])
{
    char disk[NAME_SIZE];
    snprintf(disk, sizeof disk, "%s", name);
    size_t size = strlen(disk);
    while (size > 0 && disk[size - 1] >= '0' && disk[size - 1] <= '9')
        size--;
    disk[size] = '\0';
    if (!probe_exists(root, "/sys/block/%s/%s", disk, name)) {
        if (size == 0 || disk[size - 1] != 'p')
            return false;
        disk[size - 1] = '\0';
        if (!probe_exists(root, "/sys/block/%s/%s", disk, name))
            return false;
    }
    memcpy(name, disk, NAME_SIZE);
    return true;
}

/* The chain from the device down to a disk, "dm-0 > sda2 + sdb2 > sda"; of several below one, the
 * first is followed. name becomes the disk's. */
static void follow_chain(const struct probe_root *root, char name[static NAME_SIZE],
                         struct buffer *chain)
{
    struct buffer slaves = {0};
    buffer_add_text(chain, name);
    for (int level = 0; level < CHAIN_MAX; level++) {
        if (probe_list(root, &slaves, "/sys/class/block/%s/slaves", name) == 0 && slaves.size > 0) {
            const char *p = buffer_text(&slaves);
            if (!copy_name(name, p, strcspn(p, "\n")))
                break;
            for (const char *joint = " > "; *p; p += strcspn(p, "\n") + 1, joint = " + ") {
                buffer_add_text(chain, joint);
                buffer_add(chain, p, strcspn(p, "\n"));
            }
        } else if (partition_to_disk(root, name)) {
            buffer_add_format(chain, " > %s", name);
        } else {
            break;
        }
    }
    buffer_free(&slaves);
}

static void add_yes_no(const struct probe_root *root, struct facts *facts, const char *name,
                       const char *path)
{
    struct buffer text = {0};
    int error = probe_read(root, &text, "%s", path);
    const char *value = buffer_text(&text);
    if (error != 0)
        facts_add_unknown(facts, name, path, "%s: %s", probe_reason(error), path);
    else if (value[0] != '0' && value[0] != '1')
        facts_add_unknown(facts, name, path, "unparsable: '%.60s'", value);
    else
        facts_add_text(facts, name, value[0] == '1' ? "yes" : "no", path);
    buffer_free(&text);
}

static void add_scheduler(const struct probe_root *root, struct facts *facts, const char *path)
{
    struct buffer text = {0}, word = {0};
    int error = probe_read(root, &text, "%s", path);
    probe_bracketed(buffer_text(&text), &word);
    if (error != 0)
        facts_add_unknown(facts, "disk.scheduler", path, "%s: %s", probe_reason(error), path);
    else
        facts_add_text(facts, "disk.scheduler", buffer_text(&word), path);
    buffer_free(&text);
    buffer_free(&word);
}

/* model of SCSI, ATA and NVMe; name of SD cards and eMMC. */
static void add_model(const struct probe_root *root, struct facts *facts, const char *disk)
{
    static const char *const files[] = {"device/model", "device/name"};
    struct buffer text = {0};
    char path[128];
    int error = ENOENT;
    for (size_t i = 0; i < 2 && error != 0; i++) {
        snprintf(path, sizeof path, "/sys/block/%s/%s", disk, files[i]);
        error = probe_read(root, &text, "%s", path);
        if (error == 0)
            probe_add_checked(facts, "disk.model", buffer_text(&text), path);
    }
    if (error != 0)
        facts_add_unknown(facts, "disk.model", path, "%s: /sys/block/%s/device/model",
                          probe_reason(error), disk);
    snprintf(path, sizeof path, "/sys/block/%s/device/serial", disk);
    if (probe_read(root, &text, "%s", path) == 0)
        facts_add_private(facts, "disk.serial", buffer_text(&text), path);
    buffer_free(&text);
}

static void add_disk(const struct probe_root *root, struct facts *facts, const char *disk)
{
    static const struct {
        const char *name, *file;
        double factor;
        const char *unit;
    } numbers[] = {
        {"disk.size", "size", 512, "B"}, /* in units of 512 B whatever the sectors are */
        {"disk.sector.logical", "queue/logical_block_size", 1, "B"},
        {"disk.sector.physical", "queue/physical_block_size", 1, "B"},
        {"disk.read_ahead", "queue/read_ahead_kb", 1024, "B"},
        {"disk.queue_length", "queue/nr_requests", 1, "1"},
    };
    char path[128];
    add_model(root, facts, disk);
    snprintf(path, sizeof path, "/sys/block/%s/queue/rotational", disk);
    add_yes_no(root, facts, "disk.rotational", path);
    snprintf(path, sizeof path, "/sys/block/%s/queue/scheduler", disk);
    add_scheduler(root, facts, path);
    snprintf(path, sizeof path, "/sys/block/%s/queue/write_cache", disk);
    probe_add_file(root, facts, "disk.write_cache", path);
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
        snprintf(path, sizeof path, "/sys/block/%s/%s", disk, numbers[i].file);
        probe_add_file_number(root, facts, numbers[i].name, numbers[i].factor, numbers[i].unit,
                              path);
    }
}

/* The facts of a disk that cannot be told. */
static void add_no_disk(struct facts *facts, const char *why)
{
    static const char *const names[] = {
        "disk.device", "disk.model", "disk.rotational", "disk.scheduler", "disk.write_cache",
        "disk.size", "disk.sector.logical", "disk.sector.physical", "disk.read_ahead",
        "disk.queue_length"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        facts_add_unknown(facts, names[i], "/proc/self/mountinfo", "%s", why);
}

static void add_mount(const struct probe_root *root, struct facts *facts, const struct mount *mount)
{
    static const char source[] = "/proc/self/mountinfo";
    struct buffer text = {0};
    facts_add_text(facts, "disk.filesystem", mount->type, source);
    harmless_options(mount->options, &text);
    harmless_options(mount->super, &text);
    facts_add_text(facts, "disk.mount_options", buffer_text(&text), source);
    facts_add_private(facts, "disk.mount_point", mount->point, source);
    char disk[NAME_SIZE];
    if (device_of_mount(root, mount, disk)) {
        buffer_clear(&text);
        follow_chain(root, disk, &text);
        facts_add_text(facts, "disk.device", buffer_text(&text), "/sys/dev/block");
        add_disk(root, facts, disk);
    } else {
        char why[128];
        snprintf(why, sizeof why, "absent: a file system of type %.40s shows no device",
                 mount->type);
        add_no_disk(facts, why);
    }
    buffer_free(&text);
}

static void identity(const struct probe_root *root, struct facts *facts)
{
    char folder[PATH_MAX];
    folder_path(root, folder);
    struct mounts mounts;
    int error = mounts_read(root, &mounts);
    const struct mount *mount = error == 0 ? mounts_find(&mounts, folder) : NULL;
    facts_add_private(facts, "disk.folder", folder, "--dir");
    if (mount) {
        add_mount(root, facts, mount);
    } else {
        char why[64];
        snprintf(why, sizeof why, "%s: /proc/self/mountinfo",
                 error == 0 ? "unparsable" : probe_reason(error));
        facts_add_unknown(facts, "disk.filesystem", "/proc/self/mountinfo", "%s", why);
        facts_add_unknown(facts, "disk.mount_options", "/proc/self/mountinfo", "%s", why);
        add_no_disk(facts, why);
    }
    mounts_free(&mounts);
}

static void state(const struct probe_root *root, struct facts *facts)
{
    char folder[PATH_MAX];
    struct statvfs fs;
    folder_path(root, folder);
    if (!probe_is_live(root))
        facts_add_unknown(facts, "disk.free", "statvfs", PROBE_NOT_LIVE);
    else if (statvfs(folder, &fs) == 0)
        facts_add_number(facts, "disk.free", (double)fs.f_bavail * (double)fs.f_frsize, "B",
                         "statvfs");
    else
        facts_add_unknown(facts, "disk.free", "statvfs", "%s: statvfs", probe_reason(errno));
}

const struct probe probe_disk = {.name = "disk", .identity = identity, .state = state};
