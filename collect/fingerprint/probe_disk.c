/* What the folder under test lies on: file system, chain of devices, the disk at its end. */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>

#include "collect/fingerprint/storage.h"

/* The folder without links; below a captured tree as it is given, or "/". */
static void folder_path(const struct probe_root *root, char out[static PATH_MAX])
{
    const char *folder = root->folder && root->folder[0] ? root->folder : ".";
    if (probe_is_live(root) ? !realpath(folder, out)
                            : snprintf(out, PATH_MAX, "%s", folder) >= PATH_MAX || folder[0] != '/')
        snprintf(out, PATH_MAX, "/");
}

/* Appends options that are not there yet as they are, but of a value only what is a number or one of
 * a few words: others name folders, servers and users. */
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

/* Whether it turns. The driver of virtio says so of whatever the hypervisor has. */
static void add_rotational(const struct probe_root *root, struct facts *facts, const char *disk)
{
    static const char name[] = "disk.rotational";
    struct buffer text = {0};
    char path[128];
    snprintf(path, sizeof path, "/sys/block/%s/queue/rotational", disk);
    int error = probe_read(root, &text, "%s", path);
    const char *value = buffer_text(&text);
    if (error != 0)
        facts_add_unknown(facts, name, path, "%s: %s", probe_reason(error), path);
    else if (value[0] != '0' && value[0] != '1')
        facts_add_unknown(facts, name, path, "unparsable: '%.60s'", value);
    else if (value[0] == '1' && strncmp(disk, "vd", 2) == 0)
        facts_add_unknown(facts, name, path, "implausible: virtio says yes of any disk");
    else
        facts_add_text(facts, name, value[0] == '1' ? "yes" : "no", path);
    buffer_free(&text);
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
    /* NVMe; SCSI and ATA */
    snprintf(path, sizeof path, "/sys/block/%s/device/firmware_rev", disk);
    if (probe_read(root, &text, "%s", path) != 0)
        snprintf(path, sizeof path, "/sys/block/%s/device/rev", disk);
    probe_add_file(root, facts, "disk.firmware", path);
    snprintf(path, sizeof path, "/sys/block/%s/device/serial", disk);
    if (probe_read(root, &text, "%s", path) == 0)
        facts_add_private(facts, "disk.serial", buffer_text(&text), path);
    buffer_free(&text);
}

/* Outer tracks of a disk that turns are faster than inner ones, so it matters where on it. */
static void add_partition(const struct probe_root *root, struct facts *facts, const char *disk,
                          const char *partition)
{
    char path[192];
    snprintf(path, sizeof path, "/sys/block/%s/%s/start", disk, partition);
    if (partition[0])
        probe_add_file_number(root, facts, "disk.partition_offset", 512, "B", path);
    else
        facts_add_unknown(facts, "disk.partition_offset", "/sys/block",
                          "not applicable: on no partition");
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
    add_rotational(root, facts, disk);
    snprintf(path, sizeof path, "/sys/block/%s/queue/scheduler", disk);
    probe_add_file_bracketed(root, facts, "disk.scheduler", path);
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
        "disk.device", "disk.partition_offset", "disk.model", "disk.firmware", "disk.rotational",
        "disk.scheduler", "disk.write_cache",
        "disk.size", "disk.sector.logical", "disk.sector.physical", "disk.read_ahead",
        "disk.queue_length"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        facts_add_unknown(facts, names[i], "/proc/self/mountinfo", "%s", why);
}

static void add_mount(const struct probe_root *root, struct facts *facts,
                      const struct mounts *mounts, const struct mount *mount)
{
    static const char source[] = "/proc/self/mountinfo";
    struct buffer text = {0};
    facts_add_text(facts, "disk.filesystem", mount->type, source);
    harmless_options(mount->options, &text);
    harmless_options(mount->super, &text);
    facts_add_text(facts, "disk.mount_options", buffer_text(&text), source);
    facts_add_private(facts, "disk.mount_point", mount->point, source);
    char disk[STORAGE_NAME_SIZE], partition[STORAGE_NAME_SIZE];
    buffer_clear(&text);
    const char *why = storage_chain(root, mounts, mount, disk, partition, &text);
    if (why) {
        add_no_disk(facts, why);
    } else {
        facts_add_text(facts, "disk.device", buffer_text(&text), "/sys/dev/block");
        add_partition(root, facts, disk, partition);
        add_disk(root, facts, disk);
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
        add_mount(root, facts, &mounts, mount);
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
