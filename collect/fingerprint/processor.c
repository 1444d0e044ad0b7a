#include "collect/fingerprint/processor.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum processor_arch processor_arch(const char *cpuinfo)
{
    struct buffer text = {0};
    enum processor_arch arch = ARCH_OTHER;
    if (probe_line_value(cpuinfo, "vendor_id", &text) &&
        strncmp(buffer_text(&text), "IBM/S390", 8) == 0)
        arch = ARCH_S390;
    else if (probe_line_value(cpuinfo, "CPU implementer", &text) ||
             probe_line_value(cpuinfo, "CPU architecture", &text))
        arch = ARCH_ARM;
    else if (probe_line_value(cpuinfo, "hart", &text))
        arch = ARCH_RISCV;
    else if (probe_line_value(cpuinfo, "timebase", &text))
        arch = ARCH_POWER;
    else if (probe_line_value(cpuinfo, "cpu family", &text) &&
             probe_line_value(cpuinfo, "flags", &text))
        arch = ARCH_X86;
    buffer_free(&text);
    return arch;
}

/* The number behind a key in a line. */
static bool register_value(const char *line, size_t size, const char *key, uint32_t *out)
{
    const char *at = memmem(line, size, key, strlen(key));
    if (!at)
        return false;
    *out = (uint32_t)strtoul(at + strlen(key), NULL, 16);
    return true;
}

bool processor_cpuid(const struct probe_root *root, uint32_t leaf, uint32_t subleaf,
                     struct cpuid *out)
{
    if (probe_is_live(root))
        return cpuid_read(leaf, subleaf, out);
    struct buffer text = {0};
    bool is_found = false;
    *out = (struct cpuid){0, 0, 0, 0};
    probe_read(root, &text, "/cpuid");
    for (const char *p = buffer_text(&text); *p && !is_found; p += *p == '\n') {
        size_t size = strcspn(p, "\n");
        char *end;
        uint32_t its_leaf = (uint32_t)strtoul(p, &end, 16);
        uint32_t its_subleaf = (uint32_t)strtoul(end, &end, 16);
        is_found = *end == ':' && its_leaf == leaf && its_subleaf == subleaf &&
                   register_value(p, size, "eax=", &out->eax) &&
                   register_value(p, size, "ebx=", &out->ebx) &&
                   register_value(p, size, "ecx=", &out->ecx) &&
                   register_value(p, size, "edx=", &out->edx);
        p += size;
    }
    buffer_free(&text);
    return is_found;
}

/* IBM Redbooks, "IBM Z Connectivity Handbook" and its kin: machine types. */
const char *processor_s390_name(uint64_t machine)
{
    static const struct {
        unsigned machine;
        const char *name;
    } names[] = {{2094, "z9 EC"},  {2096, "z9 BC"},    {2097, "z10 EC"}, {2098, "z10 BC"},
                 {2817, "z196"},   {2818, "z114"},     {2827, "zEC12"},  {2828, "zBC12"},
                 {2964, "z13"},    {2965, "z13s"},     {3906, "z14"},    {3907, "z14 ZR1"},
                 {8561, "z15"},    {8562, "z15 T02"},  {3931, "z16"},    {3932, "z16 A02"},
                 {9175, "z17"}};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (names[i].machine == machine)
            return names[i].name;
    return NULL;
}

/* mvendorid: the JEDEC manufacturer's bank and number (RISC-V Privileged Architecture, 3.1.2), as in
 * Linux, arch/riscv/include/asm/vendorid_list.h. */
const char *processor_riscv_vendor(uint64_t vendor)
{
    static const struct {
        unsigned vendor;
        const char *name;
    } names[] = {{0x31e, "Andes"}, {0x489, "SiFive"}, {0x5b7, "T-Head"}, {0x710, "SpacemiT"}};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (names[i].vendor == vendor)
            return names[i].name;
    return NULL;
}
