/* Who made the machine, and which one it is. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "collect/fingerprint/probe.h"
#include "schema/sha256.h"

#define DMI "/sys/class/dmi/id"
#define DEVICE_TREE "/proc/device-tree/model"
#define SOC "/sys/bus/soc/devices/soc0"

/* systemd's manual, machine-id(5), asks to show a keyed hash in its place; the salt is ours. */
static const char salt[] = "benchmark results pipeline, machine id 1";

/* The first 16 digits of the salted hash of what identifies the machine. */
static void add_hashed(struct facts *facts, const char *id, size_t size, const char *source)
{
    struct sha256 hash;
    char digest[SHA256_HEX_SIZE];
    sha256_init(&hash);
    sha256_add(&hash, salt, sizeof salt);
    sha256_add(&hash, id, size);
    sha256_finish(&hash, digest);
    digest[16] = '\0';
    facts_add_text(facts, "machine.id", digest, source);
}

/* The firmware's UUID, which root may read, where the system has made no id of its own. */
static void add_id_from_firmware(const struct probe_root *root, struct facts *facts)
{
    struct buffer text = {0};
    /* 8-4-4-4-12 digits; boards that were given none have the same digit throughout, or count up. */
    if (probe_read(root, &text, DMI "/product_uuid") == 0 && text.size == 36 &&
        strspn(buffer_text(&text), "0123456789abcdefABCDEF-") == 36 &&
        strspn(buffer_text(&text), "0-") < 36 && strspn(buffer_text(&text), "fF-") < 36 &&
        strncmp(buffer_text(&text), "03000200-0400-0500", 18) != 0)
        add_hashed(facts, buffer_text(&text), 36, DMI "/product_uuid, salted SHA-256");
    buffer_free(&text);
}

static void add_id(const struct probe_root *root, struct facts *facts)
{
    static const char path[] = "/etc/machine-id";
    struct buffer text = {0};
    int error = probe_read(root, &text, path);
    const char *id = buffer_text(&text);
    size_t size = strspn(id, "0123456789abcdef");
    bool is_id = error == 0 && size == 32 && (id[size] == '\0' || id[size] == '\n');
    bool is_zero = is_id && strspn(id, "0") == 32;
    if (is_id && !is_zero)
        add_hashed(facts, id, 32, "/etc/machine-id, salted SHA-256");
    else
        add_id_from_firmware(root, facts);
    char why[96];
    if (error != 0)
        snprintf(why, sizeof why, "%s: %s", probe_reason(error), path);
    else if (is_zero)
        snprintf(why, sizeof why, "placeholder: %s holds zeros", path);
    else /* "uninitialized" in the image of a container */
        snprintf(why, sizeof why, "unparsable: %s does not hold an id", path);
    probe_add_missing(facts, "machine.id", path, why);
    buffer_free(&text);
}

static const struct {
    const char *name, *path;
    bool is_private;
} dmi[] = {
    {"machine.vendor", DMI "/sys_vendor", false},
    {"machine.product", DMI "/product_name", false},
    {"machine.product_version", DMI "/product_version", false},
    {"machine.board_vendor", DMI "/board_vendor", false},
    {"machine.board", DMI "/board_name", false},
    {"machine.board_version", DMI "/board_version", false},
    {"machine.firmware_vendor", DMI "/bios_vendor", false},
    {"machine.firmware", DMI "/bios_version", false},
    {"machine.firmware_date", DMI "/bios_date", false},
    {"machine.serial", DMI "/product_serial", true},
    {"machine.uuid", DMI "/product_uuid", true},
};

static void add_dmi(const struct probe_root *root, struct facts *facts)
{
    struct buffer text = {0};
    bool has_dmi = probe_exists(root, DMI);
    bool has_other = probe_exists(root, "/proc/device-tree") || probe_exists(root, "/proc/sysinfo");
    for (size_t i = 0; i < sizeof dmi / sizeof dmi[0]; i++) {
        int error = probe_read(root, &text, "%s", dmi[i].path);
        if (facts_find(facts, dmi[i].name))
            continue;
        if (error != 0 && !has_dmi && has_other)
            facts_add_unknown(facts, dmi[i].name, dmi[i].path,
                              "not applicable: this kind of machine has no DMI");
        else if (error != 0)
            facts_add_unknown(facts, dmi[i].name, dmi[i].path, "%s: %s", probe_reason(error),
                              has_dmi ? dmi[i].path : DMI);
        else if (dmi[i].is_private)
            facts_add_private(facts, dmi[i].name, buffer_text(&text), dmi[i].path);
        else
            probe_add_checked(facts, dmi[i].name, buffer_text(&text), dmi[i].path);
    }
    buffer_free(&text);
}

