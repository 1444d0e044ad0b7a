#include "collect/fingerprint/storage.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

enum { CHAIN_MAX = 8 };

/* A name of /sys/class/block is no path. */
static bool copy_name(char out[static STORAGE_NAME_SIZE], const char *name, size_t size)
{
    if (size == 0 || size >= STORAGE_NAME_SIZE || memchr(name, '/', size) || name[0] == '.')
        return false;
    memcpy(out, name, size);
    out[size] = '\0';
    return true;
}

/* The block device of a mount: by its number, else (btrfs has one of its own) by its source. */
static bool device_of_mount(const struct probe_root *root, const struct mount *mount,
                            char out[static STORAGE_NAME_SIZE])
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
static bool partition_to_disk(const struct probe_root *root, char name[static STORAGE_NAME_SIZE])
{
    char disk[STORAGE_NAME_SIZE];
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
    memcpy(name, disk, STORAGE_NAME_SIZE);
    return true;
}

/* " (LVM)", " (raid1)" ... of a device that is made of others. Its own name is not asked for: volume
 * groups are called after their hosts. */
static void add_kind(const struct probe_root *root, const char *name, struct buffer *out)
{
    static const struct {
        const char *prefix, *kind;
    } mapped[] = {{"LVM-", "LVM"}, {"CRYPT-", "encrypted"}, {"mpath-", "multipath"},
                  {"DMRAID-", "dmraid"}, {"VDO-", "VDO"}};
    struct buffer text = {0};
    if (probe_read(root, &text, "/sys/class/block/%s/dm/uuid", name) == 0) {
        const char *kind = "mapped";
        for (size_t i = 0; i < sizeof mapped / sizeof mapped[0]; i++)
            if (strncmp(buffer_text(&text), mapped[i].prefix, strlen(mapped[i].prefix)) == 0)
                kind = mapped[i].kind;
        buffer_add_format(out, " (%s)", kind);
    } else if (probe_read(root, &text, "/sys/class/block/%s/md/level", name) == 0) {
        buffer_add_format(out, " (%s)", buffer_text(&text));
    } else if (probe_exists(root, "/sys/class/block/%s/loop/backing_file", name)) {
        buffer_add_text(out, " (a file)");
    } else if (probe_exists(root, "/sys/class/block/%s/bcache", name)) {
        buffer_add_text(out, " (bcache)");
    }
    buffer_free(&text);
}

/* Down to a disk; name becomes the disk's. */
static void follow(const struct probe_root *root, char name[static STORAGE_NAME_SIZE],
                   char partition[static STORAGE_NAME_SIZE], struct buffer *chain)
{
    struct buffer slaves = {0};
    for (int level = 0; level < CHAIN_MAX; level++) {
        if (probe_list(root, &slaves, "/sys/class/block/%s/slaves", name) == 0 && slaves.size > 0) {
            const char *p = buffer_text(&slaves);
            if (!copy_name(name, p, strcspn(p, "\n")))
                break;
            for (const char *joint = " > "; *p; p += strcspn(p, "\n") + 1, joint = " + ") {
                char slave[STORAGE_NAME_SIZE];
                buffer_add_text(chain, joint);
                buffer_add(chain, p, strcspn(p, "\n"));
                if (copy_name(slave, p, strcspn(p, "\n")))
                    add_kind(root, slave, chain);
            }
        } else {
            char before[STORAGE_NAME_SIZE];
            memcpy(before, name, sizeof before);
            if (!partition_to_disk(root, name))
                break;
            memcpy(partition, before, sizeof before);
            buffer_add_format(chain, " > %s", name);
        }
    }
    buffer_free(&slaves);
}

/* The devices of a btrfs that this one belongs to: /sys/fs/btrfs/UUID/devices has a link to each. */
static void add_others(const struct probe_root *root, const char *name, struct buffer *out)
{
    struct buffer systems = {0}, devices = {0};
    char *rest = NULL;
    probe_list(root, &systems, "/sys/fs/btrfs");
    for (char *id = systems.size > 0 ? strtok_r(systems.bytes, "\n", &rest) : NULL; id;
         id = strtok_r(NULL, "\n", &rest)) {
        if (!probe_exists(root, "/sys/fs/btrfs/%s/devices/%s", id, name) ||
            probe_list(root, &devices, "/sys/fs/btrfs/%s/devices", id) != 0 || devices.size == 0)
            continue;
        char *more = NULL;
        for (char *other = strtok_r(devices.bytes, "\n", &more); other;
             other = strtok_r(NULL, "\n", &more))
            if (strcmp(other, name) != 0)
                buffer_add_format(out, " + %s", other);
    }
    buffer_free(&systems);
    buffer_free(&devices);
}

/* The mount that the upper folder of an overlay lies on; NULL where it cannot be seen from here. */
static const struct mount *below_overlay(const struct mounts *mounts, const struct mount *overlay)
{
    char path[PATH_MAX];
    const char *upper = strstr(overlay->super, "upperdir=");
    if (!upper)
        return NULL;
    snprintf(path, sizeof path, "%.*s", (int)strcspn(upper + 9, ","), upper + 9);
    const struct mount *mount = mounts_find(mounts, path);
    return mount && strcmp(mount->type, "overlay") != 0 ? mount : NULL;
}

const char *storage_chain(const struct probe_root *root, const struct mounts *mounts,
                          const struct mount *mount, char disk[static STORAGE_NAME_SIZE],
                          char partition[static STORAGE_NAME_SIZE], struct buffer *out)
{
    static const char *const none[] = {"tmpfs", "ramfs", "hugetlbfs", "devtmpfs", "proc", "sysfs",
                                       "nfs",   "nfs4",  "cifs",      "smb3",     "9p",   "virtiofs",
                                       "ceph"};
    bool is_overlay = strcmp(mount->type, "overlay") == 0;
    for (size_t i = 0; i < sizeof none / sizeof none[0]; i++)
        if (strcmp(mount->type, none[i]) == 0)
            return "not applicable: a file system of this type is on no device of this machine";
    if (is_overlay && !(mount = below_overlay(mounts, mount)))
        return "absent: the folders of the overlay are not seen from here";
    if (!device_of_mount(root, mount, disk))
        return "absent: the file system shows no device";
    partition[0] = '\0';
    if (is_overlay)
        buffer_add_text(out, "overlay > ");
    buffer_add_text(out, disk);
    add_kind(root, disk, out);
    if (strcmp(mount->type, "btrfs") == 0)
        add_others(root, disk, out);
    follow(root, disk, partition, out);
    return NULL;
}
