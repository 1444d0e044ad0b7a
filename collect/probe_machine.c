/* Who made the machine, and which one it is. */
#include <errno.h>
#include <string.h>

#include "collect/probe.h"
#include "schema/sha256.h"

#define DMI "/sys/class/dmi/id"
#define DEVICE_TREE "/proc/device-tree/model"

/* systemd's manual, machine-id(5), asks to show a keyed hash in its place; the salt is ours. */
static const char salt[] = "benchmark results pipeline, machine id 1";

static void add_id(const struct probe_root *root, struct facts *facts)
{
    static const char path[] = "/etc/machine-id";
    struct buffer text = {0};
    int error = probe_read(root, &text, path);
    const char *id = buffer_text(&text);
    size_t size = strspn(id, "0123456789abcdef");
    if (error != 0) {
        facts_add_unknown(facts, "machine.id", path, "%s: %s", probe_reason(error), path);
    } else if (size != 32 || (id[size] != '\0' && id[size] != '\n')) {
        /* "uninitialized" in the image of a container */
        facts_add_unknown(facts, "machine.id", path, "unparsable: %s does not hold an id", path);
    } else if (strspn(id, "0") == 32) {
        facts_add_unknown(facts, "machine.id", path, "placeholder: %s holds zeros", path);
    } else {
        struct sha256 hash;
        char digest[SHA256_HEX_SIZE];
        sha256_init(&hash);
        sha256_add(&hash, salt, sizeof salt);
        sha256_add(&hash, id, 32);
        sha256_finish(&hash, digest);
        digest[16] = '\0';
        facts_add_text(facts, "machine.id", digest, "/etc/machine-id, salted SHA-256");
    }
    buffer_free(&text);
}

static const struct {
    const char *name, *path;
    bool is_private;
} dmi[] = {
    {"machine.vendor", DMI "/sys_vendor", false},
    {"machine.product", DMI "/product_name", false},
    {"machine.board", DMI "/board_name", false},
    {"machine.firmware", DMI "/bios_version", false},
    {"machine.firmware_date", DMI "/bios_date", false},
    {"machine.serial", DMI "/product_serial", true},
    {"machine.uuid", DMI "/product_uuid", true},
};

static void add_dmi(const struct probe_root *root, struct facts *facts)
{
    struct buffer text = {0};
    bool has_dmi = probe_exists(root, DMI);
    for (size_t i = 0; i < sizeof dmi / sizeof dmi[0]; i++) {
        int error = probe_read(root, &text, "%s", dmi[i].path);
        /* ARM boards have a model in the device tree instead; it ends with a NUL. */
        bool is_product = strcmp(dmi[i].name, "machine.product") == 0;
        if (error != 0 && is_product && probe_read(root, &text, DEVICE_TREE) == 0)
            facts_add_text(facts, dmi[i].name, buffer_text(&text), DEVICE_TREE);
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

static void identity(const struct probe_root *root, struct facts *facts)
{
    static const char host_name[] = "/proc/sys/kernel/hostname";
    struct buffer text = {0};
    add_id(root, facts);
    add_dmi(root, facts);
    int error = probe_read(root, &text, host_name);
    if (error == 0)
        facts_add_private(facts, "machine.host_name", buffer_text(&text), host_name);
    else
        facts_add_unknown(facts, "machine.host_name", host_name, "%s: %s", probe_reason(error),
                          host_name);
    buffer_free(&text);
}

const struct probe probe_machine = {.name = "machine", .identity = identity};