/* What stands in for DMI elsewhere: the model in the device tree, which ends with a NUL, and what
 * /proc/cpuinfo and /proc/sysinfo of POWER, old ARM kernels and s390 say. */
static void add_product(const struct probe_root *root, struct facts *facts)
{
    static const struct {
        const char *path, *key;
    } lines[] = {{"/proc/sysinfo", "Type"}, {"/proc/cpuinfo", "Hardware"}};
    struct buffer text = {0}, value = {0};
    if (probe_exists(root, DMI "/product_name"))
        return;
    if (probe_read(root, &text, DEVICE_TREE) == 0) {
        facts_add_text(facts, "machine.product", buffer_text(&text), DEVICE_TREE);
    } else {
        for (size_t i = 0; i < 2 && !facts_find(facts, "machine.product"); i++)
            if (probe_read(root, &text, "%s", lines[i].path) == 0 &&
                probe_line_value(buffer_text(&text), lines[i].key, &value) && value.size > 0)
                facts_add_text(facts, "machine.product", buffer_text(&value), lines[i].path);
    }
    /* "Manufacturer: IBM" of s390 */
    if (probe_read(root, &text, "/proc/sysinfo") == 0 &&
        probe_line_value(buffer_text(&text), "Manufacturer", &value))
        facts_add_text(facts, "machine.vendor", buffer_text(&value), "/proc/sysinfo");
    buffer_free(&text);
    buffer_free(&value);
}

/* The system on a chip (Linux, Documentation/ABI/testing/sysfs-devices-soc); its serial number is not
 * read. */
static void add_chip(const struct probe_root *root, struct facts *facts)
{
    static const char *const files[] = {"family", "machine", "soc_id", "revision"};
    struct buffer text = {0}, chip = {0};
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++)
        if (probe_read(root, &text, SOC "/%s", files[i]) == 0 && text.size > 0) {
            buffer_add_text(&chip, chip.size > 0 ? ", " : "");
            buffer_add_text(&chip, buffer_text(&text));
        }
    if (chip.size > 0)
        facts_add_text(facts, "machine.chip", buffer_text(&chip), SOC);
    buffer_free(&text);
    buffer_free(&chip);
}

/* Attributes, 4 bytes, then one byte (UEFI Specification 2.10, 3.3 and 8.2; Linux,
 * Documentation/filesystems/efivarfs.rst). */
static void add_boot(const struct probe_root *root, struct facts *facts)
{
    static const char path[] =
        "/sys/firmware/efi/efivars/SecureBoot-8be4df61-93ca-11d2-aa0d-00e098032b8c";
    struct buffer bytes = {0};
    bool is_efi = probe_exists(root, "/sys/firmware/efi");
    if (!probe_exists(root, "/sys/firmware")) {
        facts_add_unknown(facts, "machine.boot", "/sys/firmware", "absent: /sys/firmware");
        facts_add_unknown(facts, "machine.secure_boot", "/sys/firmware", "absent: /sys/firmware");
        return;
    }
    facts_add_text(facts, "machine.boot", is_efi ? "UEFI" : "not UEFI", "/sys/firmware/efi");
    int error = probe_read(root, &bytes, path);
    if (!is_efi)
        facts_add_unknown(facts, "machine.secure_boot", path, "not applicable: not started by UEFI");
    else if (error != 0)
        facts_add_unknown(facts, "machine.secure_boot", path, "%s: %s", probe_reason(error), path);
    else if (bytes.size != 5)
        facts_add_unknown(facts, "machine.secure_boot", path, "unparsable: it has not 5 bytes");
    else
        facts_add_text(facts, "machine.secure_boot", bytes.bytes[4] == 1 ? "on" : "off", path);
    buffer_free(&bytes);
}

static void identity(const struct probe_root *root, struct facts *facts)
{
    static const char host_name[] = "/proc/sys/kernel/hostname";
    struct buffer text = {0};
    add_id(root, facts);
    add_product(root, facts);
    add_dmi(root, facts);
    add_chip(root, facts);
    add_boot(root, facts);
    int error = probe_read(root, &text, host_name);
    if (error == 0)
        facts_add_private(facts, "machine.host_name", buffer_text(&text), host_name);
    else
        facts_add_unknown(facts, "machine.host_name", host_name, "%s: %s", probe_reason(error),
                          host_name);
    buffer_free(&text);
}

const struct probe probe_machine = {.name = "machine", .identity = identity};
