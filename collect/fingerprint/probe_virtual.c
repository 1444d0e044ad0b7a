/* Whether this is a virtual machine, a container, both. No single sign is sure, so all that were
 * seen are listed beside the conclusion. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "collect/fingerprint/mounts.h"
#include "collect/fingerprint/processor.h"

#define UNNAMED "unknown kind"

struct signs {
    struct buffer list;
    const char *machine;   /* NULL: no sign of a virtual machine */
    const char *container; /* NULL: no sign of one */
    size_t n_asked;        /* sources that could be read at all */
    bool is_file_alone;    /* the only signs of a container are files in its root */
};

static void sign_add(struct signs *signs, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
static void sign_add(struct signs *signs, const char *format, ...)
{
    char text[256];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    if (signs->list.size > 0)
        buffer_add_text(&signs->list, ", ");
    buffer_add_text(&signs->list, text);
}

/* The first sign that names a kind wins over one that does not. */
static void is_machine(struct signs *signs, const char *kind)
{
    if (!signs->machine || strcmp(signs->machine, UNNAMED) == 0)
        signs->machine = kind;
}

static void ask_cpuid(const struct probe_root *root, struct signs *signs)
{
    /* Signatures: Linux, arch/x86/kernel/cpu/ (hypervisor.c and the files of each). */
    static const struct {
        const char *vendor, *kind;
    } hypervisors[] = {
        {"KVMKVMKVM", "KVM"},       {"VMwareVMware", "VMware"}, {"Microsoft Hv", "Hyper-V"},
        {"XenVMMXenVMM", "Xen"},    {"TCGTCGTCGTCG", "QEMU"},   {"bhyve bhyve ", "bhyve"},
        {"ACRNACRNACRN", "ACRN"},   {"VBoxVBoxVBox", "VirtualBox"},
        {"prl hyperv  ", "Parallels"},
    };
    struct cpuid regs;
    if (!processor_cpuid(root, 1, 0, &regs))
        return;
    signs->n_asked++;
    if (!(regs.ecx >> 31))
        return;
    char vendor[13];
    processor_cpuid(root, 0x40000000, 0, &regs);
    cpuid_vendor(&regs, true, vendor);
    const char *kind = UNNAMED;
    for (size_t i = 0; i < sizeof hypervisors / sizeof hypervisors[0]; i++)
        if (strcmp(hypervisors[i].vendor, vendor) == 0)
            kind = hypervisors[i].kind;
    is_machine(signs, kind);
    sign_add(signs, "CPUID leaf 0x40000000 %s", vendor);
}

static void ask_files_of_machine(const struct probe_root *root, struct signs *signs)
{
    static const struct {
        const char *text, *kind;
    } products[] = {
        {"QEMU", "QEMU"},          {"KVM", "KVM"},         {"VMware", "VMware"},
        {"VirtualBox", "VirtualBox"}, {"Xen", "Xen"},      {"Bochs", "Bochs"},
        {"Parallels", "Parallels"}, {"BHYVE", "bhyve"},    {"Amazon EC2", "Amazon EC2"},
        {"Google Compute Engine", "Google Compute Engine"}, {"Virtual Machine", "Hyper-V"},
        {"OpenStack", "OpenStack"}, {"Firecracker", "Firecracker"},
    };
    static const char *const dmi[] = {"sys_vendor", "product_name"};
    struct buffer text = {0}, flags = {0};
    for (size_t i = 0; i < 2; i++) {
        if (probe_read(root, &text, "/sys/class/dmi/id/%s", dmi[i]) != 0)
            continue;
        signs->n_asked++;
        for (size_t j = 0; j < sizeof products / sizeof products[0]; j++)
            if (strstr(buffer_text(&text), products[j].text)) {
                is_machine(signs, products[j].kind);
                sign_add(signs, "dmi %s %s", dmi[i], products[j].text);
                break;
            }
    }
    if (probe_read(root, &text, "/proc/cpuinfo") == 0) {
        signs->n_asked++;
        if (probe_line_value(buffer_text(&text), "flags", &flags) &&
            strstr(buffer_text(&flags), " hypervisor")) {
            is_machine(signs, UNNAMED);
            sign_add(signs, "cpuinfo flag hypervisor");
        }
        if (probe_line_value(buffer_text(&text), "vendor_id", &flags) &&
            strncmp(buffer_text(&flags), "IBM/S390", 8) == 0 &&
            probe_read(root, &text, "/proc/sysinfo") == 0 &&
            strstr(buffer_text(&text), "VM00 Control Program:")) {
            is_machine(signs, strstr(buffer_text(&text), "z/VM") ? "z/VM" : "KVM");
            sign_add(signs, "/proc/sysinfo");
        }
    }
    if (probe_read(root, &text, "/sys/hypervisor/type") == 0) {
        signs->n_asked++;
        is_machine(signs, strncmp(buffer_text(&text), "xen", 3) == 0 ? "Xen" : UNNAMED);
        sign_add(signs, "/sys/hypervisor/type");
    }
    if (probe_exists(root, "/proc/device-tree/hypervisor")) {
        bool is_kvm = probe_read(root, &text, "/proc/device-tree/hypervisor/compatible") == 0 &&
                      strncmp(buffer_text(&text), "linux,kvm", 9) == 0;
        is_machine(signs, is_kvm ? "KVM" : UNNAMED);
        sign_add(signs, "device-tree hypervisor");
    }
    if (probe_exists(root, "/proc/device-tree/ibm,partition-name")) {
        is_machine(signs, "PowerVM");
        sign_add(signs, "device-tree ibm,partition-name");
    }
    if (probe_read(root, &text, "/proc/sys/kernel/osrelease") == 0) {
        signs->n_asked++;
        if (strstr(buffer_text(&text), "icrosoft")) { /* and Microsoft */
            is_machine(signs, "WSL");
            sign_add(signs, "kernel of Microsoft");
        }
    }
    buffer_free(&text);
    buffer_free(&flags);
}

static const char *container_kind(const char *name)
{
    static const char *const known[] = {"docker", "lxc", "podman", "systemd-nspawn", "wsl"};
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
        if (strcmp(name, known[i]) == 0)
            return known[i];
    return UNNAMED;
}

/* container=NAME in the environment of process 1, as machined, podman and lxc set it. */
static const char *container_variable(const struct buffer *environment)
{
    const char *p = buffer_text(environment), *end = p + environment->size;
    for (; p < end; p += strlen(p) + 1)
        if (strncmp(p, "container=", 10) == 0)
            return container_kind(p + 10);
    return NULL;
}

static void is_container(struct signs *signs, const char *kind)
{
    signs->is_file_alone = false;
    if (!signs->container || strcmp(signs->container, UNNAMED) == 0)
        signs->container = kind;
}

static void ask_files_of_container(const struct probe_root *root, struct signs *signs)
{
    static const struct {
        const char *text, *kind;
    } groups[] = {{"/docker", "docker"},   {"/kubepods", "kubernetes"}, {"/lxc", "lxc"},
                  {"/libpod", "podman"},   {"/machine.slice", "systemd-nspawn"}};
    struct buffer text = {0};
    if (probe_exists(root, "/.dockerenv")) {
        is_container(signs, "docker");
        sign_add(signs, "/.dockerenv");
    }
    if (probe_exists(root, "/run/.containerenv")) {
        is_container(signs, "podman");
        sign_add(signs, "/run/.containerenv");
    }
    signs->is_file_alone = signs->container != NULL;
    if (probe_read(root, &text, "/proc/1/environ") == 0) {
        signs->n_asked++;
        const char *kind = container_variable(&text);
        if (kind) {
            is_container(signs, kind);
            sign_add(signs, "container= in /proc/1/environ");
        }
    }
    /* Which root alone may read; systemd tells everybody. */
    if (probe_read(root, &text, "/run/systemd/container") == 0 && text.size > 0) {
        is_container(signs, container_kind(buffer_text(&text)));
        sign_add(signs, "/run/systemd/container");
    }
    if (probe_read(root, &text, "/proc/self/cgroup") == 0) {
        signs->n_asked++;
        for (size_t i = 0; i < sizeof groups / sizeof groups[0]; i++)
            if (strstr(buffer_text(&text), groups[i].text)) {
                is_container(signs, groups[i].kind);
                sign_add(signs, "control group %s", groups[i].text + 1);
                break;
            }
    }
    struct mounts mounts;
    if (mounts_read(root, &mounts) == 0) {
        signs->n_asked++;
        const struct mount *top = mounts_find(&mounts, "/");
        if (top && strcmp(top->type, "overlay") == 0) {
            is_container(signs, UNNAMED);
            sign_add(signs, "overlay on /");
        }
    }
    mounts_free(&mounts);
    /* An image of a container that became the disk of a virtual machine keeps its file. A container has
     * processes of its own, and sees no threads of the kernel. */
    if (signs->is_file_alone && probe_read(root, &text, "/proc/2/comm") == 0 &&
        strcmp(buffer_text(&text), "kthreadd") == 0) {
        signs->container = NULL;
        sign_add(signs, "but threads of the kernel are seen");
    }
    buffer_free(&text);
}

static void identity(const struct probe_root *root, struct facts *facts)
{
    struct signs signs = {.machine = NULL};
    ask_cpuid(root, &signs);
    ask_files_of_machine(root, &signs);
    ask_files_of_container(root, &signs);
    static const char *const names[] = {"virtual.machine", "virtual.container", "virtual.signs"};
    const char *const texts[] = {signs.machine ? signs.machine : "no sign of one",
                                 signs.container ? signs.container : "no sign of one",
                                 signs.list.size > 0 ? buffer_text(&signs.list) : "none"};
    for (size_t i = 0; i < 3; i++)
        if (signs.n_asked == 0 && signs.list.size == 0)
            facts_add_unknown(facts, names[i], "signs", "absent: nothing to see signs in");
        else
            facts_add_text(facts, names[i], texts[i], "signs");
    buffer_free(&signs.list);
}

const struct probe probe_virtual = {.name = "virtual", .identity = identity};
