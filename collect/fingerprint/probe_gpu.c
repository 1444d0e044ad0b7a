/* Graphics processors: which, and what drives them. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collect/fingerprint/probe.h"

#define FOLDER "/sys/class/drm"
#define NVIDIA "/proc/driver/nvidia/version"

static const char *maker(unsigned long vendor)
{
    /* The PCI ID Repository, pci-ids.ucw.cz. */
    static const struct {
        unsigned vendor;
        const char *name;
    } makers[] = {{0x1002, "AMD"},        {0x102b, "Matrox"}, {0x10de, "NVIDIA"}, {0x1234, "QEMU"},
                  {0x1414, "Microsoft"},  {0x15ad, "VMware"}, {0x1a03, "ASPEED"}, {0x1af4, "virtio"},
                  {0x1b36, "QEMU"},       {0x8086, "Intel"}};
    for (size_t i = 0; i < sizeof makers / sizeof makers[0]; i++)
        if (makers[i].vendor == vendor)
            return makers[i].name;
    return NULL;
}

/* "AMD 1002:73bf, driver amdgpu" from the device's uevent; "brcm,bcm2711-vc5, driver vc4-drm" of one
 * that is on no bus. */
static bool describe(const char *uevent, struct buffer *out)
{
    static const char *const keys[] = {"PCI_ID=", "OF_COMPATIBLE_0="};
    for (size_t i = 0; i < 2; i++) {
        const char *at = strstr(uevent, keys[i]);
        if (!at)
            continue;
        at += strlen(keys[i]);
        const char *name = i == 0 ? maker(strtoul(at, NULL, 16)) : NULL;
        buffer_add_format(out, "%s%s%.*s", name ? name : "", name ? " " : "",
                          (int)strcspn(at, "\n"), at);
        break;
    }
    const char *driver = strstr(uevent, "DRIVER=");
    if (driver)
        buffer_add_format(out, "%sdriver %.*s", out->size > 0 ? ", " : "",
                          (int)strcspn(driver + 7, "\n"), driver + 7);
    return out->size > 0;
}

static void add_driver_version(const struct probe_root *root, struct facts *facts)
{
    struct buffer text = {0};
    if (probe_read(root, &text, NVIDIA) == 0) {
        /* "NVRM version: NVIDIA UNIX x86_64 Kernel Module  535.129.03  ..." */
        const char *at = strstr(buffer_text(&text), "Kernel Module");
        char version[32] = "";
        if (at) {
            at += strcspn(at, "0123456789\n");
            snprintf(version, sizeof version, "%.*s", (int)strspn(at, "0123456789."), at);
        }
        facts_add_text(facts, "gpu.driver_version", version, NVIDIA);
    }
    buffer_free(&text);
}

static void identity(const struct probe_root *root, struct facts *facts)
{
    struct buffer names = {0}, uevent = {0}, text = {0};
    int error = probe_list(root, &names, FOLDER);
    size_t n = 0;
    char *rest = NULL;
    for (char *name = names.size > 0 ? strtok_r(names.bytes, "\n", &rest) : NULL; name;
         name = strtok_r(NULL, "\n", &rest)) {
        /* card0, not card0-HDMI-A-1 */
        if (strncmp(name, "card", 4) != 0 || name[4 + strspn(name + 4, "0123456789")] != '\0')
            continue;
        n++;
        char fact[32], source[128];
        snprintf(fact, sizeof fact, "gpu.%s", name);
        snprintf(source, sizeof source, FOLDER "/%.40s/device/uevent", name);
        buffer_clear(&text);
        int failed = probe_read(root, &uevent, "%s", source);
        if (failed != 0)
            facts_add_unknown(facts, fact, source, "%s: %s", probe_reason(failed), source);
        else if (describe(buffer_text(&uevent), &text))
            facts_add_text(facts, fact, buffer_text(&text), source);
        else
            facts_add_unknown(facts, fact, source, "unparsable: '%.60s'", buffer_text(&uevent));
    }
    if (error == 0 || (error == ENOENT && probe_exists(root, "/sys/class")))
        facts_add_number(facts, "gpu.count", (double)n, "1", FOLDER);
    else
        facts_add_unknown(facts, "gpu.count", FOLDER, "%s: " FOLDER, probe_reason(error));
    add_driver_version(root, facts);
    buffer_free(&names);
    buffer_free(&uevent);
    buffer_free(&text);
}

const struct probe probe_gpu = {.name = "gpu", .identity = identity};
